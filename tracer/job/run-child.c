/* Talks to a run process over a socket, in the main loop of the caller. */
#include "job/run-child.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/check-json.h"
#include "job/growing-trace.h"
#include "program/program-inputs.h"
#include "program/run-command.h"
#include "run/session/control.h"
#include "run/session/value-request.h"
#include "trace/recording/recording.h"

#define CHILD_FD 3
#define STOP_GRACE_MS 2000
#define HELLO_TIMEOUT_MS 30000
#define READ_BYTES (256 * 1024)
#define MAX_ERROR_BYTES 4096
#define MAX_LAST_WORDS 200

struct _HirRunChild
{
  HirRunChildCallbacks callbacks;
  gpointer user_data;
  GMainContext *context;

  GSubprocess *process;
  GCancellable *cancellable; /* for waiting for the process */
  int fd;                    /* -1: closed */
  int error_fd;              /* memfd with the standard error of the process; -1: none */
  GByteArray *out;           /* bytes to send */
  GSource *readable, *writable, *kill_timer, *hello_timer;
  HirControlReader *reader;
  HirGrowingTrace *trace;

  guint n_busy;       /* running callbacks; the memory is freed when it is 0 */
  gboolean is_freed;  /* hir_run_child_free() was called in a callback */
  gboolean has_hello; /* the handshake was received */
  gboolean is_debug;  /* of the settings */
  gboolean is_stopping;
  gboolean is_finished; /* finished() was called */
  gboolean has_exited;
  gboolean has_last_trace;
  gboolean is_kept;      /* the run has finished, and its process answers value queries */
  guint n_questions;     /* number of the last query */
  gboolean is_asking;    /* an answer is expected */
  GVariant *question;    /* nullable: next query, to be sent after the answer */
  gboolean has_stood;    /* a debugged program has been started */
  guint n_debug_lines;   /* number of the last line that was sent */
  HirRunOutcome outcome; /* from FINISHED; before that, summary is NULL */
  char *protocol_error;
  char *trace_error;
};

static void
stop_source (GSource **source)
{
  if (*source == NULL)
    return;
  g_source_destroy (*source);
  g_clear_pointer (source, g_source_unref);
}

/* Takes @source. */
static GSource *
start_source (HirRunChild *self, GSource *source, GSourceFunc func, int priority)
{
  g_source_set_callback (source, func, self, NULL);
  g_source_set_priority (source, priority);
  g_source_attach (source, self->context);
  return source;
}

static void
destroy (HirRunChild *self)
{
  if (self->error_fd >= 0)
    close (self->error_fd);
  g_clear_pointer (&self->trace, hir_growing_trace_free);
  hir_control_reader_free (self->reader);
  g_byte_array_unref (self->out);
  g_clear_object (&self->process);
  g_clear_object (&self->cancellable);
  g_main_context_unref (self->context);
  g_free (self->outcome.summary);
  g_free (self->outcome.inputs);
  g_free (self->outcome.check);
  g_free (self->outcome.errors);
  g_clear_pointer (&self->question, g_variant_unref);
  g_free (self->protocol_error);
  g_free (self->trace_error);
  g_free (self);
}

static void
leave (HirRunChild *self)
{
  if (--self->n_busy == 0 && self->is_freed)
    destroy (self);
}

/* Returns ": " and the last line of the standard error, or "". */
static char *
dup_last_words (const char *errors)
{
  const char *line =
      errors != NULL && strrchr (errors, '\n') != NULL ? strrchr (errors, '\n') + 1 : errors;
  g_autofree char *words = NULL;

  if (line == NULL)
    return g_strdup ("");
  words = g_utf8_substring (line, 0, MIN (g_utf8_strlen (line, -1), MAX_LAST_WORDS));
  return g_strconcat (": ", words, NULL);
}

static char *
describe_death (HirRunChild *self)
{
  g_autofree char *last = dup_last_words (self->outcome.errors);

  if (self->protocol_error != NULL)
    return g_strdup (self->protocol_error);
  if (g_subprocess_get_if_signaled (self->process))
    return g_strdup_printf ("The run process was ended by signal %d (%s)%s",
                            g_subprocess_get_term_sig (self->process),
                            g_strsignal (g_subprocess_get_term_sig (self->process)), last);
  return g_strdup_printf ("The run process ended early with exit code %d%s",
                          g_subprocess_get_exit_status (self->process), last);
}

