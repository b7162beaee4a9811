/* What the synchronization check finds wrong in a program besides missing synchronization. */
#pragma once

#include "container.h"
#include "diagnostic.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_SYNC_FAULT_ERROR,      /* a run ends with this error */
  HIR_SYNC_FAULT_MISMATCH,   /* communications of ranks do not match */
  HIR_SYNC_FAULT_DEADLOCK,   /* ranks wait for each other */
  HIR_SYNC_FAULT_NOT_WAITED, /* a communication has no Wait */
  HIR_SYNC_FAULT_UNWRITTEN,  /* memory is read that nothing has written; outputs are read at the end
                              */
  HIR_SYNC_FAULT_FREED,      /* an output is freed */
  HIR_SYNC_FAULT_STALE,      /* a loop index is used in an expression that is not computed again */
  HIR_SYNC_FAULT_HELD,       /* memory is held until the end; only a warning */
} HirSyncFaultKind;

/* An instance of an instruction that takes part in a fault. */
typedef struct
{
  int rank;
  const HirExpr *expr; /* nullable: the caller */
  gint32 iteration;    /* of the innermost loop; -1: none */
  char *text;
} HirSyncPlace;

typedef struct
{
  HirSyncFaultKind kind;
  HirPos pos; /* line 0: not known */
  char *message;
  int tensor;                /* UNWRITTEN, FREED, HELD: name of the tensor; otherwise -1 */
  GArray *places;            /* HirSyncPlace */
  guint n;                   /* number of times; may exceed the number of places */
  gint64 n_elements;         /* UNWRITTEN: of an output on all ranks */
  const HirExpr *not_waited; /* nullable. NOT_WAITED: only used before its Wait */
} HirSyncFault;

/* Returns "deadlock", "unwritten", .... */
const char *hir_sync_fault_kind_get_name (HirSyncFaultKind kind);
/* Returns the fault of @kind, @pos and @tensor in @faults (HirSyncFault*, borrowed), and counts
 * another instance of it; adds one with @message if there is none. */
HirSyncFault *hir_sync_faults_add (
    GPtrArray *faults, HirSyncFaultKind kind, HirPos pos, int tensor, const char *message);
/* Adds a place with a copy of @text. */
void hir_sync_fault_add_place (
    HirSyncFault *fault, int rank, const HirExpr *expr, gint32 iteration, const char *text);
void hir_sync_fault_free (HirSyncFault *fault);
/* Returns the number of faults of each kind, "1 deadlock, 2 unwritten, " (transfer full); "" if
 * there are none. */
char *hir_sync_faults_dup_counts (const GPtrArray *faults);
/* Returns the number of faults of @kind. */
guint hir_sync_faults_count (const GPtrArray *faults, HirSyncFaultKind kind);

G_END_DECLS
