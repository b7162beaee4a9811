/* Tests run settings: serialization, errors, session options. */
#include <string.h>

#include <glib/gstdio.h>

#include "diagnostic.h"
#include "program/request-edit.h"
#include "program/run-command.h"
#include "program/run-settings.h"

static HirRunSettings
make_full (void)
{
  return (HirRunSettings){
    .model_clock = TRUE,
    .n_streams = 7,
    .n_repeat = 3,
    .n_warmup = 2,
    .seed = G_MAXUINT64,
    .timeout_s = 0.25,
    .check = TRUE,
    .trace = HIR_TRACE_KERNELS,
    .backend = HIR_BACKEND_CUDA,
    .comm = { HIR_COMM_TRANSPORT_COPY, TRUE, 8 },
    .gpus = g_strdup ("3,0,12"),
    .share_gpus = TRUE,
    .plant_op = g_strdup ("matmul"),
    .plant_scale = 0.5,
  };
}

static void
assert_same (const HirRunSettings *a, const HirRunSettings *b)
{
  g_assert_cmpint (a->model_clock, ==, b->model_clock);
  g_assert_cmpint (a->n_streams, ==, b->n_streams);
  g_assert_cmpint (a->n_repeat, ==, b->n_repeat);
  g_assert_cmpint (a->n_warmup, ==, b->n_warmup);
  g_assert_cmpuint (a->seed, ==, b->seed);
  g_assert_cmpfloat (a->timeout_s, ==, b->timeout_s);
  g_assert_cmpint (a->check, ==, b->check);
  g_assert_cmpint (a->trace, ==, b->trace);
  g_assert_cmpint (a->backend, ==, b->backend);
  g_assert_cmpint (a->comm.way, ==, b->comm.way);
  g_assert_cmpint (a->comm.high_priority, ==, b->comm.high_priority);
  g_assert_cmpint (a->comm.n_ctas, ==, b->comm.n_ctas);
  g_assert_cmpstr (a->gpus, ==, b->gpus);
  g_assert_cmpint (a->share_gpus, ==, b->share_gpus);
  g_assert_cmpstr (a->plant_op, ==, b->plant_op);
  g_assert_cmpfloat (a->plant_scale, ==, b->plant_scale);
}

static void
assert_round_trips (const HirRunSettings *settings)
{
  g_autoptr (GVariant) variant = g_variant_ref_sink (hir_run_settings_to_variant (settings));
  g_autofree char *text = g_variant_print (variant, TRUE);
  g_autoptr (GVariant) parsed = g_variant_parse (NULL, text, NULL, NULL, NULL);
  g_auto (HirRunSettings) one = { 0 };
  g_auto (HirRunSettings) two = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_true (hir_run_settings_read (&one, variant, &error));
  g_assert_no_error (error);
  assert_same (settings, &one);
  g_assert_true (hir_run_settings_read (&two, parsed, &error));
  g_assert_no_error (error);
  assert_same (settings, &two);
}

static void
test_round_trip (void)
{
  g_auto (HirRunSettings) full = make_full ();
  g_auto (HirRunSettings) plain = { 0 };
  g_auto (HirRunSettings) copy = { 0 };

  hir_run_settings_init (&plain);
  assert_round_trips (&full);
  assert_round_trips (&plain);
  hir_run_settings_copy (&copy, &full);
  assert_same (&full, &copy);
  g_assert_true (full.plant_op != copy.plant_op);
}

static void
test_defaults (void)
{
  g_autoptr (GVariant) variant = g_variant_parse (NULL, "{'later': <'key'>}", NULL, NULL, NULL);
  g_auto (HirRunSettings) read = { 0 };
  g_auto (HirRunSettings) expected = { 0 };
  g_autoptr (GError) error = NULL;

  hir_run_settings_init (&expected);
  g_assert_cmpint (expected.n_streams, ==, 4);
  g_assert_cmpint (expected.n_repeat, ==, 1);
  g_assert_cmpint (expected.n_warmup, ==, 0);
  g_assert_cmpfloat (expected.timeout_s, ==, 10);
  g_assert_cmpint (expected.trace, ==, HIR_TRACE_FULL);
  g_assert_true (hir_run_settings_read (&read, variant, &error));
  g_assert_no_error (error);
  assert_same (&expected, &read);
}

