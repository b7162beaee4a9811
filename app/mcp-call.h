/* One call of a tool of `hirscope mcp`: runs a command of hirscope as a child process and collects
 * its output. All functions must be called on the main thread. */
#pragma once

#include <gio/gio.h>

#include "mcp-tools.h"

G_BEGIN_DECLS

typedef struct _HirMcpCall HirMcpCall;

/* Called once after the process of @call has ended. May free @call. */
typedef void (*HirMcpCallDone) (HirMcpCall *call, gpointer user_data);

/* Creates a call of @tool with @arguments (nullable). Returns NULL with HIR_ERROR_INPUT if an
 * argument is invalid, or HIR_ERROR_RUN if the folder of a picture cannot be created. */
HirMcpCall *hir_mcp_call_new (const HirMcpTool *tool,
                              JsonObject *arguments,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Frees @call, which must not be running, and the files of its picture. */
void hir_mcp_call_free (HirMcpCall *call);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirMcpCall, hir_mcp_call_free)

/* Starts the process. Returns FALSE with HIR_ERROR_RUN if that fails; @done is then not called. */
gboolean hir_mcp_call_start (HirMcpCall *call,
                             HirMcpCallDone done,
                             gpointer user_data,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Kills the process and its children, if it is running. */
void hir_mcp_call_kill (HirMcpCall *call);
/* Returns the name of the tool. */
const char *hir_mcp_call_get_name (const HirMcpCall *call);
/* Adds the members "content" and "isError" of the result of a call that has ended. */
void hir_mcp_call_write_result (HirMcpCall *call, HirJsonOut *json);

/* Adds the members "content" and "isError" of a failure with @message. */
void hir_mcp_write_failure (HirJsonOut *json, const char *message);

G_END_DECLS
