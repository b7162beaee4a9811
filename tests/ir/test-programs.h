/* Host programs built by hand like the golden dumps, and a comparison of dumps. */
#pragma once

#include <string.h>

#include "container.h"

/* A tensor from axes given as (extent, type, parallel type) triples. */
typedef struct
{
  HirScalar *extent;
  HirIterType iter_type;
  HirParallelType parallel_type;
} TestAxis;

#define S_AXIS(e)                                                                                  \
  {                                                                                                \
    (e), HIR_ITER_ITERATION, HIR_PARALLEL_SERIAL                                                   \
  }
#define STREAM_AXIS(e)                                                                             \
  {                                                                                                \
    (e), HIR_ITER_ITERATION, HIR_PARALLEL_STREAM                                                   \
  }
#define DID_AXIS(e)                                                                                \
  {                                                                                                \
    (e), HIR_ITER_ITERATION, HIR_PARALLEL_DIDX                                                     \
  }
#define R_AXIS(e)                                                                                  \
  {                                                                                                \
    (e), HIR_ITER_REDUCTION, HIR_PARALLEL_SERIAL                                                   \
  }

static inline HirTensor *
test_tensor (HirContainer *c,
             HirDType dtype,
             HirMemoryType memory,
             const HirMesh *mesh,
             const TestAxis *axes,
             guint n)
{
  HirIterDomain *ids[8];
  HirTensor *tensor;

  for (guint i = 0; i < n; i++)
    {
      ids[i] = hir_iter_domain_new (c, axes[i].extent, axes[i].iter_type);
      ids[i]->parallel_type = axes[i].parallel_type;
    }
  tensor = hir_tensor_new (c, dtype, ids, n);
  tensor->memory = memory;
  tensor->mesh = mesh;
  return tensor;
}

/* Slices like the stream pass: @tensor without logical axis @axis. */
static inline HirTensor *
test_slice (HirContainer *c, HirTensor *tensor, guint axis, HirMemoryType memory)
{
  HirIterDomain *ids[8];
  HirTensor *slice;
  guint n = 0;

  for (guint i = 0; i < tensor->logical.n; i++)
    if (i != axis)
      ids[n++] = hir_iter_domain_dup (c, tensor->logical.ids[i], TRUE);
  slice = hir_tensor_new (c, tensor->base.dtype, ids, n);
  slice->memory = memory;
  slice->mesh = tensor->mesh;
  return slice;
}

static inline HirMesh *
test_mesh (HirContainer *c, gint64 n)
{
  gint64 devices[16];
  g_autoptr (GError) error = NULL;
  HirMesh *mesh;

  for (gint64 i = 0; i < n; i++)
    devices[i] = i;
  mesh = hir_mesh_new (c->arena, devices, (gsize) n, &n, 1, &error);
  g_assert_no_error (error);
  return mesh;
}

static inline HirScalar *
test_symbol (HirContainer *c)
{
  return hir_scalar_new_symbol (c, HIR_DTYPE_INDEX);
}

static inline HirExpr *
test_push (HirContainer *c, HirScope *scope, HirExpr *expr)
{
  hir_vec_push (c->arena, &scope->exprs, expr);
  return expr;
}

static inline HirExpr *
test_op (HirContainer *c,
         HirScope *scope,
         HirExprKind kind,
         HirTensor *a,
         HirTensor *b,
         HirTensor *d,
         HirTensor *out)
{
  HirVal *inputs[] = { HIR_VAL (a), HIR_VAL (b), HIR_VAL (d) };
  guint n = d != NULL ? 3 : b != NULL ? 2 : 1;

  return test_push (c, scope, hir_expr_new (c, kind, inputs, n, (HirVal *[]){ HIR_VAL (out) }, 1));
}

static inline HirExpr *
test_copy (HirContainer *c, HirScope *scope, HirTensor *in, HirTensor *out)
{
  HirExpr *set = test_op (c, scope, HIR_EXPR_SET, in, NULL, NULL, out);

  set->u.set.streaming = TRUE;
  return set;
}

