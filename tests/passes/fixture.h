/* Fusions built by hand, one script line per call; lowering; golden dumps. */
#pragma once

#include "ops/ops.h"
#include "pipeline.h"
#include "print/print.h"
#include "schedule/schedule.h"

G_BEGIN_DECLS

/* Creates a fusion whose next nodes have line 1. Each helper below advances to the next line first.
 */
HirContainer *fix_fusion (void);
void fix_line (HirContainer *fusion, guint line);

HirTensor *fix_input (HirContainer *fusion, guint rank);
HirTensor *fix_input_of (HirContainer *fusion, const gint64 *shape, guint rank, HirDType dtype);
HirTensor *fix_set (HirContainer *fusion, HirTensor *in);
HirTensor *fix_unary (HirContainer *fusion, HirUnaryOp op, HirTensor *in);
HirTensor *fix_cast (HirContainer *fusion, HirTensor *in, HirDType dtype);
HirTensor *fix_add (HirContainer *fusion, HirTensor *a, HirTensor *b);
HirTensor *fix_sum (HirContainer *fusion, HirTensor *in, gint64 dim);
HirTensor *fix_matmul (HirContainer *fusion, HirTensor *a, HirTensor *b);
HirTensor *fix_linear (HirContainer *fusion, HirTensor *in, HirTensor *weight, HirTensor *bias);
void fix_output (HirContainer *fusion, HirTensor *tensor);
void fix_stream (HirContainer *fusion, HirTensor *tensor, gint64 axis);
void fix_split (HirContainer *fusion, HirTensor *tensor, gint64 axis, gint64 factor);
void fix_merge (HirContainer *fusion, HirTensor *tensor, gint64 axis);

/* Lowers @fusion; @setting (nullable) is a `Pass.option=value`. Fails the test if lowering fails.
 */
HirLowering *fix_lower (HirContainer *fusion, const char *setting);
/* Returns the error of lowering @fusion. Fails the test if there is none. */
GError *fix_refusal (HirContainer *fusion);

/* Returns the kinds of the Exprs of the top level or of a loop body: "ALLOCATE GetCurrentStream FOR
 * FOR". */
char *fix_kinds (const HirScope *scope);
/* Returns the last loop of the top level. */
HirExpr *fix_last_loop (HirContainer *program);
/* Returns a copy of @dump for comparison with another dump: numbers are replaced in order of first
 * appearance, and blank lines are removed, because both may differ between equal programs. */
char *fix_canonical (const char *dump);
/* Fails the test unless @program prints as tests/data/golden/@name. */
void fix_assert_golden (HirContainer *program, const char *name);

G_END_DECLS