/* Calls finished() once, when the process has exited (or is kept) and the last trace was
 * delivered. */
static void
finish_if_done (HirRunChild *self)
{
  HirRunOutcome *outcome = &self->outcome;

  if (!(self->has_exited || self->is_kept) || !self->has_last_trace || self->is_finished ||
      self->is_freed)
    return;
  /* A debug session says where it was stopped. */
  if (outcome->summary == NULL ||
      (self->is_stopping && !outcome->is_done && !(self->is_debug && outcome->is_stopped)))
    {
      char *summary = self->is_stopping ? g_strdup ("Stopped; the recorded events are kept")
                                        : describe_death (self);

      g_free (outcome->summary);
      outcome->summary = summary;
      outcome->is_stopped = self->is_stopping;
    }
  if (self->trace_error != NULL)
    {
      char *summary = g_strdup_printf ("%s \xc2\xb7 some events are not shown: %s",
                                       outcome->summary, self->trace_error);

      g_free (outcome->summary);
      outcome->summary = summary;
    }
  self->is_finished = TRUE;
  self->callbacks.finished (outcome, self->user_data);
}

static void
on_trace (HirTrace *trace, gboolean is_last, const GError *error, gpointer user_data)
{
  HirRunChild *self = user_data;

  self->n_busy++;
  if (error != NULL)
    self->trace_error = g_strdup (error->message);
  if (trace != NULL && hir_trace_get_n_events (trace) > 0)
    self->callbacks.trace (trace, self->user_data);
  if (is_last)
    {
      self->has_last_trace = TRUE;
      finish_if_done (self);
    }
  leave (self);
}

static gboolean
kill_now (gpointer user_data)
{
  HirRunChild *self = user_data;

  stop_source (&self->kill_timer);
  if (self->protocol_error == NULL)
    self->protocol_error =
        g_strdup ("The run process closed its socket but did not exit; killed after 2 s");
  g_subprocess_force_exit (self->process);
  return G_SOURCE_REMOVE;
}

static void
kill_soon (HirRunChild *self)
{
  if (self->kill_timer == NULL && !self->has_exited)
    self->kill_timer =
        start_source (self, g_timeout_source_new (STOP_GRACE_MS), kill_now, G_PRIORITY_DEFAULT);
}

static void
drop_questions (HirRunChild *self)
{
  g_autoptr (GError) error = NULL;
  gboolean was_asked = self->is_asking || self->question != NULL;

  self->is_asking = FALSE;
  g_clear_pointer (&self->question, g_variant_unref);
  if (!was_asked || self->is_freed || self->callbacks.value == NULL)
    return;
  hir_set_error (&error, HIR_ERROR_RUN, NULL,
                 "the run process has ended, and its values are lost; run the program again");
  self->callbacks.value (self->n_questions, NULL, error, self->user_data);
}

/* Everything that shows the trace says that it is not that of a whole run, or how the check of the
 * run ended. */
static void
end_trace (HirRunChild *self)
{
  const HirRunOutcome *outcome = &self->outcome;
  gboolean is_stopped = outcome->is_stopped || self->is_stopping;

  if (!outcome->is_done)
    hir_growing_trace_set_meta (self->trace, HIR_META_STOPPED,
                                !is_stopped                             ? "Failed before the end"
                                : self->is_debug && outcome->is_stopped ? outcome->summary
                                                                        : "Stopped before the end");
  else if (outcome->check != NULL)
    hir_growing_trace_set_meta (self->trace, HIR_META_CHECK,
                                hir_check_outcome_get_name (outcome->check_outcome));
  hir_growing_trace_end (self->trace);
}

/* Closes the socket. The process notices this and has STOP_GRACE_MS to exit. */
static void
close_stream (HirRunChild *self)
{
  stop_source (&self->readable);
  stop_source (&self->writable);
  stop_source (&self->hello_timer);
  if (self->fd < 0)
    return;
  close (self->fd);
  self->fd = -1;
  kill_soon (self);
  end_trace (self);
  drop_questions (self);
}

