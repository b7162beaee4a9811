/* Checks, before a program runs, whether the conditions of a breakpoint can be met. */
#pragma once

#include "container.h"
#include "run/env.h"

G_BEGIN_DECLS

/* The programs of a breakpoint. */
typedef struct
{
  HirContainer *const *programs; /* one per rank */
  guint n_programs;
  HirEnv *sizes; /* nullable: values known before the run: extents, numberOfStreams; NULL: the
                  * numbers of a breakpoint are not checked */
} HirBreakScope;

/* Each of these functions requires scope->sizes. */

/* Returns why no instruction of @ids (set of guint64*; NULL: all) is ever executed in iteration
 * @iteration of its loop (transfer full), or NULL if one can be, or if the loops are not known. */
char *
hir_break_scope_reject_iteration (const HirBreakScope *scope, GHashTable *ids, gint64 iteration);
/* Returns why no program is that of rank @rank (transfer full), or NULL. */
char *hir_break_scope_reject_rank (const HirBreakScope *scope, gint64 rank);
/* Returns why no instruction runs on stream @stream (transfer full), or NULL if one can, or if the
 * streams are not known. */
char *hir_break_scope_reject_stream (const HirBreakScope *scope, gint64 stream);

G_END_DECLS
