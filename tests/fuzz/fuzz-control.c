/* fuzz-control N [SEED [INDEX]]: a faulty process at the other end of the control protocol. Each
 * input is a stream of frames with random values and, in every other input, broken bytes. It is
 * split anywhere, read, and passed on as the window and the child process of a run do: to a
 * growing trace, a request, settings. A crash or a hang names the input; with INDEX only this
 * input runs. */
#include "debugger/state.h"
#include "input.h"
#include "job/growing-trace.h"
#include "program/request.h"
#include "program/run-settings.h"
#include "run/session/control.h"

#include <stdlib.h>
#include <string.h>

#define SECONDS_PER_INPUT 20

typedef struct
{
  GRand *rand;
  guint n_tracks, n_strings; /* of the generated stream */
  HirGrowingTrace *growing;
  gboolean is_last;
  guint64 n_frames, n_events, n_refused, n_broken, n_requests, n_settings, n_states;
} Fuzzer;

/* Written before each input, so that a signal handler only needs to print it. */
static guint
below (Fuzzer *fuzzer, guint n)
{
  return n == 0 ? 0 : g_rand_int (fuzzer->rand) % n;
}

static gint64
any_int (Fuzzer *fuzzer)
{
  static const gint64 edges[] = {
    0,           1,          -1,         2,          4,          64,          65,
    G_MAXUINT16, G_MAXINT32, G_MININT32, G_MAXINT64, G_MININT64, G_MAXUINT32, G_MAXINT64 - 1
  };

  if (below (fuzzer, 3) == 0)
    return (gint64) ((guint64) g_rand_int (fuzzer->rand) << 32 | g_rand_int (fuzzer->rand));
  return edges[below (fuzzer, G_N_ELEMENTS (edges))];
}

/* Returns mostly the next number, sometimes a random one. */
static guint32
count_on (Fuzzer *fuzzer, guint *n)
{
  return below (fuzzer, 20) == 0 ? (guint32) any_int (fuzzer) : (*n)++;
}

static GVariant *
any_events (Fuzzer *fuzzer)
{
  guint n = below (fuzzer, 50);
  g_autofree HirEvent *events = g_new0 (HirEvent, n + 1);
  gsize size = n * sizeof (HirEvent) + (below (fuzzer, 30) == 0 ? below (fuzzer, 9) : 0);

  for (guint i = 0; i < n; i++)
    {
      gboolean is_wild = below (fuzzer, 8) == 0;

      events[i].start_ns = is_wild ? any_int (fuzzer) : (gint64) below (fuzzer, 100000);
      events[i].end_ns = is_wild ? any_int (fuzzer) : events[i].start_ns + below (fuzzer, 1000);
      events[i].bytes = any_int (fuzzer);
      events[i].instruction = (guint64) any_int (fuzzer);
      events[i].name = is_wild ? (guint32) any_int (fuzzer) : below (fuzzer, fuzzer->n_strings + 1);
      events[i].iteration = (gint32) any_int (fuzzer);
      events[i].track =
          (guint16) (is_wild ? any_int (fuzzer) : below (fuzzer, fuzzer->n_tracks + 1));
      events[i].kind = (guint8) below (fuzzer, is_wild ? 256 : HIR_N_EVENT_KINDS);
      events[i].phase = (guint8) below (fuzzer, is_wild ? 256 : HIR_N_PHASES);
    }
  return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, events, size, 1);
}

/* Returns a value of the key's type or of a random type. */
static GVariant *
any_value (Fuzzer *fuzzer)
{
  static const char *const texts[] = {
    "", "float", "bfloat16", "matmul", "def f(): pass\n", "4x8"
  };
  const char *text = texts[below (fuzzer, G_N_ELEMENTS (texts))];

  switch (below (fuzzer, 7))
    {
    case 0:
      return g_variant_new_int64 (any_int (fuzzer));
    case 1:
      return g_variant_new_int32 ((gint32) any_int (fuzzer));
    case 2:
      return g_variant_new_uint64 ((guint64) any_int (fuzzer));
    case 3:
      return g_variant_new_double (below (fuzzer, 2) ? g_rand_double (fuzzer->rand) : 1e300);
    case 4:
      return g_variant_new_boolean (below (fuzzer, 2));
    case 5:
      return g_variant_new_strv (&text, 1);
    default:
      return g_variant_new_string (text);
    }
}

