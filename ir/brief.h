/* The shortest text that still says which node it is: titles of boxes, labels of rows, facts. Newly
 * allocated where a string is returned. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* `i0·i2·4`, `ceilDiv(i0, 3)`, `StreamIdx % numberOfStreams`: without the outer brackets. */
void hir_brief_scalar (const HirScalar *scalar, GString *out);
/* `T5`, `i7`, `Stream 0`. */
void hir_brief_val (const HirVal *val, GString *out);
/* The loop domain: `[i0, deviceIdx.x i2, r i4]`. */
char *hir_brief_axes (const HirTensor *tensor);
/* `Stream 0`, `Stream StreamIdx % numberOfStreams`. */
char *hir_brief_stream (const HirStream *stream);

/* Title and subtitle of an Expr's box: `matmul` and `T5 × T1 → T6`. */
char *hir_brief_expr_title (const HirExpr *expr);
char *hir_brief_expr_subtitle (const HirExpr *expr);
/* One line: `T2 = matmul(T0, T1)`, `FOR StreamIdx in iStreamIdx2{i0}`. */
char *hir_brief_expr_label (const HirExpr *expr);

G_END_DECLS