static void
test_broken (void)
{
  static const struct
  {
    const char *text, *word;
  } rows[] = {
    { "'text'", "dictionary" },
    { "{'streams': <int64 0>}", "numberOfStreams" },
    { "{'streams': <int64 65>}", "numberOfStreams" },
    { "{'streams': <4>}", "streams" },
    { "{'repeat': <int64 0>}", "repeat" },
    { "{'repeat': <int64 9223372036854775807>}", "repeat" },
    { "{'warmup': <int64 -1>}", "warmup" },
    { "{'seed': <int64 1>}", "seed" },
    { "{'timeout': <-1.0>}", "timeout" },
    { "{'timeout': <1e300>}", "timeout" },
    { "{'timeout': <nan>}", "timeout" },
    { "{'check': <1>}", "check" },
    { "{'model-clock': <'yes'>}", "model-clock" },
    { "{'trace': <3>}", "trace" },
    { "{'trace': <-1>}", "trace" },
    { "{'backend': <'abacus'>}", "cuda" },
    { "{'comm': <'pigeon'>}", "nccl" },
    { "{'comm-ctas': <65>}", "CTAs" },
    { "{'comm-ctas': <-1>}", "CTAs" },
    { "{'gpus': <''>}", "empty" },
    { "{'gpus': <'0,'>}", "0," },
    { "{'gpus': <'1,x'>}", "1,x" },
    { "{'gpus': <'-1'>}", "-1" },
    { "{'gpus': <'4,0,4'>}", "GPU 4 twice" },
    { "{'gpus': <'1024'>}", "1023" },
    { "{'gpus': <[0]>}", "gpus" },
    { "{'share-gpus': <1>}", "share-gpus" },
    { "{'plant-op': <1>}", "plant-op" },
    { "{'plant-op': <'set'>, 'plant-scale': <inf>}", "scale" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GVariant) variant = g_variant_parse (NULL, rows[i].text, NULL, NULL, NULL);
      g_auto (HirRunSettings) settings = { 0 };
      g_autoptr (GError) error = NULL;

      g_assert_nonnull (variant);
      g_test_message ("%s", rows[i].text);
      g_assert_false (hir_run_settings_read (&settings, variant, &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, rows[i].word));
    }
}

/* Settings that are read successfully are accepted by a session. */
static void
test_options (void)
{
  g_auto (HirRunSettings) full = make_full ();
  HirRunOptions options;
  g_autoptr (GError) error = NULL;

  hir_run_settings_to_options (&full, &options);
  g_assert_true (hir_run_options_check (&options, &error));
  g_assert_no_error (error);
  g_assert_cmpint (options.n_streams, ==, 7);
  g_assert_cmpuint (options.n_repeats, ==, 3);
  g_assert_cmpuint (options.n_warmups, ==, 2);
  g_assert_cmpuint (options.seed, ==, G_MAXUINT64);
  g_assert_cmpfloat (options.timeout_s, ==, 0.25);
  g_assert_true (options.check && options.model_clock && !options.trace_issue);
  g_assert_cmpstr (options.plant_op, ==, "matmul");
  full.n_streams = 64;
  hir_run_settings_to_options (&full, &options);
  g_assert_true (hir_run_options_check (&options, &error));
  g_assert_no_error (error);
}

static void
test_words (void)
{
  g_auto (HirRunSettings) settings = make_full ();
  g_autoptr (GVariant) variant = g_variant_ref_sink (hir_run_settings_to_variant (&settings));
  g_autofree char *text = g_variant_print (variant, TRUE);
  g_autofree char *words = hir_run_settings_to_words (text);
  g_autofree char *few =
      hir_run_settings_to_words ("{'streams': <int64 1>, 'check': <true>, 'debug': <true>}");
  g_autofree char *shared =
      hir_run_settings_to_words ("{'backend': <'cuda'>, 'share-gpus': <true>}");
  g_autofree char *rubbish = hir_run_settings_to_words ("{'streams': ");
  g_autofree char *out = hir_run_settings_to_words ("{'streams': <int64 -3>}");

  g_assert_cmpstr (
      words, ==,
      "7 streams, 3 runs after 2 to warm up, seed 18446744073709551615, GPUs 3,0,12, shared if "
      "necessary, communication by copy with high "
      "priority, errors injected into matmul");
  g_assert_cmpstr (few, ==, "1 stream, in the debugger");
  g_assert_cmpstr (shared, ==, "4 streams, GPUs shared if necessary");
  g_assert_cmpstr (rubbish, ==, "{'streams': ");
  g_assert_cmpstr (out, ==, "{'streams': <int64 -3>}");
}