/* Returns a dictionary of @keys; the first @n_needed are strings and mostly present. */
static GVariant *
any_dictionary (Fuzzer *fuzzer, const char *const *keys, guint n_keys, guint n_needed)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);

  for (guint i = 0; i < n_keys; i++)
    if (i < n_needed && below (fuzzer, 20) > 0)
      g_variant_dict_insert (&dict, keys[i], "s", "text");
    else if (below (fuzzer, 6) == 0)
      g_variant_dict_insert_value (&dict, keys[i], any_value (fuzzer));
  return g_variant_dict_end (&dict);
}

static GVariant *
any_start (Fuzzer *fuzzer)
{
  static const char *const request[] = { "path",    "text",   "function", "devices", "rank",
                                         "dtype",   "format", "args",     "inputs",  "enable",
                                         "disable", "set",    "later" };
  static const char *const settings[] = { "model-clock", "streams",    "repeat", "warmup",
                                          "seed",        "timeout",    "check",  "trace",
                                          "plant-op",    "plant-scale" };

  return g_variant_new ("(@a{sv}@a{sv})",
                        any_dictionary (fuzzer, request, G_N_ELEMENTS (request), 2),
                        any_dictionary (fuzzer, settings, G_N_ELEMENTS (settings), 0));
}

static GVariant *
any_state (Fuzzer *fuzzer)
{
  static const char *const keys[] = { "text",  "error", "column",      "running",
                                      "over",  "alone", "focus",       "round",
                                      "ranks", "comms", "breakpoints", "displays" };
  g_autoptr (GVariant) any =
      g_variant_ref_sink (any_dictionary (fuzzer, keys, G_N_ELEMENTS (keys), 1));
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (any);

  if (below (fuzzer, 2) == 0)
    g_variant_dict_insert_value (
        &dict, "ranks",
        g_variant_new_parsed (below (fuzzer, 2) == 0
                                  ? "[(1, uint64 7, uint32 3, 5, uint32 1, uint64 40, 'before #3', "
                                    "[('Stream 1', true, byte 0xff, 'Wait', -1, 'comm', uint32 "
                                    "3)], [(uint64 64, false, [1, -2])], [(uint64 9, 'AG')])]"
                                  : "[(-1, uint64 0, uint32 0, -1, uint32 0, uint64 0, '', "
                                    "@a(sbysisu) [], @a(tbai) [], @a(ts) [])]"));
  if (below (fuzzer, 2) == 0)
    g_variant_dict_insert_value (
        &dict, "comms",
        g_variant_new_parsed ("[('Allgather T5', uint64 9, true, [int64 0], [int64 1, -1])]"));
  if (below (fuzzer, 2) == 0)
    g_variant_dict_insert_value (
        &dict, "breakpoints",
        g_variant_new_parsed ("[(uint32 1, true, false, false, uint32 9, 'T5', [uint64 8])]"));
  if (below (fuzzer, 2) == 0)
    g_variant_dict_insert_value (&dict, "displays",
                                 g_variant_new_parsed (
                                     "[(uint32 1, 'T5', '0.5', 'T5 = 0.5', false, uint64 3)]"));
  return g_variant_new ("(u@a{sv})", below (fuzzer, 5), g_variant_dict_end (&dict));
}

