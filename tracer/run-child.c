#include "run-child.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "growing-trace.h"
#include "run/control.h"

#define CHILD_FD 3
#define STOP_GRACE_MS 2000
#define READ_BYTES (256 * 1024)

struct _HirRunChild
{
  HirRunChildCallbacks callbacks;
  gpointer user_data;

  GSubprocess *process;
  GCancellable *cancellable; /* of waiting for the process */
  int fd;                    /* -1: closed */
  guint fd_source;
  guint kill_timeout;
  HirControlReader *reader;
  HirControlWriter *writer;
  HirGrowingTrace *trace;

  gboolean is_stopping;
  gboolean is_finished; /* finished() was called */
  gboolean has_exited;
  gboolean has_last_trace;
  HirRunOutcome outcome; /* from FINISHED; summary NULL before it */
  char *protocol_error;
  char *stderr_text;
};

static void
tell_finished (HirRunChild *self)
{
  if (self->is_finished)
    return;
  self->is_finished = TRUE;
  self->callbacks.finished (&self->outcome, self->user_data);
}

/* What a process that ended without a word has left: its last words, or the signal. */
static char *
describe_death (HirRunChild *self)
{
  g_autofree char *last = NULL;

  if (self->protocol_error != NULL)
    return g_strdup (self->protocol_error);
  if (self->stderr_text != NULL)
    {
      g_auto (GStrv) lines = g_strsplit (g_strchomp (self->stderr_text), "\n", -1);
      guint n = g_strv_length (lines);

      if (n > 0 && *lines[n - 1] != '\0')
        last = g_strdup (lines[n - 1]);
    }
  if (g_subprocess_get_if_signaled (self->process))
    return g_strdup_printf ("The run's process was ended by signal %d (%s)%s%s",
                            g_subprocess_get_term_sig (self->process),
                            g_strsignal (g_subprocess_get_term_sig (self->process)),
                            last != NULL ? ": " : "", last != NULL ? last : "");
  return g_strdup_printf ("The run's process ended early%s%s", last != NULL ? ": " : "",
                          last != NULL ? last : "");
}

/* Once the process has gone and its last events are in a trace. */
static void
finish_if_done (HirRunChild *self)
{
  if (!self->has_exited || !self->has_last_trace || self->is_finished)
    return;
  if (self->outcome.summary == NULL || (self->is_stopping && !self->outcome.is_done))
    {
      char *summary =
          self->is_stopping ? g_strdup ("Stopped; what was recorded stays") : describe_death (self);

      g_free (self->outcome.summary);
      self->outcome.summary = summary;
      self->outcome.is_stopped = self->is_stopping;
    }
  tell_finished (self);
}

static void
on_trace (HirTrace *trace, gboolean is_last, gpointer user_data)
{
  HirRunChild *self = user_data;

  if (hir_trace_get_n_events (trace) > 0)
    self->callbacks.trace (trace, self->user_data);
  if (is_last)
    {
      self->has_last_trace = TRUE;
      finish_if_done (self);
    }
}

static void
close_stream (HirRunChild *self)
{
  g_clear_handle_id (&self->fd_source, g_source_remove);
  if (self->fd < 0)
    return;
  close (self->fd);
  self->fd = -1;
  hir_growing_trace_end (self->trace);
}

static char *
lookup_text (GVariantDict *dict, const char *key)
{
  char *text = NULL;

  g_variant_dict_lookup (dict, key, "s", &text);
  return text;
}

static void
take_outcome (HirRunChild *self, GVariant *payload)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (payload);

  g_free (self->outcome.summary);
  g_free (self->outcome.inputs);
  g_variant_dict_lookup (&dict, "done", "b", &self->outcome.is_done);
  g_variant_dict_lookup (&dict, "check-failed", "b", &self->outcome.check_failed);
  g_variant_dict_lookup (&dict, "stopped", "b", &self->outcome.is_stopped);
  self->outcome.summary = lookup_text (&dict, "summary");
  self->outcome.inputs = lookup_text (&dict, "inputs");
  if (self->outcome.summary == NULL)
    self->outcome.summary = g_strdup ("The run ended");
}

/* FALSE and @error where the frame makes no sense. */
static gboolean
handle_frame (HirRunChild *self, HirControlType type, GVariant *payload, GError **error)
{
  const HirEvent *events;
  gsize n;

  switch (type)
    {
    case HIR_CONTROL_HELLO:
      if (g_variant_get_uint32 (payload) == HIR_CONTROL_VERSION)
        return TRUE;
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the run's process is of another version");
      return FALSE;
    case HIR_CONTROL_TRACK:
      return hir_growing_trace_add_track (self->trace, payload, error);
    case HIR_CONTROL_STRING:
      return hir_growing_trace_add_string (self->trace, payload, error);
    case HIR_CONTROL_EVENTS:
      events = hir_control_get_events (payload, &n, error);
      if (events == NULL)
        return FALSE;
      hir_growing_trace_add_events (self->trace, events, n);
      return TRUE;
    case HIR_CONTROL_STATUS:
      self->callbacks.status (g_variant_get_string (payload, NULL), self->user_data);
      return TRUE;
    case HIR_CONTROL_FINISHED:
      take_outcome (self, payload);
      return TRUE;
    default:
      return TRUE;
    }
}

