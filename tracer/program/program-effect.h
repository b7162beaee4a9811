/* Describes the effect of a change to the script, a pass or an option, by comparing two
 * programs. */
#pragma once

#include "program/program.h"

G_BEGIN_DECLS

/* Returns TRUE if @before has a snapshot of the same name as step @step of @after, but with a
 * different program. FALSE if another pipeline made them. */
gboolean hir_program_step_differs (const HirProgram *before, const HirProgram *after, guint step);
/* Returns TRUE if the last programs are equal and have the same nodes. A recording of one is then
 * valid for the other. */
gboolean hir_program_same_end (const HirProgram *before, const HirProgram *after);
/* Returns a hash of the last program and its node ids, equal if hir_program_same_end() is TRUE. */
guint64 hir_program_get_end_hash (const HirProgram *program);
/* Describes the difference in one line (transfer full): "3 of 7 programs differ; in the last one
 * +2, −1, 3 changed". */
char *hir_program_dup_effect (const HirProgram *before, const HirProgram *after);

/* Returns the number of nodes that occur in both graphs but have moved: into another loop, or in
 * the order of the common nodes (the minimum number of moves). */
guint hir_program_view_count_moved (const HirProgramView *before, const HirProgramView *after);

G_END_DECLS
