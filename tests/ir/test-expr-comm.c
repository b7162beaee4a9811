#include "clone.h"
#include "print/print.h"
#include "structural-hash.h"
#include "test-programs.h"
#include "verify/verify.h"

/* One of each, in program order: a gather, an exchange, a deallocation. */
static HirContainer *
program_new (void)
{
  HirContainer *c = hir_container_new (HIR_CONTAINER_HOST, NULL);
  HirMesh *mesh = test_mesh (c, 2);
  HirScalar *i0 = test_symbol (c);
  HirScalar *rank = hir_scalar_get_named (c, HIR_NAME_DEVICE_IDX_X, HIR_DTYPE_INT);
  HirScalar *one = hir_scalar_get_one (c);
  HirTensor *in =
      test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, mesh, (TestAxis[]){ DID_AXIS (i0) }, 1);
  HirTensor *out =
      test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, mesh, (TestAxis[]){ S_AXIS (i0) }, 1);
  HirExpr *comm, *branch, *end;
  HirScope *then_body, *else_body;

  hir_maker_begin (c, "test", 0);
  hir_container_add_input (c, HIR_VAL (in));
  test_allocate (c, &c->top, out);
  comm = test_push (c, &c->top,
                    hir_expr_new_communication (c, HIR_COMM_GATHER, out, in, (gint64[]){ 0, 1 }, 2,
                                                1, HIR_BINARY_ADD));
  test_push (c, &c->top, hir_expr_new_wait (c, comm));
  branch = test_push (c, &c->top,
                      hir_expr_new_if (c, hir_scalar_new_op (c, HIR_SCALAR_OP_EQ, one, rank)));
  then_body = &branch->u.branch.then_body;
  else_body = &branch->u.branch.else_body;
  comm = test_push (c, then_body, hir_expr_new_p2p (c, TRUE, in, one));
  test_push (c, then_body, hir_expr_new_wait (c, comm));
  test_push (c, else_body, hir_expr_new_start_coalescing (c));
  test_push (c, else_body, hir_expr_new_p2p (c, FALSE, out, one));
  end = test_push (c, else_body, hir_expr_new_end_coalescing (c));
  test_push (c, else_body, hir_expr_new_wait (c, end));
  test_push (c, &c->top, hir_expr_new_deallocate (c, out));
  return c;
}

#define IN "T0_g_float[ideviceIdx.x0{i0}] (DeviceMesh{0 1})"
#define OUT "T1_g_float[iS1{i0}] (DeviceMesh{0 1})"

static void
test_print (void)
{
  g_autoptr (HirContainer) c = program_new ();
  g_autoptr (HirContainer) clone = hir_container_clone (c);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = hir_container_print (clone, HIR_FORMAT_2025, NULL);
  g_autofree char *text_2026 = hir_container_print (clone, HIR_FORMAT_2026, NULL);

  g_assert_true (hir_container_verify (c, &error));
  g_assert_no_error (error);
  g_assert_true (hir_container_verify (clone, &error));
  g_assert_no_error (error);
  g_assert_cmphex (hir_container_hash (c), ==, hir_container_hash (clone));
  g_assert_nonnull (
      strstr (text, "  Communication 1 (type=Gather, team=(0 1), root=1, input=" IN ", output=" OUT
                    ", backend=NCCL)\n"
                    "  Wait Communication 1\n"
                    "  IF Manual ( 1 == deviceIdx.x ):\n"
                    "    P2PCommunication 4 (type=send, buffer=" IN ", peer=1, backend=NCCL)\n"
                    "    Wait Communication 4\n"
                    "  ELSE:\n"
                    "    StartCoalescing\n"
                    "    P2PCommunication 7 (type=recv, buffer=" OUT ", peer=1, backend=NCCL)\n"
                    "    EndCoalescing 8\n"
                    "    Wait Communication 8\n"
                    "  Deallocate {\n"
                    "    " OUT "\n"
                    "  }\n"));
  /* The name in programs of 2026. */
  g_assert_nonnull (strstr (text_2026, "IF Manual ( 1 == rank ):"));
}

/* A device that does not have the operand of a future communication has the op without it. */
static void
test_operand_elsewhere (void)
{
  for (gint64 device = 0; device < 2; device++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (HirContainer) c = hir_container_new (HIR_CONTAINER_HOST, NULL);
      const gint64 one = 1, zero = 0;
      HirMesh *here = hir_mesh_new (c->arena, &zero, 1, &one, 1, NULL);
      HirMesh *other = hir_mesh_new (c->arena, &device, 1, &one, 1, NULL);
      HirScalar *i0 = test_symbol (c);
      HirTensor *in = test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, other,
                                   (TestAxis[]){ S_AXIS (i0) }, 1);
      HirTensor *out =
          test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, here, (TestAxis[]){ S_AXIS (i0) }, 1);

      test_copy (c, &c->top, in, out);
      g_assert_cmpint (hir_container_verify (c, &error), ==, device == 1);
      if (device == 0)
        g_assert_nonnull (strstr (error->message, "before it is written or allocated"));
    }
}

static void
test_tables (void)
{
  const HirCommType rooted[] = { HIR_COMM_GATHER, HIR_COMM_SCATTER, HIR_COMM_REDUCE,
                                 HIR_COMM_BROADCAST, HIR_COMM_SEND_RECV };
  guint n_rooted = 0, n_reductions = 0, n_ops = 0;

  for (guint i = 0; i < G_N_ELEMENTS (rooted); i++)
    g_assert_true (hir_comm_type_is_rooted (rooted[i]));
  for (int type = HIR_COMM_GATHER; type <= HIR_COMM_SEND_RECV; type++)
    {
      n_rooted += hir_comm_type_is_rooted ((HirCommType) type);
      n_reductions += hir_comm_type_is_reduction ((HirCommType) type);
    }
  for (int op = 0; op < HIR_N_BINARY_OPS; op++)
    n_ops += hir_binary_op_is_collective ((HirBinaryOp) op);
  g_assert_cmpuint (n_rooted, ==, 5);
  g_assert_cmpuint (n_reductions, ==, 3);
  g_assert_cmpuint (n_ops, ==, 7);
  g_assert_true (hir_binary_op_is_collective (HIR_BINARY_BITWISE_XOR));
  g_assert_false (hir_binary_op_is_collective (HIR_BINARY_SUB));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/expr-comm/print", test_print);
  g_test_add_func ("/expr-comm/operand-elsewhere", test_operand_elsewhere);
  g_test_add_func ("/expr-comm/tables", test_tables);
  return g_test_run ();
}
