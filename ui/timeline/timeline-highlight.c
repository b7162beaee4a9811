/* Highlighted bars of the timeline: those of the selected node, and the two events of an
 * unordered pair. */
#include "timeline/timeline-private.h"

#include "config.h"
#include "selection/instances.h"

#define MIN_PAIR_WIDTH 12.0 /* pixels; a narrower pair is zoomed in */

/* All events of the selected node's counterparts in the last snapshot are highlighted; for an op in
 * a HostUnit, those of the HostUnit. If the node belongs to a pair whose own event was found, only
 * that event is highlighted. */
GHashTable *
hir_timeline_dup_related (HirTimelineView *self)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  GHashTable *related = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  guint64 node = hir_selection_get_node (self->selection), pair[2];
  g_autoptr (GArray) ids = NULL;

  if (program == NULL || program->views->len == 0 || node == 0)
    return related;
  (void) hir_selection_get_pair (self->selection, &pair[0], &pair[1]);
  for (guint i = 0; i < 2; i++)
    if (node == pair[i] && self->pair.has[i])
      return related;
  ids = hir_instances_dup_instructions (self->selection);
  for (guint i = 0; i < ids->len; i++)
    g_hash_table_add (related, g_memdup2 (&g_array_index (ids, guint64, i), sizeof (guint64)));
  return related;
}

void
hir_timeline_find_pair (HirTimelineView *self)
{
  const HirTraceInstance *instances = hir_selection_get_pair_instances (self->selection);

  self->pair = (HirTimelinePair){ 0 };
  self->has_pair = instances != NULL && self->trace != NULL;
  if (self->has_pair)
    (void) hir_timeline_pair_find (&self->pair, self->trace, instances);
}

/* Makes both events visible, and wide enough to be distinguished. */
static void
reveal_pair (HirTimelineView *self)
{
  gint64 first_ns = G_MAXINT64, last_ns = G_MININT64;
  double plot = gtk_widget_get_width (GTK_WIDGET (self)) - self->header_width;
  double length = (double) (self->end_ns - self->start_ns);

  for (guint i = 2; i-- > 0;)
    {
      const HirEventRef *at = &self->pair.at[i];
      const HirTimelineRow *row;
      gint64 start_ns, end_ns;

      if (!self->pair.has[i])
        continue;
      hir_trace_get_interval (self->trace, at->track, at->index, &start_ns, &end_ns);
      first_ns = MIN (first_ns, start_ns);
      last_ns = MAX (last_ns, end_ns);
      row = hir_timeline_rows_get_track (self->rows, at->track);
      if (row != NULL)
        hir_timeline_scroll_to_row (self, row);
    }
  if (last_ns < first_ns)
    return;
  if (first_ns < self->start_ns || last_ns > self->end_ns ||
      (double) (last_ns - first_ns) / length * plot < MIN_PAIR_WIDTH)
    hir_timeline_set_range (self, (double) first_ns - (double) (last_ns - first_ns) - 1,
                            (double) last_ns + (double) (last_ns - first_ns) + 1);
}

void
hir_timeline_on_pair (HirTimelineView *self)
{
  hir_timeline_find_pair (self);
  if (self->has_pair)
    reveal_pair (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

#if HIR_TESTING
GHashTable *
hir_timeline_view_dup_related (HirTimelineView *self)
{
  return hir_timeline_dup_related (self);
}

const HirTimelinePair *
hir_timeline_view_get_pair (HirTimelineView *self)
{
  return self->has_pair ? &self->pair : NULL;
}
#endif
