/* Tests headers of posts: serialization and mismatches. */
#include <string.h>

#include "comm-fixture.h"
#include "run/comm/comm-header.h"

static const gint64 team[] = { 0, 1, 2 };

typedef struct
{
  HirContainer *program;
  HirExpr *expr;
  HirCommPost *post;
  HirValue *in, *out;
} Side;

static HirValue *
memory_of (const HirTensor *tensor, gint64 size)
{
  g_autoptr (HirBuffer) buffer =
      hir_buffer_new ((gsize) size * hir_dtype_get_size_bytes (tensor->base.dtype), NULL);

  return hir_value_new_tensor (tensor->base.dtype, 1, &size, NULL, buffer);
}

static void
side_init (Side *side, HirCommType type, HirDType dtype, gint64 root, HirBinaryOp op, gint64 piece)
{
  const HirMesh *mesh;
  HirTensor *in, *out;
  g_autoptr (GRefString) label = g_ref_string_new ("Something");

  side->program = build_program ();
  mesh = mesh_of (side->program, 3, team);
  in = tensor_on (side->program, dtype, mesh, 1, &piece);
  out = tensor_on (side->program, dtype, mesh, 1, &(gint64){ piece * 3 });
  side->expr = hir_expr_new_communication (side->program, type, out, in, team, 3, root, op);
  side->in = memory_of (in, type == HIR_COMM_REDUCE_SCATTER ? 3 * piece : piece);
  side->out = memory_of (out, type == HIR_COMM_ALLGATHER ? 3 * piece : piece);
  side->post = hir_comm_post_new (side->expr, label, 3, 1);
  side->post->in = hir_value_ref (side->in);
  side->post->out = hir_value_ref (side->out);
}

static void
side_clear (Side *side)
{
  hir_comm_post_free (side->post);
  hir_value_unref (side->in);
  hir_value_unref (side->out);
  hir_container_unref (side->program);
}

static HirCommHeader *
header_of (const Side *side, int rank)
{
  g_autoptr (GError) error = NULL;
  HirCommHeader *header = hir_comm_header_new_collective (side->post, rank, 2, 7, 99, &error);

  g_assert_no_error (error);
  return header;
}

static void
test_round_trip (void)
{
  Side side;
  g_autoptr (HirCommHeader) header = NULL;
  g_autoptr (HirCommHeader) back = NULL;
  g_autoptr (GVariant) packed = NULL;
  g_autoptr (GVariant) wrong = g_variant_ref_sink (g_variant_new ("(ss)", "a", "b"));
  g_autoptr (GError) error = NULL;

  side_init (&side, HIR_COMM_ALLGATHER, HIR_DTYPE_BFLOAT16, -1, HIR_BINARY_ADD, 5);
  header = header_of (&side, 1);
  packed = g_variant_ref_sink (hir_comm_header_to_variant (header));
  back = hir_comm_header_from_variant (packed);
  g_assert_cmpstr (back->team, ==, "0,1,2,");
  g_assert_cmpstr (back->where, ==, "Something in iteration 3 on rank 1");
  g_assert_cmpint (back->count, ==, 5);
  g_assert_cmpuint (back->epoch, ==, 2);
  g_assert_cmpuint (back->sequence, ==, 7);
  g_assert_cmpuint (back->tag, ==, 99);
  g_assert_true (hir_comm_header_check_collective (header, back, side.expr, 2, &error));
  g_assert_no_error (error);
  g_assert_null (hir_comm_header_from_variant (wrong));
  side_clear (&side);
}

/* Compared with an Allreduce of 5 floats without a root. */
static void
assert_differs (
    HirCommType type, HirDType dtype, gint64 root, HirBinaryOp op, gint64 piece, const char *how)
{
  Side mine, theirs;
  g_autoptr (HirCommHeader) a = NULL;
  g_autoptr (HirCommHeader) b = NULL;
  g_autoptr (GError) error = NULL;

  side_init (&mine, HIR_COMM_ALLREDUCE, HIR_DTYPE_FLOAT, -1, HIR_BINARY_ADD, 5);
  side_init (&theirs, type, dtype, root, op, piece);
  a = header_of (&mine, 0);
  b = header_of (&theirs, 1);
  g_assert_false (hir_comm_header_check_collective (a, b, mine.expr, 1, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, how));
  side_clear (&mine);
  side_clear (&theirs);
}

static void
test_differences (void)
{
  assert_differs (HIR_COMM_REDUCE_SCATTER, HIR_DTYPE_FLOAT, -1, HIR_BINARY_ADD, 5,
                  "different collectives");
  assert_differs (HIR_COMM_ALLREDUCE, HIR_DTYPE_HALF, -1, HIR_BINARY_ADD, 5, "different types");
  assert_differs (HIR_COMM_ALLREDUCE, HIR_DTYPE_FLOAT, -1, HIR_BINARY_MAX, 5,
                  "different reduction ops");
  assert_differs (HIR_COMM_ALLREDUCE, HIR_DTYPE_FLOAT, -1, HIR_BINARY_ADD, 6, "pieces of 6");
}

static void
test_root_and_participants (void)
{
  Side side;
  g_autoptr (HirCommHeader) mine = NULL;
  g_autoptr (HirCommHeader) theirs = NULL;
  g_autoptr (GError) error = NULL;

  side_init (&side, HIR_COMM_ALLREDUCE, HIR_DTYPE_FLOAT, -1, HIR_BINARY_ADD, 5);
  mine = header_of (&side, 0);
  theirs = header_of (&side, 1);
  theirs->root = 2;
  g_assert_false (hir_comm_header_check_collective (mine, theirs, side.expr, 1, &error));
  g_assert_nonnull (strstr (error->message, "different roots"));
  g_clear_error (&error);
  theirs->root = mine->root;
  theirs->takes = FALSE; /* in its program it is outside of the mesh */
  g_assert_false (hir_comm_header_check_collective (mine, theirs, side.expr, 1, &error));
  g_assert_nonnull (strstr (error->message, "senders and receivers"));
  side_clear (&side);
}

static void
test_messages (void)
{
  Side side;
  HirCommMessage send = { NULL, TRUE, 2, NULL }, receive = { NULL, FALSE, 1, NULL };
  g_autoptr (HirCommHeader) sent = NULL;
  g_autoptr (HirCommHeader) received = NULL;
  g_autoptr (GError) error = NULL;

  side_init (&side, HIR_COMM_ALLREDUCE, HIR_DTYPE_FLOAT, -1, HIR_BINARY_ADD, 5);
  send.value = receive.value = side.in;
  sent = hir_comm_header_new_message (side.post, &send, 1, 1, 0, 3);
  received = hir_comm_header_new_message (side.post, &receive, 2, 1, 0, 4);
  /* Both sides give the line the same name. */
  g_assert_cmpstr (sent->team, ==, "1>2");
  g_assert_cmpstr (received->team, ==, "1>2");
  g_assert_true (hir_comm_header_check_message (sent, received, side.expr, &error));
  received->count = 4;
  g_assert_false (hir_comm_header_check_message (sent, received, side.expr, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  side_clear (&side);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/comm-header/round-trip", test_round_trip);
  g_test_add_func ("/comm-header/differences", test_differences);
  g_test_add_func ("/comm-header/root-and-participants", test_root_and_participants);
  g_test_add_func ("/comm-header/messages", test_messages);
  return g_test_run ();
}
