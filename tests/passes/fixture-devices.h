/* Fusions over several devices, and host programs lowered by some of the passes. */
#pragma once

#include "fixture.h"

G_BEGIN_DECLS

/* Creates a mesh from `0 1 2` (one dimension) or `0 1|2 3` (rows). Owned by @fusion. */
const HirMesh *fix_mesh (HirContainer *fusion, const char *text);
/* Puts @tensor on that mesh, at the next script line. */
void fix_on_mesh (HirContainer *fusion, HirTensor *tensor, const char *mesh);
/* Parallelizes an axis, like fix_stream(). */
void fix_parallelize (HirContainer *fusion, HirTensor *tensor, gint64 axis, HirParallelType type);

/* Lowers for @rank with the passes in @passes (names separated by blanks; NULL: the default ones).
 */
HirLowering *fix_lower_by (HirContainer *fusion, const char *passes, gint64 rank);
/* Like fix_lower_by(), but returns the last program. Fails the test if lowering fails. */
HirContainer *fix_program (HirContainer *fusion, const char *passes, gint64 rank);
/* Like fix_lower_by(), but returns the error. Fails the test unless @pass fails. */
GError *fix_refusal_of (HirContainer *fusion, const char *passes, gint64 rank, const char *pass);
/* Fails unless @error is a refusal at @line whose message contains all of @fragments (separated by
 * '|'). */
void fix_assert_refusal (const GError *error, guint line, const char *fragments);

/* Returns a summary of @scope: `ALLOCATE(T1) Gather(0 1)@1 Wait Set IF{...}ELSE{...} FOR{...}`. */
char *fix_brief (const HirScope *scope);
/* Returns a summary of the last loop of the top level. */
char *fix_brief_loop (HirContainer *program);

G_END_DECLS
