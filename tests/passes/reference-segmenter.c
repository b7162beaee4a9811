#include "reference-segmenter.h"

/* Lists are arrays, dropped items are removed, and every query is a search. */
typedef struct
{
  GPtrArray *exprs, *inputs, *outputs;
  GPtrArray *producers, *consumers; /* Edge* */
  gboolean is_input;
  int level;
  gpointer partner;
} Group;

typedef struct
{
  Group *from, *to;
  HirTensor *tensor;
} Edge;

typedef struct
{
  HirContainer *fusion;
  GPtrArray *all;   /* every Group, for freeing */
  GPtrArray *list;  /* Group* */
  GPtrArray *edges; /* every Edge, for freeing */
  GPtrArray *exprs;
  GPtrArray *chain_exprs, *chain_ends;
  GHashTable *giver; /* HirTensor* -> Group* */
} Ref;

static Group *
group_new (Ref *ref, gboolean is_input)
{
  Group *group = g_new0 (Group, 1);

  group->exprs = g_ptr_array_new ();
  group->inputs = g_ptr_array_new ();
  group->outputs = g_ptr_array_new ();
  group->producers = g_ptr_array_new ();
  group->consumers = g_ptr_array_new ();
  group->is_input = is_input;
  g_ptr_array_add (ref->all, group);
  if (!is_input)
    g_ptr_array_add (ref->list, group);
  return group;
}

static void
group_free (gpointer data)
{
  Group *group = data;

  g_ptr_array_unref (group->exprs);
  g_ptr_array_unref (group->inputs);
  g_ptr_array_unref (group->outputs);
  g_ptr_array_unref (group->producers);
  g_ptr_array_unref (group->consumers);
  g_free (group);
}

static void
connect (Ref *ref, Group *from, Group *to, HirTensor *tensor)
{
  Edge *edge = g_new0 (Edge, 1);

  edge->from = from;
  edge->to = to;
  edge->tensor = tensor;
  g_ptr_array_add (ref->edges, edge);
  g_ptr_array_add (from->consumers, edge);
  g_ptr_array_add (to->producers, edge);
}

static gboolean
has (GPtrArray *array, gconstpointer item)
{
  return g_ptr_array_find (array, item, NULL);
}

static gboolean
should_merge (const Group *a, const Group *b)
{
  for (guint i = 0; i < a->exprs->len; i++)
    {
      if (hir_expr_is_standalone (a->exprs->pdata[i]))
        return FALSE;
    }
  for (guint i = 0; i < b->exprs->len; i++)
    {
      if (hir_expr_is_standalone (b->exprs->pdata[i]))
        return FALSE;
    }
  return !a->is_input && !b->is_input;
}

static void
add_all (GPtrArray *to, GPtrArray *from)
{
  for (guint i = 0; i < from->len; i++)
    {
      if (!has (to, from->pdata[i]))
        g_ptr_array_add (to, from->pdata[i]);
    }
}

static void
forget (GPtrArray *edges, const Group *group)
{
  for (guint i = edges->len; i > 0; i--)
    {
      const Edge *edge = edges->pdata[i - 1];

      if (edge->from == group || edge->to == group)
        g_ptr_array_remove_index (edges, i - 1);
    }
}

static void
disconnect (Group *group)
{
  for (guint i = 0; i < group->producers->len; i++)
    {
      Edge *edge = group->producers->pdata[i];

      if (edge->from != group)
        forget (edge->from->consumers, group);
    }
  for (guint i = 0; i < group->consumers->len; i++)
    {
      Edge *edge = group->consumers->pdata[i];

      if (edge->to != group)
        forget (edge->to->producers, group);
    }
}

static gboolean
reads (const Group *group, const HirTensor *tensor)
{
  for (guint i = 0; i < group->producers->len; i++)
    {
      if (((Edge *) group->producers->pdata[i])->tensor == tensor)
        return TRUE;
    }
  return FALSE;
}