/* The command repeats a run, and has no option with its default. */
static void
test_command (void)
{
  g_autoptr (HirSource) source = hir_source_new ("multi_device.py", "", 0);
  g_autoptr (HirRequest) request = hir_request_new (source, "ag_matmul");
  g_autoptr (HirRequest) edited = NULL;
  g_auto (HirRunSettings) full = make_full (), plain = { 0 };
  g_autofree char *unknown = NULL, *few = NULL, *many = NULL, *changed = NULL;
  g_autofree char *debugged = NULL, *none = NULL, *remark = NULL;

  request->is_example = TRUE;
  request->n_devices = 8;
  hir_run_settings_init (&plain);
  unknown = hir_run_dup_command (request, NULL);
  few = hir_run_dup_command (request, &plain);
  many = hir_run_dup_command (request, &full);
  plain.debug = plain.check = TRUE;
  plain.n_warmup = plain.n_repeat = 2;
  debugged = hir_run_dup_command (request, &plain);
  g_assert_cmpstr (debugged, ==, "hirscope debug example:ag_matmul -d 8 --streams 4 --check");
  g_assert_cmpstr (unknown, ==, "hirscope run example:ag_matmul -d 8");
  g_assert_cmpstr (few, ==, "hirscope run example:ag_matmul -d 8 --streams 4");
  g_assert_cmpstr (many, ==,
                   "hirscope run example:ag_matmul -d 8 --backend cuda --comm copy --comm-priority "
                   "high --comm-ctas 8 --gpus 3,0,12 --share-gpus --clock model --streams 7 --seed "
                   "18446744073709551615 --timeout 0.25 --warmup 2 --repeat 3 --trace kernels "
                   "--check");
  edited = hir_request_with_text (request, NULL, "pass");
  changed = hir_run_dup_command (edited, NULL);
  g_assert_cmpstr (changed, ==, "hirscope run multi_device.py::ag_matmul -d 8");
  none = hir_run_dup_remark (request);
  g_assert_cmpstr (none, ==, "");
  remark = hir_run_dup_remark (edited);
  g_assert_cmpstr (remark, ==, " # the text of this run was not saved");
}

static void
test_remark (void)
{
  g_autoptr (HirSource) source = NULL;
  g_autoptr (HirRequest) request = NULL;
  g_autofree char *path = NULL, *same = NULL, *differs = NULL, *missing = NULL, *expected = NULL;
  int fd = g_file_open_tmp ("hir-XXXXXX.py", &path, NULL);

  g_assert_cmpint (fd, >=, 0);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path, "pass", -1, NULL));
  source = hir_source_new (path, "pass", -1);
  request = hir_request_new (source, "f");
  same = hir_run_dup_remark (request);
  g_assert_cmpstr (same, ==, "");
  g_assert_true (g_file_set_contents (path, "pass  # later", -1, NULL));
  differs = hir_run_dup_remark (request);
  g_assert_cmpstr (differs, ==, " # the text of this run is not in the file");
  g_unlink (path);
  missing = hir_run_dup_remark (request);
  expected = g_strdup_printf (" # %s is not in this folder", path);
  g_assert_cmpstr (missing, ==, expected);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run-settings/round-trip", test_round_trip);
  g_test_add_func ("/run-settings/defaults", test_defaults);
  g_test_add_func ("/run-settings/broken", test_broken);
  g_test_add_func ("/run-settings/options", test_options);
  g_test_add_func ("/run-settings/words", test_words);
  g_test_add_func ("/run-settings/command", test_command);
  g_test_add_func ("/run-settings/remark", test_remark);
  return g_test_run ();
}
