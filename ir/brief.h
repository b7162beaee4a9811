/* Shortest texts that identify a node: titles of boxes, labels of rows, facts. Returned strings are
 * newly allocated. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Appends @scalar without outer brackets: `i0·i2·4`, `ceilDiv(i0, 3)`, `StreamIdx %
 * numberOfStreams`. */
void hir_brief_scalar (const HirScalar *scalar, GString *out);
/* Appends `T5`, `i7` or a stream: `Stream StreamIdx % 4`, `Default stream`. */
void hir_brief_val (const HirVal *val, GString *out);
/* Returns the loop domain: `[i0, deviceIdx.x i2, r i4]`. */
char *hir_brief_axes (const HirTensor *tensor);
/* Returns `Stream StreamIdx % numberOfStreams` or `Default stream (Stream 0 in the program)`. */
char *hir_brief_stream_in_program (const HirStream *stream);

/* Returns the title of an Expr's box: `matmul`. */
char *hir_brief_expr_title (const HirExpr *expr);
/* Returns the subtitle of an Expr's box: `T5 × T1 → T6`. */
char *hir_brief_expr_subtitle (const HirExpr *expr);
/* Returns one line: `T2 = matmul(T0, T1)`, `FOR StreamIdx in iStreamIdx2{i0}`. */
char *hir_brief_expr_label (const HirExpr *expr);
/* Returns the label of a loop or IF as the statement around an instruction: `IF i0 == i1`, or `ELSE
 * of IF i0 == i1` if @is_else. */
char *hir_brief_outer_label (const HirExpr *outer, gboolean is_else);

G_END_DECLS
