/* Text of the IR as nvFuser prints it (docs/host-ir.md#printed-form), with what stands where. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_FORMAT_2025, /* HirAliasSelect, StreamIdx: the default */
  HIR_FORMAT_2025_SELECT,
  HIR_FORMAT_2026,
} HirFormat;

/* A stretch of the printed text that stands for a node: a tensor, an Expr (all its lines, nested
 * ones not counted; the head of a HostUnit counts as one), an axis. Byte offsets, end exclusive,
 * indent and last newline left out. One node may have several: an axis each time it prints, an IF
 * its ELSE. */
typedef struct
{
  guint start, end;
  guint64 id;
  gboolean is_expr;
} HirSpan;

/* A fusion prints as `Inputs: ... %kernel_math {...}`, a host program as `%HostIrContainer {...}`.
 * @spans (nullable) gets HirSpans sorted by start, an Expr's before those inside it. Newly
 * allocated. */
char *hir_container_print (HirContainer *container, HirFormat format, GArray **spans);

/* Single nodes, on one line, for messages, inspectors and tests. */
char *hir_tensor_to_string (const HirTensor *tensor);      /* T0_g_float[iS0{i0}, iS1{i2}] */
char *hir_iter_domain_to_string (const HirIterDomain *id); /* iS0{i0} */
char *hir_scalar_to_string (const HirScalar *scalar);      /* inline: ( i0 * i2 ) */
/* As it prints at indent 0, without the last newline; loops with their bodies. */
char *hir_expr_to_string (const HirExpr *expr);

/* `Allgather`, `ReduceScatter`: as in type=. "?" for a value that is none. */
const char *hir_comm_type_get_name (HirCommType type);

/* The same, appended to @out. */
void hir_iter_domain_print (const HirIterDomain *id, GString *out);
void hir_scalar_print_inline (const HirScalar *scalar, GString *out);

G_END_DECLS
