#include "verify/verify.h"

#include "test-core.h"
#include "test-programs.h"

static void
assert_good (HirContainer *c)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = hir_container_verify (c, &error);

  g_assert_no_error (error);
  g_assert_true (ok);
}

/* @fragment of the message identifies the rule that failed. */
static void
assert_bad (HirContainer *c, const char *fragment)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (hir_container_verify (c, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INVALID_IR);
  if (strstr (error->message, fragment) == NULL)
    g_error ("expected a message with \"%s\", got \"%s\"", fragment, error->message);
  /* The caller may not need the reason. */
  g_assert_false (hir_container_verify (c, NULL));
}

static HirExpr *
nth (HirScope *scope, guint i)
{
  g_assert_cmpuint (i, <, scope->exprs.len);
  return scope->exprs.items[i];
}

static HirExpr *
find (HirScope *scope, HirExprKind kind)
{
  for (guint i = 0; i < scope->exprs.len; i++)
    {
      HirExpr *expr = scope->exprs.items[i];
      HirScope *inner;

      if (expr->kind == kind)
        return expr;
      for (guint k = 0; (inner = hir_expr_get_scope (expr, k)) != NULL; k++)
        if (find (inner, kind) != NULL)
          return find (inner, kind);
    }
  return NULL;
}

static void
test_good (void)
{
  g_autoptr (HirContainer) single = test_program_single_set ();
  g_autoptr (HirContainer) p2p = test_program_allgather_p2p ();
  g_autoptr (HirContainer) unit = test_program_unit ();
  g_autoptr (HirContainer) fusion = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  HirTensor *in = test_input (fusion, 3);
  HirTensor *out = test_set (fusion, in);
  HirIterDomain *outer, *inner;
  HirScalar *four = hir_scalar_new_int (fusion, 4, HIR_DTYPE_INDEX);

  assert_good (single);
  assert_good (p2p);
  assert_good (unit);
  hir_container_add_output (fusion, HIR_VAL (out));
  g_assert_true (hir_iter_domain_split (out->loop.ids[0], four, TRUE, &outer, &inner, NULL));
  hir_tensor_set_loop (out, (HirIterDomain *[]){ inner, out->loop.ids[2], outer, out->loop.ids[1] },
                       4);
  hir_tensor_set_allocation (out, out->loop.ids, 4);
  assert_good (fusion);
}

/* A fusion with one set, broken in one way per case. */
typedef struct
{
  HirContainer *c;
  HirTensor *in, *out;
  HirExpr *set;
  HirIterDomain *outer, *inner;
} Fusion;

static void
break_lost_axis (Fusion *f)
{
  hir_tensor_set_loop (f->out, (HirIterDomain *[]){ f->outer, f->out->logical.ids[1] }, 2);
}

static void
break_foreign_axis (Fusion *f)
{
  hir_tensor_set_loop (f->out,
                       (HirIterDomain *[]){ f->in->logical.ids[0], f->outer, f->inner,
                                            f->out->logical.ids[1] },
                       4);
}

static void
break_repeated_axis (Fusion *f)
{
  hir_tensor_set_loop (f->out, (HirIterDomain *[]){ f->outer, f->outer }, 2);
}

static void
break_used_axis (Fusion *f)
{
  hir_tensor_set_loop (f->out,
                       (HirIterDomain *[]){ f->out->logical.ids[0], f->inner, f->outer,
                                            f->out->logical.ids[1] },
                       4);
}

static void
break_cyclic_axes (Fusion *f)
{
  f->outer->definition->in[0] = f->outer;
}

static void
break_allocation (Fusion *f)
{
  hir_tensor_set_allocation (f->out, (HirIterDomain *[]){ f->out->logical.ids[1] }, 1);
}

static void
break_root (Fusion *f)
{
  f->out->has_root = TRUE;
  f->out->root = f->in->logical;
}

static void
break_contiguity (Fusion *f)
{
  f->out->contiguity[0] = HIR_CONTIGUITY_NONE;
}

static void
break_owner_of_tensor (Fusion *f)
{
  f->out->base.container = NULL;
}

static void
break_operand (Fusion *f)
{
  f->set->inputs[0] = NULL;
}

