/* Fusions over several devices, and host programs lowered by some of the passes only. */
#pragma once

#include "fixture.h"

G_BEGIN_DECLS

/* `0 1 2` (a line), `0 1|2 3` (rows). Lives as long as @fusion. */
const HirMesh *fix_mesh (HirContainer *fusion, const char *text);
/* Puts @tensor on that mesh, at a line of its own. */
void fix_on_mesh (HirContainer *fusion, HirTensor *tensor, const char *mesh);
/* As fix_stream() does. */
void fix_parallelize (HirContainer *fusion, HirTensor *tensor, gint64 axis, HirParallelType type);

/* Lowers for @rank by the passes in @passes (names with spaces between; NULL: the default ones). */
HirLowering *fix_lower_by (HirContainer *fusion, const char *passes, gint64 rank);
/* The same, and the last program; a test fails where lowering does. */
HirContainer *fix_program (HirContainer *fusion, const char *passes, gint64 rank);
/* The same, and the error; a test fails where there is none, or none of @pass. */
GError *fix_refusal_of (HirContainer *fusion, const char *passes, gint64 rank, const char *pass);
/* Fails unless @error is a refusal at @line with all of @fragments ('|' between) in its message. */
void fix_assert_refusal (const GError *error, guint line, const char *fragments);

/* What is in @scope, in short: `ALLOCATE(T1) Gather(0 1)@1 Wait Set IF{...}ELSE{...} FOR{...}`. */
char *fix_brief (const HirScope *scope);
/* The loop of the top level that is last. */
char *fix_brief_loop (HirContainer *program);

G_END_DECLS