static inline void
test_allocate (HirContainer *c, HirScope *scope, HirTensor *tensor)
{
  test_push (c, scope, hir_expr_new_allocate (c, tensor, HIR_MEMORY_GLOBAL));
}

static inline void
test_select (
    HirContainer *c, HirScope *scope, HirTensor *in, HirTensor *out, int axis, HirScalar *index)
{
  test_push (c, scope, hir_expr_new_alias_select (c, in, out, axis, index));
}

static inline HirExpr *
test_collective (
    HirContainer *c, HirScope *scope, HirCommType type, gint64 root, HirTensor *in, HirTensor *out)
{
  HirExpr *comm = test_op (c, scope, HIR_EXPR_COMMUNICATION, in, NULL, NULL, out);
  HirExpr *wait = hir_expr_new (c, HIR_EXPR_WAIT, NULL, 0, NULL, 0);

  comm->u.comm.type = type;
  comm->u.comm.root = root;
  comm->u.comm.team = in->mesh->devices;
  comm->u.comm.n_team = (guint) in->mesh->size;
  wait->u.wait.of = comm;
  test_push (c, scope, wait);
  return comm;
}

/* The loops of one stream axis. */
typedef struct
{
  HirExpr *loop;
  HirStream *original, *own;
  HirScalar *index;
} TestLoop;

static inline TestLoop
test_loop_begin (HirContainer *c, HirIterDomain *axis, HirScalar *index, gboolean separate)
{
  TestLoop t = { .index = index };
  HirExpr *get = hir_expr_new_stream_op (c, HIR_EXPR_GET_CURRENT_STREAM, NULL);
  HirExpr *first = hir_expr_new_for (c, axis, index);
  HirScope *body = &first->u.loop.body;

  t.original = get->u.stream.stream;
  t.own = hir_stream_new (c, hir_scalar_new_op (c, HIR_SCALAR_OP_MOD, index,
                                                hir_scalar_get_named (c, HIR_NAME_NUMBER_OF_STREAMS,
                                                                      HIR_DTYPE_INT)));
  test_push (c, separate ? &c->top : body, get);
  test_push (c, body, hir_expr_new_stream_op (c, HIR_EXPR_SET_CURRENT_STREAM, t.own));
  test_push (c, body, hir_expr_new_stream_op (c, HIR_EXPR_SYNCHRONIZE, t.original));
  test_push (c, &c->top, first);
  t.loop = first;
  if (separate)
    {
      t.loop = hir_expr_new_for (c, axis, index);
      test_push (c, &t.loop->u.loop.body,
                 hir_expr_new_stream_op (c, HIR_EXPR_SET_CURRENT_STREAM, t.own));
      test_push (c, &c->top, t.loop);
    }
  return t;
}

static inline void
test_loop_end (HirContainer *c, TestLoop *t)
{
  HirScope *body = &t->loop->u.loop.body;

  test_push (c, body, hir_expr_new_stream_op (c, HIR_EXPR_SET_CURRENT_STREAM, t->original));
  test_push (c, body, hir_expr_new_stream_op (c, HIR_EXPR_SYNCHRONIZE, t->own));
}

static inline HirScalar *
test_stream_idx (HirContainer *c)
{
  return hir_scalar_get_named (c, HIR_NAME_STREAM_IDX, HIR_DTYPE_INDEX);
}

/* single_set_op.in_loop */
static inline HirContainer *
test_program_single_set (void)
{
  HirContainer *c = hir_container_new (HIR_CONTAINER_HOST, NULL);
  HirScalar *i0 = test_symbol (c), *i2 = test_symbol (c), *index = test_stream_idx (c);
  HirTensor *t0, *t1, *t2, *t3;
  HirScope *body;
  TestLoop loop;

  t0 = test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, NULL,
                    (TestAxis[]){ S_AXIS (i0), S_AXIS (i2) }, 2);
  t1 = test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, NULL,
                    (TestAxis[]){ STREAM_AXIS (i0), S_AXIS (i2) }, 2);
  hir_container_add_input (c, HIR_VAL (t0));
  hir_container_add_output (c, HIR_VAL (t1));
  test_allocate (c, &c->top, t1);
  loop = test_loop_begin (c, t1->loop.ids[0], index, FALSE);
  body = &loop.loop->u.loop.body;
  t2 = test_slice (c, t0, 0, HIR_MEMORY_LOCAL);
  t3 = test_slice (c, t1, 0, HIR_MEMORY_LOCAL);
  test_select (c, body, t0, t2, 0, index);
  test_select (c, body, t1, t3, 0, index);
  test_copy (c, body, t2, t3);
  test_loop_end (c, &loop);
  return c;
}