static void
merge (Ref *ref, Group *a, Group *b)
{
  Group *group = group_new (ref, FALSE);
  Group *both[] = { a, b };

  for (guint k = 0; k < 2; k++)
    {
      add_all (group->exprs, both[k]->exprs);
      add_all (group->inputs, both[k]->inputs);
      add_all (group->outputs, both[k]->outputs);
    }
  for (guint k = 0; k < 2; k++)
    {
      for (guint i = 0; i < both[k]->producers->len; i++)
        {
          Edge *edge = both[k]->producers->pdata[i];

          if (edge->from != a && edge->from != b && !(k == 0 && reads (b, edge->tensor)))
            connect (ref, edge->from, group, edge->tensor);
        }
    }
  for (guint k = 0; k < 2; k++)
    {
      for (guint i = 0; i < both[k]->consumers->len; i++)
        {
          Edge *edge = both[k]->consumers->pdata[i];

          if (edge->to != a && edge->to != b)
            connect (ref, group, edge->to, edge->tensor);
        }
    }
  disconnect (a);
  disconnect (b);
  g_ptr_array_remove (ref->list, a);
  g_ptr_array_remove (ref->list, b);
}

static HirExpr *
get_forwarding (Ref *ref, HirTensor *tensor)
{
  HirExpr *only = NULL;
  guint n = 0;

  for (guint i = 0; i < ref->exprs->len; i++)
    {
      HirExpr *expr = ref->exprs->pdata[i];

      for (guint k = 0; k < expr->n_inputs; k++)
        {
          if (expr->inputs[k] == HIR_VAL (tensor))
            {
              only = expr;
              n++;
              break;
            }
        }
    }
  if (n != 1 || only->kind != HIR_EXPR_UNARY ||
      hir_container_is_output (ref->fusion, only->outputs[0]))
    return NULL;
  return only;
}

static void
follow_chains (Ref *ref)
{
  g_auto (GQueue) queue = G_QUEUE_INIT;
  HirExpr *expr;

  for (guint i = 0; i < ref->fusion->inputs.len; i++)
    {
      expr = get_forwarding (ref, ref->fusion->inputs.items[i]);
      if (expr != NULL)
        g_queue_push_tail (&queue, expr);
    }
  while ((expr = g_queue_pop_head (&queue)) != NULL)
    {
      HirExpr *next = get_forwarding (ref, HIR_TENSOR (expr->outputs[0]));

      g_ptr_array_add (ref->chain_exprs, expr);
      if (next != NULL)
        g_queue_push_tail (&queue, next);
      else
        g_ptr_array_add (ref->chain_ends, expr->outputs[0]);
    }
}

static void
make_groups (Ref *ref)
{
  for (guint i = 0; i < ref->fusion->inputs.len; i++)
    g_hash_table_insert (ref->giver, ref->fusion->inputs.items[i], group_new (ref, TRUE));
  for (guint i = 0; i < ref->chain_ends->len; i++)
    g_hash_table_insert (ref->giver, ref->chain_ends->pdata[i], group_new (ref, TRUE));
  for (guint i = 0; i < ref->exprs->len; i++)
    {
      HirExpr *expr = ref->exprs->pdata[i];
      Group *group;

      if (has (ref->chain_exprs, expr))
        continue;
      group = group_new (ref, FALSE);
      g_ptr_array_add (group->exprs, expr);
      for (guint k = 0; k < expr->n_inputs; k++)
        {
          if (hir_container_is_input (ref->fusion, expr->inputs[k]) &&
              !has (group->inputs, expr->inputs[k]))
            g_ptr_array_add (group->inputs, expr->inputs[k]);
          connect (ref, g_hash_table_lookup (ref->giver, expr->inputs[k]), group,
                   HIR_TENSOR (expr->inputs[k]));
        }
      if (hir_container_is_output (ref->fusion, expr->outputs[0]))
        g_ptr_array_add (group->outputs, expr->outputs[0]);
      g_hash_table_insert (ref->giver, expr->outputs[0], group);
    }
}

static int
get_level (const Group *group)
{
  int level = 0;

  for (guint i = 0; i < group->producers->len; i++)
    level = MAX (level, get_level (((Edge *) group->producers->pdata[i])->from) + 1);
  return level;
}

static gboolean
is_near (const Group *a, int level)
{
  return ABS (a->level - level) <= 1;
}

/* Returns the neighbors through producer edges, then consumer edges, but not across outputs of the
 * fusion. */
