/* Tests requests: copies, serialization, errors, pipelines. */
#include <string.h>

#include "program/request-edit.h"
#include "tracer-fixture.h"

static HirRequest *
make_full (void)
{
  g_autoptr (HirSource) source =
      hir_source_new ("a folder/f\xc3\xa4.py", "def f():\n  '\xe2\x82\xac'\n", -1);
  HirRequest *request = hir_request_new (source, "f");

  request->is_example = TRUE;
  request->edited_from = g_strdup ("0f1e");
  request->n_devices = 8;
  request->rank = 3;
  request->dtype = HIR_DTYPE_BFLOAT16;
  request->format = HIR_FORMAT_2026;
  request->args = g_strsplit ("h=4|text='a=b'", "|", -1);
  request->inputs = g_strsplit ("4x8|2.0", "|", -1);
  request->enable = g_strsplit ("InsertDeallocations", "|", -1);
  request->disable = g_strsplit ("StreamParallelType", "|", -1);
  request->set = g_strsplit ("StreamParallelType.initial_sync=in_loop", "|", -1);
  return request;
}

static void
assert_same_list (char **a, char **b)
{
  g_assert_cmpint (a == NULL, ==, b == NULL);
  if (a != NULL)
    g_assert_true (g_strv_equal ((const char *const *) a, (const char *const *) b));
}

static void
assert_same (const HirRequest *a, const HirRequest *b)
{
  g_assert_cmpstr (a->source->path, ==, b->source->path);
  g_assert_cmpstr (a->source->text, ==, b->source->text);
  g_assert_cmpstr (a->function, ==, b->function);
  g_assert_cmpint (a->is_example, ==, b->is_example);
  g_assert_cmpstr (a->edited_from, ==, b->edited_from);
  g_assert_cmpint (a->n_devices, ==, b->n_devices);
  g_assert_cmpint (a->rank, ==, b->rank);
  g_assert_cmpint (a->dtype, ==, b->dtype);
  g_assert_cmpint (a->format, ==, b->format);
  assert_same_list (a->args, b->args);
  assert_same_list (a->inputs, b->inputs);
  assert_same_list (a->enable, b->enable);
  assert_same_list (a->disable, b->disable);
  assert_same_list (a->set, b->set);
}

/* Serializes as bytes, like the protocol, and as text, like a recording. */
static void
assert_round_trips (const HirRequest *request)
{
  g_autoptr (GVariant) variant = g_variant_ref_sink (hir_request_to_variant (request));
  g_autofree char *text = g_variant_print (variant, TRUE);
  g_autoptr (GVariant) parsed = g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRequest) one = hir_request_new_from_variant (variant, &error);
  g_autoptr (HirRequest) two = NULL;

  g_assert_no_error (error);
  assert_same (request, one);
  g_assert_nonnull (parsed);
  two = hir_request_new_from_variant (parsed, &error);
  g_assert_no_error (error);
  assert_same (request, two);
}

static void
test_round_trip (void)
{
  g_autoptr (HirRequest) full = make_full ();
  g_autoptr (HirRequest) plain = fix_request_of_text ("", NULL);
  g_autoptr (HirRequest) empty_lists = fix_request_of_text ("x", "f");

  guint n_dtypes = 0;

  empty_lists->args = g_new0 (char *, 1);
  assert_round_trips (full);
  assert_round_trips (plain);
  assert_round_trips (empty_lists);
  for (int dtype = HIR_DTYPE_NULL; dtype < HIR_N_DTYPES; dtype++)
    {
      HirDType found;

      /* Only types accepted by --dtype have a short name that can be read back. */
      if (!hir_dtype_lookup_short_name (hir_dtype_get_short_name ((HirDType) dtype), &found))
        continue;
      plain->dtype = (HirDType) dtype;
      assert_round_trips (plain);
      n_dtypes++;
    }
  g_assert_cmpuint (n_dtypes, >=, 5);
}

static void
test_copy (void)
{
  g_autoptr (HirRequest) request = make_full ();
  g_autoptr (HirRequest) copy = hir_request_dup (request);

  assert_same (request, copy);
  g_free (copy->args[0]);
  copy->args[0] = g_strdup ("h=5");
  g_assert_cmpstr (request->args[0], ==, "h=4");
}