/* ag_matmul */
static inline HirContainer *
test_program_ag_matmul (void)
{
  HirContainer *c = hir_container_new (HIR_CONTAINER_HOST, NULL);
  HirMesh *mesh = test_mesh (c, 8);
  HirScalar *i0 = test_symbol (c), *i2 = test_symbol (c), *i3 = test_symbol (c),
            *i4 = test_symbol (c), *i5 = test_symbol (c), *i6 = test_symbol (c),
            *index = test_stream_idx (c);
  HirTensor *t[7];
  HirScope *body;
  TestLoop loop;

  t[0] = test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, mesh,
                      (TestAxis[]){ S_AXIS (i0), DID_AXIS (i2), S_AXIS (i3), S_AXIS (i4) }, 4);
  t[1] = test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, mesh,
                      (TestAxis[]){ S_AXIS (i5), S_AXIS (i6) }, 2);
  t[2] = test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, mesh,
                      (TestAxis[]){ STREAM_AXIS (i0), S_AXIS (i2), S_AXIS (i3), S_AXIS (i6),
                                    R_AXIS (i4) },
                      5);
  t[3] = test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, mesh,
                      (TestAxis[]){ STREAM_AXIS (i0), S_AXIS (i2), S_AXIS (i3), S_AXIS (i4) }, 4);
  hir_container_add_input (c, HIR_VAL (t[0]));
  hir_container_add_input (c, HIR_VAL (t[1]));
  hir_container_add_output (c, HIR_VAL (t[2]));
  test_allocate (c, &c->top, t[3]);
  test_allocate (c, &c->top, t[2]);
  loop = test_loop_begin (c, t[3]->loop.ids[0], index, TRUE);
  body = &loop.loop->u.loop.body;
  t[4] = test_slice (c, t[0], 0, HIR_MEMORY_GLOBAL);
  t[5] = test_slice (c, t[3], 0, HIR_MEMORY_GLOBAL);
  t[6] = test_slice (c, t[2], 0, HIR_MEMORY_LOCAL);
  test_select (c, body, t[0], t[4], 0, index);
  test_select (c, body, t[3], t[5], 0, index);
  test_allocate (c, body, t[5]);
  test_collective (c, body, HIR_COMM_ALLGATHER, -1, t[4], t[5]);
  test_select (c, body, t[2], t[6], 0, index);
  test_op (c, body, HIR_EXPR_MATMUL, t[5], t[1], NULL, t[6]);
  test_loop_end (c, &loop);
  return c;
}

