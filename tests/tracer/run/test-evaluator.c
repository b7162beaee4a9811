/* Tests the semantics of docs/host-ir.md#execution, rule by rule. */
#include <math.h>

#include "clone.h"
#include "program-builder.h"
#include "run-fixture.h"
#include "run/cpu/cpu.h"

static const gint64 shape[] = { 3, 4 };

static HirValue *
counting (void)
{
  double elements[12];

  for (guint i = 0; i < 12; i++)
    elements[i] = i;
  return value_of (HIR_DTYPE_FLOAT, 2, shape, elements);
}

static HirValue *
known (Machine *machine, HirTensor *tensor)
{
  return hir_evaluator_lookup (machine->evaluator, HIR_VAL (tensor));
}

/* docs/host-ir.md#in-place-or-bound: a Set to a tensor without memory is a view of its input; a Set
 * to memory copies. */
static void
test_set_binds_or_copies (void)
{
  g_autoptr (HirContainer) program = build_program ();
  HirTensor *in = build_tensor (program, 2, shape);
  HirTensor *view = build_tensor (program, 2, shape), *copy = build_tensor (program, 2, shape);
  g_autoptr (HirValue) value = counting ();

  hir_container_add_input (program, HIR_VAL (in));
  build_set (program, NULL, view, in);
  build_allocate (program, NULL, copy);
  build_set (program, NULL, copy, in);

  Machine machine = machine_new (program, NULL);
  g_assert_no_error (machine_run (&machine, &value, 1));
  g_assert_true (known (&machine, view)->buffer == value->buffer);
  g_assert_true (known (&machine, copy)->buffer != value->buffer);
  g_assert_cmpfloat (element_of (known (&machine, copy), 11), ==, 11);
  machine_clear (&machine);
}

/* docs/host-ir.md#memory: Allocate does nothing if the tensor is known: given by the caller or
 * selected before. */
static void
test_allocate_keeps_what_is_known (void)
{
  g_autoptr (HirContainer) program = build_program ();
  HirTensor *given = build_tensor (program, 2, shape), *whole = build_tensor (program, 2, shape);
  HirTensor *row = build_tensor (program, 1, shape + 1);
  g_autoptr (HirValue) value = counting ();
  HirValue *before;

  build_allocate (program, NULL, given);
  build_allocate (program, NULL, whole);
  build_select (program, NULL, row, whole, 0, build_int (program, 2));
  build_allocate (program, NULL, row);

  Machine machine = machine_new (program, NULL);
  g_assert_true (hir_evaluator_start (machine.evaluator, NULL, 0, HIR_PHASE_PROGRAM, NULL));
  hir_env_bind (hir_evaluator_get_env (machine.evaluator), HIR_VAL (given), value);
  g_assert_true (hir_evaluator_finish (machine.evaluator, NULL));
  g_assert_true (known (&machine, given) == value);
  before = known (&machine, row);
  g_assert_true (before->buffer == known (&machine, whole)->buffer);
  g_assert_cmpint (before->offset, ==, 8);
  /* New memory is poisoned, so that missing writes are visible. */
  g_assert_true (isnan (element_of (known (&machine, whole), 0)));
  machine_clear (&machine);
}

/* docs/host-ir.md#memory: Deallocate removes the value; without a value it is an error. */
static void
test_deallocate (void)
{
  g_autoptr (HirContainer) program = build_program ();
  HirTensor *tensor = build_tensor (program, 2, shape);
  g_autoptr (GError) error = NULL;
  HirProgramPoint point;

  build_allocate (program, NULL, tensor);
  build_deallocate (program, NULL, tensor);
  build_deallocate (program, NULL, tensor);

  Machine machine = machine_new (program, NULL);
  g_assert_true (hir_evaluator_start (machine.evaluator, NULL, 0, HIR_PHASE_PROGRAM, NULL));
  g_assert_cmpint (hir_evaluator_step (machine.evaluator, NULL), ==, HIR_STEP_MORE);
  g_assert_nonnull (known (&machine, tensor));
  g_assert_cmpint (hir_evaluator_step (machine.evaluator, NULL), ==, HIR_STEP_MORE);
  g_assert_null (known (&machine, tensor));
  g_assert_true (hir_evaluator_peek (machine.evaluator, &point));
  g_assert_cmpint (point.expr->kind, ==, HIR_EXPR_DEALLOCATE);
  g_assert_cmpint (hir_evaluator_step (machine.evaluator, &error), ==, HIR_STEP_FAILED);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_assert_nonnull (strstr (error->message, "T0"));
  g_assert_nonnull (strstr (error->message, "rank 0"));
  machine_clear (&machine);
}