static void
set_protocol_error (HirRunChild *self, const char *why)
{
  if (self->protocol_error == NULL)
    self->protocol_error = g_strdup_printf ("Run process terminated, protocol error: %s", why);
  g_subprocess_force_exit (self->process);
}

/* Returns TRUE if there is data to read or the process has closed the socket. */
static gboolean
is_readable (HirRunChild *self)
{
  struct pollfd poll_fd = { .fd = self->fd, .events = POLLIN };

  return self->fd >= 0 && poll (&poll_fd, 1, 0) > 0;
}

static gboolean
on_hello_timeout (gpointer user_data)
{
  HirRunChild *self = user_data;

  /* This process was too slow, not the child. */
  if (self->has_exited || is_readable (self))
    return G_SOURCE_CONTINUE;
  self->n_busy++;
  set_protocol_error (self, "no handshake within 30 s");
  close_stream (self);
  leave (self);
  return G_SOURCE_REMOVE;
}

static void
take_text (GVariantDict *dict, const char *key, char **text)
{
  g_clear_pointer (text, g_free);
  g_variant_dict_lookup (dict, key, "s", text);
}

static void
take_outcome (HirRunChild *self, GVariant *payload)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (payload);

  g_variant_dict_lookup (&dict, "done", "b", &self->outcome.is_done);
  g_variant_dict_lookup (&dict, "kept", "b", &self->is_kept);
  g_variant_dict_lookup (&dict, "check-outcome", "u", &self->outcome.check_outcome);
  g_variant_dict_lookup (&dict, "stopped", "b", &self->outcome.is_stopped);
  take_text (&dict, "summary", &self->outcome.summary);
  take_text (&dict, "inputs", &self->outcome.inputs);
  take_text (&dict, "check", &self->outcome.check);
  if (self->outcome.summary == NULL)
    self->outcome.summary = g_strdup ("The run ended");
  /* All events have arrived; the process stays for value queries. */
  self->outcome.has_values = self->is_kept;
  if (!self->is_kept)
    return;
  end_trace (self);
  /* From now on there is little data, and the user waits for it. */
  if (self->readable != NULL)
    g_source_set_priority (self->readable, G_PRIORITY_DEFAULT);
}

static gboolean
take_hello (HirRunChild *self, HirControlType type, GVariant *payload, GError **error)
{
  if (type == HIR_CONTROL_HELLO && g_variant_get_uint32 (payload) == HIR_CONTROL_VERSION)
    {
      self->has_hello = TRUE;
      stop_source (&self->hello_timer);
      return TRUE;
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 type == HIR_CONTROL_HELLO ? "the run process has another version of Hirscope"
                                           : "no handshake");
  return FALSE;
}

static gboolean
on_writable (int fd, GIOCondition condition, gpointer user_data)
{
  HirRunChild *self = user_data;
  gssize n = send (fd, self->out->data, self->out->len, MSG_DONTWAIT | MSG_NOSIGNAL);

  if (n > 0)
    g_byte_array_remove_range (self->out, 0, (guint) n);
  /* The process is gone; on_exited() reports it. */
  else if (n < 0 && errno != EINTR && errno != EAGAIN)
    g_byte_array_set_size (self->out, 0);
  if (self->out->len == 0)
    stop_source (&self->writable);
  return G_SOURCE_CONTINUE;
}

static gboolean
queue_frame (HirRunChild *self, HirControlType type, GVariant *payload, GError **error)
{
  g_autoptr (GBytes) frame = hir_control_frame_new (type, payload, error);
  gconstpointer data;
  gsize size;

  if (frame == NULL)
    return FALSE;
  data = g_bytes_get_data (frame, &size);
  g_byte_array_append (self->out, data, (guint) size);
  if (self->writable == NULL)
    self->writable = start_source (self, g_unix_fd_source_new (self->fd, G_IO_OUT),
                                   G_SOURCE_FUNC (on_writable), G_PRIORITY_DEFAULT);
  return TRUE;
}

