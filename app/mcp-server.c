#include "mcp-server.h"

#include "config.h"

#include <errno.h>
#include <gio/gunixinputstream.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "diagnostic.h"
#include "mcp-call.h"
#include "mcp-message.h"

#define READ_BYTES (64 * 1024)
#define MAX_LINE_BYTES (4 * 1024 * 1024)
#define MAX_RUNNING 4
#define MAX_REQUESTS 64
#define PROGRESS_S 1
#define LIST_TTL_MS (60 * 60 * 1000)

typedef struct
{
  gboolean allow_run;
  GMainLoop *loop;
  GInputStream *input;
  GCancellable *stop_reading;
  gboolean has_input;   /* standard input has not ended */
  gboolean is_quitting; /* no more responses */
  GString *line;        /* the start of a line without its end */
  gboolean is_long;     /* the line is too long; its rest is skipped */
  GHashTable *requests; /* id -> Request*, calls that have not ended */
  GQueue waiting;       /* of them, calls that have not started */
  guint n_running;
  char buffer[READ_BYTES];
} Server;

typedef struct
{
  Server *server;
  char *id;
  HirMcpCall *call;
  gboolean is_modern, is_cancelled;
  char *token; /* JSON text of the progress token; nullable */
  guint timer; /* source id; 0: no progress is reported */
  gint64 start_us;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  g_clear_handle_id (&request->timer, g_source_remove);
  hir_mcp_call_free (request->call);
  g_free (request->id);
  g_free (request->token);
  g_free (request);
}

static void
quit_if_idle (Server *server)
{
  gboolean is_idle = server->is_quitting || g_hash_table_size (server->requests) == 0;

  /* A read in progress uses the buffer. */
  if (is_idle && server->n_running == 0 && !server->has_input)
    g_main_loop_quit (server->loop);
}

/* Ends soon: kills all calls, and sends nothing more. */
static void
quit (Server *server)
{
  GHashTableIter iter;
  gpointer request;

  server->is_quitting = TRUE;
  g_cancellable_cancel (server->stop_reading);
  g_hash_table_iter_init (&iter, server->requests);
  while (g_hash_table_iter_next (&iter, NULL, &request))
    hir_mcp_call_kill (((Request *) request)->call);
  quit_if_idle (server);
}

/* Writes @text, which is taken, and a newline. */
static void
send_message (Server *server, GString *text)
{
  GPollFD output = { .fd = STDOUT_FILENO, .events = G_IO_OUT };
  gsize at = 0;

  g_string_append_c (text, '\n');
  while (at < text->len && !server->is_quitting)
    {
      gssize n = write (STDOUT_FILENO, text->str + at, text->len - at);

      if (n >= 0)
        at += (gsize) n;
      else if (errno == EAGAIN)
        g_poll (&output, 1, -1);
      else if (errno != EINTR)
        quit (server);
    }
  g_string_free (text, TRUE);
}

static void
send_error (Server *server, const HirMcpMessage *message, int code, const char *reason)
{
  GString *text = g_string_new (NULL);
  HirJsonOut json = { .out = text };

  hir_mcp_write_error (&json, message, code, reason);
  send_message (server, text);
}

static void
write_server_info (HirJsonOut *json, const char *key)
{
  hir_json_out_begin (json, key, '{');
  hir_json_out_add_string (json, "name", "hirscope");
  hir_json_out_add_string (json, "title", "Hirscope");
  hir_json_out_add_string (json, "version", HIR_VERSION);
  hir_json_out_end (json, '}');
}

/* Ends the result that hir_mcp_begin_result() has started, and sends it. */
static void
end_result (Server *server, HirJsonOut *json, gboolean is_modern)
{
  if (is_modern)
    {
      hir_json_out_add_string (json, "resultType", "complete");
      hir_json_out_begin (json, "_meta", '{');
      write_server_info (json, "io.modelcontextprotocol/serverInfo");
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, '}');
  hir_json_out_end (json, '}');
  send_message (server, json->out);
}