static void
append_frame (Fuzzer *fuzzer, GByteArray *bytes)
{
  HirControlType type = HIR_CONTROL_EVENTS;
  GVariant *payload;
  g_autoptr (GBytes) frame = NULL;

  switch (below (fuzzer, 10))
    {
    case 0:
      type = HIR_CONTROL_TRACK;
      payload = g_variant_new ("(uiiixs)", count_on (fuzzer, &fuzzer->n_tracks),
                               (gint32) below (fuzzer, 20) == 0 ? -1 : (gint32) below (fuzzer, 3),
                               (gint32) any_int (fuzzer), (gint32) any_int (fuzzer),
                               any_int (fuzzer), "Stream");
      break;
    case 1:
      type = HIR_CONTROL_STRING;
      payload = g_variant_new ("(us)", count_on (fuzzer, &fuzzer->n_strings), "name");
      break;
    case 2:
      type = HIR_CONTROL_START;
      payload = any_start (fuzzer);
      break;
    case 4:
      type = HIR_CONTROL_DEBUGGED;
      payload = any_state (fuzzer);
      break;
    case 5:
      type = HIR_CONTROL_DEBUG;
      payload = g_variant_new ("(us)", (guint32) any_int (fuzzer), "break if");
      break;
    case 3:
      type = (HirControlType) below (fuzzer, 256);
      payload = any_value (fuzzer);
      break;
    default:
      payload = any_events (fuzzer);
      break;
    }
  frame = hir_control_frame_new (type, payload, NULL);
  g_byte_array_append (bytes, g_bytes_get_data (frame, NULL), (guint) g_bytes_get_size (frame));
}

static void
break_bytes (Fuzzer *fuzzer, GByteArray *bytes)
{
  for (guint i = 1 + below (fuzzer, 4); i > 0 && bytes->len > 0; i--)
    {
      guint at = below (fuzzer, bytes->len);
      guint wanted = 1 + below (fuzzer, 40);
      guint length = MIN (bytes->len - at, wanted);

      switch (below (fuzzer, 5))
        {
        case 0:
          bytes->data[at] ^= (guint8) (1 << below (fuzzer, 8));
          break;
        case 1:
          bytes->data[at] = (guint8) below (fuzzer, 256);
          break;
        case 2:
          memmove (bytes->data + at, bytes->data + below (fuzzer, bytes->len - length + 1), length);
          break;
        case 3:
          g_byte_array_remove_range (bytes, at, length);
          break;
        default:
          g_byte_array_set_size (bytes, at);
          break;
        }
    }
}

static void
take_start (Fuzzer *fuzzer, GVariant *payload)
{
  g_autoptr (GVariant) request_variant = g_variant_get_child_value (payload, 0);
  g_autoptr (GVariant) settings_variant = g_variant_get_child_value (payload, 1);
  g_auto (HirRunSettings) settings = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) settings_error = NULL;
  g_autoptr (HirRequest) request = hir_request_new_from_variant (request_variant, &error);
  HirRunOptions options;

  g_assert_true ((request == NULL) == (error != NULL));
  if (request != NULL)
    {
      g_autoptr (GVariant) again = g_variant_ref_sink (hir_request_to_variant (request));
      g_autoptr (HirRequest) same = hir_request_new_from_variant (again, NULL);

      g_assert_nonnull (same);
      fuzzer->n_requests++;
    }
  if (!hir_run_settings_read (&settings, settings_variant, &settings_error))
    {
      g_assert_nonnull (settings_error);
      return;
    }
  /* Settings that were accepted must convert to valid options of a session. */
  hir_run_settings_to_options (&settings, &options);
  g_assert_true (hir_run_options_check (&options, NULL));
  fuzzer->n_settings++;
}

static void
take_state (Fuzzer *fuzzer, GVariant *payload)
{
  g_autoptr (GVariant) variant = g_variant_get_child_value (payload, 1);
  g_autoptr (HirDebugState) state = hir_debug_state_new_from_variant (variant);

  g_assert_nonnull (state->text);
  g_assert_true (!state->is_running || state->focus < state->ranks->len);
  fuzzer->n_states += state->is_running;
}

static void
take_frame (Fuzzer *fuzzer, HirControlType type, GVariant *payload)
{
  g_autoptr (GError) error = NULL;
  gboolean done = TRUE;

  fuzzer->n_frames++;
  if (type == HIR_CONTROL_TRACK)
    done = hir_growing_trace_add_track (fuzzer->growing, payload, &error);
  else if (type == HIR_CONTROL_STRING)
    done = hir_growing_trace_add_string (fuzzer->growing, payload, &error);
  else if (type == HIR_CONTROL_EVENTS)
    done = hir_growing_trace_add_events (fuzzer->growing, payload, &error);
  else if (type == HIR_CONTROL_START)
    take_start (fuzzer, payload);
  else if (type == HIR_CONTROL_DEBUGGED)
    take_state (fuzzer, payload);
  g_assert_true (done == (error == NULL));
  fuzzer->n_refused += !done;
}

