/* Executes the queued lines and queries of a debugging window, one after the other. */
#include "debugger/debug-server.h"

#include "debugger/console.h"
#include "debugger/debug-compare.h"
#include "debugger/debug-program.h"
#include "debugger/state.h"
#include "diagnostic.h"
#include "run/session/value-request.h"

struct _HirDebugServer
{
  GAsyncQueue *lines;    /* GVariant*: lines, (us), and value queries */
  GMutex lock;           /* guards debugger */
  HirDebugger *debugger; /* nullable; borrowed */
};

/* Line number of the end marker; windows count from 1. */
#define END_NUMBER 0

HirDebugServer *
hir_debug_server_new (void)
{
  HirDebugServer *server = g_new0 (HirDebugServer, 1);

  server->lines = g_async_queue_new_full ((GDestroyNotify) g_variant_unref);
  g_mutex_init (&server->lock);
  return server;
}

void
hir_debug_server_free (HirDebugServer *server)
{
  g_async_queue_unref (server->lines);
  g_mutex_clear (&server->lock);
  g_free (server);
}

void
hir_debug_server_add (HirDebugServer *server, GVariant *payload)
{
  g_async_queue_push (server->lines, g_variant_ref (payload));
}

gboolean
hir_debug_server_add_question (HirDebugServer *server, GVariant *payload)
{
  gboolean is_debugging;

  g_mutex_lock (&server->lock);
  is_debugging = server->debugger != NULL;
  g_mutex_unlock (&server->lock);
  if (is_debugging)
    g_async_queue_push (server->lines, g_variant_ref (payload));
  return is_debugging;
}

void
hir_debug_server_pause (HirDebugServer *server)
{
  g_mutex_lock (&server->lock);
  if (server->debugger != NULL)
    hir_debugger_request_stop (server->debugger);
  g_mutex_unlock (&server->lock);
}

void
hir_debug_server_end (HirDebugServer *server)
{
  g_async_queue_push (server->lines,
                      g_variant_ref_sink (g_variant_new ("(us)", END_NUMBER, "quit")));
  hir_debug_server_pause (server);
}

static void
set_debugger (HirDebugServer *server, HirDebugger *debugger)
{
  g_mutex_lock (&server->lock);
  server->debugger = debugger;
  g_mutex_unlock (&server->lock);
}

static void
append_words (HirConsole *console, const char *line, GString *out)
{
  g_auto (GStrv) words = hir_console_complete (console, line);

  for (guint i = 0; words[i] != NULL; i++)
    g_string_append_printf (out, "%s\n", words[i]);
}

/* Executes one line. Returns FALSE at the end, or if the other process is gone. */
static gboolean
do_line (HirDebugger *debugger,
         HirConsole *console,
         HirRecorder *recorder,
         HirControlWriter *writer,
         GVariant *payload)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GError) failure = NULL;
  const char *line;
  guint32 number;
  GVariant *state;

  g_variant_get (payload, "(u&s)", &number, &line);
  if (*line == '\t')
    append_words (console, line + 1, out);
  else if (!hir_console_run (console, line, out, &failure))
    g_assert (failure != NULL);
  if (number == END_NUMBER)
    return FALSE;
  if (hir_debugger_get_run (debugger) != NULL)
    (void) hir_debug_run_quiesce (hir_debugger_get_run (debugger));
  hir_recorder_flush (recorder);
  state = hir_debug_state_to_variant (debugger, out->str, failure,
                                      hir_console_displays_to_variant (console));
  return hir_control_writer_send (writer, HIR_CONTROL_DEBUGGED,
                                  g_variant_new ("(u@a{sv})", number, state), NULL) &&
         !hir_console_is_done (console);
}

static void
add_note (HirValueSummary *summary, const char *note)
{
  g_autofree char *other = g_steal_pointer (&summary->note);

  summary->note = other != NULL ? g_strdup_printf ("%s\n%s", other, note) : g_strdup (note);
}

