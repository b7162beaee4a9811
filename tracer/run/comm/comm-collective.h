/* A collective as copies and reductions between buffers of one address space. */
#pragma once

#include <gio/gio.h>

#include "run/communicator.h"

G_BEGIN_DECLS

/* One rank's part. */
typedef struct
{
  gint64 rank;
  HirValue *in, *out; /* borrowed; NULL where it has none */
} HirCommPart;

/* Sizes and types of all parts against the rules of docs/host-ir.md#communication. @parts: the
 * members of @communication in order (see hir_comm_dup_members()). HIR_ERROR_RUN naming ranks and
 * sizes. */
gboolean hir_comm_check_parts (const HirExpr *communication,
                               const HirCommPart *parts,
                               guint n,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same of one rank alone: *@piece is how many elements its pieces have; -1: it has no part. A
 * piece is what each device gives or gets in one go: of a Scatter's input one a receiver, of a
 * Gather's output one a sender, ... */
gboolean hir_comm_get_piece (const HirExpr *communication,
                             const HirCommPart *part,
                             guint n_members,
                             gint64 *piece,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Moves the data; checked before. Blocks; the parts' buffers must be idle. Reductions go in the
 * order of the team, in float for half types, and round once. HIR_ERROR_LIMIT. */
gboolean hir_comm_execute (const HirExpr *communication,
                           const HirCommPart *parts,
                           guint n,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns @value itself if its elements are contiguous, otherwise a contiguous copy. */
HirValue *hir_comm_flatten_input (HirValue *value, GError **error);
/* Returns @value itself if its elements are contiguous, otherwise new memory of the same size. */
HirValue *hir_comm_flatten_output (HirValue *value, GError **error);
/* out := in, of equal types and counts; any strides, elements in row-major order. */
gboolean hir_comm_copy (const HirValue *out, const HirValue *in, GError **error);

/* @out[k] := op over @n arrays of @count elements; @out may be one of them. */
void hir_comm_reduce (
    HirDType dtype, HirBinaryOp op, gconstpointer const *in, guint n, gsize count, gpointer out);

G_END_DECLS