/* docs/host-ir.md#memory: the axis of HirAliasSelect counts logical axes; run-time tensors do not
 * have reduced axes; a broadcast axis is selected at 0. */
static void
test_alias_select_axes (void)
{
  g_autoptr (HirContainer) program = build_program ();
  const gint64 axes[] = { AXIS_REDUCED, 3, AXIS_BROADCAST, 4 };
  HirTensor *in = build_tensor (program, 4, axes);
  HirTensor *third = build_tensor (program, 3, (gint64[]){ AXIS_REDUCED, AXIS_BROADCAST, 4 });
  HirTensor *flat = build_tensor (program, 3, (gint64[]){ AXIS_REDUCED, 3, 4 });
  HirTensor *same = build_tensor (program, 3, (gint64[]){ 3, AXIS_BROADCAST, 4 });

  build_allocate (program, NULL, in);
  build_select (program, NULL, third, in, 1, build_int (program, 2));
  build_select (program, NULL, flat, in, 2, build_int (program, 7));
  build_select (program, NULL, same, in, 0, build_int (program, 3));

  Machine machine = machine_new (program, NULL);
  g_assert_no_error (machine_run (&machine, NULL, 0));
  g_assert_cmpuint (known (&machine, in)->n_dims, ==, 3);
  g_assert_cmpint (known (&machine, third)->offset, ==, 8);
  g_assert_cmpint (known (&machine, third)->sizes[1], ==, 4);
  g_assert_cmpint (known (&machine, flat)->offset, ==, 0);
  g_assert_true (known (&machine, same) == known (&machine, in));
  machine_clear (&machine);
}

static void
test_alias_select_out_of_range (void)
{
  g_autoptr (HirContainer) program = build_program ();
  HirTensor *in = build_tensor (program, 2, shape), *out = build_tensor (program, 1, shape + 1);
  g_autoptr (GError) error = NULL;

  build_allocate (program, NULL, in);
  build_select (program, NULL, out, in, 0, build_int (program, 3));

  Machine machine = machine_new (program, NULL);
  error = machine_run (&machine, NULL, 0);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  machine_clear (&machine);
}

/* docs/host-ir.md#control-flow: start, stop and step are evaluated once; the body runs for each
 * index; IF selects a branch. */
static void
test_loops_and_branches (void)
{
  g_autoptr (HirContainer) program = build_program ();
  HirTensor *out = build_tensor (program, 1, (gint64[]){ 8 }),
            *in = build_tensor (program, 1, (gint64[]){ 2 });
  HirExpr *loop, *branch;
  g_autoptr (HirValue) value = value_of (HIR_DTYPE_FLOAT, 1, (gint64[]){ 2 }, (double[]){ 10, 20 });
  static const double expected[] = { NAN, 20, NAN, 20, NAN, 10, NAN, NAN };

  hir_container_add_input (program, HIR_VAL (in));
  build_allocate (program, NULL, out);
  loop = build_loop (program, NULL, 7);
  loop->u.loop.start = build_int (program, 1);
  loop->u.loop.step = build_int (program, 2);
  HirTensor *slot = build_tensor (program, 0, NULL), *source = build_tensor (program, 0, NULL);
  build_select (program, &loop->u.loop.body, slot, out, 0, build_index (program));
  branch = build_put (program, &loop->u.loop.body,
                      hir_expr_new (program, HIR_EXPR_IF, NULL, 0, NULL, 0));
  branch->u.branch.condition =
      hir_scalar_new_op (program, HIR_SCALAR_OP_GE, build_index (program), build_int (program, 5));
  build_select (program, &branch->u.branch.then_body, source, in, 0, build_int (program, 0));
  build_select (program, &branch->u.branch.else_body, source, in, 0, build_int (program, 1));
  build_set (program, &loop->u.loop.body, slot, source);

  Machine machine = machine_new (program, NULL);
  g_assert_no_error (machine_run (&machine, &value, 1));
  for (int i = 0; i < 8; i++)
    {
      double got = element_of (known (&machine, out), i);
      g_assert_true (isnan (expected[i]) ? isnan (got) : got == expected[i]);
    }
  /* allocate, loop, and 4 steps (select, if, select, set) in each of 3 iterations */
  g_assert_cmpuint (hir_evaluator_get_n_steps (machine.evaluator), ==, 2 + 3 * 4);
  machine_clear (&machine);
}