static GPtrArray *
get_neighbours (Ref *ref, Group *group)
{
  GPtrArray *neighbours = g_ptr_array_new ();

  for (guint i = 0; i < group->producers->len; i++)
    {
      Edge *edge = group->producers->pdata[i];

      if (!hir_container_is_output (ref->fusion, HIR_VAL (edge->tensor)))
        g_ptr_array_add (neighbours, edge->from);
    }
  for (guint i = 0; i < group->consumers->len; i++)
    {
      Edge *edge = group->consumers->pdata[i];

      if (!hir_container_is_output (ref->fusion, HIR_VAL (edge->tensor)))
        g_ptr_array_add (neighbours, edge->to);
    }
  return neighbours;
}

/* Returns TRUE if a neighbor of @group is paired, and it or its partner is within one level of
 * @level. */
static gboolean
is_blocked (Ref *ref, Group *group, int level)
{
  g_autoptr (GPtrArray) neighbours = get_neighbours (ref, group);

  for (guint i = 0; i < neighbours->len; i++)
    {
      const Group *neighbour = neighbours->pdata[i];

      if (neighbour->partner != NULL &&
          (is_near (neighbour, level) || is_near (neighbour->partner, level)))
        return TRUE;
    }
  return FALSE;
}

static gboolean
run_round (Ref *ref)
{
  g_autoptr (GPtrArray) pairs = g_ptr_array_new ();

  for (guint i = 0; i < ref->list->len; i++)
    {
      Group *group = ref->list->pdata[i];

      group->partner = NULL;
      group->level = get_level (group);
    }
  for (guint i = 0; i < ref->list->len; i++)
    {
      Group *group = ref->list->pdata[i];
      g_autoptr (GPtrArray) neighbours = get_neighbours (ref, group);

      if (group->partner != NULL || is_blocked (ref, group, group->level))
        continue;
      for (guint k = 0; k < neighbours->len; k++)
        {
          Group *other = neighbours->pdata[k];

          if (other->partner != NULL || !is_near (other, group->level) ||
              is_blocked (ref, other, other->level) || is_blocked (ref, other, group->level) ||
              !should_merge (group, other))
            continue;
          group->partner = other;
          other->partner = group;
          g_ptr_array_add (pairs, group);
          g_ptr_array_add (pairs, other);
          break;
        }
    }
  for (guint i = 0; i < pairs->len; i += 2)
    merge (ref, pairs->pdata[i], pairs->pdata[i + 1]);
  return pairs->len > 0;
}

static gboolean
leads_to (const Group *from, const Group *to)
{
  if (from == to)
    return TRUE;
  for (guint i = 0; i < from->consumers->len; i++)
    {
      if (leads_to (((Edge *) from->consumers->pdata[i])->to, to))
        return TRUE;
    }
  return FALSE;
}

static gboolean
merge_one (Ref *ref)
{
  for (guint i = 0; i < ref->list->len; i++)
    {
      Group *group = ref->list->pdata[i];

      for (guint k = 0; k < group->consumers->len; k++)
        {
          Group *consumer = ((Edge *) group->consumers->pdata[k])->to;
          gboolean is_only = TRUE;

          for (guint m = 0; m < group->consumers->len && is_only; m++)
            {
              Group *other = ((Edge *) group->consumers->pdata[m])->to;

              is_only = other == consumer || !leads_to (other, consumer);
            }
          if (is_only && should_merge (group, consumer))
            {
              merge (ref, group, consumer);
              return TRUE;
            }
        }
    }
  return FALSE;
}

static void
return_chain (Ref *ref, HirTensor *last)
{
  Group *stand_in = g_hash_table_lookup (ref->giver, last);
  g_autoptr (GPtrArray) users = g_ptr_array_new ();

  for (guint i = 0; i < stand_in->consumers->len; i++)
    {
      Group *user = ((Edge *) stand_in->consumers->pdata[i])->to;

      if (!has (users, user))
        g_ptr_array_add (users, user);
    }
  for (guint i = 0; i < users->len; i++)
    {
      Group *user = users->pdata[i];
      Group *chain = group_new (ref, FALSE);
      HirTensor *at = last;

      for (; at->definition != NULL; at = HIR_TENSOR (at->definition->inputs[0]))
        g_ptr_array_add (chain->exprs, at->definition);
      g_ptr_array_add (chain->inputs, at);
      for (guint k = 0; k < user->producers->len; k++)
        {
          Edge *edge = user->producers->pdata[k];

          if (edge->from != stand_in)
            continue;
          edge->from = chain;
          g_ptr_array_add (chain->consumers, edge);
        }
      if (should_merge (chain, user))
        merge (ref, chain, user);
    }
}

