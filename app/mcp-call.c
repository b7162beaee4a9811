#include "mcp-call.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "diagnostic.h"

#define MAX_OUTPUT_BYTES (4 * 1024 * 1024)
#define MAX_ERROR_BYTES (64 * 1024)
#define MAX_PICTURE_BYTES (8 * 1024 * 1024)
#define READ_BYTES (64 * 1024)

/* An output of the process. */
typedef struct
{
  HirMcpCall *call;
  GString *text;
  gsize max_bytes;
  gboolean is_cut; /* there was more */
  char buffer[READ_BYTES];
} Pipe;

struct _HirMcpCall
{
  const HirMcpTool *tool;
  GStrv command;
  char *input;            /* nullable: standard input */
  char *folder, *picture; /* NULL if the result is text */
  GSubprocess *process;   /* NULL if the call has not started */
  guint n_open;           /* of the pipes and the process */
  Pipe out, err;
  HirMcpCallDone done;
  gpointer user_data;
};

static gboolean
make_folder (HirMcpCall *call, GError **error)
{
  g_autoptr (GError) cause = NULL;

  call->folder = g_dir_make_tmp ("hirscope-mcp-XXXXXX", &cause);
  if (call->folder == NULL)
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL, "cannot create a folder for the picture: %s",
                     cause->message);
      return FALSE;
    }
  call->picture = g_build_filename (call->folder, "picture.png", NULL);
  return TRUE;
}

HirMcpCall *
hir_mcp_call_new (const HirMcpTool *tool, JsonObject *arguments, GError **error)
{
  g_autoptr (HirMcpCall) call = g_new0 (HirMcpCall, 1);

  call->tool = tool;
  call->out.call = call->err.call = call;
  call->out.text = g_string_new (NULL);
  call->err.text = g_string_new (NULL);
  call->out.max_bytes = MAX_OUTPUT_BYTES;
  call->err.max_bytes = MAX_ERROR_BYTES;
  if (hir_mcp_tool_is_picture (tool) && !make_folder (call, error))
    return NULL;
  call->command = hir_mcp_tool_build_command (tool, arguments, call->picture, &call->input, error);
  return call->command != NULL ? g_steal_pointer (&call) : NULL;
}

/* Removes also the temporary file of a command that was killed while writing. */
static void
remove_folder (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);

      g_unlink (file);
    }
  g_clear_pointer (&dir, g_dir_close);
  g_rmdir (path);
}

void
hir_mcp_call_free (HirMcpCall *call)
{
  if (call == NULL)
    return;
  g_return_if_fail (call->n_open == 0);
  if (call->folder != NULL)
    remove_folder (call->folder);
  g_free (call->folder);
  g_free (call->picture);
  g_free (call->input);
  g_strfreev (call->command);
  g_clear_object (&call->process);
  g_string_free (call->out.text, TRUE);
  g_string_free (call->err.text, TRUE);
  g_free (call);
}

/* A group of processes can be killed together. The signal ends the child if the server is killed.
 */
static void
set_up_child (gpointer user_data)
{
  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
}

static void
close_one (HirMcpCall *call)
{
  if (--call->n_open == 0)
    call->done (call, call->user_data);
}

static void
on_ended (GObject *process, GAsyncResult *result, gpointer user_data)
{
  g_subprocess_wait_finish (G_SUBPROCESS (process), result, NULL);
  close_one (user_data);
}

static void
on_read (GObject *stream, GAsyncResult *result, gpointer user_data)
{
  Pipe *pipe = user_data;
  gssize n = g_input_stream_read_finish (G_INPUT_STREAM (stream), result, NULL);
  gsize room = pipe->max_bytes - pipe->text->len;

  if (n <= 0)
    {
      close_one (pipe->call);
      return;
    }
  g_string_append_len (pipe->text, pipe->buffer, (gssize) MIN ((gsize) n, room));
  pipe->is_cut |= (gsize) n > room;
  /* The result is useless if it is incomplete. Messages are useful even so. */
  if (pipe == &pipe->call->out && pipe->is_cut)
    hir_mcp_call_kill (pipe->call);
  g_input_stream_read_async (G_INPUT_STREAM (stream), pipe->buffer, READ_BYTES, G_PRIORITY_DEFAULT,
                             NULL, on_read, pipe);
}

/* A command that has ended does not read its input, which is no error. */
static void
on_written (GObject *stream, GAsyncResult *result, gpointer user_data)
{
  g_output_stream_write_all_finish (G_OUTPUT_STREAM (stream), result, NULL, NULL);
  g_output_stream_close (G_OUTPUT_STREAM (stream), NULL, NULL);
  close_one (user_data);
}

