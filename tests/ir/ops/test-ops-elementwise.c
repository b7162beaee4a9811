#include "test-ops.h"

static void
test_set (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, -1, -1);
  HirTensor *t1 = hir_op_set (f, t0, NULL);
  HirTensor *t2 = hir_op_segment_set (f, t1, NULL);

  test_assert_tensor (t0, "T0_g_float[iS0{i0}, iS1{i2}]");
  test_assert_tensor (t1, "T1_l_float[iS2{i0}, iS3{i2}]");
  test_assert_tensor (t2, "T2_l_float[iS4{i0}, iS5{i2}]");
  g_assert_true (t1->definition->u.set.streaming);
  g_assert_cmpint (t1->definition->u.set.kind, ==, HIR_SET_SET);
  g_assert_false (t2->definition->u.set.streaming);
  g_assert_cmpint (t2->definition->u.set.kind, ==, HIR_SET_SEGMENTER);
  g_assert_true (t1->logical.ids[0]->extent == t0->logical.ids[0]->extent);
  g_assert_cmpuint (t1->definition->node.pos.line, ==, TEST_LINE);
}

/* Axes of outputs are numbered after those of all inputs, in program order. */
static void
test_binary (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, -1, -1);
  HirTensor *t1 = INPUT (f, -1, -1);
  HirTensor *t2 = hir_op_binary (f, HIR_BINARY_ADD, HIR_VAL (t0), HIR_VAL (t1), NULL);

  test_assert_tensor (t1, "T1_g_float[iS2{i3}, iS3{i4}]");
  test_assert_tensor (t2, "T2_l_float[iS4{i0}, iS5{i2}]");
  g_assert_cmpint (t2->definition->u.binary.op, ==, HIR_BINARY_ADD);
}

static void
test_extents (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *symbols = INPUT (f, -1, -1, -1);
  HirTensor *mixed = INPUT (f, 8, 1, -1);
  HirTensor *ones = INPUT (f, 1, 1, 1);

  /* A constant wins, a broadcast is ignored; otherwise the first extent is used. */
  test_assert_tensor (hir_op_binary (f, HIR_BINARY_MUL, HIR_VAL (symbols), HIR_VAL (mixed), NULL),
                      "T3_l_float[iS9{8}, iS10{i2}, iS11{i3}]");
  test_assert_tensor (hir_op_binary (f, HIR_BINARY_MUL, HIR_VAL (ones), HIR_VAL (mixed), NULL),
                      "T4_l_float[iS12{8}, bS13{1}, iS14{i6}]");
}

static void
test_implicit_broadcast (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, -1);
  HirTensor *t1 = INPUT (f, -1, -1, -1);
  HirTensor *t3 = hir_op_binary (f, HIR_BINARY_SUB, HIR_VAL (t0), HIR_VAL (t1), NULL);

  test_assert_exprs (f, "T2=broadcast(T0) T3=sub(T2,T1)");
  test_assert_tensor (HIR_TENSOR (t3->definition->inputs[0]),
                      "T2_l_float[bS4{1}, bS5{1}, iS6{i0}]");
  test_assert_tensor (t3, "T3_l_float[iS7{i2}, iS8{i3}, iS9{i0}]");
}

static void
test_contradiction (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, -1, 4);
  HirTensor *t1 = INPUT (f, 3, 2, 8);
  int n_names = f->val_counter[HIR_VAL_ITER_DOMAIN];

  t1->script_name = "bias";
  g_assert_null (hir_op_binary (f, HIR_BINARY_ADD, HIR_VAL (t0), HIR_VAL (t1), &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "add: the axes differ: T0 axis 1 is 4, bias (T1) axis 2 is 8; make them "
                     "equal, "
                     "or one of them 1");
  g_assert_cmpuint (f->exprs.len, ==, 0);
  g_assert_cmpint (f->val_counter[HIR_VAL_ITER_DOMAIN], ==, n_names);
}