static void
put (HirRunChild *self, GVariant *question)
{
  /* A query is always smaller than the limit of a frame. */
  self->is_asking = queue_frame (self, HIR_CONTROL_LOOK, question, NULL);
}

static void
take_summary (HirRunChild *self, GVariant *payload)
{
  g_autoptr (GVariant) next = g_steal_pointer (&self->question);
  g_autoptr (HirValueSummary) summary = NULL;
  g_autoptr (GError) error = NULL;
  guint number;

  self->is_asking = FALSE;
  if (next != NULL)
    {
      put (self, next);
      return;
    }
  summary = hir_value_answer_read (payload, &number, &error);
  if (number == self->n_questions && self->callbacks.value != NULL)
    self->callbacks.value (number, summary, error, self->user_data);
}

static void
take_state (HirRunChild *self, GVariant *payload)
{
  g_autoptr (GVariant) variant = g_variant_get_child_value (payload, 1);
  g_autoptr (HirDebugState) state = hir_debug_state_new_from_variant (variant);
  guint number;

  g_variant_get_child (payload, 0, "u", &number);
  self->has_stood |= state->is_running;
  if (self->callbacks.debugged != NULL)
    self->callbacks.debugged (number, state, self->user_data);
}

/* Handles one frame. Returns FALSE and sets @error if it is malformed. */
static gboolean
handle_frame (HirRunChild *self, HirControlType type, GVariant *payload, GError **error)
{
  if (!self->has_hello)
    return take_hello (self, type, payload, error);
  switch (type)
    {
    case HIR_CONTROL_TRACK:
      return hir_growing_trace_add_track (self->trace, payload, error);
    case HIR_CONTROL_STRING:
      return hir_growing_trace_add_string (self->trace, payload, error);
    case HIR_CONTROL_EVENTS:
      return hir_growing_trace_add_events (self->trace, payload, error);
    case HIR_CONTROL_MEETINGS:
      return hir_growing_trace_add_comm_records (self->trace, payload, error);
    case HIR_CONTROL_EDGES:
      return hir_growing_trace_add_edges (self->trace, payload, error);
    case HIR_CONTROL_VALUE:
      hir_growing_trace_add_value (self->trace, payload);
      return TRUE;
    case HIR_CONTROL_STATUS:
      self->callbacks.status (g_variant_get_string (payload, NULL), self->user_data);
      return TRUE;
    case HIR_CONTROL_DEBUGGED:
      take_state (self, payload);
      return TRUE;
    case HIR_CONTROL_SUMMARY:
      take_summary (self, payload);
      return TRUE;
    case HIR_CONTROL_FINISHED:
      take_outcome (self, payload);
      return TRUE;
    default:
      return TRUE;
    }
}

/* Handles all complete frames. Returns FALSE on a protocol error. */
static gboolean
handle_frames (HirRunChild *self)
{
  g_autoptr (GError) error = NULL;
  HirControlType type;
  GVariant *payload;
  int popped = 0;

  while (!self->is_freed &&
         (popped = hir_control_reader_pop (self->reader, &type, &payload, &error)) > 0)
    {
      gboolean done = handle_frame (self, type, payload, &error);

      g_variant_unref (payload);
      if (!done)
        popped = -1;
      if (!done)
        break;
    }
  if (popped >= 0)
    return TRUE;
  set_protocol_error (self, error->message);
  return FALSE;
}

/* Reads once and handles the frames. Returns FALSE at the end of the stream, on a protocol
 * error, or after FINISHED. */
static gboolean
read_some (HirRunChild *self)
{
  g_autofree guint8 *buffer = g_malloc (READ_BYTES);
  gssize n = recv (self->fd, buffer, READ_BYTES, MSG_DONTWAIT);

  if (n < 0)
    return errno == EINTR || errno == EAGAIN;
  if (n == 0)
    return FALSE;
  hir_control_reader_push (self->reader, buffer, (gsize) n);
  return handle_frames (self) && (self->outcome.summary == NULL || self->is_kept);
}

