/* What the files of editing schedules share: statements and where they stand. */
#pragma once

#include "script/edit-schedule.h"
#include "script/functions.h"

G_BEGIN_DECLS

/* A statement among those of its block. */
typedef struct
{
  HirAst *statement;
  HirAst **block;
  guint n_block;
  guint index;
  const HirAstFunction *function; /* nullable: of the top level */
} HirProgramPoint;

/* All statements below @items, outer ones first, in order: appends HirProgramPoint. */
void hir_program_point_collect (HirAst **items, guint n, const HirAstFunction *function, GArray *places);
/* Calls @visit for @node and all below it, statements and expressions, until it returns FALSE. */
typedef gboolean (*HirAstVisit) (const HirAst *node, gpointer user_data);
gboolean hir_ast_foreach (const HirAst *node, HirAstVisit visit, gpointer user_data);
/* Whether it names @variable anywhere. */
gboolean hir_ast_mentions (const HirAst *node, const char *variable);
/* Whether it gives the name another value. */
gboolean hir_ast_binds (const HirAst *node, const char *variable);

/* The assignment that @tensor's variable got its value from; FALSE and @error where it is not clear. */
gboolean hir_program_point_find_definition (HirScript *script,
                                    const HirScriptTensor *tensor,
                                    const GArray *places,
                                    HirProgramPoint *place,
                                    GError **error);

G_END_DECLS
