/* Tests the explanations of allocations and waits, and which Exprs fill and read a buffer through
 * its slices, as in the facts of a program's nodes. */
#include "view/program-why.h"

#include "test-core.h"
#include "test-programs.h"
#include "view/program-view.h"

static const char *
get_fact (HirProgramView *view, const HirExpr *expr, const char *name, guint nth)
{
  const HirNodeInfo *info = hir_program_view_lookup (view, expr->node.id);

  for (guint i = 0; i < info->facts->len; i++)
    {
      const HirFact *fact = &g_array_index (info->facts, HirFact, i);

      if (g_str_equal (fact->name, name) && nth-- == 0)
        return fact->value;
    }
  return NULL;
}

static HirExpr *
find_in (HirScope *scope, HirExprKind kind, const HirTensor *buffer)
{
  for (guint i = 0; i < scope->exprs.len; i++)
    {
      HirExpr *expr = scope->exprs.items[i], *found = NULL;

      if (expr->kind == kind && (buffer == NULL || expr->u.allocate.buffer == buffer))
        return expr;
      if (expr->kind == HIR_EXPR_FOR)
        found = find_in (&expr->u.loop.body, kind, buffer);
      else if (expr->kind == HIR_EXPR_IF)
        found = find_in (&expr->u.branch.else_body, kind, buffer);
      if (found != NULL)
        return found;
    }
  return NULL;
}

static void
test_gathered (void)
{
  g_autoptr (HirContainer) c = test_program_ag_matmul ();
  g_autoptr (HirProgramView) view = hir_program_view_new (c, HIR_FORMAT_2025);
  HirTensor **t = (HirTensor **) c->tensors.items;
  HirExpr *of_t3 = find_in (&c->top, HIR_EXPR_ALLOCATE, t[3]);
  HirExpr *of_t2 = find_in (&c->top, HIR_EXPR_ALLOCATE, t[2]);
  HirExpr *of_t5 = find_in (&c->top, HIR_EXPR_ALLOCATE, t[5]);
  HirExpr *wait = find_in (&c->top, HIR_EXPR_WAIT, NULL);

  g_assert_cmpstr (get_fact (view, of_t3, "why", 0), ==,
                   "Allgather fills it and matmul reads it, one slice (T5) per iteration; memory "
                   "for all slices is allocated once, before the loop");
  g_assert_true (g_str_has_prefix (get_fact (view, of_t3, "filled by", 0), "T5 = Allgather(T4)"));
  g_assert_null (get_fact (view, of_t3, "filled by", 1));
  g_assert_cmpstr (get_fact (view, of_t3, "read by", 0), ==, "T6 = matmul(T5, T1)");
  g_assert_null (get_fact (view, of_t3, "read by", 1));
  g_assert_cmpstr (get_fact (view, of_t2, "why", 0), ==,
                   "matmul fills it, and it is returned to the caller, one slice (T6) per "
                   "iteration; memory for all slices is allocated once, before the loop");
  g_assert_cmpstr (get_fact (view, of_t5, "why", 0), ==,
                   "a slice of T3; no separate memory is allocated");
  g_assert_cmpstr (get_fact (view, wait, "why", 0), ==,
                   "Allgather runs concurrently with the stream; matmul must not read T5 before it "
                   "has finished");
}

static void
test_copied (void)
{
  g_autoptr (HirContainer) c = test_program_single_set ();
  g_autoptr (HirProgramView) view = hir_program_view_new (c, HIR_FORMAT_2025);
  HirTensor **t = (HirTensor **) c->tensors.items;
  HirExpr *of_t1 = find_in (&c->top, HIR_EXPR_ALLOCATE, t[1]);

  g_assert_cmpstr (get_fact (view, of_t1, "why", 0), ==,
                   "Set fills it, and it is returned to the caller, one slice (T3) per iteration; "
                   "memory for all slices is allocated once, before the loop");
}

/* Only the caller reads the messages; several Exprs fill one buffer. */
static void
test_messages (void)
{
  g_autoptr (HirContainer) c = test_program_allgather_p2p ();
  g_autoptr (HirProgramView) view = hir_program_view_new (c, HIR_FORMAT_2025);
  HirTensor **t = (HirTensor **) c->tensors.items;
  const char *why = get_fact (view, find_in (&c->top, HIR_EXPR_ALLOCATE, t[1]), "why", 0);

  g_assert_nonnull (why);
  g_assert_true (g_str_has_prefix (why, "Set and "));
  g_assert_nonnull (strstr (why, " fill it, and it is returned to the caller"));
}

static void
test_untouched (void)
{
  g_autoptr (HirContainer) c = test_program_single_set ();
  g_autoptr (GHashTable) uses = g_hash_table_new (NULL, NULL);
  HirTensor **t = (HirTensor **) c->tensors.items;
  g_autofree char *output = hir_why_allocated (uses, t[1], TRUE);
  g_autoptr (GPtrArray) readers = hir_tensor_dup_users (uses, t[1], FALSE);

  g_assert_null (hir_why_allocated (uses, t[1], FALSE));
  g_assert_cmpstr (output, ==, "it is returned to the caller");
  g_assert_cmpuint (readers->len, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program-why/gathered", test_gathered);
  g_test_add_func ("/program-why/copied", test_copied);
  g_test_add_func ("/program-why/messages", test_messages);
  g_test_add_func ("/program-why/untouched", test_untouched);
  return g_test_run ();
}