/* Prints the ops of a segment in the order of the fusion. */
static void
print_group (Ref *ref, Group *group, GString *out)
{
  g_string_append_c (out, '[');
  for (guint i = 0; i < ref->exprs->len; i++)
    {
      HirExpr *expr = ref->exprs->pdata[i];

      if (has (group->exprs, expr))
        g_string_append_printf (out, " %d", expr->name);
    }
  g_string_append (out, " ]");
  for (guint i = 0; i < group->producers->len; i++)
    {
      HirTensor *tensor = ((Edge *) group->producers->pdata[i])->tensor;

      if (!has (group->inputs, tensor))
        g_ptr_array_add (group->inputs, tensor);
    }
  for (guint i = 0; i < group->consumers->len; i++)
    {
      HirTensor *tensor = ((Edge *) group->consumers->pdata[i])->tensor;

      if (!has (group->outputs, tensor))
        g_ptr_array_add (group->outputs, tensor);
    }
  for (guint i = 0; i < group->inputs->len; i++)
    g_string_append_printf (out, " T%d", HIR_VAL (group->inputs->pdata[i])->name);
  g_string_append (out, " ->");
  for (guint i = 0; i < group->outputs->len; i++)
    g_string_append_printf (out, " T%d", HIR_VAL (group->outputs->pdata[i])->name);
  g_string_append_c (out, '\n');
}

static gboolean
is_available (Ref *ref, const Group *group, GHashTable *available)
{
  for (guint i = 0; i < group->producers->len; i++)
    {
      if (!g_hash_table_contains (available, ((Edge *) group->producers->pdata[i])->tensor))
        return FALSE;
    }
  return TRUE;
}

static void
print_in_run_order (Ref *ref, GString *out)
{
  g_autoptr (GHashTable) available = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) done = g_ptr_array_new ();

  for (guint i = 0; i < ref->fusion->inputs.len; i++)
    g_hash_table_add (available, ref->fusion->inputs.items[i]);
  while (done->len < ref->list->len)
    {
      guint before = done->len;

      for (guint i = 0; i < ref->list->len; i++)
        {
          Group *group = ref->list->pdata[i];

          if (has (done, group) || !is_available (ref, group, available))
            continue;
          g_ptr_array_add (done, group);
          print_group (ref, group, out);
          for (guint k = 0; k < group->outputs->len; k++)
            g_hash_table_add (available, group->outputs->pdata[k]);
        }
      g_assert_cmpuint (done->len, >, before);
    }
}

char *
reference_segment (HirContainer *fusion)
{
  Ref ref = { .fusion = fusion };
  GString *out = g_string_new (NULL);

  ref.all = g_ptr_array_new_with_free_func (group_free);
  ref.edges = g_ptr_array_new_with_free_func (g_free);
  ref.list = g_ptr_array_new ();
  ref.exprs = hir_fusion_dup_exprs (fusion);
  ref.chain_exprs = g_ptr_array_new ();
  ref.chain_ends = g_ptr_array_new ();
  ref.giver = g_hash_table_new (NULL, NULL);

  follow_chains (&ref);
  make_groups (&ref);
  while (run_round (&ref))
    continue;
  while (merge_one (&ref))
    continue;
  for (guint i = 0; i < ref.chain_ends->len; i++)
    return_chain (&ref, ref.chain_ends->pdata[i]);
  print_in_run_order (&ref, out);

  g_ptr_array_unref (ref.all);
  g_ptr_array_unref (ref.edges);
  g_ptr_array_unref (ref.list);
  g_ptr_array_unref (ref.exprs);
  g_ptr_array_unref (ref.chain_exprs);
  g_ptr_array_unref (ref.chain_ends);
  g_hash_table_unref (ref.giver);
  return g_string_free (out, FALSE);
}
