#include "segment/segment-graph.h"

/* Returns TRUE if the user cancelled; checked once per round. */
static gboolean
is_cancelled (HirGroupGraph *graph)
{
  return graph->cancellable != NULL && g_cancellable_is_cancelled (graph->cancellable);
}

/* Returns TRUE if @group can be merged at all. */
static gboolean
may_merge (const HirGroup *group)
{
  return !group->standalone && !group->is_input;
}

static void
visit_level (HirGroup *group, GQueue *ready, guint *rank)
{
  group->rank = (*rank)++;
  for (HirGroupEdge *edge = group->first_consumer; edge != NULL; edge = edge->from_next)
    {
      HirGroup *consumer = edge->to;

      consumer->level = MAX (consumer->level, group->level + 1);
      if (--consumer->pending == 0)
        g_queue_push_tail (ready, consumer);
    }
}

/* Computes levels (longest path from the inputs) and ranks (topological order), and clears the
 * state of the previous round. */
static void
reset_levels (HirGroupGraph *graph)
{
  g_auto (GQueue) ready = G_QUEUE_INIT;
  HirGroup *group;
  guint rank = 0;

  for (guint i = 0; i < graph->list->len; i++)
    {
      group = graph->list->pdata[i];
      group->level = 0;
      group->paired = FALSE;
      group->paired_near = 0;
      group->pending = 0;
      for (HirGroupEdge *edge = group->first_producer; edge != NULL; edge = edge->to_next)
        group->pending++;
      if (group->pending == 0)
        g_queue_push_tail (&ready, group);
    }
  for (guint i = 0; i < graph->input_groups->len; i++)
    visit_level (graph->input_groups->pdata[i], &ready, &rank);
  while ((group = g_queue_pop_head (&ready)) != NULL)
    visit_level (group, &ready, &rank);
}

static void
note_paired_level (HirGroup *group, guint level)
{
  int away = (int) level - (int) group->level;

  if (away >= -2 && away <= 2)
    group->paired_near |= (guint8) (1 << (away + 2));
}

/* Returns TRUE if a paired neighbor of @group, or its partner, is within one level of @level.
 * @level itself is within one level of the group's. */
static gboolean
has_paired_near (const HirGroup *group, guint level)
{
  for (int around = -1; around <= 1; around++)
    {
      int away = (int) level + around - (int) group->level;

      if (away >= -2 && away <= 2 && (group->paired_near & (1 << (away + 2))) != 0)
        return TRUE;
    }
  return FALSE;
}

static void
notify_neighbors (HirGroup *group, HirGroup *partner)
{
  HirGroupEdge *edge;

  for (edge = group->first_producer; edge != NULL; edge = edge->to_next)
    {
      if (edge->value->is_output)
        continue;
      note_paired_level (edge->from, group->level);
      note_paired_level (edge->from, partner->level);
    }
  for (edge = group->first_consumer; edge != NULL; edge = edge->from_next)
    {
      if (edge->value->is_output)
        continue;
      note_paired_level (edge->to, group->level);
      note_paired_level (edge->to, partner->level);
    }
}

/* Returns TRUE if a tensor that @from produces and @to reads keeps the two apart. */
static gboolean
has_border (const HirGroup *from, const HirGroup *to)
{
  for (HirGroupEdge *edge = from->first_consumer; edge != NULL; edge = edge->from_next)
    {
      if (edge->to == to && edge->value->is_border)
        return TRUE;
    }
  return FALSE;
}

static gboolean
can_pair (const HirGroup *group, const HirGroup *other)
{
  int apart = (int) group->level - (int) other->level;

  return may_merge (other) && !has_border (group, other) && !has_border (other, group) &&
         !other->paired && apart >= -1 && apart <= 1 && !has_paired_near (other, other->level) &&
         !has_paired_near (other, group->level);
}

/* Returns the first neighbor that @group can pair with, searching producers, then consumers. */
static HirGroup *
find_partner (HirGroup *group)
{
  HirGroupEdge *edge;

  if (has_paired_near (group, group->level))
    return NULL;
  for (edge = group->first_producer; edge != NULL; edge = edge->to_next)
    {
      if (!edge->value->is_output && can_pair (group, edge->from))
        return edge->from;
    }
  for (edge = group->first_consumer; edge != NULL; edge = edge->from_next)
    {
      if (!edge->value->is_output && can_pair (group, edge->to))
        return edge->to;
    }
  return NULL;
}

gboolean
hir_segment_merge_by_level (HirGroupGraph *graph)
{
  g_autoptr (GPtrArray) pairs = g_ptr_array_new ();

  for (;;)
    {
      if (is_cancelled (graph))
        return FALSE;
      reset_levels (graph);
      g_ptr_array_set_size (pairs, 0);
      for (guint i = 0; i < graph->list->len; i++)
        {
          HirGroup *group = graph->list->pdata[i];
          HirGroup *partner = may_merge (group) && !group->paired ? find_partner (group) : NULL;

          if (partner == NULL)
            continue;
          group->paired = partner->paired = TRUE;
          notify_neighbors (group, partner);
          notify_neighbors (partner, group);
          g_ptr_array_add (pairs, group);
          g_ptr_array_add (pairs, partner);
        }
      if (pairs->len == 0)
        return TRUE;
      for (guint i = 0; i < pairs->len; i += 2)
        hir_group_merge (graph, pairs->pdata[i], pairs->pdata[i + 1]);
      hir_group_graph_drop_dead (graph);
    }
}