/* An edited example is no longer the example, until its text is that of the example again. */
static void
test_edited (void)
{
  g_autoptr (HirRequest) request = fix_request_of_text ("x", "f");
  g_autoptr (HirRequest) once = NULL, twice = NULL, back = NULL, renamed = NULL;
  g_autofree char *before = NULL, *after = NULL, *again = NULL;

  request->is_example = TRUE;
  g_assert_true (hir_request_has_example_text (request));
  once = hir_request_with_text (request, NULL, "y");
  twice = hir_request_with_text (once, NULL, "z");
  g_assert_true (twice->is_example);
  g_assert_false (hir_request_has_example_text (twice));
  g_assert_nonnull (twice->edited_from);
  g_assert_cmpstr (once->edited_from, ==, twice->edited_from);
  back = hir_request_with_text (twice, NULL, "x");
  g_assert_true (hir_request_has_example_text (back));
  g_assert_null (back->edited_from);
  renamed = hir_request_with_text (twice, "/there/a.py", "z");
  g_assert_false (renamed->is_example);
  g_assert_null (renamed->edited_from);
  before = hir_request_dup_words (request);
  after = hir_request_dup_words (twice);
  again = hir_request_dup_words (back);
  g_assert_cmpstr (before, ==, "example:f");
  g_assert_cmpstr (again, ==, before);
  g_assert_null (strstr (after, "example:"));
}

/* File names are arbitrary bytes. */
static void
test_not_utf8 (void)
{
  g_autoptr (HirSource) source = hir_source_new ("f\xff.py", "pass", -1);
  g_autoptr (HirRequest) request = hir_request_new (source, "\xfe");
  g_autoptr (GVariant) variant = NULL;
  g_autoptr (HirRequest) back = NULL;
  g_autoptr (GError) error = NULL;

  request->args = g_strsplit ("a=\xff", " ", -1);
  variant = g_variant_ref_sink (hir_request_to_variant (request));
  back = hir_request_new_from_variant (variant, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (back->source->path, ==, "f\xef\xbf\xbd.py");
  g_assert_cmpstr (back->args[0], ==, "a=\xef\xbf\xbd");
}

static void
assert_rejected (const char *text, const char *word)
{
  g_autoptr (GVariant) variant = g_variant_parse (NULL, text, NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (variant);
  g_assert_null (hir_request_new_from_variant (variant, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, word));
}

static void
test_broken (void)
{
  static const struct
  {
    const char *entry, *word;
  } rows[] = {
    { "'function': <1>", "function" },
    { "'devices': <'2'>", "devices" },
    { "'devices': <int64 0>", "devices" },
    { "'devices': <int64 -2>", "devices" },
    { "'devices': <int64 9223372036854775807>", "devices" },
    { "'rank': <int64 -9>", "rank" },
    { "'rank': <int32 0>", "rank" },
    { "'dtype': <'float7'>", "float7" },
    { "'dtype': <7>", "dtype" },
    { "'format': <99>", "99" },
    { "'format': <-1>", "-1" },
    { "'args': <'a=b'>", "args" },
    { "'inputs': <[1, 2]>", "inputs" },
    { "'enable': <true>", "enable" },
    { "'disable': <true>", "disable" },
    { "'set': <{'a': 'b'}>", "set" },
  };

  assert_rejected ("'text'", "dictionary");
  assert_rejected ("{'a': 1}", "dictionary");
  assert_rejected ("@a{sv} {}", "source");
  assert_rejected ("{'path': <'a.py'>}", "source");
  assert_rejected ("{'text': <'pass'>}", "source");
  assert_rejected ("{'path': <1>, 'text': <'pass'>}", "path");
  assert_rejected ("{'path': <'a.py'>, 'text': <1>}", "text");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text =
          g_strdup_printf ("{'path': <'a.py'>, 'text': <'pass'>, %s}", rows[i].entry);

      assert_rejected (text, rows[i].word);
    }
}

static void
test_unknown_key (void)
{
  g_autoptr (GVariant) variant =
      g_variant_parse (NULL, "{'path': <'a.py'>, 'text': <'pass'>, 'later': <(1, 2)>}", NULL, NULL,
                       NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRequest) request = hir_request_new_from_variant (variant, &error);

  g_assert_no_error (error);
  g_assert_cmpint (request->n_devices, ==, -1);
  g_assert_cmpint (request->rank, ==, -1);
  g_assert_null (request->inputs);
}

static void
test_pipeline (void)
{
  g_autoptr (HirRequest) request = make_full ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HirPipeline) pipeline = NULL;

  g_clear_pointer (&request->enable, g_strfreev);
  pipeline = hir_request_create_pipeline (request, &error);
  g_assert_no_error (error);
  g_assert_false (hir_pipeline_get_enabled (pipeline, "StreamParallelType"));
  g_assert_true (hir_pipeline_get_enabled (pipeline, "SegmentFusion"));
  g_assert_cmpstr (hir_pipeline_get_option (pipeline, "StreamParallelType", "initial_sync"), ==,
                   "in_loop");
}