static void
break_foreign_operand (Fusion *f)
{
  static HirTensor foreign;

  memset (&foreign, 0, sizeof foreign);
  foreign.base.kind = HIR_VAL_TENSOR;
  f->set->inputs[0] = HIR_VAL (&foreign);
}

static void
break_undefined (Fusion *f)
{
  f->c->inputs.len = 0;
}

static void
break_cycle (Fusion *f)
{
  f->set->inputs[0] = HIR_VAL (f->out);
}

static void
break_second_definition (Fusion *f)
{
  hir_container_add_expr (f->c,
                          hir_expr_new (f->c, HIR_EXPR_SET, f->set->inputs, 1, f->set->outputs, 1));
}

static void
break_definition (Fusion *f)
{
  f->out->definition = NULL;
}

static void
break_defined_input (Fusion *f)
{
  hir_container_add_input (f->c, HIR_VAL (f->out));
}

static void
break_same_id (Fusion *f)
{
  f->out->base.node.id = f->in->base.node.id;
}

static void
break_no_id (Fusion *f)
{
  f->set->node.id = 0;
}

static void
break_same_name (Fusion *f)
{
  f->out->base.name = f->in->base.name;
}

static void
break_axis_name (Fusion *f)
{
  f->out->logical.ids[1]->base.name = f->in->logical.ids[0]->base.name;
}

static void
break_origins (Fusion *f)
{
  f->out->base.node.n_origins = 1;
}

static void
break_own_origin (Fusion *f)
{
  f->out->base.node.origins = &f->out->base.node.id;
  f->out->base.node.n_origins = 1;
}

static void
break_scalar (Fusion *f)
{
  HirScalar *x = hir_scalar_new_op (f->c, HIR_SCALAR_OP_ADD, f->in->logical.ids[0]->extent,
                                    f->in->logical.ids[1]->extent);

  x->b = x;
  f->out->logical.ids[1]->extent = x;
}

static void
break_extent (Fusion *f)
{
  f->out->logical.ids[1]->extent = NULL;
}

static void
break_arity (Fusion *f)
{
  f->set->n_inputs = 0;
}

static void
break_host_op (Fusion *f)
{
  hir_container_add_expr (f->c, hir_expr_new (f->c, HIR_EXPR_START_COALESCING, NULL, 0, NULL, 0));
}

static void
break_expr_twice (Fusion *f)
{
  hir_container_add_expr (f->c, f->set);
}

static void
break_expr_number (Fusion *f)
{
  HirTensor *other = test_set (f->c, f->out);

  other->definition->name = f->set->name;
}

static const struct
{
  const char *name;
  void (*apply) (Fusion *fusion);
  const char *fragment;
} fusion_cases[] = {
  { "lost-axis", break_lost_axis, "is lost" },
  { "foreign-axis", break_foreign_axis, "derives from nothing" },
  { "repeated-axis", break_repeated_axis, "is twice in its loop domain" },
  { "used-axis", break_used_axis, "derives from nothing" },
  { "cyclic-axes", break_cyclic_axes, "is transformed but is not in the domain" },
  { "allocation", break_allocation, "logical to allocation" },
  { "root", break_root, "root to logical" },
  { "contiguity", break_contiguity, "contiguity" },
  { "owner", break_owner_of_tensor, "belongs to another container" },
  { "operand", break_operand, "an operand is missing" },
  { "foreign-operand", break_foreign_operand, "belongs to another container" },
  { "undefined", break_undefined, "nothing defines it" },
  { "cycle", break_cycle, "computed from its own result" },
  { "second-definition", break_second_definition, "defined twice" },
  { "definition", break_definition, "its definition is not the Expr" },
  { "defined-input", break_defined_input, "is an input but is also defined" },
  { "same-id", break_same_id, "the same id" },
  { "no-id", break_no_id, "it has no id" },
  { "same-name", break_same_name, "the same name" },
  { "axis-name", break_axis_name, "the number of another axis" },
  { "origins", break_origins, "lists none" },
  { "own-origin", break_own_origin, "lists itself" },
  { "scalar-cycle", break_scalar, "computed from itself" },
  { "extent", break_extent, "has no extent" },
  { "arity", break_arity, "operands" },
  { "host-op", break_host_op, "cannot contain host Exprs" },
  { "expr-twice", break_expr_twice, "in the program twice" },
  { "expr-number", break_expr_number, "the same number" },
};

