/* Tests every collective of docs/host-ir.md#communication against a naive result; messages; and
 * mismatches. */
#include <math.h>
#include <string.h>

#include "comm-fixture.h"
#include "run-fixture.h"
#include "run/comm/comm-collective.h"

#define PIECE 6

static const int counts[] = { 1, 2, 3, 4, 8 };

/* Element @k of device @rank: small integers, exact in every type and order. */
static double
given (int rank, gint64 k)
{
  return 1 + (rank * 3 + k) % 3;
}

static double
fold (HirBinaryOp op, double a, double b)
{
  switch (op)
    {
    case HIR_BINARY_MUL:
      return a * b;
    case HIR_BINARY_MAX:
      return MAX (a, b);
    case HIR_BINARY_MIN:
      return MIN (a, b);
    default:
      return a + b;
    }
}

static double
fold_all (HirBinaryOp op, int n, gint64 k)
{
  double total = given (0, k);

  for (int i = 1; i < n; i++)
    total = fold (op, total, given (i, k));
  return total;
}

/* Parameters of a test. */
static ClusterKind
kind_of (gconstpointer data)
{
  return (ClusterKind) GPOINTER_TO_INT (data);
}

typedef struct
{
  HirCommType type;
  HirBinaryOp op;
  HirDType dtype;
  int n;
  gint64 root;
} Case;

static gint64
in_size (const Case *c)
{
  return c->type == HIR_COMM_SCATTER || c->type == HIR_COMM_REDUCE_SCATTER ||
                 c->type == HIR_COMM_ALL_TO_ALL
             ? PIECE * c->n
             : PIECE;
}

static gint64
out_size (const Case *c)
{
  return c->type == HIR_COMM_GATHER || c->type == HIR_COMM_ALLGATHER ||
                 c->type == HIR_COMM_ALL_TO_ALL
             ? PIECE * c->n
             : PIECE;
}

/* Returns element @k of the result on @rank, or NAN if the rank gets none. */
static double
expected (const Case *c, int rank, gint64 k)
{
  switch (c->type)
    {
    case HIR_COMM_GATHER:
      return rank == c->root ? given ((int) (k / PIECE), k % PIECE) : NAN;
    case HIR_COMM_ALLGATHER:
      return given ((int) (k / PIECE), k % PIECE);
    case HIR_COMM_ALL_TO_ALL:
      return given ((int) (k / PIECE), rank * PIECE + k % PIECE);
    case HIR_COMM_SCATTER:
      return given ((int) c->root, rank * PIECE + k);
    case HIR_COMM_REDUCE:
      return rank == c->root ? fold_all (c->op, c->n, k) : NAN;
    case HIR_COMM_ALLREDUCE:
      return fold_all (c->op, c->n, k);
    case HIR_COMM_REDUCE_SCATTER:
      return fold_all (c->op, c->n, rank * PIECE + k);
    case HIR_COMM_SEND_RECV: /* between two devices, or from one to itself */
      return rank != c->root || c->n == 1 ? given ((int) c->root, k) : NAN;
    default: /* Broadcast */
      return given ((int) c->root, k);
    }
}

static HirValue *
input_of (HirDType dtype, int rank, gint64 size)
{
  g_autofree double *elements = g_new (double, size);

  for (gint64 k = 0; k < size; k++)
    elements[k] = given (rank, k);
  return value_of (dtype, 1, &size, elements);
}

