/* Tools of `hirscope mcp`: their names, JSON schemas, and the command lines that they run. */
#pragma once

#include <json-glib/json-glib.h>

#include "trace/json-out.h"

G_BEGIN_DECLS

typedef struct _HirMcpTool HirMcpTool;

/* Returns the tool called @name, or NULL. Tools that execute programs exist only with
 * @allow_run. */
const HirMcpTool *hir_mcp_tool_lookup (const char *name, gboolean allow_run);
const char *hir_mcp_tool_get_name (const HirMcpTool *tool);
/* Returns whether the result of @tool is a PNG file. */
gboolean hir_mcp_tool_is_picture (const HirMcpTool *tool);

/**
 * hir_mcp_tool_build_command:
 * @arguments: (nullable): the arguments of the call; NULL: none
 * @picture: (nullable): path of the PNG file to write; only for pictures
 * @input: (out) (nullable): standard input of the command; unchanged if it has none
 *
 * Builds the arguments of hirscope, from the name of the command on. A value can never become an
 * option.
 *
 * Returns: (transfer full): NULL with HIR_ERROR_INPUT if an argument is unknown, missing or of
 *   another type
 */
GStrv hir_mcp_tool_build_command (const HirMcpTool *tool,
                                  JsonObject *arguments,
                                  const char *picture,
                                  char **input,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Writes the array of tool descriptions of `tools/list` with the key "tools". */
void hir_mcp_tools_write (HirJsonOut *json, gboolean allow_run);

G_END_DECLS