static void
write_capabilities (HirJsonOut *json)
{
  hir_json_out_add_raw (json, "capabilities", "{\"tools\":{}}");
  hir_json_out_add_string (
      json, "instructions",
      "Hirscope analyzes traces and host programs of multi-GPU runs. Start with stats or explain on "
      "a trace; query answers other questions by SQL (query_schema lists the tables); "
      "timeline_image and graph_image draw. All times are in nanoseconds.");
}

static void
answer_initialize (Server *server, const HirMcpMessage *message)
{
  const char *requested = hir_mcp_get_string (message->params, "protocolVersion");
  HirJsonOut json = { 0 };

  if (requested == NULL)
    {
      send_error (server, message, HIR_MCP_INVALID_PARAMS, "initialize requires a protocolVersion");
      return;
    }
  json.out = g_string_new (NULL);
  hir_mcp_begin_result (&json, message->id);
  hir_json_out_add_string (&json, "protocolVersion", hir_mcp_choose_version (requested));
  write_server_info (&json, "serverInfo");
  write_capabilities (&json);
  end_result (server, &json, FALSE);
}

/* Adds how long a client may keep the result, which depends only on the program. */
static void
write_lifetime (HirJsonOut *json, gboolean is_modern)
{
  if (!is_modern)
    return;
  hir_json_out_add_int (json, "ttlMs", LIST_TTL_MS);
  hir_json_out_add_string (json, "cacheScope", "private");
}

static void
answer_discover (Server *server, const HirMcpMessage *message)
{
  HirJsonOut json = { .out = g_string_new (NULL) };

  hir_mcp_begin_result (&json, message->id);
  hir_mcp_write_versions (&json, "supportedVersions");
  write_capabilities (&json);
  write_lifetime (&json, TRUE);
  end_result (server, &json, TRUE);
}

static void
answer_ping (Server *server, const HirMcpMessage *message)
{
  HirJsonOut json = { .out = g_string_new (NULL) };

  hir_mcp_begin_result (&json, message->id);
  end_result (server, &json, message->version != NULL);
}

static void
answer_list (Server *server, const HirMcpMessage *message)
{
  HirJsonOut json = { .out = g_string_new (NULL) };

  hir_mcp_begin_result (&json, message->id);
  hir_mcp_tools_write (&json, server->allow_run);
  write_lifetime (&json, message->version != NULL);
  end_result (server, &json, message->version != NULL);
}

static gboolean
on_progress (gpointer data)
{
  Request *request = data;
  g_autofree char *message =
      g_strdup_printf ("%s is running", hir_mcp_call_get_name (request->call));
  HirJsonOut json = { .out = g_string_new (NULL) };

  hir_json_out_begin (&json, NULL, '{');
  hir_json_out_add_string (&json, "jsonrpc", "2.0");
  hir_json_out_add_string (&json, "method", "notifications/progress");
  hir_json_out_begin (&json, "params", '{');
  hir_json_out_add_raw (&json, "progressToken", request->token);
  hir_json_out_add_double (&json, "progress", "%.3f",
                           (double) (g_get_monotonic_time () - request->start_us) / 1e6);
  hir_json_out_add_string (&json, "message", message);
  hir_json_out_end (&json, '}');
  hir_json_out_end (&json, '}');
  send_message (request->server, json.out);
  return G_SOURCE_CONTINUE;
}

static void
send_failure (Server *server, const char *id, gboolean is_modern, const GError *error)
{
  HirJsonOut json = { .out = g_string_new (NULL) };

  hir_mcp_begin_result (&json, id);
  hir_mcp_write_failure (&json, error->message);
  end_result (server, &json, is_modern);
}

static void start_waiting (Server *server);