static void
test_fusion_case (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (HirContainer) c = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  Fusion f = { .c = c };
  HirScalar *four = hir_scalar_new_int (c, 4, HIR_DTYPE_INDEX);

  f.in = test_input (c, 2);
  f.out = test_set (c, f.in);
  f.set = c->exprs.items[0];
  hir_container_add_output (c, HIR_VAL (f.out));
  g_assert_true (
      hir_iter_domain_split (f.out->logical.ids[0], four, TRUE, &f.outer, &f.inner, NULL));
  hir_tensor_set_loop (f.out, (HirIterDomain *[]){ f.outer, f.inner, f.out->logical.ids[1] }, 3);
  assert_good (c);
  fusion_cases[i].apply (&f);
  assert_bad (c, fusion_cases[i].fragment);
}

/* Broken host programs: the program, and the change. */
static void
host_use_before (HirContainer *c)
{
  HirExpr *loop = nth (&c->top, 1);

  hir_vec_remove (&loop->u.loop.body.exprs, 3);
}

static void
host_scope_cycle (HirContainer *c)
{
  HirExpr *loop = nth (&c->top, 1);

  hir_vec_push (c->arena, &loop->u.loop.body.exprs, loop);
}

static void
host_expr_id (HirContainer *c)
{
  nth (&c->top, 1)->node.id = nth (&c->top, 0)->node.id;
}

static void
host_index_outside (HirContainer *c)
{
  HirExpr *loop = nth (&c->top, 1);

  /* The last Synchronize uses the stream of the iteration. */
  hir_container_add_expr (c, nth (&loop->u.loop.body, loop->u.loop.body.exprs.len - 1));
  loop->u.loop.body.exprs.len--;
}

static void
host_axis (HirContainer *c)
{
  find (&c->top, HIR_EXPR_ALIAS_SELECT)->u.alias_select.axis = 2;
}

static void
host_slice_rank (HirContainer *c)
{
  HirExpr *select = find (&c->top, HIR_EXPR_ALIAS_SELECT);

  select->u.alias_select.out = HIR_TENSOR (select->inputs[0]);
}

static void
host_memory (HirContainer *c)
{
  find (&c->top, HIR_EXPR_ALLOCATE)->u.allocate.memory = HIR_MEMORY_LOCAL;
}

static void
host_loop_index (HirContainer *c)
{
  nth (&c->top, 1)->u.loop.index = hir_scalar_get_zero (c);
}

static void
host_hole (HirContainer *c)
{
  c->top.exprs.items[0] = NULL;
}

static void
host_wait_for_what (HirContainer *c)
{
  find (&c->top, HIR_EXPR_WAIT)->u.wait.of = find (&c->top, HIR_EXPR_SET);
}

static void
host_open_group (HirContainer *c)
{
  HirExpr *branch = find (&c->top, HIR_EXPR_IF);

  branch->u.branch.else_body.exprs.len = 3;
}

static void
host_close_group (HirContainer *c)
{
  HirExpr *branch = find (&c->top, HIR_EXPR_IF);

  hir_vec_remove (&branch->u.branch.else_body.exprs, 0);
}

static void
host_unit_count (HirContainer *c)
{
  find (&c->top, HIR_EXPR_POST_ON_STREAM)->n_outputs = 0;
}

static void
host_unit_type (HirContainer *c)
{
  find (&c->top, HIR_EXPR_POST_ON_STREAM)->inputs[0]->dtype = HIR_DTYPE_INT;
}

static void
host_unit_inside (HirContainer *c)
{
  HirHostUnit *unit = c->units.items[0];

  unit->fusion->inputs.len = 0;
}

static void
host_unit_foreign (HirContainer *c)
{
  HirExpr *post = find (&c->top, HIR_EXPR_POST_ON_STREAM);

  post->u.post.unit = hir_arena_memdup (c->arena, post->u.post.unit, sizeof (HirHostUnit));
}

