/* Text of the IR as nvFuser prints it (docs/host-ir.md#printed-form), with the positions of nodes.
 */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_FORMAT_2025, /* HirAliasSelect, StreamIdx; the default */
  HIR_FORMAT_2025_SELECT,
  HIR_FORMAT_2026,
} HirFormat;

/* Range of the printed text that represents a node: a tensor, an axis, or an Expr (all its lines,
 * without nested Exprs; the header of a HostUnit counts as an Expr). Byte offsets, end exclusive,
 * without indentation and last newline. A node may have several spans: an axis each time it is
 * printed, an IF also for its ELSE. */
typedef struct
{
  guint start, end;
  guint64 id;
  gboolean is_expr;
} HirSpan;

/* Prints a fusion as `Inputs: ... %kernel_math {...}`, a host program as `%HostIrContainer {...}`.
 * @spans (nullable) receives HirSpans sorted by start, an Expr before its contents. Newly
 * allocated. */
char *hir_container_print (HirContainer *container, HirFormat format, GArray **spans);

/* Single nodes on one line, for messages, inspectors and tests. */
char *hir_tensor_to_string (const HirTensor *tensor);      /* T0_g_float[iS0{i0}, iS1{i2}] */
char *hir_iter_domain_to_string (const HirIterDomain *id); /* iS0{i0} */
char *hir_scalar_to_string (const HirScalar *scalar);      /* written out: ( i0 * i2 ) */
/* Prints an Expr at indentation 0, without the last newline; loops include their bodies. */
char *hir_expr_to_string (const HirExpr *expr);

/* Returns `Allgather`, `ReduceScatter`: as in type=. "?" if @type is invalid. */
const char *hir_comm_type_get_name (HirCommType type);

/* Appends an axis to @out. */
void hir_iter_domain_print (const HirIterDomain *id, GString *out);
/* Appends a written-out scalar to @out. */
void hir_scalar_print_inline (const HirScalar *scalar, GString *out);

G_END_DECLS
