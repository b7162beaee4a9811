/* What a change of the script, a pass or an option did: two lowerings of the same thing, compared. */
#pragma once

#include "program/program.h"

G_BEGIN_DECLS

/* Whether @before has a snapshot of the same name as @after's @step, with another program: what a change did
 * can be seen there. FALSE where there is none of that name. */
gboolean
hir_program_step_differs (const HirProgram *before, const HirProgram *after, guint step);
/* Whether both end in the same program with the same nodes: what was recorded of one is true of the other. */
gboolean hir_program_same_end (const HirProgram *before, const HirProgram *after);
/* "3 of 7 programs differ; the last one has +2, −1, 3 changed", in a line. Newly allocated. */
char *hir_program_dup_effect (const HirProgram *before, const HirProgram *after);

/* Nodes of the graph that are the same in both and stand elsewhere: in another loop, or in another order among
 * those that both have (as few as must be moved to get from one order to the other). */
guint hir_program_view_count_moved (const HirProgramView *before, const HirProgramView *after);

G_END_DECLS
