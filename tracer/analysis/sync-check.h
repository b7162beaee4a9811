/* Finds missing and redundant synchronization in a host program. Two accesses of the same bytes, at
 * least one of them a write, must be ordered for every possible timing of the streams. */
#pragma once

#include "analysis/sync-order.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_HAZARD_RAW, /* read after write */
  HIR_HAZARD_WAR,
  HIR_HAZARD_WAW,
} HirHazard;

/* Returns "RAW", "WAR" or "WAW". */
const char *hir_hazard_get_name (HirHazard hazard);

/* Two steps. */
typedef struct
{
  guint first, second;
} HirSyncPair;

/* Missing synchronization between two instructions: the first pair of instances, in the order of
 * ranks and of the host, and the number of pairs. */
typedef struct
{
  HirHazard hazard;
  guint first, second;               /* steps, in host order */
  guint first_access, second_access; /* accesses */
  HirByteRange bytes;                /* first common range in the buffer */
  guint n;                           /* pairs of instances */
  guint n_ranks;
  int last_rank;       /* last rank with such a pair */
  char *suggestion;    /* nullable: a repair, see program/program-repair.h */
  gboolean has_repair; /* FALSE: @suggestion is the reason why there is none */
  GArray *pairs;       /* HirSyncPair, n elements */
  /* From a recording (sync-observed.h): number of pairs and repetitions that it has; how many of
   * them overlapped; and the minimum time from the end of the first to the start of the second,
   * negative if they overlapped. */
  guint seen, overlapped;
  gboolean is_modelled; /* the recording uses the modelled clock */
  gint64 nearest_ns;
} HirSyncMissing;

/* A Synchronize or Wait of the program. */
typedef struct
{
  const HirExpr *expr;
  guint n;               /* number of stream waits, on all ranks */
  guint n_idle;          /* number of waits that order nothing new */
  gboolean is_redundant; /* redundant: without it and all other redundant ones, the same accesses
                           are ordered, successive communications of a communicator stay in order
                           between streams, and the caller's stream follows the same work */
  gboolean is_redundant_alone; /* likewise, without it alone */
  /* Cost on the modelled clock (sync-cost.h), of the instruction if it is redundant, otherwise
   * of the executions that order nothing new: additional time and lost overlap. */
  gboolean has_cost;
  gint64 cost_ns, cost_overlap_ns;
  char *kept; /* nullable: why it is not removed, see hir_program_explain_kept() */
} HirSyncUse;

typedef struct
{
  HirSyncTrace *trace; /* owned */
  gint64 n_streams;
  GArray *missing;              /* HirSyncMissing */
  GArray *uses;                 /* HirSyncUse, in program order */
  guint n_pairs;                /* number of pairs of accesses that must be ordered */
  gboolean has_recording;       /* hir_sync_check_add_recording() was called */
  gboolean is_timed;            /* times and without are set */
  HirModelTimes times, without; /* of the program as is, and without redundant waits */
} HirSyncCheck;

/**
 * hir_sync_check_new:
 *
 * Checks the synchronization of a program. Takes the arguments of hir_sync_trace_new(). Other
 * errors of the program are in trace->faults. If it ends with an error or in a deadlock, its
 * synchronization is not checked.
 *
 * Returns: (transfer full): NULL and sets the error of hir_sync_trace_new() or HIR_ERROR_LIMIT
 */
HirSyncCheck *hir_sync_check_new (HirContainer *fusion,
                                  HirContainer *const *programs,
                                  guint n_ranks,
                                  const HirSyncOptions *options,
                                  GCancellable *cancellable,
                                  GError **error);
void hir_sync_check_free (HirSyncCheck *check);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSyncCheck, hir_sync_check_free)
/* Returns TRUE if no synchronization is missing and there are no faults. */
gboolean hir_sync_check_passed (const HirSyncCheck *check);

/* Returns a short name of @expr (transfer full): "Allgather T5", "T6 = matmul(T5, T1)". */
char *hir_sync_dup_label (const HirExpr *expr);

/* Describes a hazard (transfer full): "T6 = matmul(T5, T1) may read T5 before Allgather T5 has
 * written it". */
char *hir_sync_check_dup_sentence (const HirSyncCheck *check, const HirSyncMissing *missing);
/* Returns the ALLOCATE of the memory of @missing if it is executed more often than it allocates, so
 * that several iterations share the memory (docs/host-ir.md#memory); otherwise NULL. */
const HirExpr *
hir_sync_check_find_shared (const HirSyncCheck *check, const HirSyncMissing *missing);
/* Explains why iterations share the memory of @missing (transfer full); NULL if they do not. */
char *hir_sync_check_dup_cause (const HirSyncCheck *check, const HirSyncMissing *missing);
/* Describes a step (transfer full): "T6 = matmul(T5, T1), iteration 0, on Stream 1 of rank 0". */
char *hir_sync_check_dup_step (const HirSyncCheck *check, guint step);
/* Describes a Synchronize or Wait that is redundant or orders nothing new in some executions
 * (transfer full); NULL for any other. */
char *hir_sync_check_dup_use (const HirSyncCheck *check, const HirSyncUse *use);

/* Describes a place (transfer full): "rank 0, line 6, iteration 2: send T0 waits for ...". */
char *hir_sync_place_dup_text (const HirSyncPlace *place);
/* Formats the report like compiler messages, with source lines and carets (transfer full). */
char *hir_sync_check_format (const HirSyncCheck *check);
/* Formats one JSON object (transfer full). Its member "fixed" is the check of the changed program,
 * @fixed (nullable). */
char *hir_sync_check_to_json (const HirSyncCheck *check, const HirSyncCheck *fixed);

G_END_DECLS
