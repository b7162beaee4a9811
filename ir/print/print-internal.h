/* Internal declarations of the printer: output, dialect and indentation. The functions write on the
 * current line; hir_printer_expr() writes the final newline. */
#pragma once

#include "print/print.h"

G_BEGIN_DECLS

typedef struct
{
  GString *out;
  HirFormat format;
  GArray *spans; /* HirSpan (nullable) */
  guint indent;  /* in units of two spaces */
} HirPrinter;

/* Starts a span and returns its index. The span is appended at its start, so that an Expr precedes
 * its contents in the array. */
guint hir_printer_begin_span (HirPrinter *printer, guint64 id, gboolean is_expr);
/* Ends the span at index @handle. */
void hir_printer_end_span (HirPrinter *printer, guint handle);

/* Appends an indentation of @depth units. */
void hir_printer_indent (HirPrinter *printer, guint depth);
/* Appends a newline and an indentation of @depth units. */
void hir_printer_continue (HirPrinter *printer, guint depth);

/* Prints an axis: `iS0{i0}`. */
void hir_printer_axis (HirPrinter *printer, const HirIterDomain *id);
/* Prints a tensor with its loop domain. */
void hir_printer_tensor (HirPrinter *printer, const HirTensor *tensor);
/* Prints a scalar by its name or value. */
void hir_printer_scalar (HirPrinter *printer, const HirScalar *scalar);
/* Prints a scalar with its definition written out. */
void hir_printer_inline (HirPrinter *printer, const HirScalar *scalar);
/* Prints a stream. */
void hir_printer_stream (HirPrinter *printer, const HirStream *stream);
/* Prints a value as an operand: a tensor with its domain, a scalar by name. */
void hir_printer_operand (HirPrinter *printer, const HirVal *val);

/* Prints input @i, or `(null)` if a broken program has none. */
void hir_printer_input (HirPrinter *printer, const HirExpr *expr, guint i);
/* Prints output @i, or `(null)` if a broken program has none. */
void hir_printer_output (HirPrinter *printer, const HirExpr *expr, guint i);

/* Prints an Expr and its nested Exprs, from indentation to newline. */
void hir_printer_expr (HirPrinter *printer, const HirExpr *expr);
/* Prints a tensor op; returns FALSE if @expr is not one. */
gboolean hir_printer_math (HirPrinter *printer, const HirExpr *expr);
/* Prints the Exprs of a scope, indented. */
void hir_printer_scope (HirPrinter *printer, const HirScope *scope);
/* Prints the definitions of all indices of @container, as after a host program. */
void hir_printer_index_block (HirPrinter *printer, HirContainer *container);
/* Prints `i7 = i0 * i2;`. */
void hir_printer_scalar_formula (HirPrinter *printer, const HirScalar *scalar);
/* Prints hir_printer_scalar_formula() as a line. */
void hir_printer_scalar_definition (HirPrinter *printer, const HirScalar *scalar);

G_END_DECLS
