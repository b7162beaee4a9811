#include "segment/segment-graph.h"

gboolean
hir_group_is_segmenter_set (const HirExpr *expr)
{
  return expr != NULL && expr->kind == HIR_EXPR_SET && expr->u.set.kind == HIR_SET_SEGMENTER;
}

void
hir_group_list_push (HirGroupGraph *graph, HirGroupList *list, gpointer data)
{
  HirGroupItem *item = hir_arena_new0 (graph->arena, HirGroupItem);

  item->data = data;
  if (list->last != NULL)
    list->last->next = item;
  else
    list->first = item;
  list->last = item;
}

static void
list_join (HirGroupList *list, HirGroupList *tail)
{
  if (tail->first == NULL)
    return;
  if (list->last != NULL)
    list->last->next = tail->first;
  else
    list->first = tail->first;
  list->last = tail->last;
}

HirGroup *
hir_group_new (HirGroupGraph *graph)
{
  HirGroup *group = hir_arena_new0 (graph->arena, HirGroup);

  group->position = graph->next_position++;
  g_ptr_array_add (graph->list, group);
  return group;
}

static void
append_to_consumers (HirGroupEdge *edge, HirGroup *from)
{
  edge->from = from;
  edge->from_prev = from->last_consumer;
  edge->from_next = NULL;
  if (from->last_consumer != NULL)
    from->last_consumer->from_next = edge;
  else
    from->first_consumer = edge;
  from->last_consumer = edge;
}

static void
append_to_producers (HirGroupEdge *edge, HirGroup *to)
{
  edge->to = to;
  edge->to_prev = to->last_producer;
  edge->to_next = NULL;
  if (to->last_producer != NULL)
    to->last_producer->to_next = edge;
  else
    to->first_producer = edge;
  to->last_producer = edge;
}

static void
remove_from_consumers (HirGroupEdge *edge)
{
  HirGroup *from = edge->from;

  if (edge->from_prev != NULL)
    edge->from_prev->from_next = edge->from_next;
  else
    from->first_consumer = edge->from_next;
  if (edge->from_next != NULL)
    edge->from_next->from_prev = edge->from_prev;
  else
    from->last_consumer = edge->from_prev;
}

static void
remove_from_producers (HirGroupEdge *edge)
{
  HirGroup *to = edge->to;

  if (edge->to_prev != NULL)
    edge->to_prev->to_next = edge->to_next;
  else
    to->first_producer = edge->to_next;
  if (edge->to_next != NULL)
    edge->to_next->to_prev = edge->to_prev;
  else
    to->last_producer = edge->to_prev;
}

HirGroupEdge *
hir_group_edge_new (HirGroupGraph *graph, HirGroup *from, HirGroup *to, HirGroupValue *value)
{
  HirGroupEdge *edge = hir_arena_new0 (graph->arena, HirGroupEdge);

  edge->value = value;
  append_to_consumers (edge, from);
  append_to_producers (edge, to);
  return edge;
}

void
hir_group_edge_set_from (HirGroupEdge *edge, HirGroup *from)
{
  remove_from_consumers (edge);
  append_to_consumers (edge, from);
}

static void
edge_drop (HirGroupEdge *edge)
{
  remove_from_consumers (edge);
  remove_from_producers (edge);
}

/* Removes the edges between @a and @b, and the edges of @a whose tensor @b also reads: the merged
 * group reads it once. */
static void
drop_inner_edges (HirGroupGraph *graph, HirGroup *a, HirGroup *b)
{
  guint mark = ++graph->mark;
  HirGroupEdge *edge, *next;

  for (edge = b->first_producer; edge != NULL; edge = next)
    {
      next = edge->to_next;
      if (edge->from == a)
        edge_drop (edge);
    }
  for (edge = a->first_producer; edge != NULL; edge = next)
    {
      next = edge->to_next;
      if (edge->from == b)
        edge_drop (edge);
    }
  for (edge = b->first_producer; edge != NULL; edge = edge->to_next)
    edge->value->mark = mark;
  for (edge = a->first_producer; edge != NULL; edge = next)
    {
      next = edge->to_next;
      if (edge->value->mark == mark)
        edge_drop (edge);
    }
}

/* Moves the incoming edges of @from to @to. Each also moves to the end of its producer's list. */
static void
take_producers (HirGroup *to, HirGroup *from)
{
  HirGroupEdge *edge, *next;

  for (edge = from->first_producer; edge != NULL; edge = next)
    {
      next = edge->to_next;
      append_to_producers (edge, to);
      if (edge->from_next != NULL)
        {
          remove_from_consumers (edge);
          append_to_consumers (edge, edge->from);
        }
    }
  from->first_producer = from->last_producer = NULL;
}

static void
take_consumers (HirGroup *to, HirGroup *from)
{
  HirGroupEdge *edge, *next;

  for (edge = from->first_consumer; edge != NULL; edge = next)
    {
      next = edge->from_next;
      append_to_consumers (edge, to);
      if (edge->to_next != NULL)
        {
          remove_from_producers (edge);
          append_to_producers (edge, edge->to);
        }
    }
  from->first_consumer = from->last_consumer = NULL;
}

HirGroup *
hir_group_merge (HirGroupGraph *graph, HirGroup *a, HirGroup *b)
{
  HirGroup *group = hir_group_new (graph);

  drop_inner_edges (graph, a, b);
  list_join (&group->exprs, &a->exprs);
  list_join (&group->exprs, &b->exprs);
  list_join (&group->inputs, &a->inputs);
  list_join (&group->inputs, &b->inputs);
  list_join (&group->outputs, &a->outputs);
  list_join (&group->outputs, &b->outputs);
  take_producers (group, a);
  take_producers (group, b);
  take_consumers (group, a);
  take_consumers (group, b);
  group->standalone = a->standalone || b->standalone;
  a->dead = b->dead = TRUE;
  return group;
}

void
hir_group_graph_drop_dead (HirGroupGraph *graph)
{
  guint kept = 0;

  for (guint i = 0; i < graph->list->len; i++)
    {
      HirGroup *group = graph->list->pdata[i];

      if (!group->dead)
        graph->list->pdata[kept++] = group;
    }
  g_ptr_array_set_size (graph->list, (int) kept);
}
