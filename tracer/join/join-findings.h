/* Differences between a program and its run. */
#pragma once

#include "join/join-private.h"

G_BEGIN_DECLS

/* Adds what @alignment of a rank that ran the program shows: launches that the program lacks, and
 * steps that the trace lacks or that ran on another stream. */
void hir_join_add_findings (HirJoin *join,
                            const HirJoinObserved *observed,
                            const HirJoinAlignment *alignment);
/* Compares the ranks, after all are joined: what one lacks and another one has gets both places. */
void hir_join_compare_ranks (HirJoin *join);
/* Describes the first place where the trace and the program part (transfer full). */
char *hir_join_dup_difference (const HirTrace *trace,
                               const HirJoinObserved *observed,
                               const HirJoinAlignment *alignment);
void hir_join_finding_free (gpointer finding);

G_END_DECLS
