/* Internal declarations of schedule editing: statements and their blocks. */
#pragma once

#include "script/edit-schedule.h"
#include "script/functions.h"

G_BEGIN_DECLS

/* A statement and its position in a block. */
typedef struct
{
  HirAst *statement;
  HirAst **block;
  guint n_block;
  guint index;
  const HirAstFunction *function; /* the enclosing def; NULL at the top level */
} HirProgramPoint;

/* Appends a HirProgramPoint to @places for each of the @n @items and each statement nested in them,
 * in order; a statement comes before its nested statements. */
void
hir_program_point_collect (HirAst **items, guint n, const HirAstFunction *function, GArray *places);
typedef gboolean (*HirAstVisit) (const HirAst *node, gpointer user_data);
/* Calls @visit for @node and all its descendants until @visit returns FALSE. Returns FALSE in that
 * case. */
gboolean hir_ast_foreach (const HirAst *node, HirAstVisit visit, gpointer user_data);
/* Returns TRUE if @variable occurs in @node. */
gboolean hir_ast_mentions (const HirAst *node, const char *variable);
/* Returns TRUE if the statement @node assigns to @variable. */
gboolean hir_ast_binds (const HirAst *node, const char *variable);

/* Finds the assignment that gave the variable of @tensor its value. Returns FALSE and sets @error
 * if there is none or more than one. */
gboolean hir_program_point_find_definition (HirScript *script,
                                            const HirScriptTensor *tensor,
                                            const GArray *places,
                                            HirProgramPoint *place,
                                            GError **error);

G_END_DECLS