/* Closes the socket if the process has exited and everything was read. There may be no end of
 * stream, because a process that it started may still have the socket open. */
static void
close_if_silent (HirRunChild *self)
{
  if (self->fd >= 0 && self->has_exited && !is_readable (self))
    close_stream (self);
}

static gboolean
on_readable (int fd, GIOCondition condition, gpointer user_data)
{
  HirRunChild *self = user_data;

  self->n_busy++;
  if (!self->is_freed && !read_some (self) && !self->is_freed)
    close_stream (self);
  if (!self->is_freed)
    close_if_silent (self);
  leave (self);
  /* Already destroyed if it must not continue. */
  return G_SOURCE_CONTINUE;
}

/* Returns the end of the standard error of the process, or NULL. */
static char *
read_errors (int fd)
{
  char bytes[MAX_ERROR_BYTES];
  struct stat info;
  gssize n;
  char *text;

  if (fd < 0 || fstat (fd, &info) != 0)
    return NULL;
  n = pread (fd, bytes, sizeof bytes, MAX (0, info.st_size - MAX_ERROR_BYTES));
  if (n <= 0)
    return NULL;
  text = g_strchomp (g_utf8_make_valid (bytes, n));
  if (*text != '\0')
    return text;
  g_free (text);
  return NULL;
}

static void
on_exited (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  HirRunChild *self;

  /* If cancelled, user_data is dangling. */
  if (!g_subprocess_wait_finish (G_SUBPROCESS (source), result, &error))
    return;

  self = user_data;
  self->n_busy++;
  self->has_exited = TRUE;
  self->outcome.errors = read_errors (self->error_fd);
  stop_source (&self->kill_timer);
  /* on_readable() reads the rest of the socket. */
  close_if_silent (self);
  finish_if_done (self);
  leave (self);
}

/* Takes @child_fd. */
static GSubprocess *
spawn (const char *executable, int child_fd, int *error_fd, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autofree char *number = g_strdup_printf ("%d", CHILD_FD);
  /* The link itself, not its target, which may have been replaced meanwhile. */
  const char *path = executable != NULL ? executable : "/proc/self/exe";
  g_autoptr (GError) reason = NULL;
  GSubprocess *process;

  /* A file instead of a pipe: it needs no reader, and other holders cannot block us. */
  *error_fd = memfd_create ("hirscope-run-errors", MFD_CLOEXEC);
  if (*error_fd >= 0)
    g_subprocess_launcher_take_stderr_fd (launcher, fcntl (*error_fd, F_DUPFD_CLOEXEC, CHILD_FD));
  g_subprocess_launcher_take_fd (launcher, child_fd, CHILD_FD);
  process = g_subprocess_launcher_spawn (launcher, &reason, path, "run", "--control", number, NULL);
  if (process == NULL)
    hir_set_error (error, HIR_ERROR_RUN, NULL, "cannot start the run process: %s", reason->message);
  return process;
}

static HirRunChild *
child_new (const HirProgram *program,
           const HirRunSettings *settings,
           const HirRunChildCallbacks *callbacks,
           gpointer user_data)
{
  HirRunChild *self = g_new0 (HirRunChild, 1);
  g_autoptr (GVariant) variant = g_variant_ref_sink (hir_run_settings_to_variant (settings));
  g_autofree char *text = g_variant_print (variant, TRUE);
  g_autofree char *command = hir_run_dup_command (program->request, settings);
  g_autofree char *inputs = hir_program_dup_inputs_text (program);

  self->callbacks = *callbacks;
  self->user_data = user_data;
  self->is_debug = settings->debug;
  self->context = g_main_context_ref_thread_default ();
  self->fd = self->error_fd = -1;
  self->out = g_byte_array_new ();
  self->reader = hir_control_reader_new ();
  self->trace = hir_growing_trace_new (on_trace, self);
  self->cancellable = g_cancellable_new ();
  hir_growing_trace_set_meta (self->trace, "clock", settings->model_clock ? "model" : "wall");
  hir_growing_trace_set_meta (self->trace, "backend",
                              hir_backend_kind_get_name (settings->backend));
  /* As in a recording of the command line; explanations and predictions depend on it. */
  hir_growing_trace_set_meta (self->trace, "run", text);
  hir_growing_trace_set_meta (self->trace, HIR_META_COMMAND, command);
  if (inputs != NULL)
    hir_growing_trace_set_meta (self->trace, HIR_META_INPUTS, inputs);
  return self;
}