/* allgather_p2p */
static inline HirContainer *
test_program_allgather_p2p (void)
{
  HirContainer *c = hir_container_new (HIR_CONTAINER_HOST, NULL);
  HirMesh *mesh = test_mesh (c, 8);
  HirScalar *i0 = test_symbol (c), *i2 = test_symbol (c), *index = test_stream_idx (c);
  HirScalar *rank = hir_scalar_get_named (c, "deviceIdx.x", HIR_DTYPE_INT);
  HirExpr *branch, *recv, *send, *end, *wait;
  HirTensor *t0, *t1, *t2, *t3;
  HirScope *body, *other;
  TestLoop loop;

  t0 = test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, mesh,
                    (TestAxis[]){ DID_AXIS (i0), S_AXIS (i2) }, 2);
  t1 = test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, mesh,
                    (TestAxis[]){ STREAM_AXIS (i0), S_AXIS (i2) }, 2);
  t2 = test_slice (c, t0, 0, HIR_MEMORY_LOCAL);
  t3 = test_slice (c, t1, 0, HIR_MEMORY_LOCAL);
  hir_container_add_input (c, HIR_VAL (t0));
  hir_container_add_output (c, HIR_VAL (t1));
  test_allocate (c, &c->top, t1);
  loop = test_loop_begin (c, t1->loop.ids[0], index, TRUE);
  body = &loop.loop->u.loop.body;
  test_select (c, body, t1, t3, 0, index);
  branch = hir_expr_new (c, HIR_EXPR_IF, NULL, 0, NULL, 0);
  branch->u.branch.condition = hir_scalar_new_op (c, HIR_SCALAR_OP_EQ, index, rank);
  test_push (c, body, branch);
  test_select (c, &branch->u.branch.then_body, t0, t2, 0, hir_scalar_get_zero (c));
  test_copy (c, &branch->u.branch.then_body, t2, t3);
  other = &branch->u.branch.else_body;
  test_push (c, other, hir_expr_new (c, HIR_EXPR_START_COALESCING, NULL, 0, NULL, 0));
  recv = test_push (c, other, hir_expr_new (c, HIR_EXPR_P2P, NULL, 0, NULL, 0));
  recv->u.p2p.buffer = t3;
  recv->u.p2p.peer = index;
  send = test_push (c, other, hir_expr_new (c, HIR_EXPR_P2P, NULL, 0, NULL, 0));
  send->u.p2p.is_send = TRUE;
  send->u.p2p.buffer = t0;
  send->u.p2p.peer = index;
  end = test_push (c, other, hir_expr_new (c, HIR_EXPR_END_COALESCING, NULL, 0, NULL, 0));
  wait = test_push (c, other, hir_expr_new (c, HIR_EXPR_WAIT, NULL, 0, NULL, 0));
  wait->u.wait.of = end;
  test_loop_end (c, &loop);
  return c;
}

/* A host program with one HostUnit, relu, and a set of its result. */
static inline HirContainer *
test_program_unit (void)
{
  HirContainer *c = hir_container_new (HIR_CONTAINER_HOST, NULL);
  HirScalar *i0 = test_symbol (c);
  HirTensor *t0, *t1, *t2, *u0, *u1, *hidden;
  HirHostUnit *unit;
  HirExpr *op;
  HirScalar *extent;

  t0 = test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, NULL, (TestAxis[]){ S_AXIS (i0) }, 1);
  t1 = test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, NULL, (TestAxis[]){ S_AXIS (i0) }, 1);
  t2 = test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, NULL, (TestAxis[]){ S_AXIS (i0) }, 1);
  hir_container_add_input (c, HIR_VAL (t0));
  hir_container_add_output (c, HIR_VAL (t2));
  unit = hir_container_add_unit (c);
  /* A nested container has a separate maker, so its ids differ. */
  hir_maker_begin (unit->fusion, "test-unit", 0);
  extent = test_symbol (unit->fusion);
  u0 = test_tensor (unit->fusion, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, NULL,
                    (TestAxis[]){ S_AXIS (extent) }, 1);
  hidden = test_tensor (unit->fusion, HIR_DTYPE_FLOAT, HIR_MEMORY_LOCAL, NULL,
                        (TestAxis[]){ S_AXIS (extent) }, 1);
  u1 = test_tensor (unit->fusion, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, NULL,
                    (TestAxis[]){ S_AXIS (extent) }, 1);
  hir_container_add_input (unit->fusion, HIR_VAL (u0));
  hir_container_add_output (unit->fusion, HIR_VAL (u1));
  op = hir_expr_new (unit->fusion, HIR_EXPR_UNARY, (HirVal *[]){ HIR_VAL (u0) }, 1,
                     (HirVal *[]){ HIR_VAL (hidden) }, 1);
  op->u.unary.op = HIR_UNARY_EXP;
  hir_container_add_expr (unit->fusion, op);
  op = hir_expr_new (unit->fusion, HIR_EXPR_UNARY, (HirVal *[]){ HIR_VAL (hidden) }, 1,
                     (HirVal *[]){ HIR_VAL (u1) }, 1);
  op->u.unary.op = HIR_UNARY_NEG;
  hir_container_add_expr (unit->fusion, op);
  hir_container_add_expr (c, hir_expr_new_post_on_stream (c, unit, (HirVal *[]){ HIR_VAL (t0) }, 1,
                                                          (HirVal *[]){ HIR_VAL (t1) }, 1));
  test_copy (c, &c->top, t1, t2);
  return c;
}