static void
read_stream (Fuzzer *fuzzer, const GByteArray *bytes)
{
  HirControlReader *reader = hir_control_reader_new ();
  guint at = 0;

  while (at < bytes->len)
    {
      guint wanted = 1 + below (fuzzer, below (fuzzer, 2) ? 8 : 4096);
      guint length = MIN (bytes->len - at, wanted);
      g_autoptr (GError) error = NULL;
      HirControlType type;
      GVariant *payload;
      int popped;

      hir_control_reader_push (reader, bytes->data + at, length);
      at += length;
      while ((popped = hir_control_reader_pop (reader, &type, &payload, &error)) > 0)
        {
          take_frame (fuzzer, type, payload);
          g_variant_unref (payload);
        }
      g_assert_true ((popped < 0) == (error != NULL));
      fuzzer->n_broken += popped < 0;
      if (popped < 0)
        break;
    }
  hir_control_reader_free (reader);
}

static void
on_trace (HirTrace *trace, gboolean is_last, const GError *error, gpointer user_data)
{
  Fuzzer *fuzzer = user_data;

  g_assert_no_error (error);
  fuzzer->is_last = is_last;
  if (!is_last)
    return;
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        HirEvent event;

        hir_trace_get_event (trace, t, i, &event);
        g_assert_cmpint (event.start_ns, <=, event.end_ns);
        g_assert_cmpint (event.kind, <, HIR_N_EVENT_KINDS);
        g_assert_nonnull (hir_trace_get_string (trace, event.name));
        fuzzer->n_events++;
      }
}

static void
run_one (Fuzzer *fuzzer, guint32 seed, guint index)
{
  const guint32 seeds[] = { seed, index };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  fuzzer->rand = g_rand_new_with_seed_array (seeds, G_N_ELEMENTS (seeds));
  fuzzer->n_tracks = fuzzer->n_strings = 0;
  fuzzer->is_last = FALSE;
  fuzzer->growing = hir_growing_trace_new (on_trace, fuzzer);
  for (guint i = 1 + below (fuzzer, 30); i > 0; i--)
    append_frame (fuzzer, bytes);
  if (index % 2 == 1)
    break_bytes (fuzzer, bytes);
  read_stream (fuzzer, bytes);
  hir_growing_trace_end (fuzzer->growing);
  while (!fuzzer->is_last)
    g_main_context_iteration (NULL, TRUE);
  hir_growing_trace_free (fuzzer->growing);
  g_rand_free (fuzzer->rand);
}

int
main (int argc, char **argv)
{
  guint n = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 1000;
  guint32 seed = argc > 2 ? (guint32) strtoul (argv[2], NULL, 10) : 1;
  guint first = argc > 3 ? (guint) strtoul (argv[3], NULL, 10) : 0;
  Fuzzer fuzzer = { 0 };

  if (argc > 3)
    n = first + 1;
  for (guint i = first; i < n; i++)
    {
      fuzz_input_begin (SECONDS_PER_INPUT,
                        "fuzz-control: crash or hang in input %u; again: fuzz-control 1 %u %u", i,
                        seed, i);
      run_one (&fuzzer, seed, i);
    }
  fuzz_input_end ();
  g_print ("control: %u streams, %" G_GUINT64_FORMAT " broken; %" G_GUINT64_FORMAT
           " frames, %" G_GUINT64_FORMAT " rejected; %" G_GUINT64_FORMAT
           " events, %" G_GUINT64_FORMAT " requests and %" G_GUINT64_FORMAT
           " settings accepted; no crash, no hang\n",
           n - first, fuzzer.n_broken, fuzzer.n_frames, fuzzer.n_refused, fuzzer.n_events,
           fuzzer.n_requests, fuzzer.n_settings);
  return 0;
}