static void
host_team (HirContainer *c)
{
  find (&c->top, HIR_EXPR_COMMUNICATION)->u.comm.n_team = 0;
}

static void
host_root (HirContainer *c)
{
  find (&c->top, HIR_EXPR_COMMUNICATION)->u.comm.root = 0;
}

static void
host_root_outside (HirContainer *c)
{
  HirExpr *comm = find (&c->top, HIR_EXPR_COMMUNICATION);

  comm->u.comm.type = HIR_COMM_BROADCAST;
  comm->u.comm.root = 8;
}

static void
host_collective_op (HirContainer *c)
{
  HirExpr *comm = find (&c->top, HIR_EXPR_COMMUNICATION);

  comm->u.comm.type = HIR_COMM_ALLREDUCE;
  comm->u.comm.op = HIR_BINARY_SUB;
}

static void
host_mesh (HirContainer *c)
{
  HIR_TENSOR (find (&c->top, HIR_EXPR_COMMUNICATION)->outputs[0])->mesh = NULL;
}

static const struct
{
  const char *name;
  HirContainer *(*make) (void);
  void (*apply) (HirContainer *c);
  const char *fragment;
} host_cases[] = {
  { "use-before", test_program_single_set, host_use_before, "before it is written or allocated" },
  { "scope-cycle", test_program_single_set, host_scope_cycle, "in the program twice" },
  { "expr-id", test_program_single_set, host_expr_id, "has the same id" },
  { "index-outside", test_program_single_set, host_index_outside, "outside of that loop" },
  { "axis", test_program_single_set, host_axis, "out of range" },
  { "slice-rank", test_program_single_set, host_slice_rank, "one axis fewer" },
  { "memory", test_program_single_set, host_memory, "another memory type" },
  { "loop-index", test_program_single_set, host_loop_index, "its index is missing" },
  { "hole", test_program_single_set, host_hole, "NULL entry" },
  { "wait-for-what", test_program_allgather_p2p, host_wait_for_what, "must wait for" },
  { "open-group", test_program_allgather_p2p, host_open_group, "no EndCoalescing" },
  { "close-group", test_program_allgather_p2p, host_close_group, "no StartCoalescing" },
  { "unit-count", test_program_unit, host_unit_count, "its HostUnit has" },
  { "unit-type", test_program_unit, host_unit_type, "does not match" },
  { "unit-inside", test_program_unit, host_unit_inside, "HostUnit0: T0: it is used" },
  { "unit-foreign", test_program_unit, host_unit_foreign, "not in the program" },
  { "team", test_program_ag_matmul, host_team, "team is empty" },
  { "root", test_program_ag_matmul, host_root, "must not have a root" },
  { "root-outside", test_program_ag_matmul, host_root_outside, "root 8 is not in its team" },
  { "collective-op", test_program_ag_matmul, host_collective_op, "collectives do not support" },
  { "mesh", test_program_ag_matmul, host_mesh, "on a mesh" },
};

static void
test_host_case (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (HirContainer) c = host_cases[i].make ();

  assert_good (c);
  host_cases[i].apply (c);
  assert_bad (c, host_cases[i].fragment);
}

/* The position is that of the node. */
static void
test_position (void)
{
  g_autoptr (HirContainer) c = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  g_autoptr (GError) error = NULL;
  HirTensor *in = test_input (c, 1), *out;

  hir_maker_set_pos (c, (HirPos){ 7, 3 });
  out = test_set (c, in);
  hir_container_add_output (c, HIR_VAL (out));
  out->loop.n = 0;
  g_assert_false (hir_container_verify (c, &error));
  g_assert_cmpuint (hir_error_get_pos (error).line, ==, 7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/verify/good", test_good);
  g_test_add_func ("/verify/position", test_position);
  for (guint i = 0; i < G_N_ELEMENTS (fusion_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/verify/fusion/", fusion_cases[i].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_fusion_case);
    }
  for (guint i = 0; i < G_N_ELEMENTS (host_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/verify/host/", host_cases[i].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_host_case);
    }
  return g_test_run ();
}