/* Compares dumps up to nvFuser's numbering: renames numbers in order of first appearance, drops
 * blank lines, and collapses runs of spaces inside a line. */
typedef struct
{
  GHashTable *numbers; /* "kind number" -> new number + 1 */
  guint n_of[8];
} TestCanon;

static inline gboolean
test_canon_replace (const GMatchInfo *match, GString *result, gpointer user_data)
{
  static const char *const heads[] = { "tv", "id", "comm", "stream", "unit", "sym" };
  TestCanon *canon = user_data;

  for (guint i = 0; i < G_N_ELEMENTS (heads); i++)
    {
      g_autofree char *head = g_match_info_fetch_named (match, heads[i]);
      g_autofree char *group = g_strconcat (heads[i], "n", NULL);
      g_autofree char *number = g_match_info_fetch_named (match, group);
      g_autofree char *key = g_strdup_printf ("%u %s", i, number != NULL ? number : "");
      guint place;

      if (head == NULL || *head == '\0')
        continue;
      place = GPOINTER_TO_UINT (g_hash_table_lookup (canon->numbers, key));
      if (place == 0)
        {
          place = ++canon->n_of[i];
          g_hash_table_insert (canon->numbers, g_strdup (key), GUINT_TO_POINTER (place));
        }
      g_string_append_printf (result, "%s%u", head, place - 1);
      return FALSE;
    }
  g_assert_not_reached ();
}

static inline char *
test_canon (const char *text)
{
  static const char tokens[] =
      "(?P<tv>\\bT)(?P<tvn>\\d+)(?=_)"
      "|(?P<id>\\b[irbsnv](?:StreamIdx|streamIdx|Stream|deviceIdx\\.[xyz]|blockIdx\\.[xyz]|"
      "threadIdx\\.[xyz]|S|V|UR|US))(?P<idn>\\d+)(?=[{])"
      "|(?P<comm>\\b(?:P2PCommunication|Communication|EndCoalescing) )(?P<commn>\\d+)"
      "|(?P<stream>\\bStream )(?P<streamn>0x[0-9a-f]+|\\d+)\\b"
      "|(?P<unit>\\bHostUnit)(?P<unitn>\\d+)"
      "|(?P<sym>\\b[ibdf])(?P<symn>\\d+)\\b";
  g_autoptr (GError) error = NULL;
  g_autoptr (GRegex) regex = g_regex_new (tokens, 0, 0, &error);
  g_autoptr (GRegex) spaces = g_regex_new ("(?<=[^\\n ]) +", 0, 0, NULL);
  g_autoptr (GRegex) blanks = g_regex_new ("(^|\\n)( *\\n)+", 0, 0, NULL);
  g_autoptr (GRegex) ends = g_regex_new (" +(?=\\n|$)", 0, 0, NULL);
  g_autoptr (GHashTable) numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  TestCanon canon = { .numbers = numbers };
  g_autofree char *renumbered = NULL, *squeezed = NULL, *trimmed = NULL;
  char *result;

  g_assert_no_error (error);
  renumbered = g_regex_replace_eval (regex, text, -1, 0, 0, test_canon_replace, &canon, NULL);
  squeezed = g_regex_replace_literal (spaces, renumbered, -1, 0, " ", 0, NULL);
  trimmed = g_regex_replace_literal (ends, squeezed, -1, 0, "", 0, NULL);
  result = g_regex_replace (blanks, trimmed, -1, 0, "\\1", 0, NULL);
  return g_strstrip (result);
}

static inline void
test_assert_golden (const char *text, const char *name)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data", "golden", name, NULL);
  g_autofree char *golden = NULL, *want = NULL, *got = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &golden, NULL, &error);
  g_assert_no_error (error);
  want = test_canon (golden);
  got = test_canon (text);
  g_assert_cmpstr (got, ==, want);
}
