/* Which synchronisation a host program lacks, and which it could do without: two accesses of the
 * same bytes, one of them a write, must be ordered whatever the streams do. */
#pragma once

#include "analysis/sync-order.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_HAZARD_RAW, /* read after write */
  HIR_HAZARD_WAR,
  HIR_HAZARD_WAW,
} HirHazard;

/* "RAW", "WAR", "WAW". */
const char *hir_hazard_get_name (HirHazard hazard);

/* Steps of two instances. */
typedef struct
{
  guint first, second;
} HirSyncPair;

/* Two instructions that nothing orders: the first pair of their instances, in the order of rank and
 * of the host, and how many there are. */
typedef struct
{
  HirHazard hazard;
  guint first, second;               /* steps, in the order of the host */
  guint first_access, second_access; /* accesses */
  HirByteRange bytes;                /* of the buffer; the first stretch that both touch */
  guint n;                           /* pairs of instances */
  guint n_ranks;
  int last_rank; /* the last one that has such a pair */
  char *suggestion;
  GArray *pairs; /* HirSyncPair: all n of them */
  /* With a recording (sync-observed.h), pairs and repeats that it has; of those, the ones in which the
   * second began before the first had ended; and how long after that it began at the nearest (less
   * than 0: before). */
  guint seen, overlapped;
  gboolean is_modelled; /* times of the recording are of the modelled clock */
  gint64 nearest_ns;
} HirSyncMissing;

/* A Synchronize or Wait of the program. */
typedef struct
{
  const HirExpr *expr;
  guint n;      /* times that a stream is made to wait, on all ranks */
  guint n_idle; /* of those, for what it follows anyway: they order nothing */
  gboolean is_needless; /* without it, and without all others that are, each two accesses that are
                           ordered still are, and the caller's stream still follows all it did */
  /* On the modelled clock (sync-cost.h): how much longer the program takes, and how much less of it overlaps, for its
   * being there where it is needless, else for those of its executions that order nothing. */
  gboolean has_cost;
  gint64 cost_ns, cost_overlap_ns;
} HirSyncUse;

typedef struct
{
  HirSyncTrace *trace; /* owned */
  gint64 n_streams;
  GArray *missing;  /* HirSyncMissing */
  GArray *uses;     /* HirSyncUse, in program order */
  guint n_pairs;    /* of accesses that had to be ordered */
  gboolean has_recording; /* sync-observed.h */
  gboolean is_timed;      /* sync-cost.h: then of the program as it is, and without all that is needless */
  HirModelTimes times, without;
} HirSyncCheck;

/* As hir_sync_trace_new(), which it begins with. Ranks that do not fit together are in
 * trace->mismatches; where they wait for each other in a circle nothing else is found. */
HirSyncCheck *hir_sync_check_new (HirContainer *fusion,
                                  HirContainer *const *programs,
                                  guint n_ranks,
                                  const HirSyncOptions *options,
                                  GCancellable *cancellable,
                                  GError **error);
void hir_sync_check_free (HirSyncCheck *check);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSyncCheck, hir_sync_check_free)
/* Nothing is missing, and all ranks post the same. */
gboolean hir_sync_check_passed (const HirSyncCheck *check);

/* What would order @missing, as a sentence. Newly allocated. */
char *hir_sync_check_dup_suggestion (const HirSyncTrace *trace, const HirSyncMissing *missing);

/* "Allgather T5", "T6 = matmul(T5, T1)". Newly allocated. */
char *hir_sync_dup_label (const HirExpr *expr);

/* "T6 = matmul(T5, T1) may read T5 before Allgather T5 has written it". Newly allocated. */
char *hir_sync_check_dup_sentence (const HirSyncCheck *check, const HirSyncMissing *missing);
/* Of the first of the two, or the second: "T6 = matmul(T5, T1), iteration 0, on Stream 1 of rank
 * 0". Newly allocated. */
char *hir_sync_check_dup_step (const HirSyncCheck *check, guint step);
/* What is to be said of a Synchronize or Wait: that it can go, or how often it orders nothing;
 * NULL: nothing. Newly allocated. */
char *hir_sync_check_dup_use (const HirSyncCheck *check, const HirSyncUse *use);

/* As a compiler says it, with lines of the source and carets. Newly allocated. */
char *hir_sync_check_format (const HirSyncCheck *check);
/* One JSON object; in it, as "fixed", another of the changed program, @fixed (nullable). Newly allocated. */
char *hir_sync_check_to_json (const HirSyncCheck *check, const HirSyncCheck *fixed);

G_END_DECLS