HirRunChild *
hir_run_child_new (HirProgram *program,
                   const HirRunSettings *settings,
                   const char *executable,
                   const HirRunChildCallbacks *callbacks,
                   gpointer user_data,
                   GError **error)
{
  g_autoptr (HirRunChild) self = child_new (program, settings, callbacks, user_data);
  GVariant *start = g_variant_new ("(@a{sv}@a{sv})", hir_request_to_variant (program->request),
                                   hir_run_settings_to_variant (settings));
  int fds[2];

  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL, "cannot create a socket: %s", g_strerror (errno));
      g_variant_unref (g_variant_ref_sink (start));
      return NULL;
    }
  self->fd = fds[0];
  if (!queue_frame (self, HIR_CONTROL_HELLO, g_variant_new_uint32 (HIR_CONTROL_VERSION), error) ||
      !queue_frame (self, HIR_CONTROL_START, start, error))
    {
      close (fds[1]);
      return NULL;
    }
  self->process = spawn (executable, fds[1], &self->error_fd, error);
  if (self->process == NULL)
    return NULL;
  /* Below the priority of drawing, so that many events do not block the window. */
  self->readable =
      start_source (self, g_unix_fd_source_new (self->fd, G_IO_IN | G_IO_HUP | G_IO_ERR),
                    G_SOURCE_FUNC (on_readable), G_PRIORITY_DEFAULT_IDLE);
  self->hello_timer = start_source (self, g_timeout_source_new (HELLO_TIMEOUT_MS), on_hello_timeout,
                                    G_PRIORITY_DEFAULT);
  g_subprocess_wait_async (self->process, self->cancellable, on_exited, self);
  return g_steal_pointer (&self);
}

guint
hir_run_child_ask (HirRunChild *self, int rank, guint64 tensor_id, const HirValueQuery *query)
{
  HirValueRequest request = { self->n_questions + 1, rank, tensor_id, *query };
  GVariant *question;

  if (self->fd < 0)
    return 0;
  question = hir_value_request_to_variant (&request);
  g_clear_pointer (&self->question, g_variant_unref);
  if (self->is_asking)
    self->question = g_variant_ref_sink (question);
  else
    put (self, question);
  return ++self->n_questions;
}

guint
hir_run_child_debug (HirRunChild *self, const char *line)
{
  g_autofree char *valid = g_utf8_make_valid (line, -1);

  if (self->fd < 0 || !queue_frame (self, HIR_CONTROL_DEBUG,
                                    g_variant_new ("(us)", self->n_debug_lines + 1, valid), NULL))
    return 0;
  return ++self->n_debug_lines;
}

void
hir_run_child_pause (HirRunChild *self)
{
  if (self->fd >= 0)
    queue_frame (self, HIR_CONTROL_PAUSE, g_variant_new_boolean (TRUE), NULL);
}

gboolean
hir_run_child_has_stood (const HirRunChild *self)
{
  return self->has_stood && self->fd >= 0;
}

void
hir_run_child_stop (HirRunChild *self)
{
  if (self->is_stopping || self->has_exited)
    return;
  self->is_stopping = TRUE;
  if (self->fd >= 0)
    queue_frame (self, HIR_CONTROL_STOP, g_variant_new_boolean (TRUE), NULL);
  kill_soon (self);
}

void
hir_run_child_free (HirRunChild *self)
{
  if (self == NULL || self->is_freed)
    return;

  self->is_freed = TRUE;
  g_cancellable_cancel (self->cancellable);
  stop_source (&self->readable);
  stop_source (&self->writable);
  stop_source (&self->kill_timer);
  stop_source (&self->hello_timer);
  if (self->process != NULL && !self->has_exited)
    g_subprocess_force_exit (self->process);
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
  if (self->n_busy == 0)
    destroy (self);
}
