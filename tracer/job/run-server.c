/* The run process: one thread runs the program, another one reads control frames. */
#include "job/run-server.h"

#include <errno.h>
#include <unistd.h>

#include "debugger/debug-server.h"
#include "job/run-job.h"
#include "run/session/control.h"

#define ORPHAN_GRACE_US (2 * G_USEC_PER_SEC)

typedef struct
{
  int fd;
  HirControlReader *reader;
  HirControlWriter *writer;
  GCancellable *cancellable;
  HirRunQuestions *questions;
  HirDebugServer *debug;
  void (*orphaned) (void);
  GMutex lock; /* guards is_finished */
  GCond changed;
  gboolean is_finished;
} Server;

/* Reads the next frame. Returns FALSE at the end of the stream or if it is malformed. */
static gboolean
read_frame (Server *server, HirControlType *type, GVariant **payload, GError **error)
{
  guint8 buffer[4096];
  int popped;

  while ((popped = hir_control_reader_pop (server->reader, type, payload, error)) == 0)
    {
      gssize n = read (server->fd, buffer, sizeof buffer);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          hir_set_error (error, HIR_ERROR_RUN, NULL, "the parent process has ended");
          return FALSE;
        }
      hir_control_reader_push (server->reader, buffer, (gsize) n);
    }
  return popped > 0;
}

/* Reads frames until STOP or until the parent closes the socket. Then cancels the run and, if it
 * does not end, calls orphaned(), because the parent may not exist any more. */
static gpointer
listen_thread (gpointer user_data)
{
  Server *server = user_data;
  gboolean is_over = FALSE;
  gboolean is_stuck;
  gint64 deadline;

  while (!is_over)
    {
      g_autoptr (GVariant) payload = NULL;
      HirControlType type;

      is_over = !read_frame (server, &type, &payload, NULL) || type == HIR_CONTROL_STOP;
      if (!is_over && type == HIR_CONTROL_LOOK &&
          !hir_debug_server_add_question (server->debug, payload))
        hir_run_questions_add (server->questions, payload);
      if (!is_over && type == HIR_CONTROL_DEBUG)
        hir_debug_server_add (server->debug, payload);
      if (!is_over && type == HIR_CONTROL_PAUSE)
        hir_debug_server_pause (server->debug);
    }
  g_cancellable_cancel (server->cancellable);
  hir_run_questions_end (server->questions);
  hir_debug_server_end (server->debug);
  deadline = g_get_monotonic_time () + ORPHAN_GRACE_US;
  g_mutex_lock (&server->lock);
  while (!server->is_finished && g_cond_wait_until (&server->changed, &server->lock, deadline))
    ;
  is_stuck = !server->is_finished;
  g_mutex_unlock (&server->lock);
  if (is_stuck && server->orphaned != NULL)
    server->orphaned ();
  return NULL;
}

static void
send_status (const char *text, gpointer user_data)
{
  Server *server = user_data;

  hir_control_writer_send (server->writer, HIR_CONTROL_STATUS, g_variant_new_string (text), NULL);
}

static char *
describe (const HirRunResult *result, const HirRunSettings *settings)
{
  g_autofree char *time =
      settings->debug ? g_strdup ("a debugger")
                      : g_strdup_printf (result->elapsed_ns < 100000 ? "%.3f ms" : "%.1f ms",
                                         (double) result->elapsed_ns / 1e6);
  g_autofree char *dropped = result->n_dropped > 0 ? g_strdup_printf (" \xc2\xb7 %" G_GUINT64_FORMAT
                                                                      " events lost: out of memory",
                                                                      result->n_dropped)
                                                   : g_strdup ("");

  if (result->check_outcome == HIR_CHECK_UNDECIDED)
    return g_strdup_printf ("The check cannot decide whether the numbers are right: %s",
                            result->check);
  if (result->check_outcome == HIR_CHECK_WRONG)
    return g_strdup_printf ("Numbers differ from %s: %s",
                            result->is_printed ? "the program's in sequence" : "the fusion's",
                            result->check);
  return g_strdup_printf ("Ran on the %s with %" G_GINT64_FORMAT " stream%s in %s%s%s%s",
                          settings->backend == HIR_BACKEND_CUDA ? "GPU" : "CPU",
                          settings->n_streams, settings->n_streams == 1 ? "" : "s", time,
                          settings->model_clock ? " \xc2\xb7 times are modelled" : "",
                          result->check == NULL ? ""
                          : result->is_printed  ? " \xc2\xb7 numbers equal those in sequence"
                                                : " \xc2\xb7 numbers equal the fusion's",
                          dropped);
}