/* docs/host-ir.md#in-place-or-bound: an op that is not executed in place finds its stale result in
 * the next iteration, unless it depends on the loop index through definitions. */
static void
test_stale_bindings (void)
{
  g_autoptr (HirContainer) program = build_program ();
  HirTensor *in = build_tensor (program, 2, shape), *row = build_tensor (program, 1, shape + 1);
  HirTensor *next = build_tensor (program, 1, shape + 1), *fixed = build_tensor (program, 2, shape);
  g_autoptr (HirValue) value = counting ();
  g_autoptr (GError) error = NULL;
  HirExpr *loop, *select, *unary;

  hir_container_add_input (program, HIR_VAL (in));
  loop = build_loop (program, NULL, 3);
  select =
      build_put (program, &loop->u.loop.body, build_op (program, HIR_EXPR_SELECT, row, in, NULL));
  select->u.select.axis = in->logical.ids[0];
  select->u.select.index = build_index (program);
  unary =
      build_put (program, &loop->u.loop.body, build_op (program, HIR_EXPR_UNARY, next, row, NULL));
  unary->u.unary.op = HIR_UNARY_NEG;

  /* Both depend on StreamIdx: invalidated and recomputed in each iteration. */
  Machine machine = machine_new (program, NULL);
  g_assert_no_error (machine_run (&machine, &value, 1));
  g_assert_cmpfloat (element_of (known (&machine, next), 3), ==, -11);
  machine_clear (&machine);

  /* This one does not. */
  unary =
      build_put (program, &loop->u.loop.body, build_op (program, HIR_EXPR_UNARY, fixed, in, NULL));
  unary->u.unary.op = HIR_UNARY_NEG;
  machine = machine_new (program, NULL);
  error = machine_run (&machine, &value, 1);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_REFUSED);
  g_assert_nonnull (strstr (error->message, "iteration 1"));
  machine_clear (&machine);
}

/* docs/host-ir.md#compute: ops that write to existing memory. */
static GError *
run_in_place (HirExprKind kind, HirBinaryOp op, gboolean with_scalar)
{
  g_autoptr (HirContainer) program = build_program ();
  gboolean reduces = kind == HIR_EXPR_REDUCTION;
  HirTensor *in = build_tensor (program, 2, shape);
  HirTensor *out =
      build_tensor (program, 2, reduces ? (gint64[]){ 3, AXIS_REDUCED } : (gint64[]){ 3, 4 });
  g_autoptr (HirValue) value = counting ();
  HirExpr *expr = build_op (program, kind, out, in, kind == HIR_EXPR_BINARY ? in : NULL);
  GError *error;

  hir_container_add_input (program, HIR_VAL (in));
  if (with_scalar)
    expr->inputs[1] = HIR_VAL (hir_scalar_new_double (program, 2, HIR_DTYPE_DOUBLE));
  if (kind == HIR_EXPR_BINARY)
    expr->u.binary.op = op;
  else if (reduces)
    expr->u.reduction.op = op;
  build_allocate (program, NULL, out);
  build_put (program, NULL, expr);

  Machine machine = machine_new (program, NULL);
  error = machine_run (&machine, &value, 1);
  if (error == NULL && reduces)
    g_assert_cmpfloat (element_of (known (&machine, out), 2), ==,
                       op == HIR_BINARY_ADD   ? 38
                       : op == HIR_BINARY_MAX ? 11
                                              : 8);
  if (error == NULL && kind == HIR_EXPR_BINARY)
    g_assert_false (isnan (element_of (known (&machine, out), 11)));
  machine_clear (&machine);
  return error;
}