static void
on_done (HirMcpCall *call, gpointer user_data)
{
  Request *request = user_data;
  Server *server = request->server;

  if (!request->is_cancelled && !server->is_quitting)
    {
      HirJsonOut json = { .out = g_string_new (NULL) };

      hir_mcp_begin_result (&json, request->id);
      hir_mcp_call_write_result (call, &json);
      end_result (server, &json, request->is_modern);
    }
  server->n_running--;
  g_hash_table_remove (server->requests, request->id);
  start_waiting (server);
  quit_if_idle (server);
}

static void
start_waiting (Server *server)
{
  while (!server->is_quitting && server->n_running < MAX_RUNNING &&
         !g_queue_is_empty (&server->waiting))
    {
      Request *request = g_queue_pop_head (&server->waiting);
      g_autoptr (GError) error = NULL;

      if (!hir_mcp_call_start (request->call, on_done, request, &error))
        {
          send_failure (server, request->id, request->is_modern, error);
          g_hash_table_remove (server->requests, request->id);
          continue;
        }
      server->n_running++;
      request->start_us = g_get_monotonic_time ();
      if (request->token != NULL)
        request->timer = g_timeout_add_seconds (PROGRESS_S, on_progress, request);
    }
}

static void
answer_call (Server *server, const HirMcpMessage *message)
{
  const char *name = hir_mcp_get_string (message->params, "name");
  const HirMcpTool *tool = name != NULL ? hir_mcp_tool_lookup (name, server->allow_run) : NULL;
  JsonObject *arguments = hir_mcp_get_object (message->params, "arguments");
  g_autoptr (GError) error = NULL;
  HirMcpCall *call;
  Request *request;

  if (tool == NULL)
    send_error (server, message, HIR_MCP_INVALID_PARAMS,
                name != NULL && hir_mcp_tool_lookup (name, TRUE) != NULL
                    ? "this tool executes programs; start hirscope mcp with --allow-run"
                    : "tools/call requires the name of a tool of tools/list");
  else if (arguments == NULL && json_object_has_member (message->params, "arguments"))
    send_error (server, message, HIR_MCP_INVALID_PARAMS, "arguments must be an object");
  else if (g_hash_table_contains (server->requests, message->id))
    send_error (server, message, HIR_MCP_INVALID_REQUEST, "the id is in use");
  else if (g_hash_table_size (server->requests) >= MAX_REQUESTS)
    send_error (server, message, HIR_MCP_BUSY, "too many calls; wait for some to end");
  else if ((call = hir_mcp_call_new (tool, arguments, &error)) == NULL)
    send_failure (server, message->id, message->version != NULL, error);
  else
    {
      request = g_new0 (Request, 1);
      request->server = server;
      request->id = g_strdup (message->id);
      request->call = call;
      request->is_modern = message->version != NULL;
      request->token =
          hir_mcp_dup_id (hir_mcp_get_object (message->params, "_meta"), "progressToken");
      g_hash_table_insert (server->requests, request->id, request);
      g_queue_push_tail (&server->waiting, request);
      start_waiting (server);
    }
}

/* A cancelled call has no response. */
static void
cancel (Server *server, JsonObject *params)
{
  g_autofree char *id = hir_mcp_dup_id (params, "requestId");
  Request *request = id != NULL ? g_hash_table_lookup (server->requests, id) : NULL;

  if (request == NULL)
    return;
  request->is_cancelled = TRUE;
  if (g_queue_remove (&server->waiting, request))
    g_hash_table_remove (server->requests, id);
  else
    hir_mcp_call_kill (request->call);
}