/* Inserts @text (nullable) as valid UTF-8, which a GVariant requires. */
static void
insert_text (GVariantDict *dict, const char *key, const char *text)
{
  if (text != NULL)
    g_variant_dict_insert_value (dict, key,
                                 g_variant_new_take_string (g_utf8_make_valid (text, -1)));
}

static void
send_finished (Server *server,
               gboolean done,
               const HirRunResult *result,
               const HirRunSettings *settings,
               const GError *error)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);
  g_autofree char *summary = done ? describe (result, settings) : g_strdup (error->message);
  gboolean stopped = g_error_matches (error, HIR_ERROR, HIR_ERROR_CANCELLED) ||
                     g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);

  g_strchomp (summary);
  g_variant_dict_insert (&dict, "done", "b", done);
  g_variant_dict_insert (&dict, "stopped", "b", stopped);
  g_variant_dict_insert (&dict, "kept", "b", result->kept != NULL);
  g_variant_dict_insert (&dict, "check-outcome", "u", result->check_outcome);
  insert_text (&dict, "summary", summary);
  insert_text (&dict, "inputs", result->inputs);
  insert_text (&dict, "check", result->check);
  hir_control_writer_send (server->writer, HIR_CONTROL_FINISHED, g_variant_dict_end (&dict), NULL);
}

static gboolean
run (
    Server *server, GVariant *start, HirRunSettings *settings, HirRunResult *result, GError **error)
{
  g_autoptr (GVariant) request_variant = g_variant_get_child_value (start, 0);
  g_autoptr (GVariant) settings_variant = g_variant_get_child_value (start, 1);
  g_autoptr (HirRequest) request = hir_request_new_from_variant (request_variant, error);
  g_autoptr (HirProgram) program = NULL;
  HirRecorderSink sink;
  HirRunJobOptions options = {
    .sink = &sink,
    .status = send_status,
    .user_data = server,
    .cancellable = server->cancellable,
    .keep = TRUE,
  };

  if (request == NULL || !hir_run_settings_read (settings, settings_variant, error))
    return FALSE;
  program = hir_program_new (request, NULL, server->cancellable, error);
  if (program == NULL)
    return FALSE;
  if (settings->debug)
    return hir_debug_server_run (server->debug, program, settings, server->writer, error);
  hir_control_writer_init_sink (server->writer, &sink);
  return hir_run_job (program, settings, &options, result, error);
}

static gboolean
greet (Server *server, GVariant **start, GError **error)
{
  HirControlType type;
  g_autoptr (GVariant) hello = NULL;

  if (!hir_control_writer_send (server->writer, HIR_CONTROL_HELLO,
                                g_variant_new_uint32 (HIR_CONTROL_VERSION), error) ||
      !read_frame (server, &type, &hello, error))
    return FALSE;
  if (type != HIR_CONTROL_HELLO || g_variant_get_uint32 (hello) != HIR_CONTROL_VERSION)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the parent process has another version");
      return FALSE;
    }
  if (!read_frame (server, &type, start, error))
    return FALSE;
  if (type == HIR_CONTROL_START)
    return TRUE;
  g_clear_pointer (start, g_variant_unref);
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "the parent process sent frame %d first",
                 (int) type);
  return FALSE;
}

static void
serve (Server *server, GVariant *start)
{
  GThread *thread = g_thread_new ("control", listen_thread, server);
  g_auto (HirRunSettings) settings = { 0 };
  g_auto (HirRunResult) result = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean done = run (server, start, &settings, &result, &error);

  send_finished (server, done, &result, &settings, error);
  g_mutex_lock (&server->lock);
  server->is_finished = TRUE;
  g_cond_signal (&server->changed);
  g_mutex_unlock (&server->lock);
  /* The thread ends when the parent closes the socket: on FINISHED if nothing is kept. */
  hir_run_questions_serve (server->questions, result.kept, server->writer, server->cancellable);
  g_thread_join (thread);
}

gboolean
hir_run_server_main (int fd, void (*orphaned) (void))
{
  Server server = { .fd = fd, .orphaned = orphaned };
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GError) error = NULL;
  gboolean greeted;

  server.reader = hir_control_reader_new ();
  server.writer = hir_control_writer_new (fd);
  server.cancellable = g_cancellable_new ();
  server.questions = hir_run_questions_new ();
  server.debug = hir_debug_server_new ();
  g_mutex_init (&server.lock);
  g_cond_init (&server.changed);
  greeted = greet (&server, &start, &error);
  if (greeted)
    serve (&server, start);
  else
    g_printerr ("error: --control: %s\n", error->message);
  g_cond_clear (&server.changed);
  g_mutex_clear (&server.lock);
  g_object_unref (server.cancellable);
  hir_run_questions_free (server.questions);
  hir_debug_server_free (server.debug);
  hir_control_writer_free (server.writer);
  hir_control_reader_free (server.reader);
  return greeted;
}