static void
run_case (ClusterKind kind, const Case *c)
{
  const gint64 devices[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
  g_autoptr (HirContainer) program = build_program ();
  const HirMesh *mesh = mesh_of (program, (guint) c->n, devices);
  gint64 sizes[] = { in_size (c), out_size (c) };
  HirTensor *in = tensor_on (program, c->dtype, mesh, 1, &sizes[0]);
  HirTensor *out = tensor_on (program, c->dtype, mesh, 1, &sizes[1]);
  HirContainer *programs[MAX_RANKS];
  HirValue *inputs[MAX_RANKS];
  HirValue *const *lists[MAX_RANKS];
  Cluster cluster;

  hir_container_add_input (program, HIR_VAL (in));
  build_allocate (program, NULL, out);
  put_wait (program, NULL,
            put_communication (program, NULL, c->type, out, in, (guint) c->n, devices, c->root,
                               c->op));
  for (int i = 0; i < c->n; i++)
    {
      programs[i] = program;
      inputs[i] = input_of (c->dtype, i, sizes[0]);
      lists[i] = &inputs[i];
    }
  cluster_init (&cluster, kind, c->n, programs, 300);
  g_assert_no_error (cluster_run (&cluster, lists, 1));
  for (int i = 0; i < c->n; i++)
    {
      HirValue *value = hir_evaluator_lookup (cluster.evaluators[i], HIR_VAL (out));

      for (gint64 k = 0; k < sizes[1]; k++)
        if (!isnan (expected (c, i, k)))
          g_assert_cmpfloat (element_of (value, k), ==, expected (c, i, k));
    }
  cluster_clear (&cluster);
  for (int i = 0; i < c->n; i++)
    hir_value_unref (inputs[i]);
}

static void
test_collectives (gconstpointer data)
{
  const HirCommType types[] = { HIR_COMM_GATHER, HIR_COMM_ALLGATHER, HIR_COMM_SCATTER,
                                HIR_COMM_BROADCAST, HIR_COMM_ALL_TO_ALL };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    for (guint d = 0; d < G_N_ELEMENTS (counts); d++)
      {
        gboolean rooted = hir_comm_type_is_rooted (types[i]);
        run_case (kind_of (data), &(Case){ types[i], HIR_BINARY_ADD, HIR_DTYPE_FLOAT, counts[d],
                                           rooted ? counts[d] - 1 : -1 });
      }
}

static void
test_send_recv (gconstpointer data)
{
  run_case (kind_of (data), &(Case){ HIR_COMM_SEND_RECV, HIR_BINARY_ADD, HIR_DTYPE_FLOAT, 1, 0 });
  run_case (kind_of (data), &(Case){ HIR_COMM_SEND_RECV, HIR_BINARY_ADD, HIR_DTYPE_FLOAT, 2, 0 });
  run_case (kind_of (data),
            &(Case){ HIR_COMM_SEND_RECV, HIR_BINARY_ADD, HIR_DTYPE_BFLOAT16, 2, 1 });
}

static void
test_reductions (gconstpointer data)
{
  const HirCommType types[] = { HIR_COMM_REDUCE, HIR_COMM_ALLREDUCE, HIR_COMM_REDUCE_SCATTER };
  const HirBinaryOp ops[] = { HIR_BINARY_ADD, HIR_BINARY_MUL, HIR_BINARY_MIN, HIR_BINARY_MAX };
  const HirDType dtypes[] = { HIR_DTYPE_FLOAT, HIR_DTYPE_DOUBLE, HIR_DTYPE_BFLOAT16,
                              HIR_DTYPE_HALF,  HIR_DTYPE_INT32,  HIR_DTYPE_INT };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    for (guint o = 0; o < G_N_ELEMENTS (ops); o++)
      for (guint t = 0; t < G_N_ELEMENTS (dtypes); t++)
        /* Products of more than four factors are not exact in bfloat16. */
        for (guint d = 0; d < G_N_ELEMENTS (counts) - 1; d++)
          run_case (kind_of (data), &(Case){ types[i], ops[o], dtypes[t], counts[d],
                                             types[i] == HIR_COMM_REDUCE ? 0 : -1 });
  run_case (kind_of (data), &(Case){ HIR_COMM_ALLREDUCE, HIR_BINARY_ADD, HIR_DTYPE_FLOAT, 8, -1 });
  run_case (kind_of (data),
            &(Case){ HIR_COMM_REDUCE_SCATTER, HIR_BINARY_ADD, HIR_DTYPE_BFLOAT16, 8, -1 });
}

/* 256 + 1 + 1 is 256 in bfloat16 if each sum is rounded, and 258 if only the last is. */
static void
test_half_types_round_once (void)
{
  guint16 bits[3];
  guint16 result;
  gconstpointer in[] = { &bits[0], &bits[1], &bits[2] };

  hir_element_set_double (HIR_DTYPE_BFLOAT16, &bits[0], 256);
  hir_element_set_double (HIR_DTYPE_BFLOAT16, &bits[1], 1);
  hir_element_set_double (HIR_DTYPE_BFLOAT16, &bits[2], 1);
  hir_comm_reduce (HIR_DTYPE_BFLOAT16, HIR_BINARY_ADD, in, 3, 1, &result);
  g_assert_cmpfloat (hir_element_get_double (HIR_DTYPE_BFLOAT16, &result), ==, 258);
}

typedef void (*Fill) (HirContainer *program, int rank);

/* Runs one program per rank, built by @fill. Returns the error, which must occur within a
 * second. */
static GError *
run_filled (ClusterKind kind, int n, Fill fill)
{
  HirContainer *programs[MAX_RANKS];
  Cluster cluster;
  GError *error;
  gint64 start_us;

  for (int i = 0; i < n; i++)
    {
      programs[i] = build_program ();
      fill (programs[i], i);
    }
  cluster_init (&cluster, kind, n, programs, 0);
  start_us = g_get_monotonic_time ();
  error = cluster_run (&cluster, NULL, 0);
  g_test_message ("%.3f s: %s", (double) (g_get_monotonic_time () - start_us) / G_USEC_PER_SEC,
                  error != NULL ? error->message : "no error");
  cluster_clear (&cluster);
  for (int i = 0; i < n; i++)
    hir_container_unref (programs[i]);
  return error;
}

static void
assert_says (GError *taken, const char *first, const char *second)
{
  g_autoptr (GError) error = taken;

  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_assert_nonnull (strstr (error->message, first));
  g_assert_nonnull (strstr (error->message, second));
}

/* Adds a tensor with memory. */
static HirTensor *
buffer_of (HirContainer *program)
{
  const gint64 devices[] = { 0, 1 };
  HirTensor *tensor =
      tensor_on (program, HIR_DTYPE_FLOAT, mesh_of (program, 2, devices), 1, &(gint64){ PIECE });

  build_allocate (program, NULL, tensor);
  return tensor;
}

static HirExpr *
put_pair (HirContainer *program, HirScope *scope, HirCommType type, HirTensor *a, HirTensor *b)
{
  const gint64 team[] = { 0, 1 };

  return put_communication (program, scope, type, b, a, 2, team,
                            hir_comm_type_is_rooted (type) ? 0 : -1, HIR_BINARY_ADD);
}

static void
fill_different (HirContainer *program, int rank)
{
  HirTensor *a = buffer_of (program), *b = buffer_of (program);

  put_wait (program, NULL,
            put_pair (program, NULL, rank == 0 ? HIR_COMM_ALLREDUCE : HIR_COMM_BROADCAST, a, b));
}

static void
test_different_collectives (gconstpointer data)
{
  GError *error = run_filled (kind_of (data), 2, fill_different);

  g_assert_nonnull (strstr (error->message, "Allreduce"));
  assert_says (error, "on rank 0", "on rank 1");
}

/* Rank 1 runs one iteration less. */
static void
fill_missing (HirContainer *program, int rank)
{
  HirTensor *a = buffer_of (program), *b = buffer_of (program);
  HirScope *body = &build_loop (program, NULL, rank == 0 ? 3 : 2)->u.loop.body;

  put_wait (program, body, put_pair (program, body, HIR_COMM_ALLREDUCE, a, b));
}

static void
test_missing_member (gconstpointer data)
{
  assert_says (run_filled (kind_of (data), 2, fill_missing), "in iteration 2 on rank 0",
               "waits for rank 1, which ends");
}

static void
fill_unreceived (HirContainer *program, int rank)
{
  HirTensor *a = buffer_of (program);

  if (rank == 0)
    put_wait (program, NULL, put_p2p (program, NULL, TRUE, a, 1));
}

static void
test_message_not_received (gconstpointer data)
{
  assert_says (run_filled (kind_of (data), 2, fill_unreceived), "on rank 0",
               "rank 1, which ends without receiving");
}

/* Each rank receives before it sends, not in a group. */
static void
fill_circle (HirContainer *program, int rank)
{
  HirTensor *a = buffer_of (program), *b = buffer_of (program);
  HirExpr *receive = put_p2p (program, NULL, FALSE, b, 1 - rank);

  put_wait (program, NULL, receive);
  put_wait (program, NULL, put_p2p (program, NULL, TRUE, a, 1 - rank));
}

static void
test_circle (gconstpointer data)
{
  /* Processes cannot see each other's streams, so the timeout reports it. */
  assert_says (run_filled (kind_of (data), 2, fill_circle),
               kind_of (data) == CLUSTER_LOCAL ? "deadlock" : "has waited for 2 s", "on rank 1");
}

/* Ranks 0 and 2 wait for each other's data, and rank 1, which does not take part, falls silent. */
static void
fill_circle_of_two (HirContainer *program, int rank)
{
  HirTensor *a = buffer_of (program), *b = buffer_of (program);

  if (rank == 1)
    return;
  put_wait (program, NULL, put_p2p (program, NULL, FALSE, b, 2 - rank));
  put_wait (program, NULL, put_p2p (program, NULL, TRUE, a, 2 - rank));
}

static gpointer
silence_soon (gpointer hub)
{
  g_usleep (G_USEC_PER_SEC / 5); /* it has reported its end */
  fake_hub_silence (hub, 1, TRUE);
  return NULL;
}

/* A stopped rank is named by ranks that wait for another rank, which itself waits for the stopped
 * one. */
static void
test_silent_rank_is_named (void)
{
  HirContainer *programs[3];
  Cluster cluster;
  GThread *thread;
  GError *error;

  for (int i = 0; i < 3; i++)
    {
      programs[i] = build_program ();
      fill_circle_of_two (programs[i], i);
    }
  cluster_init (&cluster, CLUSTER_MPI, 3, programs, 0);
  thread = g_thread_new ("silence", silence_soon, cluster.hub);
  error = cluster_run (&cluster, NULL, 0);
  g_thread_join (thread);
  fake_hub_silence (cluster.hub, 1, FALSE);
  cluster_clear (&cluster);
  for (int i = 0; i < 3; i++)
    hir_container_unref (programs[i]);
  assert_says (error, "has waited for 2 s", "rank 1 (process");
}

/* The same messages in a group succeed. */
static void
fill_group (HirContainer *program, int rank)
{
  HirTensor *a = buffer_of (program), *b = buffer_of (program);

  build_put (program, NULL, hir_expr_new_start_coalescing (program));
  put_p2p (program, NULL, FALSE, b, 1 - rank);
  put_p2p (program, NULL, TRUE, a, 1 - rank);
  put_wait (program, NULL, build_put (program, NULL, hir_expr_new_end_coalescing (program)));
}

static void
test_group (gconstpointer data)
{
  g_assert_no_error (run_filled (kind_of (data), 2, fill_group));
}

static void
fill_no_wait (HirContainer *program, int rank)
{
  HirTensor *a = buffer_of (program), *b = buffer_of (program);

  put_pair (program, NULL, HIR_COMM_ALLREDUCE, a, b);
}

static void
test_not_waited_for_at_the_end (gconstpointer data)
{
  assert_says (run_filled (kind_of (data), 2, fill_no_wait), "the program ends", "Allreduce");
}

static void
fill_used (HirContainer *program, int rank)
{
  HirTensor *a = buffer_of (program), *b = buffer_of (program), *c = buffer_of (program);
  HirExpr *posted = put_pair (program, NULL, HIR_COMM_ALLREDUCE, a, b);

  build_set (program, NULL, c, b);
  put_wait (program, NULL, posted);
}

static void
test_used_before_a_wait (gconstpointer data)
{
  assert_says (run_filled (kind_of (data), 2, fill_used), "reads memory that Allreduce",
               "is still writing");
}

static void
fill_waited_twice (HirContainer *program, int rank)
{
  HirTensor *a = buffer_of (program), *b = buffer_of (program);
  HirExpr *posted = put_pair (program, NULL, HIR_COMM_ALLREDUCE, a, b);

  put_wait (program, NULL, posted);
  put_wait (program, NULL, posted);
}

static void
test_waited_for_twice (gconstpointer data)
{
  assert_says (run_filled (kind_of (data), 2, fill_waited_twice), "nothing to wait for",
               "Allreduce");
}

/* Rank 2 is outside of the team: its post does nothing, and it may wait. */
static void
fill_two_of_three (HirContainer *program, int rank)
{
  HirTensor *a = buffer_of (program), *b = buffer_of (program);

  put_wait (program, NULL, put_pair (program, NULL, HIR_COMM_ALLREDUCE, a, b));
}

static void
test_outside_of_the_team (gconstpointer data)
{
  g_assert_no_error (run_filled (kind_of (data), 3, fill_two_of_three));
}

static void
add (const char *name, GTestDataFunc test)
{
  static const char *const kinds[] = { "local", "mpi" };

  for (int kind = CLUSTER_LOCAL; kind <= CLUSTER_MPI; kind++)
    {
      g_autofree char *path = g_strdup_printf ("/communicator/%s/%s", kinds[kind], name);

      g_test_add_data_func (path, GINT_TO_POINTER (kind), test);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/communicator/half-types-round-once", test_half_types_round_once);
  g_test_add_func ("/communicator/mpi/silent-rank-is-named", test_silent_rank_is_named);
  add ("collectives", test_collectives);
  add ("send-recv", test_send_recv);
  add ("reductions", test_reductions);
  add ("different-collectives", test_different_collectives);
  add ("missing-member", test_missing_member);
  add ("message-not-received", test_message_not_received);
  add ("circle", test_circle);
  add ("group", test_group);
  add ("not-waited-for-at-the-end", test_not_waited_for_at_the_end);
  add ("used-before-a-wait", test_used_before_a_wait);
  add ("waited-for-twice", test_waited_for_twice);
  add ("outside-of-the-team", test_outside_of_the_team);
  return g_test_run ();
}
