/* Generated launches of a task, without a GPU. */
#pragma once

#include "cuda/codegen/codegen.h"
#include "run/backend.h"

G_BEGIN_DECLS

/* Sets @signature, an array of gint64, to the shapes, layouts, alignment and aliasing of the
 * operands of @task. Tasks with equal signatures have equal launches. */
void hir_cuda_sign_task (GArray *signature, const HirTask *task);

/* Returns the operand (borrowed) whose address or value @arg passes. @arg must not be one of
 * HIR_OPERAND_PIECES. */
const HirValue *hir_cuda_get_operand (const HirTask *task, const HirKernelArg *arg);

/* Generates the launches of @task for a GPU with @n_sms multiprocessors. With @with_library,
 * cuBLASLt computes the products that it can. Errors as hir_codegen_unit(). Any thread. */
HirUnitCode *
hir_cuda_generate (const HirTask *task, int n_sms, gboolean with_library, GError **error);

G_END_DECLS
