/* The results of every instruction of a sequential evaluation (reference-host.h). */
#pragma once

#include "run/reference/reference-host.h"

G_BEGIN_DECLS

/* A HirExpr that computes, moves or selects values; streams, waits and memory are left out. */
typedef struct
{
  const HirExpr *expr;
  guint depth;     /* number of enclosing loops and IFs */
  GArray *indices; /* const HirVal*: indices of the enclosing loops, outermost first */
} HirRecordedOp;

/* Returns the ops of @program in order: HirRecordedOp*. Free with g_ptr_array_unref(). */
GPtrArray *hir_recorded_ops_new (const HirContainer *program);

typedef enum
{
  HIR_RECORD_POST,   /* a communication is posted: @peers */
  HIR_RECORD_VIEW,   /* a slice is bound: @view, and its elements in @value */
  HIR_RECORD_RESULT, /* a result is complete: as before; of a communication, after its Wait */
} HirRecordKind;

/* One execution of an op. */
typedef struct
{
  HirRecordKind kind;
  guint rank;          /* index of the rank */
  guint op;            /* position in the ops of the rank's program */
  guint output;        /* position among the outputs of the op */
  char *loops;         /* indices of the enclosing loops: "2,0" */
  gint32 iteration;    /* of the innermost loop; -1: none */
  HirRefTensor *value; /* nullable */
  HirValue *view;      /* nullable: the tensor */
  gint64 peers[2];     /* root, or peer, or send and receive peer; -1: none */
} HirRecorded;

typedef struct
{
  GPtrArray *ops;     /* one GPtrArray of HirRecordedOp* per rank */
  GPtrArray *outputs; /* one GPtrArray per rank: its outputs at the end, HirValue* or NULL */
  GPtrArray *entries; /* HirRecorded*, in the order of the evaluation */
  GError *failure;    /* nullable: why it ended early */
} HirRecord;

/**
 * hir_record_new:
 *
 * Evaluates all ranks and stores the results. A program that fails is not an error: see
 * HirRecord.failure. Blocks; any thread.
 *
 * Returns: (transfer full): NULL with HIR_ERROR_CANCELLED or HIR_ERROR_LIMIT
 */
HirRecord *hir_record_new (const HirReferenceRank *ranks,
                           guint n,
                           gint64 n_streams,
                           GCancellable *cancellable,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/**
 * hir_record_find_writer:
 * @rank: index of the rank
 * @output: position among its outputs
 * @element: row-major in its part
 *
 * Returns the last entry that wrote the element (borrowed), or NULL.
 */
const HirRecorded *
hir_record_find_writer (const HirRecord *record, guint rank, guint output, gint64 element);
/* Frees @record. */
void hir_record_free (HirRecord *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRecord, hir_record_free)

G_END_DECLS