static HirValueSummary *
summarise (HirDebugger *debugger, gint64 n_streams, const HirValueRequest *request, GError **error)
{
  HirDebugRun *run = hir_debugger_get_run (debugger);
  HirDebugView view = *hir_debugger_get_view (debugger);
  int i = hir_debug_run_find_rank (run, request->rank);
  g_autoptr (HirValue) value = NULL;
  g_autoptr (HirValue) missing = NULL;
  g_autofree char *note = NULL;
  HirValueSummary *summary;
  const HirTensor *tensor;
  const HirDebugSlice slice = { &request->query, NULL, NULL };

  if (i < 0)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "there is no rank %d in this program",
                     request->rank);
      return NULL;
    }
  view.i = (guint) i;
  tensor =
      hir_container_lookup_tensor (hir_debug_run_get_program (run, view.i), request->tensor_id);
  if (tensor == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the program of rank %d has no such tensor",
                     request->rank);
      return NULL;
    }
  (void) hir_debug_run_quiesce (run);
  value = request->query.what == HIR_VALUE_DIFFERENCE
              ? hir_debug_run_dup_difference (run, view.i, tensor, n_streams, NULL, &note, error)
          : request->query.what == HIR_VALUE_GATHERED
              ? hir_debug_view_dup_gathered (&view, tensor->base.name, error)
              : hir_debug_view_dup_value (&view, tensor->base.name, error);
  if (value == NULL)
    return NULL;
  if (request->query.what == HIR_VALUE_OF_RANK)
    missing = hir_debug_view_dup_missing (&view, tensor->base.name, NULL);
  else if (request->query.what == HIR_VALUE_GATHERED)
    missing = hir_debug_view_dup_missing_gathered (&view, tensor->base.name, NULL);
  summary = hir_value_summary_new_without (value, missing, &request->query, NULL, error);
  if (summary != NULL && request->query.what != HIR_VALUE_DIFFERENCE)
    note = hir_debug_view_dup_transfer_note (&view, tensor->base.name, &slice,
                                             request->query.what == HIR_VALUE_GATHERED);
  if (summary != NULL && note != NULL)
    add_note (summary, note);
  return summary;
}

/* Returns the answer (floating) to a LOOK frame. */
static GVariant *
answer_value (HirDebugger *debugger, gint64 n_streams, GVariant *payload)
{
  HirDebugRun *run = hir_debugger_get_run (debugger);
  g_autoptr (HirValueSummary) summary = NULL;
  g_autoptr (GError) error = NULL;
  HirValueRequest request;

  if (!hir_value_request_read (payload, &request, &error))
    return hir_value_answer_new (request.number, NULL, error);
  if (run == NULL || hir_debug_run_get_session (run) == NULL)
    hir_set_error (&error, HIR_ERROR_RUN, NULL, "the program has not been started");
  else
    summary = summarise (debugger, n_streams, &request, &error);
  return hir_value_answer_new (request.number, summary, error);
}

/* Sets the error of a session that ends before its program. */
static void
set_stopped (HirDebugger *debugger, GError **error)
{
  HirDebugRun *run = hir_debugger_get_run (debugger);
  guint i = hir_debugger_get_rank (debugger);
  g_autofree char *place = NULL;

  if (run == NULL || hir_debug_run_get_session (run) == NULL)
    {
      hir_set_error (error, HIR_ERROR_CANCELLED, NULL,
                     "Stopped in the debugger before the program was started");
      return;
    }
  place = hir_debug_run_describe_place (run, i);
  if (hir_debug_run_get_n_ranks (run) > 1)
    hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "Stopped in the debugger on rank %d %s",
                   hir_debug_run_get_rank (run, i), place);
  else
    hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "Stopped in the debugger %s", place);
}

static gboolean
serve (HirDebugServer *server,
       HirProgram *program,
       const HirRunSettings *settings,
       HirRecorder *recorder,
       HirControlWriter *writer,
       GError **error)
{
  g_autoptr (HirDebugProgram) debug = hir_debug_program_new (program, settings, recorder, error);
  g_autoptr (HirConsole) console = NULL;
  const HirDebugRun *run;
  gboolean goes_on = TRUE;

  if (debug == NULL)
    return FALSE;
  console = hir_console_new (hir_debug_program_get_debugger (debug));
  hir_console_hide_displays (console);
  set_debugger (server, hir_debug_program_get_debugger (debug));
  while (goes_on)
    {
      g_autoptr (GVariant) payload = g_async_queue_pop (server->lines);

      if (g_variant_is_of_type (payload, G_VARIANT_TYPE ("(us)")))
        goes_on =
            do_line (hir_debug_program_get_debugger (debug), console, recorder, writer, payload);
      else
        goes_on = hir_control_writer_send (writer, HIR_CONTROL_SUMMARY,
                                           answer_value (hir_debug_program_get_debugger (debug),
                                                         settings->n_streams, payload),
                                           NULL);
    }
  set_debugger (server, NULL);
  run = hir_debugger_get_run (hir_debug_program_get_debugger (debug));
  if (run != NULL && hir_debug_run_is_over (run))
    return TRUE;
  set_stopped (hir_debug_program_get_debugger (debug), error);
  return FALSE;
}

gboolean
hir_debug_server_run (HirDebugServer *server,
                      HirProgram *program,
                      const HirRunSettings *settings,
                      HirControlWriter *writer,
                      GError **error)
{
  g_autoptr (HirRecorder) recorder = hir_recorder_new ();
  HirRecorderSink sink;

  hir_control_writer_init_sink (writer, &sink);
  hir_recorder_set_once (recorder);
  hir_recorder_add_sink (recorder, &sink);
  return serve (server, program, settings, recorder, writer, error);
}