gboolean
hir_mcp_call_start (HirMcpCall *call, HirMcpCallDone done, gpointer user_data, GError **error)
{
  GSubprocessFlags flags = G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE |
                           (call->input != NULL ? G_SUBPROCESS_FLAGS_STDIN_PIPE : 0);
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (flags);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GError) cause = NULL;

  g_ptr_array_add (argv, (gpointer) "/proc/self/exe");
  for (guint i = 0; call->command[i] != NULL; i++)
    g_ptr_array_add (argv, call->command[i]);
  g_ptr_array_add (argv, NULL);
  g_subprocess_launcher_set_child_setup (launcher, set_up_child, NULL, NULL);
  call->process =
      g_subprocess_launcher_spawnv (launcher, (const char *const *) argv->pdata, &cause);
  if (call->process == NULL)
    {
      if (g_error_matches (cause, G_SPAWN_ERROR, G_SPAWN_ERROR_TOO_BIG))
        hir_set_error (
            error, HIR_ERROR_RUN, NULL,
            "cannot start hirscope %s: its arguments are too long for this system, which "
            "allows less than 128 KiB for each; shorten them",
            call->command[0]);
      else
        hir_set_error (error, HIR_ERROR_RUN, NULL, "cannot start hirscope %s: %s", call->command[0],
                       cause->message);
      return FALSE;
    }
  call->done = done;
  call->user_data = user_data;
  call->n_open = 3;
  if (call->input != NULL)
    {
      call->n_open++;
      g_output_stream_write_all_async (g_subprocess_get_stdin_pipe (call->process), call->input,
                                       strlen (call->input), G_PRIORITY_DEFAULT, NULL, on_written,
                                       call);
    }
  g_subprocess_wait_async (call->process, NULL, on_ended, call);
  g_input_stream_read_async (g_subprocess_get_stdout_pipe (call->process), call->out.buffer,
                             READ_BYTES, G_PRIORITY_DEFAULT, NULL, on_read, &call->out);
  g_input_stream_read_async (g_subprocess_get_stderr_pipe (call->process), call->err.buffer,
                             READ_BYTES, G_PRIORITY_DEFAULT, NULL, on_read, &call->err);
  return TRUE;
}

void
hir_mcp_call_kill (HirMcpCall *call)
{
  const char *id = call->process != NULL ? g_subprocess_get_identifier (call->process) : NULL;

  /* Without an identifier, the process has ended, and its id may belong to another one. */
  if (id != NULL)
    kill (-(pid_t) g_ascii_strtoll (id, NULL, 10), SIGKILL);
}

const char *
hir_mcp_call_get_name (const HirMcpCall *call)
{
  return hir_mcp_tool_get_name (call->tool);
}

static void
write_text (HirJsonOut *json, const char *text)
{
  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_string (json, "type", "text");
  hir_json_out_add_string (json, "text", text);
  hir_json_out_end (json, '}');
}

void
hir_mcp_write_failure (HirJsonOut *json, const char *message)
{
  hir_json_out_begin (json, "content", '[');
  write_text (json, message);
  hir_json_out_end (json, ']');
  hir_json_out_add_bool (json, "isError", TRUE);
}

static void
write_picture (gconstpointer data, gsize n, HirJsonOut *json)
{
  g_autofree char *text = g_base64_encode (data, n);

  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_string (json, "type", "image");
  hir_json_out_add_string (json, "data", text);
  hir_json_out_add_string (json, "mimeType", "image/png");
  hir_json_out_end (json, '}');
}

/* Returns why the call failed, or NULL. Loads the picture as @picture. */
static char *
dup_failure (const HirMcpCall *call, char **picture, gsize *n_bytes)
{
  g_autoptr (GError) error = NULL;

  if (call->out.is_cut)
    return g_strdup_printf ("the result of %s has more than %d MiB; ask for less, such as a range "
                            "of time, or use query with a LIMIT",
                            hir_mcp_call_get_name (call), MAX_OUTPUT_BYTES / 1024 / 1024);
  if (!g_subprocess_get_if_exited (call->process))
    return g_strdup_printf ("hirscope %s was ended by signal %d\n%s", call->command[0],
                            g_subprocess_get_term_sig (call->process), call->err.text->str);
  /* 1 and 3 are findings of a check. */
  if (g_subprocess_get_exit_status (call->process) == 2 ||
      g_subprocess_get_exit_status (call->process) > 3)
    return g_strdup_printf ("%s%.*s", call->err.text->str, MAX_ERROR_BYTES, call->out.text->str);
  if (call->picture == NULL)
    return NULL;
  if (!g_file_get_contents (call->picture, picture, n_bytes, &error))
    return g_strdup (error->message);
  if (*n_bytes > MAX_PICTURE_BYTES)
    return g_strdup_printf ("the picture has %" G_GSIZE_FORMAT " bytes, more than %d MiB; choose a "
                            "smaller range or width",
                            *n_bytes, MAX_PICTURE_BYTES / 1024 / 1024);
  return NULL;
}

void
hir_mcp_call_write_result (HirMcpCall *call, HirJsonOut *json)
{
  g_autofree char *picture = NULL;
  gsize n_bytes = 0;
  g_autofree char *failure = dup_failure (call, &picture, &n_bytes);

  if (failure != NULL)
    {
      hir_mcp_write_failure (json, failure);
      return;
    }
  hir_json_out_begin (json, "content", '[');
  if (picture != NULL)
    write_picture (picture, n_bytes, json);
  else
    write_text (json, call->out.text->str);
  /* Notes, and the message of a check that found something. */
  if (call->err.text->len > 0)
    write_text (json, call->err.text->str);
  hir_json_out_end (json, ']');
  hir_json_out_add_bool (json, "isError", FALSE);
}