static void
test_types (void)
{
  static const struct
  {
    HirBinaryOp op;
    HirDType a, b, out;
    const char *exprs;
  } cases[] = {
    { HIR_BINARY_ADD, HIR_DTYPE_INT, HIR_DTYPE_FLOAT, HIR_DTYPE_FLOAT,
      "T2=cast(T0) T3=add(T2,T1)" },
    { HIR_BINARY_ADD, HIR_DTYPE_HALF, HIR_DTYPE_BFLOAT16, HIR_DTYPE_FLOAT,
      "T2=cast(T0) T3=cast(T1) T4=add(T2,T3)" },
    { HIR_BINARY_MUL, HIR_DTYPE_BFLOAT16, HIR_DTYPE_BFLOAT16, HIR_DTYPE_BFLOAT16, "T2=mul(T0,T1)" },
    { HIR_BINARY_TRUEDIV, HIR_DTYPE_INT, HIR_DTYPE_INT32, HIR_DTYPE_FLOAT,
      "T2=cast(T0) T3=cast(T1) T4=truediv(T2,T3)" },
    { HIR_BINARY_DIV, HIR_DTYPE_INT, HIR_DTYPE_INT, HIR_DTYPE_INT, "T2=div(T0,T1)" },
    { HIR_BINARY_LT, HIR_DTYPE_DOUBLE, HIR_DTYPE_FLOAT, HIR_DTYPE_BOOL,
      "T2=cast(T1) T3=lt(T0,T2)" },
    { HIR_BINARY_BITWISE_AND, HIR_DTYPE_BOOL, HIR_DTYPE_BOOL, HIR_DTYPE_BOOL,
      "T2=bitwise_and(T0,T1)" },
    { HIR_BINARY_ATAN2, HIR_DTYPE_BOOL, HIR_DTYPE_DOUBLE, HIR_DTYPE_DOUBLE,
      "T2=cast(T0) T3=atan2(T2,T1)" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (HirContainer) f = test_fusion ();
      HirTensor *a = test_define (f, cases[i].a, SHAPE (-1));
      HirTensor *b = test_define (f, cases[i].b, SHAPE (-1));
      HirTensor *out = hir_op_binary (f, cases[i].op, HIR_VAL (a), HIR_VAL (b), NULL);

      g_assert_nonnull (out);
      g_assert_cmpint (out->base.dtype, ==, cases[i].out);
      test_assert_exprs (f, cases[i].exprs);
    }
}

static void
test_scalar_operands (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *half = DEFINE (f, BFLOAT16, -1);
  HirTensor *ints = DEFINE (f, INT32, -1);
  HirTensor *zero_dim = test_define (f, HIR_DTYPE_DOUBLE, NULL, 0);
  HirVal *two = HIR_VAL (hir_scalar_new_int (f, 2, HIR_DTYPE_INT));
  HirVal *half_one = HIR_VAL (hir_scalar_new_double (f, 0.5, HIR_DTYPE_DOUBLE));
  HirVal *symbol = HIR_VAL (hir_define_scalar (f, HIR_DTYPE_DOUBLE));
  HirTensor *out;

  /* A scalar of a lower or equal category changes nothing... */
  out = hir_op_binary (f, HIR_BINARY_MUL, two, HIR_VAL (half), NULL);
  g_assert_cmpint (out->base.dtype, ==, HIR_DTYPE_BFLOAT16);
  g_assert_cmpint (out->definition->inputs[0]->dtype, ==, HIR_DTYPE_BFLOAT16);
  g_assert_cmpfloat (HIR_SCALAR (out->definition->inputs[0])->d, ==, 2.0);
  out = hir_op_binary (f, HIR_BINARY_ADD, HIR_VAL (half), half_one, NULL);
  g_assert_true (out->definition->inputs[1] == half_one);
  out = hir_op_binary (f, HIR_BINARY_ADD, HIR_VAL (half), symbol, NULL);
  g_assert_true (out->definition->inputs[1] == symbol);
  g_assert_cmpint (out->base.dtype, ==, HIR_DTYPE_BFLOAT16);
  /* ...one of a higher category leads to the default type of that category. */
  out = hir_op_binary (f, HIR_BINARY_ADD, HIR_VAL (ints), half_one, NULL);
  g_assert_cmpint (out->base.dtype, ==, HIR_DTYPE_FLOAT);
  g_assert_cmpint (HIR_TENSOR (out->definition->inputs[0])->definition->u.unary.op, ==,
                   HIR_UNARY_CAST);
  /* A tensor without axes also counts by category, but keeps its type. */
  out = hir_op_binary (f, HIR_BINARY_ADD, HIR_VAL (half), HIR_VAL (zero_dim), NULL);
  g_assert_cmpint (out->base.dtype, ==, HIR_DTYPE_BFLOAT16);
  out = hir_op_binary (f, HIR_BINARY_ADD, HIR_VAL (ints), HIR_VAL (zero_dim), NULL);
  g_assert_cmpint (out->base.dtype, ==, HIR_DTYPE_DOUBLE);
}

static void
test_unary (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *ints = DEFINE (f, INT, -1);
  HirTensor *half = DEFINE (f, HALF, -1);
  HirTensor *out;

  out = hir_op_unary (f, HIR_UNARY_EXP, ints, NULL);
  test_assert_exprs (f, "T2=cast(T0) T3=exp(T2)");
  g_assert_cmpint (out->base.dtype, ==, HIR_DTYPE_FLOAT);
  g_assert_cmpint (hir_op_unary (f, HIR_UNARY_EXP, half, NULL)->base.dtype, ==, HIR_DTYPE_HALF);
  g_assert_cmpint (hir_op_unary (f, HIR_UNARY_NEG, ints, NULL)->base.dtype, ==, HIR_DTYPE_INT);
  g_assert_cmpint (hir_op_unary (f, HIR_UNARY_ISNAN, half, NULL)->base.dtype, ==, HIR_DTYPE_BOOL);
  out = hir_op_unary (f, HIR_UNARY_ROUND, ints, NULL);
  g_assert_cmpint (out->definition->kind, ==, HIR_EXPR_SET);
  out = hir_op_unary (f, HIR_UNARY_ROUND, half, NULL);
  g_assert_cmpint (out->definition->u.unary.op, ==, HIR_UNARY_ROUND);
}

static void
test_cast (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = DEFINE (f, BFLOAT16, -1);
  HirTensor *complex = DEFINE (f, COMPLEX_FLOAT, -1);

  test_assert_tensor (hir_op_cast (f, t0, HIR_DTYPE_FLOAT, NULL), "T2_l_float[iS2{i0}]");
  g_assert_cmpint (hir_op_cast (f, t0, HIR_DTYPE_BFLOAT16, NULL)->definition->kind, ==,
                   HIR_EXPR_SET);
  g_assert_null (hir_op_cast (f, complex, HIR_DTYPE_FLOAT, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "cast: T1 is complex, but Float is not; take the real part");
}

static void
test_type_errors (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, -1);
  HirTensor *t1 = DEFINE (f, BOOL, -1);
  HirVal *one = HIR_VAL (hir_scalar_get_one (f));

  g_assert_null (hir_op_binary (f, HIR_BINARY_LSHIFT, HIR_VAL (t0), one, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "bitwise_left_shift: the operands must be integers, but they are Float; cast "
                     "them first");
  g_assert_null (hir_op_unary (f, HIR_UNARY_NEG, t1, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "neg: the operands must be numbers, not bool, but they are Bool; cast them "
                     "first");
  g_assert_null (hir_op_unary (f, HIR_UNARY_BITWISE_NOT, t0, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "bitwise_not: the operands must be integers or bool, but they are Float; cast "
                     "them first");
  g_assert_null (hir_op_binary (f, HIR_BINARY_ADD, one, one, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "add: all operands are scalars; one must be a tensor");
}

static void
test_ternary (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, -1, -1);
  HirTensor *t1 = DEFINE (f, INT, -1);
  HirVal *zero = HIR_VAL (hir_scalar_new_double (f, 0.0, HIR_DTYPE_DOUBLE));
  HirTensor *out;

  out = hir_op_ternary (f, HIR_TERNARY_WHERE, (HirVal *[]){ HIR_VAL (t1), HIR_VAL (t0), zero }, 3,
                        NULL);
  test_assert_exprs (f, "T2=cast(T1) T3=broadcast(T2) T4=where(T3,T0,double(0))");
  g_assert_cmpint (HIR_TENSOR (f->tensors.items[2])->base.dtype, ==, HIR_DTYPE_BOOL);
  g_assert_cmpint (out->base.dtype, ==, HIR_DTYPE_FLOAT);
  test_assert_tensor (out, "T4_l_float[iS6{i0}, iS7{i3}]");

  out = hir_op_ternary (f, HIR_TERNARY_CLAMP, (HirVal *[]){ HIR_VAL (t0), zero, zero }, 3, NULL);
  g_assert_cmpint (out->definition->u.ternary.op, ==, HIR_TERNARY_CLAMP);
}

static void
test_addcmul (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirVal *a = HIR_VAL (INPUT (f, -1));
  HirVal *b = HIR_VAL (INPUT (f, -1));
  HirVal *c = HIR_VAL (INPUT (f, -1));
  HirVal *value = HIR_VAL (hir_scalar_new_double (f, 2.0, HIR_DTYPE_DOUBLE));

  g_assert_nonnull (
      hir_op_ternary (f, HIR_TERNARY_ADDCMUL, (HirVal *[]){ a, b, c, value }, 4, NULL));
  test_assert_exprs (f, "T3=mul(T2,double(2)) T4=mul(T1,T3) T5=add(T0,T4)");
}

/* DID types are inherited; other types of an operand are rejected (docs/host-ir.md#op-outputs). */
static void
test_inheritance (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  const gint64 devices[] = { 0, 1 };
  const gint64 size = 2;
  HirTensor *t0 = INPUT (f, -1, -1);
  HirTensor *t1 = INPUT (f, -1, -1);

  t1->mesh = hir_mesh_new (f->arena, devices, 2, &size, 1, NULL);
  t1->logical.ids[1]->parallel_type = HIR_PARALLEL_DIDX;
  test_assert_tensor (hir_op_binary (f, HIR_BINARY_ADD, HIR_VAL (t0), HIR_VAL (t1), NULL),
                      "T2_l_float[iS4{i0}, ideviceIdx.x5{i2}] (DeviceMesh{0 1})");

  t0->logical.ids[1]->parallel_type = HIR_PARALLEL_DIDY;
  g_assert_null (hir_op_binary (f, HIR_BINARY_ADD, HIR_VAL (t0), HIR_VAL (t1), &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "add: T0 axis 1 is mesh_y, but T1 axis 1 is mesh_x, so the output has no "
                     "valid sharding; shard both in the same way");
  t0->logical.ids[0]->parallel_type = HIR_PARALLEL_STREAM;
  g_assert_null (hir_op_set (f, t0, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "set: T0 axis 0 is already stream-parallel; define all ops first, then "
                     "schedule");
}

static void
test_zero_dims (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  gint8 contiguity = HIR_CONTIGUITY_TRUE;
  HirTensor *cpu = hir_define_tensor (f, NULL, 0, &contiguity, HIR_DTYPE_FLOAT, TRUE, NULL, NULL);
  HirTensor *t1 = INPUT (f, -1);

  g_assert_true (hir_op_unary (f, HIR_UNARY_EXP, cpu, NULL)->is_cpu_scalar);
  test_assert_tensor (hir_op_binary (f, HIR_BINARY_ADD, HIR_VAL (cpu), HIR_VAL (t1), NULL),
                      "T4_l_float[iS2{i0}]");
  g_assert_cmpint (HIR_TENSOR (f->tensors.items[3])->definition->kind, ==, HIR_EXPR_BROADCAST);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/elementwise/set", test_set);
  g_test_add_func ("/ops/elementwise/binary", test_binary);
  g_test_add_func ("/ops/elementwise/extents", test_extents);
  g_test_add_func ("/ops/elementwise/implicit-broadcast", test_implicit_broadcast);
  g_test_add_func ("/ops/elementwise/contradiction", test_contradiction);
  g_test_add_func ("/ops/elementwise/types", test_types);
  g_test_add_func ("/ops/elementwise/scalar-operands", test_scalar_operands);
  g_test_add_func ("/ops/elementwise/unary", test_unary);
  g_test_add_func ("/ops/elementwise/cast", test_cast);
  g_test_add_func ("/ops/elementwise/type-errors", test_type_errors);
  g_test_add_func ("/ops/elementwise/ternary", test_ternary);
  g_test_add_func ("/ops/elementwise/addcmul", test_addcmul);
  g_test_add_func ("/ops/elementwise/inheritance", test_inheritance);
  g_test_add_func ("/ops/elementwise/zero-dims", test_zero_dims);
  return g_test_run ();
}