/* Searches backward from @consumer through groups ranked above @producer. Returns FALSE if another
 * consumer of @producer leads to @consumer. @between receives the visited groups. */
static gboolean
is_only_path (HirGroupGraph *graph, HirGroup *producer, HirGroup *consumer, GPtrArray *between)
{
  guint mark = ++graph->mark;
  HirGroup *at = consumer;

  g_ptr_array_set_size (between, 0);
  consumer->mark = mark;
  for (guint next = 0;; at = between->pdata[next++])
    {
      for (HirGroupEdge *edge = at->first_producer; edge != NULL; edge = edge->to_next)
        {
          HirGroup *from = edge->from;

          if (from == producer && at != consumer)
            return FALSE;
          if (from->rank > producer->rank && from->mark != mark)
            {
              from->mark = mark;
              g_ptr_array_add (between, from);
            }
        }
      if (next == between->len)
        return TRUE;
    }
}

/* Collects the groups reachable from @producer that rank below @consumer. */
static void
collect_after (HirGroupGraph *graph, HirGroup *producer, HirGroup *consumer, GPtrArray *after)
{
  guint mark = ++graph->mark;
  HirGroup *at = producer;

  g_ptr_array_set_size (after, 0);
  for (guint next = 0;; at = after->pdata[next++])
    {
      for (HirGroupEdge *edge = at->first_consumer; edge != NULL; edge = edge->from_next)
        {
          HirGroup *to = edge->to;

          if (to->rank < consumer->rank && to->mark != mark)
            {
              to->mark = mark;
              g_ptr_array_add (after, to);
            }
        }
      if (next == after->len)
        return;
    }
}

static int
compare_ranks (gconstpointer a, gconstpointer b)
{
  const HirGroup *x = *(HirGroup *const *) a;
  const HirGroup *y = *(HirGroup *const *) b;

  return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int
compare_uints (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;

  return x < y ? -1 : x > y;
}

/* Merges and keeps the ranks topological by reranking only the groups between the two (Pearce and
 * Kelly 2006: dynamic topological order): predecessors of the consumer, then the new group, then
 * successors of the producer. */
static void
merge_and_rank (HirGroupGraph *graph, HirGroup *producer, HirGroup *consumer, GPtrArray *before)
{
  g_autoptr (GPtrArray) after = g_ptr_array_new ();
  g_autoptr (GArray) ranks = g_array_new (FALSE, FALSE, sizeof (guint));
  HirGroup *group;
  guint place = 0;

  collect_after (graph, producer, consumer, after);
  g_ptr_array_sort (before, compare_ranks);
  g_ptr_array_sort (after, compare_ranks);
  for (guint i = 0; i < before->len; i++)
    g_array_append_val (ranks, ((HirGroup *) before->pdata[i])->rank);
  for (guint i = 0; i < after->len; i++)
    g_array_append_val (ranks, ((HirGroup *) after->pdata[i])->rank);
  g_array_append_val (ranks, producer->rank);
  g_array_append_val (ranks, consumer->rank);
  g_array_sort (ranks, compare_uints);

  group = hir_group_merge (graph, producer, consumer);
  for (guint i = 0; i < before->len; i++)
    ((HirGroup *) before->pdata[i])->rank = g_array_index (ranks, guint, place++);
  group->rank = g_array_index (ranks, guint, place++);
  for (guint i = 0; i < after->len; i++)
    ((HirGroup *) after->pdata[i])->rank = g_array_index (ranks, guint, place++);
}

/* Returns the first consumer that can merge with @producer without creating a cycle, that is, one
 * not reachable through another consumer. */
static HirGroup *
find_consumer (HirGroupGraph *graph, HirGroup *producer, GPtrArray *between)
{
  for (HirGroupEdge *edge = producer->first_consumer; edge != NULL; edge = edge->from_next)
    {
      if (may_merge (edge->to) && !has_border (producer, edge->to) &&
          is_only_path (graph, producer, edge->to, between))
        return edge->to;
    }
  return NULL;
}

/* One scan over the list, which grows at its end, is equivalent to nvFuser's restarts after each
 * pair. A producer without a mergeable consumer never gets one: each candidate is reachable through
 * another consumer, and thus eventually through a standalone group. Standalone groups never merge,
 * and merging others only adds paths. */
gboolean
hir_segment_merge_finally (HirGroupGraph *graph)
{
  g_autoptr (GPtrArray) between = g_ptr_array_new ();

  reset_levels (graph);
  for (guint i = 0; i < graph->list->len; i++)
    {
      HirGroup *producer = graph->list->pdata[i];
      HirGroup *consumer;

      if ((i & 255) == 0 && is_cancelled (graph))
        return FALSE;
      if (producer->dead || !may_merge (producer))
        continue;
      consumer = find_consumer (graph, producer, between);
      if (consumer != NULL)
        merge_and_rank (graph, producer, consumer, between);
    }
  hir_group_graph_drop_dead (graph);
  return TRUE;
}
