#include "mcp-message.h"

#include <string.h>

#define MAX_DEPTH 64
#define VERSION_KEY "io.modelcontextprotocol/protocolVersion"

/* Newest first. From MODERN on, each request has its version, and there is no handshake. */
static const char *const versions[] = { "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26",
                                        "2024-11-05" };
#define NEWEST_WITH_HANDSHAKE 1

void
hir_mcp_message_clear (HirMcpMessage *message)
{
  g_clear_object (&message->parser);
  g_clear_pointer (&message->id, g_free);
}

/* Bounds the recursion of json-glib, which also accepts text that is not JSON, such as comments and
 * single quotes, in which brackets could hide. */
static gboolean
check_text (const char *line, gsize length)
{
  gboolean is_string = FALSE;
  guint depth = 0;

  for (const char *at = line; at < line + length; at++)
    {
      if (is_string && *at == '\\')
        at++;
      else if (*at == '"')
        is_string = !is_string;
      else if (is_string)
        continue;
      else if (*at == '[' || *at == '{')
        {
          if (++depth > MAX_DEPTH)
            return FALSE;
        }
      else if (*at == ']' || *at == '}')
        {
          if (depth-- == 0)
            return FALSE;
        }
      else if (!g_ascii_isalnum (*at) && strchr (" \t\r\n,:+-.", *at) == NULL)
        return FALSE;
    }
  return depth == 0 && !is_string;
}

static JsonNode *
get_member (JsonObject *object, const char *name)
{
  return object != NULL ? json_object_get_member (object, name) : NULL;
}

JsonObject *
hir_mcp_get_object (JsonObject *object, const char *name)
{
  JsonNode *node = get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

const char *
hir_mcp_get_string (JsonObject *object, const char *name)
{
  JsonNode *node = get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) &&
                 json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

char *
hir_mcp_dup_id (JsonObject *object, const char *name)
{
  JsonNode *node = get_member (object, name);
  const char *text = hir_mcp_get_string (object, name);

  if (text != NULL)
    {
      GString *quoted = g_string_new (NULL);

      hir_json_append_string (quoted, text);
      return g_string_free (quoted, FALSE);
    }
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) &&
                 json_node_get_value_type (node) == G_TYPE_INT64
             ? g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node))
             : NULL;
}

static gboolean
is_supported (const char *version)
{
  for (guint i = 0; i < G_N_ELEMENTS (versions); i++)
    if (strcmp (versions[i], version) == 0)
      return TRUE;
  return FALSE;
}

const char *
hir_mcp_choose_version (const char *requested)
{
  for (guint i = NEWEST_WITH_HANDSHAKE; i < G_N_ELEMENTS (versions); i++)
    if (strcmp (versions[i], requested) == 0)
      return versions[i];
  return versions[NEWEST_WITH_HANDSHAKE];
}

void
hir_mcp_write_versions (HirJsonOut *json, const char *key)
{
  hir_json_out_begin (json, key, '[');
  for (guint i = 0; i < G_N_ELEMENTS (versions); i++)
    hir_json_out_add_string (json, NULL, versions[i]);
  hir_json_out_end (json, ']');
}

/* Checks the members that are common to all messages. Returns the code of an error, or 0. */
static int
read_members (HirMcpMessage *message, JsonObject *object, const char **reason)
{
  const char *protocol = hir_mcp_get_string (object, "jsonrpc");

  message->id = hir_mcp_dup_id (object, "id");
  message->method = hir_mcp_get_string (object, "method");
  message->params = hir_mcp_get_object (object, "params");
  *reason = "a message requires \"jsonrpc\": \"2.0\", a method, and an id that is a string or an "
            "integer";
  if (protocol == NULL || strcmp (protocol, "2.0") != 0 ||
      (message->id == NULL && json_object_has_member (object, "id")))
    return HIR_MCP_INVALID_REQUEST;
  if (message->method == NULL)
    return json_object_has_member (object, "result") || json_object_has_member (object, "error")
               ? 0
               : HIR_MCP_INVALID_REQUEST;
  *reason = "params must be an object";
  if (message->params == NULL && json_object_has_member (object, "params"))
    return HIR_MCP_INVALID_PARAMS;
  message->version =
      hir_mcp_get_string (hir_mcp_get_object (message->params, "_meta"), VERSION_KEY);
  *reason = "unsupported protocol version";
  return message->version == NULL || is_supported (message->version) ? 0 : HIR_MCP_NO_VERSION;
}

gboolean
hir_mcp_message_read (
    HirMcpMessage *message, const char *line, gsize length, int *code, const char **reason)
{
  JsonNode *root;

  message->parser = json_parser_new ();
  *code = HIR_MCP_PARSE_ERROR;
  *reason = "the line is not a JSON object in UTF-8 with at most 64 levels";
  if (!g_utf8_validate (line, (gssize) length, NULL) || !check_text (line, length) ||
      !json_parser_load_from_data (message->parser, line, (gssize) length, NULL))
    return FALSE;
  root = json_parser_get_root (message->parser);
  *code = HIR_MCP_INVALID_REQUEST;
  *reason = "a message is one JSON object; batches are not supported";
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    return FALSE;
  *code = read_members (message, json_node_get_object (root), reason);
  return *code == 0;
}

void
hir_mcp_begin_result (HirJsonOut *json, const char *id)
{
  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_string (json, "jsonrpc", "2.0");
  hir_json_out_add_raw (json, "id", id);
  hir_json_out_begin (json, "result", '{');
}

void
hir_mcp_write_error (HirJsonOut *json, const HirMcpMessage *message, int code, const char *reason)
{
  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_string (json, "jsonrpc", "2.0");
  hir_json_out_add_raw (json, "id", message != NULL && message->id != NULL ? message->id : "null");
  hir_json_out_begin (json, "error", '{');
  hir_json_out_add_int (json, "code", code);
  hir_json_out_add_string (json, "message", reason);
  if (code == HIR_MCP_NO_VERSION)
    {
      hir_json_out_begin (json, "data", '{');
      hir_mcp_write_versions (json, "supported");
      hir_json_out_add_string (json, "requested", message->version);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, '}');
  hir_json_out_end (json, '}');
}