static void
test_in_place_ops (void)
{
  for (HirBinaryOp op = 0; op < HIR_N_BINARY_OPS; op++)
    {
      gboolean can = op == HIR_BINARY_ADD || op == HIR_BINARY_SUB || op == HIR_BINARY_MUL ||
                     op == HIR_BINARY_DIV;
      g_autoptr (GError) error = run_in_place (HIR_EXPR_BINARY, op, FALSE);
      g_assert_cmpint (error == NULL, ==, can);
    }
  g_autoptr (GError) scalar = run_in_place (HIR_EXPR_BINARY, HIR_BINARY_ADD, TRUE);
  g_assert_error (scalar, HIR_ERROR, HIR_ERROR_REFUSED);
  g_assert_no_error (run_in_place (HIR_EXPR_REDUCTION, HIR_BINARY_ADD, FALSE));
  g_assert_no_error (run_in_place (HIR_EXPR_REDUCTION, HIR_BINARY_MAX, FALSE));
  g_assert_no_error (run_in_place (HIR_EXPR_REDUCTION, HIR_BINARY_MIN, FALSE));
  g_autoptr (GError) product = run_in_place (HIR_EXPR_REDUCTION, HIR_BINARY_MUL, FALSE);
  g_assert_error (product, HIR_ERROR, HIR_ERROR_REFUSED);
  g_autoptr (GError) unary = run_in_place (HIR_EXPR_UNARY, 0, FALSE);
  g_assert_error (unary, HIR_ERROR, HIR_ERROR_REFUSED);
}

/* docs/host-ir.md#compute: either all outputs of a HostUnit have memory or none. */
static void
test_post_on_stream_outputs (void)
{
  for (guint n_given = 0; n_given <= 2; n_given++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirTensor *in = fix_input_of (fusion, shape, 2, HIR_DTYPE_FLOAT);
      HirTensor *a = fix_unary (fusion, HIR_UNARY_NEG, in),
                *b = fix_unary (fusion, HIR_UNARY_ABS, a);
      g_autoptr (HirContainer) program = build_program ();
      HirTensor *top = build_tensor (program, 2, shape);
      HirTensor *outs[2] = { build_tensor (program, 2, shape), build_tensor (program, 2, shape) };
      HirHostUnit *unit = hir_container_add_unit (program);
      g_autoptr (HirValue) value = counting ();
      g_autoptr (GError) error = NULL;
      HirCloner *cloner = hir_cloner_new (unit->fusion);

      hir_container_add_input (unit->fusion, hir_cloner_val (cloner, HIR_VAL (in)));
      hir_container_add_expr (unit->fusion, hir_cloner_expr (cloner, a->definition));
      hir_container_add_expr (unit->fusion, hir_cloner_expr (cloner, b->definition));
      hir_container_add_output (unit->fusion, hir_cloner_val (cloner, HIR_VAL (a)));
      hir_container_add_output (unit->fusion, hir_cloner_val (cloner, HIR_VAL (b)));
      hir_cloner_free (cloner);
      hir_container_add_input (program, HIR_VAL (top));
      for (guint i = 0; i < n_given; i++)
        build_allocate (program, NULL, outs[i]);
      build_put (program, NULL,
                 hir_expr_new_post_on_stream (program, unit, (HirVal *[]){ HIR_VAL (top) }, 1,
                                              (HirVal *[]){ HIR_VAL (outs[0]), HIR_VAL (outs[1]) },
                                              2));

      Machine machine = machine_new (program, NULL);
      error = machine_run (&machine, &value, 1);
      if (n_given == 1)
        g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
      else
        {
          g_assert_no_error (error);
          g_assert_cmpfloat (element_of (known (&machine, outs[0]), 5), ==, -5);
          g_assert_cmpfloat (element_of (known (&machine, outs[1]), 5), ==, 5);
        }
      machine_clear (&machine);
    }
}