static void
assert_no_pipeline (HirRequest *request, const char *word)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (hir_request_create_pipeline (request, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, word));
}

static void
test_no_pipeline (void)
{
  g_autoptr (HirRequest) request = fix_request_of_text ("", NULL);

  request->enable = g_strsplit ("NoPass", " ", -1);
  assert_no_pipeline (request, "NoPass");
  g_clear_pointer (&request->enable, g_strfreev);
  request->disable = g_strsplit ("SegmentFusion OtherPass", " ", -1);
  assert_no_pipeline (request, "OtherPass");
  g_clear_pointer (&request->disable, g_strfreev);
  request->set = g_strsplit ("StreamParallelType.initial_sync=never", " ", -1);
  assert_no_pipeline (request, "never");
}

/* A recording stays with its pipeline, whatever its script selects. */
static void
test_select (void)
{
  g_autoptr (HirRequest) request = fix_request_of_text ("", NULL);
  g_autoptr (HirRequest) recorded = NULL;
  g_autoptr (GVariant) variant = NULL;
  g_autoptr (GError) error = NULL;

  request->set = g_strsplit ("DecomposeReshardings.insert_resharding_after=off", " ", -1);
  g_assert_true (hir_request_check (request, &error));
  g_assert_no_error (error);
  assert_no_pipeline (request, "DecomposeReshardings");
  hir_request_select (request, HIR_PIPELINE_HOSTIR, TRUE);
  g_assert_cmpint (request->pipeline, ==, HIR_PIPELINE_HOSTIR);
  g_assert_cmpint (request->format, ==, HIR_FORMAT_2026);
  g_assert_cmpstr (request->set[0], ==, "DecomposeReshardings.insert_resharding_after=on");
  g_assert_cmpstr (request->set[1], ==, "DecomposeReshardings.insert_resharding_after=off");
  variant = g_variant_ref_sink (hir_request_to_variant (request));
  recorded = hir_request_new_from_variant (variant, &error);
  g_assert_no_error (error);

  hir_request_select (request, HIR_PIPELINE_EXECUTOR, TRUE);
  g_assert_cmpint (request->pipeline, ==, HIR_PIPELINE_EXECUTOR);
  g_assert_cmpint (request->format, ==, HIR_FORMAT_2025);
  hir_request_select (recorded, HIR_PIPELINE_EXECUTOR, FALSE);
  g_assert_cmpint (recorded->pipeline, ==, HIR_PIPELINE_HOSTIR);
}

static void
test_spec (void)
{
  static const struct
  {
    const char *spec, *path, *function;
  } rows[] = {
    { "a.py::f", "a.py", "f" }, { "a.py", "a.py", NULL }, { "a::b/c.py::f", "a::b/c.py", "f" },
    { "a.py::", "a.py", "" },   { "::f", "", "f" },       { "c:/a.py", "c:/a.py", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = NULL;
      g_autofree char *function = NULL;

      hir_request_split_spec (rows[i].spec, &path, &function);
      g_assert_cmpstr (path, ==, rows[i].path);
      g_assert_cmpstr (function, ==, rows[i].function);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/request/round-trip", test_round_trip);
  g_test_add_func ("/request/copy", test_copy);
  g_test_add_func ("/request/edited", test_edited);
  g_test_add_func ("/request/not-utf8", test_not_utf8);
  g_test_add_func ("/request/broken", test_broken);
  g_test_add_func ("/request/unknown-key", test_unknown_key);
  g_test_add_func ("/request/pipeline", test_pipeline);
  g_test_add_func ("/request/no-pipeline", test_no_pipeline);
  g_test_add_func ("/request/spec", test_spec);
  g_test_add_func ("/request/select", test_select);
  return g_test_run ();
}