static void
handle_line (Server *server, const char *line, gsize length)
{
  static const struct
  {
    const char *name;
    void (*answer) (Server *server, const HirMcpMessage *message);
  } methods[] = {
    { "initialize", answer_initialize },
    { "server/discover", answer_discover },
    { "ping", answer_ping },
    { "tools/list", answer_list },
    { "tools/call", answer_call },
  };
  g_auto (HirMcpMessage) message = { 0 };
  const char *reason;
  int code;

  if (!hir_mcp_message_read (&message, line, length, &code, &reason))
    {
      send_error (server, &message, code, reason);
      return;
    }
  if (message.id == NULL)
    {
      if (g_strcmp0 (message.method, "notifications/cancelled") == 0)
        cancel (server, message.params);
      return;
    }
  for (guint i = 0; message.method != NULL && i < G_N_ELEMENTS (methods); i++)
    if (strcmp (methods[i].name, message.method) == 0)
      {
        methods[i].answer (server, &message);
        return;
      }
  if (message.method != NULL)
    send_error (server, &message, HIR_MCP_NO_METHOD, "there is no such method");
}

/* Handles the line in the buffer, and empties it. */
static void
end_line (Server *server)
{
  g_autofree char *text = NULL;
  gsize length = server->line->len;

  if (server->is_long)
    send_error (server, NULL, HIR_MCP_PARSE_ERROR, "the line has more than 4 MiB");
  else if (length > 0 && strspn (server->line->str, " \t\r") < length)
    handle_line (server, server->line->str, length);
  /* A long line must not keep its memory. */
  g_string_free (server->line, TRUE);
  server->line = g_string_new (NULL);
  server->is_long = FALSE;
}

static void
take_bytes (Server *server, const char *bytes, gsize n)
{
  while (n > 0 && !server->is_quitting)
    {
      const char *newline = memchr (bytes, '\n', n);
      gsize length = newline != NULL ? (gsize) (newline - bytes) : n;

      server->is_long |= server->line->len + length > MAX_LINE_BYTES;
      if (server->is_long)
        g_string_truncate (server->line, 0);
      else
        g_string_append_len (server->line, bytes, (gssize) length);
      if (newline != NULL)
        end_line (server);
      length += newline != NULL;
      bytes += length;
      n -= length;
    }
}

static void
on_input (GObject *stream, GAsyncResult *result, gpointer user_data)
{
  Server *server = user_data;
  gssize n = g_input_stream_read_finish (G_INPUT_STREAM (stream), result, NULL);

  if (n > 0)
    take_bytes (server, server->buffer, (gsize) n);
  if (n > 0 && !server->is_quitting)
    {
      g_input_stream_read_async (server->input, server->buffer, READ_BYTES, G_PRIORITY_DEFAULT,
                                 server->stop_reading, on_input, server);
      return;
    }
  /* A last line without a newline. */
  if (!server->is_quitting)
    end_line (server);
  server->has_input = FALSE;
  quit_if_idle (server);
}

static gboolean
on_signal (gpointer user_data)
{
  quit (user_data);
  return G_SOURCE_CONTINUE;
}

/* The client has closed its end, so nothing can be answered. */
static gboolean
on_output_closed (gint fd, GIOCondition condition, gpointer user_data)
{
  quit (user_data);
  return G_SOURCE_REMOVE;
}

void
hir_mcp_server_run (gboolean allow_run)
{
  static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
  g_autofree Server *server = g_new0 (Server, 1);

  signal (SIGPIPE, SIG_IGN);
  server->allow_run = allow_run;
  server->loop = g_main_loop_new (NULL, FALSE);
  server->input = g_unix_input_stream_new (STDIN_FILENO, FALSE);
  server->stop_reading = g_cancellable_new ();
  server->has_input = TRUE;
  server->line = g_string_new (NULL);
  server->requests = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, request_free);
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    g_unix_signal_add (signals[i], on_signal, server);
  g_unix_fd_add (STDOUT_FILENO, G_IO_ERR | G_IO_HUP, on_output_closed, server);
  g_input_stream_read_async (server->input, server->buffer, READ_BYTES, G_PRIORITY_DEFAULT,
                             server->stop_reading, on_input, server);
  g_main_loop_run (server->loop);
  g_queue_clear (&server->waiting);
  g_hash_table_unref (server->requests);
  g_string_free (server->line, TRUE);
  g_object_unref (server->stop_reading);
  g_object_unref (server->input);
  g_main_loop_unref (server->loop);
}