/* docs/host-ir.md#streams: GetCurrentStream does not overwrite: the stream of the first run is kept
 * in the second. */
static void
test_get_current_stream_once (void)
{
  g_autoptr (HirContainer) program = build_program ();
  HirExpr *get = build_stream_op (program, NULL, HIR_EXPR_GET_CURRENT_STREAM, NULL);
  HirStream *found = get->u.stream.stream;
  HirStream *second = hir_stream_new (program, build_int (program, 1));

  build_stream_op (program, NULL, HIR_EXPR_SET_CURRENT_STREAM, second);

  Machine machine = machine_new (program, NULL);
  g_assert_no_error (machine_run (&machine, NULL, 0));
  g_assert_cmpstr (hir_evaluator_get_current_stream_name (machine.evaluator), ==, "Stream 1");
  /* The current stream is now another one, but `found` is still the default stream. */
  build_stream_op (program, NULL, HIR_EXPR_SET_CURRENT_STREAM, found);
  g_assert_no_error (machine_run (&machine, NULL, 0));
  g_assert_cmpstr (hir_evaluator_get_current_stream_name (machine.evaluator), ==, "Default stream");
  machine_clear (&machine);
}

/* docs/host-ir.md#runs: an output that was not computed has no value, which is not an error. */
static void
test_unbound_output (void)
{
  g_autoptr (HirContainer) program = build_program ();
  HirTensor *out = build_tensor (program, 2, shape);

  hir_container_add_output (program, HIR_VAL (out));
  Machine machine = machine_new (program, NULL);
  g_assert_no_error (machine_run (&machine, NULL, 0));
  g_assert_null (known (&machine, out));
  machine_clear (&machine);
}

static void
test_reads_must_be_known (void)
{
  g_autoptr (HirContainer) program = build_program ();
  HirTensor *a = build_tensor (program, 2, shape), *b = build_tensor (program, 2, shape);
  g_autoptr (GError) error = NULL;

  build_set (program, NULL, b, a);
  Machine machine = machine_new (program, NULL);
  error = machine_run (&machine, NULL, 0);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_assert_nonnull (strstr (error->message, "T0"));
  machine_clear (&machine);
}

typedef struct
{
  GString *log;
  const HirExpr *stop_at;
} Watch;

static gboolean
watch_before (const HirProgramPoint *point, gpointer user_data, GError **error)
{
  Watch *watch = user_data;

  g_string_append_printf (watch->log, "<%s/%d/%u", hir_expr_kind_get_info (point->expr->kind)->name,
                          point->iteration, point->depth);
  if (point->expr != watch->stop_at)
    return TRUE;
  hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "enough");
  return FALSE;
}

static void
watch_after (const HirProgramPoint *point, gpointer user_data)
{
  g_string_append (((Watch *) user_data)->log, "> ");
}