/* One read, and the frames in it: the main loop draws in between. */
static gboolean
on_readable (int fd, GIOCondition condition, gpointer user_data)
{
  HirRunChild *self = user_data;
  g_autofree guint8 *buffer = g_malloc (READ_BYTES);
  g_autoptr (GError) error = NULL;
  gssize n = read (fd, buffer, READ_BYTES);
  int popped = 0;

  if (n < 0 && (errno == EINTR || errno == EAGAIN))
    return G_SOURCE_CONTINUE;
  if (n > 0)
    {
      HirControlType type;
      GVariant *payload;

      hir_control_reader_push (self->reader, buffer, (gsize) n);
      while ((popped = hir_control_reader_pop (self->reader, &type, &payload, &error)) > 0)
        {
          g_autoptr (GVariant) owned = payload;

          if (!handle_frame (self, type, owned, &error))
            {
              popped = -1;
              break;
            }
        }
      if (popped == 0 && self->outcome.summary == NULL)
        return G_SOURCE_CONTINUE;
    }
  if (popped < 0)
    {
      self->protocol_error = g_strdup (error->message);
      g_subprocess_force_exit (self->process);
    }
  /* The end of the stream, a broken one, or FINISHED: closing it lets the child go. */
  self->fd_source = 0;
  close_stream (self);
  return G_SOURCE_REMOVE;
}

static void
on_exited (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autofree char *errors = NULL;
  g_autoptr (GError) error = NULL;
  HirRunChild *self;

  g_subprocess_communicate_utf8_finish (G_SUBPROCESS (source), result, NULL, &errors, &error);
  /* Freed meanwhile: user_data points nowhere. */
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;

  self = user_data;
  self->has_exited = TRUE;
  self->stderr_text = g_steal_pointer (&errors);
  g_clear_handle_id (&self->kill_timeout, g_source_remove);
  /* What is still in the socket is read by on_readable(), which comes to its end by itself. */
  finish_if_done (self);
}

static gboolean
send_start (HirRunChild *self, HirProgram *program, const HirRunSettings *settings, GError **error)
{
  return hir_control_writer_send (self->writer, HIR_CONTROL_HELLO,
                                  g_variant_new_uint32 (HIR_CONTROL_VERSION), error) &&
         hir_control_writer_send (self->writer, HIR_CONTROL_START,
                                  g_variant_new ("(@a{sv}@a{sv})",
                                                 hir_request_to_variant (program->request),
                                                 hir_run_settings_to_variant (settings)),
                                  error);
}

static GSubprocess *
spawn (const char *executable, int child_fd, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autofree char *number = g_strdup_printf ("%d", CHILD_FD);
  g_autofree char *self_path =
      executable == NULL ? g_file_read_link ("/proc/self/exe", NULL) : NULL;
  const char *path = executable != NULL ? executable : self_path;

  if (path == NULL)
    {
      close (child_fd);
      hir_set_error (error, HIR_ERROR_RUN, NULL, "can't find this program to start it again");
      return NULL;
    }
  g_subprocess_launcher_take_fd (launcher, child_fd, CHILD_FD);
  return g_subprocess_launcher_spawn (launcher, error, path, "run", "--control", number, NULL);
}

HirRunChild *
hir_run_child_new (HirProgram *program,
                   const HirRunSettings *settings,
                   const char *executable,
                   const HirRunChildCallbacks *callbacks,
                   gpointer user_data,
                   GError **error)
{
  g_autoptr (HirRunChild) self = NULL;
  int fds[2];

  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL, "can't make a socket: %s", g_strerror (errno));
      return NULL;
    }
  self = g_new0 (HirRunChild, 1);
  self->callbacks = *callbacks;
  self->user_data = user_data;
  self->fd = fds[0];
  self->reader = hir_control_reader_new ();
  self->writer = hir_control_writer_new (self->fd);
  self->trace = hir_growing_trace_new (on_trace, self);
  self->cancellable = g_cancellable_new ();
  hir_growing_trace_set_meta (self->trace, "clock", settings->model_clock ? "model" : "wall");
  hir_growing_trace_set_meta (self->trace, "backend", "cpu");
  self->process = spawn (executable, fds[1], error);
  if (self->process == NULL || !send_start (self, program, settings, error))
    return NULL;
  self->fd_source = g_unix_fd_add (self->fd, G_IO_IN | G_IO_HUP | G_IO_ERR, on_readable, self);
  g_subprocess_communicate_utf8_async (self->process, NULL, self->cancellable, on_exited, self);
  return g_steal_pointer (&self);
}

static gboolean
kill_now (gpointer user_data)
{
  HirRunChild *self = user_data;

  self->kill_timeout = 0;
  g_subprocess_force_exit (self->process);
  return G_SOURCE_REMOVE;
}

void
hir_run_child_stop (HirRunChild *self)
{
  if (self->is_stopping || self->has_exited)
    return;
  self->is_stopping = TRUE;
  if (self->fd >= 0)
    hir_control_writer_send (self->writer, HIR_CONTROL_STOP, g_variant_new_boolean (TRUE), NULL);
  self->kill_timeout = g_timeout_add (STOP_GRACE_MS, kill_now, self);
}

void
hir_run_child_free (HirRunChild *self)
{
  if (self == NULL)
    return;

  g_cancellable_cancel (self->cancellable);
  g_clear_handle_id (&self->kill_timeout, g_source_remove);
  g_clear_handle_id (&self->fd_source, g_source_remove);
  if (self->process != NULL && !self->has_exited)
    g_subprocess_force_exit (self->process);
  hir_growing_trace_free (self->trace);
  if (self->fd >= 0)
    close (self->fd);
  hir_control_writer_free (self->writer);
  hir_control_reader_free (self->reader);
  g_clear_object (&self->process);
  g_clear_object (&self->cancellable);
  g_free (self->outcome.summary);
  g_free (self->outcome.inputs);
  g_free (self->protocol_error);
  g_free (self->stderr_text);
  g_free (self);
}
