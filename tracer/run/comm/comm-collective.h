/* Collectives as copies and reductions between buffers of one address space. */
#pragma once

#include <gio/gio.h>

#include "run/communicator.h"

G_BEGIN_DECLS

/* The tensors of one rank in a collective. */
typedef struct
{
  gint64 rank;
  HirValue *in, *out; /* borrowed; NULL if the rank does not send or receive */
} HirCommPart;

/* Checks sizes and types of all parts by the rules of docs/host-ir.md#communication. @parts are in
 * the order of hir_comm_dup_members(). Sets HIR_ERROR_RUN, naming ranks and sizes. */
gboolean hir_comm_check_parts (const HirExpr *communication,
                               const HirCommPart *parts,
                               guint n,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Like hir_comm_check_parts(), but for one rank. Sets *@piece to the number of elements in one of
 * its pieces, or to -1 if it has no part. A piece is what one device sends or receives at once: the
 * input of a Scatter has one per receiver, the output of a Gather one per sender. */
gboolean hir_comm_get_piece (const HirExpr *communication,
                             const HirCommPart *part,
                             guint n_members,
                             gint64 *piece,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Moves the data of checked parts. Blocks; the buffers of all parts must be idle. Reductions run in
 * the order of the team, for half types in float with one rounding. Sets HIR_ERROR_LIMIT if memory
 * is short. */
gboolean hir_comm_execute (const HirExpr *communication,
                           const HirCommPart *parts,
                           guint n,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns @value itself if its elements are contiguous, otherwise a contiguous copy. */
HirValue *hir_comm_flatten_input (HirValue *value, GError **error);
/* Returns @value itself if its elements are contiguous, otherwise new memory of the same size. */
HirValue *hir_comm_flatten_output (HirValue *value, GError **error);
/* Copies @in to @out, of equal type and count: elements in row-major order, with any strides. */
gboolean hir_comm_copy (const HirValue *out, const HirValue *in, GError **error);

/* Sets @out[k] to the reduction by @op of element k of @n arrays of @count elements. @out may be
 * one of the arrays. */
void hir_comm_reduce (
    HirDType dtype, HirBinaryOp op, gconstpointer const *in, guint n, gsize count, gpointer out);

G_END_DECLS
