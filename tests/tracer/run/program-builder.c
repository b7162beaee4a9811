#include "program-builder.h"

#include "run/cpu/cpu.h"

HirContainer *
build_program (void)
{
  return hir_container_new (HIR_CONTAINER_HOST, NULL);
}

HirTensor *
build_tensor (HirContainer *program, guint n, const gint64 *axes)
{
  HirIterDomain *ids[HIR_MAX_DIMS];
  HirTensor *tensor;

  for (guint i = 0; i < n; i++)
    {
      gint64 size = axes[i] == AXIS_BROADCAST ? 1 : axes[i] == AXIS_REDUCED ? 4 : axes[i];
      HirIterType type = axes[i] == AXIS_BROADCAST ? HIR_ITER_BROADCAST
                         : axes[i] == AXIS_REDUCED ? HIR_ITER_REDUCTION
                                                   : HIR_ITER_ITERATION;
      ids[i] = hir_iter_domain_new (program, build_int (program, size), type);
    }
  tensor = hir_tensor_new (program, HIR_DTYPE_FLOAT, ids, n);
  tensor->memory = HIR_MEMORY_GLOBAL;
  return tensor;
}

HirExpr *
build_op (HirContainer *program, HirExprKind kind, HirTensor *out, HirTensor *a, HirTensor *b)
{
  HirVal *inputs[2] = { HIR_VAL (a), HIR_VAL (b) };

  return hir_expr_new (program, kind, inputs, b != NULL ? 2 : 1, (HirVal *[]){ HIR_VAL (out) }, 1);
}

HirExpr *
build_put (HirContainer *program, HirScope *scope, HirExpr *expr)
{
  hir_vec_push (program->arena, scope != NULL ? &scope->exprs : &program->top.exprs, expr);
  return expr;
}

HirExpr *
build_allocate (HirContainer *program, HirScope *scope, HirTensor *tensor)
{
  return build_put (program, scope, hir_expr_new_allocate (program, tensor, tensor->memory));
}

HirExpr *
build_deallocate (HirContainer *program, HirScope *scope, HirTensor *tensor)
{
  HirExpr *expr = hir_expr_new (program, HIR_EXPR_DEALLOCATE, NULL, 0, NULL, 0);

  expr->u.deallocate.buffer = tensor;
  return build_put (program, scope, expr);
}

HirExpr *
build_set (HirContainer *program, HirScope *scope, HirTensor *out, HirTensor *in)
{
  return build_put (program, scope, build_op (program, HIR_EXPR_SET, out, in, NULL));
}

HirExpr *
build_select (HirContainer *program,
              HirScope *scope,
              HirTensor *out,
              HirTensor *in,
              int axis,
              HirScalar *index)
{
  return build_put (program, scope, hir_expr_new_alias_select (program, in, out, axis, index));
}

HirScalar *
build_index (HirContainer *program)
{
  return hir_scalar_get_named (program, HIR_NAME_STREAM_IDX, HIR_DTYPE_INDEX);
}

HirScalar *
build_int (HirContainer *program, gint64 value)
{
  return hir_scalar_new_int (program, value, HIR_DTYPE_INDEX);
}

HirExpr *
build_loop (HirContainer *program, HirScope *scope, gint64 n)
{
  HirIterDomain *id = hir_iter_domain_new (program, build_int (program, n), HIR_ITER_ITERATION);

  return build_put (program, scope, hir_expr_new_for (program, id, build_index (program)));
}

HirExpr *
build_stream_op (HirContainer *program, HirScope *scope, HirExprKind kind, HirStream *stream)
{
  if (stream == NULL && kind != HIR_EXPR_GET_CURRENT_STREAM)
    {
      HirScalar *n = hir_scalar_get_named (program, HIR_NAME_NUMBER_OF_STREAMS, HIR_DTYPE_INT);
      stream = hir_stream_new (program, hir_scalar_new_op (program, HIR_SCALAR_OP_MOD,
                                                           build_index (program), n));
    }
  return build_put (program, scope, hir_expr_new_stream_op (program, kind, stream));
}

Machine
machine_new (HirContainer *program, const HirBackendOptions *options)
{
  HirBackendOptions none = { 0 };
  HirEvaluatorOptions evaluator = { .n_streams = 4, .poison = TRUE };
  g_autoptr (GError) error = NULL;
  Machine machine;

  machine.backend = hir_cpu_backend_new (options != NULL ? options : &none, &error);
  g_assert_no_error (error);
  evaluator.backend = machine.backend;
  machine.evaluator = hir_evaluator_new (program, &evaluator, &error);
  g_assert_no_error (error);
  return machine;
}

void
machine_clear (Machine *machine)
{
  hir_backend_free (machine->backend);
  hir_evaluator_free (machine->evaluator);
}

GError *
machine_run (Machine *machine, HirValue *const *inputs, guint n)
{
  GError *error = NULL;

  gboolean ok = hir_evaluator_start (machine->evaluator, inputs, n, HIR_PHASE_PROGRAM, &error) &&
                hir_evaluator_finish (machine->evaluator, &error);

  g_assert_cmpint (ok, ==, error == NULL);
  return error;
}
