/* What the printer's files share: where the text goes, in which of nvFuser's dialects, and how
 * deep. Everything here writes on the current line and leaves the last newline to
 * hir_printer_expr(). */
#pragma once

#include "print/print.h"

G_BEGIN_DECLS

typedef struct
{
  GString *out;
  HirFormat format;
  GArray *spans; /* HirSpan; nullable */
  guint indent;  /* in units of two spaces */
} HirPrinter;

/* A span is taken when it begins, so that the array is sorted with an Expr before what is inside
 * it. The handle is its place in the array. */
guint hir_printer_begin_span (HirPrinter *printer, guint64 id, gboolean is_expr);
void hir_printer_end_span (HirPrinter *printer, guint handle);

/* Spaces of @depth units; and a newline followed by them. */
void hir_printer_indent (HirPrinter *printer, guint depth);
void hir_printer_continue (HirPrinter *printer, guint depth);

void hir_printer_axis (HirPrinter *printer, const HirIterDomain *id);
void hir_printer_tensor (HirPrinter *printer, const HirTensor *tensor);
/* A scalar by its name or value; with its definition written out. */
void hir_printer_scalar (HirPrinter *printer, const HirScalar *scalar);
void hir_printer_inline (HirPrinter *printer, const HirScalar *scalar);
void hir_printer_stream (HirPrinter *printer, const HirStream *stream);
/* As an operand stands in a line: a tensor with its domain, a scalar by name. */
void hir_printer_operand (HirPrinter *printer, const HirVal *val);

/* Operand @i, or `(null)` where a broken program has none. */
void hir_printer_input (HirPrinter *printer, const HirExpr *expr, guint i);
void hir_printer_output (HirPrinter *printer, const HirExpr *expr, guint i);

/* A whole Expr with its nested ones, from its indent to its newline. */
void hir_printer_expr (HirPrinter *printer, const HirExpr *expr);
/* FALSE where @expr is of the other kind. */
gboolean hir_printer_math (HirPrinter *printer, const HirExpr *expr);
void hir_printer_scope (HirPrinter *printer, const HirScope *scope);
/* `i7 = i0 * i2;`: the definition of a scalar that is an operand. */
void hir_printer_scalar_definition (HirPrinter *printer, const HirScalar *scalar);

G_END_DECLS
