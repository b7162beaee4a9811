/* Messages of `hirscope mcp`: reading and checking of a request, and the parts of responses. */
#pragma once

#include <json-glib/json-glib.h>

#include "trace/json-out.h"

G_BEGIN_DECLS

/* Error codes of JSON-RPC and MCP. */
enum
{
  HIR_MCP_PARSE_ERROR = -32700,
  HIR_MCP_INVALID_REQUEST = -32600,
  HIR_MCP_NO_METHOD = -32601,
  HIR_MCP_INVALID_PARAMS = -32602,
  HIR_MCP_BUSY = -32000,
  HIR_MCP_NO_VERSION = -32022,
};

/* A request or a notification. Clear with hir_mcp_message_clear(). */
typedef struct
{
  JsonParser *parser;  /* owns method and params */
  const char *method;  /* NULL: a response, to be ignored */
  JsonObject *params;  /* nullable */
  char *id;            /* JSON text; NULL: a notification */
  const char *version; /* nullable: of a request of 2026-07-28 or later, from its _meta */
} HirMcpMessage;

void hir_mcp_message_clear (HirMcpMessage *message);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirMcpMessage, hir_mcp_message_clear)

/**
 * hir_mcp_message_read:
 * @message: (out): zero-initialized; has the id even after an error, if there is a valid id
 * @code: (out): a code of JSON-RPC, set on an error
 * @reason: (out): the message of the error, static
 *
 * Reads a message from the @length bytes of @line, which ends with NUL.
 */
gboolean hir_mcp_message_read (HirMcpMessage *message,
                               const char *line,
                               gsize length,
                               int *code,
                               const char **reason) G_GNUC_WARN_UNUSED_RESULT;

/* Returns the JSON text of the id or token @name (nullable) in @object (nullable): a string or an
 * integer; otherwise NULL (transfer full). */
char *hir_mcp_dup_id (JsonObject *object, const char *name);
/* Returns the object @name of @object (nullable), or NULL. */
JsonObject *hir_mcp_get_object (JsonObject *object, const char *name);
/* Returns the string @name of @object (nullable), or NULL. */
const char *hir_mcp_get_string (JsonObject *object, const char *name);

/* Returns the version that the handshake agrees on: @requested if it is supported, otherwise the
 * newest one. */
const char *hir_mcp_choose_version (const char *requested);
/* Adds all supported versions as an array with @key. */
void hir_mcp_write_versions (HirJsonOut *json, const char *key);

/* Writes the start of the response to the request @id, up to the members of "result". */
void hir_mcp_begin_result (HirJsonOut *json, const char *id);
/* Writes an error response to @message (nullable: unknown). */
void
hir_mcp_write_error (HirJsonOut *json, const HirMcpMessage *message, int code, const char *reason);

G_END_DECLS