/* Steps and runs use the same path: hooks see the same instructions in the same order. */
static void
test_hooks (void)
{
  g_autoptr (HirContainer) program = build_program ();
  HirTensor *in = build_tensor (program, 2, shape), *row = build_tensor (program, 1, shape + 1);
  HirExpr *loop, *select;
  g_autoptr (GError) error = NULL;
  Watch watch = { .log = g_string_new (NULL) };
  HirEvaluatorHooks hooks = { watch_before, watch_after, &watch };

  build_allocate (program, NULL, in);
  loop = build_loop (program, NULL, 2);
  select = build_select (program, &loop->u.loop.body, row, in, 0, build_index (program));

  Machine machine = machine_new (program, NULL);
  hir_evaluator_add_hooks (machine.evaluator, &hooks);
  g_assert_no_error (machine_run (&machine, NULL, 0));
  g_autofree char *expected =
      g_strdup_printf ("<%s/-1/0> <%s/-1/0> <%s/0/1> <%s/1/1> ",
                       hir_expr_kind_get_info (HIR_EXPR_ALLOCATE)->name,
                       hir_expr_kind_get_info (HIR_EXPR_FOR)->name,
                       hir_expr_kind_get_info (HIR_EXPR_ALIAS_SELECT)->name,
                       hir_expr_kind_get_info (HIR_EXPR_ALIAS_SELECT)->name);
  g_assert_cmpstr (watch.log->str, ==, expected);

  watch.stop_at = select;
  error = machine_run (&machine, NULL, 0);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_CANCELLED);
  g_assert_cmpstr (error->message, ==, "enough");
  machine_clear (&machine);
  g_string_free (watch.log, TRUE);
}

/* A loop of 100,000 iterations in a loop needs no stack. */
static void
test_long_loops (void)
{
  g_autoptr (HirContainer) program = build_program ();
  HirExpr *outer = build_loop (program, NULL, 100), *inner, *empty;
  HirTensor *in = build_tensor (program, 1, (gint64[]){ 1 }),
            *out = build_tensor (program, 0, NULL);

  inner = build_loop (program, &outer->u.loop.body, 1000);
  build_allocate (program, &inner->u.loop.body, in);
  build_select (program, &inner->u.loop.body, out, in, 0, build_index (program));
  empty = build_loop (program, &outer->u.loop.body, 1000000000);
  g_assert_cmpuint (empty->u.loop.body.exprs.len, ==, 0);

  Machine machine = machine_new (program, NULL);
  g_assert_no_error (machine_run (&machine, NULL, 0));
  g_assert_cmpuint (hir_evaluator_get_n_steps (machine.evaluator), ==, 1 + 100 * (2 + 2000));
  machine_clear (&machine);
}

/* Communication needs several devices. */
static void
test_several_devices_are_rejected (void)
{
  g_autoptr (HirContainer) program = build_program ();
  g_autoptr (GError) error = NULL;
  HirBackendOptions none = { 0 };
  g_autoptr (HirBackend) backend = NULL;
  HirEvaluatorOptions options = { .n_streams = 1 };

  build_put (program, NULL, hir_expr_new (program, HIR_EXPR_COMMUNICATION, NULL, 0, NULL, 0));
  backend = hir_cpu_backend_new (&none, NULL);
  options.backend = backend;
  g_assert_null (hir_evaluator_new (program, &options, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_UNSUPPORTED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/evaluator/set", test_set_binds_or_copies);
  g_test_add_func ("/run/evaluator/allocate", test_allocate_keeps_what_is_known);
  g_test_add_func ("/run/evaluator/deallocate", test_deallocate);
  g_test_add_func ("/run/evaluator/alias-select", test_alias_select_axes);
  g_test_add_func ("/run/evaluator/alias-select-range", test_alias_select_out_of_range);
  g_test_add_func ("/run/evaluator/loops", test_loops_and_branches);
  g_test_add_func ("/run/evaluator/stale", test_stale_bindings);
  g_test_add_func ("/run/evaluator/in-place", test_in_place_ops);
  g_test_add_func ("/run/evaluator/post-on-stream", test_post_on_stream_outputs);
  g_test_add_func ("/run/evaluator/get-current-stream", test_get_current_stream_once);
  g_test_add_func ("/run/evaluator/unbound-output", test_unbound_output);
  g_test_add_func ("/run/evaluator/unknown-input", test_reads_must_be_known);
  g_test_add_func ("/run/evaluator/hooks", test_hooks);
  g_test_add_func ("/run/evaluator/long-loops", test_long_loops);
  g_test_add_func ("/run/evaluator/several-devices", test_several_devices_are_rejected);
  return g_test_run ();
}
