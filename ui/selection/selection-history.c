#include "selection/selection-history.h"

#define MAX_ENTRIES 100

/* An event, a line of the script, or a node. */
typedef struct
{
  gboolean is_event;
  guint track, index;
  gint64 start_ns; /* tells whether the event is still the same */
  guint64 node;
  guint step, line;
  int rank_program;
} Entry;

struct _HirSelectionHistory
{
  HirSelection *selection;
  GArray *entries;   /* Entry, the oldest first */
  int current;       /* index of the last entry that was selected; -1: none */
  gboolean is_going; /* the history selects: nothing is noted */
};

static gboolean
get_selected (HirSelection *selection, Entry *entry)
{
  HirTrace *trace = hir_selection_get_trace (selection);
  gint64 end_ns;

  *entry = (Entry){ 0 };
  if (trace != NULL && hir_selection_get_event (selection, &entry->track, &entry->index))
    {
      entry->is_event = TRUE;
      hir_trace_get_interval (trace, entry->track, entry->index, &entry->start_ns, &end_ns);
      return TRUE;
    }
  entry->node = hir_selection_get_node (selection);
  entry->step = hir_selection_get_step (selection);
  entry->line = hir_selection_get_line (selection);
  entry->rank_program = hir_selection_get_rank_program (selection);
  return entry->node != 0;
}

static gboolean
is_equal (const Entry *a, const Entry *b)
{
  if (a->is_event != b->is_event || a->line != b->line)
    return FALSE;
  if (a->line != 0)
    return TRUE;
  return a->is_event ? a->track == b->track && a->start_ns == b->start_ns && a->index == b->index
                     : a->node == b->node;
}

/* Notes a changed selection. A click can emit several signals; equal ones count once. */
static void
on_changed (HirSelectionHistory *self)
{
  Entry entry;

  if (self->is_going || !get_selected (self->selection, &entry))
    return;
  if (self->current >= 0 && is_equal (&g_array_index (self->entries, Entry, self->current), &entry))
    return;
  g_array_set_size (self->entries, (guint) (self->current + 1));
  if (self->entries->len == MAX_ENTRIES)
    g_array_remove_index (self->entries, 0);
  g_array_append_val (self->entries, entry);
  self->current = (int) self->entries->len - 1;
}

static gboolean
has_rank_program (HirSelection *selection, const Entry *entry)
{
  HirRankPrograms *ranks = hir_selection_get_ranks (selection);

  return entry->rank_program >= 0 && ranks != NULL &&
         (guint) entry->rank_program < ranks->programs->len;
}

/* Returns FALSE for an event of another trace, and for a node that the program no longer has. */
static gboolean
exists (HirSelection *selection, const Entry *entry)
{
  HirTrace *trace = hir_selection_get_trace (selection);
  HirProgram *program;
  gint64 start_ns, end_ns;

  if (entry->is_event)
    {
      if (trace == NULL || entry->track >= hir_trace_get_n_tracks (trace) ||
          entry->index >= hir_trace_get_track_n_events (trace, entry->track))
        return FALSE;
      hir_trace_get_interval (trace, entry->track, entry->index, &start_ns, &end_ns);
      return start_ns == entry->start_ns;
    }
  program =
      has_rank_program (selection, entry)
          ? hir_rank_programs_get (hir_selection_get_ranks (selection), (guint) entry->rank_program)
                ->program
          : hir_selection_get_program (selection);
  return program != NULL && entry->step < program->views->len &&
         (entry->line != 0 ||
          hir_program_view_lookup (program->views->pdata[entry->step], entry->node) != NULL);
}

/* Selects an entry. Returns FALSE if it no longer exists. */
static gboolean
select_entry (HirSelection *selection, const Entry *entry)
{
  if (!exists (selection, entry))
    return FALSE;
  if (entry->is_event)
    {
      hir_selection_set_event (selection, entry->track, entry->index);
      return TRUE;
    }
  if (has_rank_program (selection, entry))
    hir_selection_set_rank_program (selection, (guint) entry->rank_program);
  hir_selection_set_step (selection, entry->step);
  if (entry->line != 0)
    return hir_selection_set_line (selection, entry->line);
  hir_selection_set_node (selection, entry->node);
  return TRUE;
}

/* Selects the nearest entry that still exists. */
static gboolean
go (HirSelectionHistory *self, gboolean forward)
{
  Entry entry;

  /* After Escape, the last selection is the one before. */
  if (!forward && self->current >= 0 && !get_selected (self->selection, &entry) &&
      select_entry (self->selection, &g_array_index (self->entries, Entry, self->current)))
    return TRUE;
  for (int i = self->current + (forward ? 1 : -1); i >= 0 && i < (int) self->entries->len;
       i += forward ? 1 : -1)
    if (select_entry (self->selection, &g_array_index (self->entries, Entry, i)))
      {
        self->current = i;
        return TRUE;
      }
  return FALSE;
}

gboolean
hir_selection_history_can_go (HirSelectionHistory *self, gboolean forward)
{
  Entry entry;
  /* After Escape, the last selection is the one before. */
  int first = self->current + (forward ? 1 : get_selected (self->selection, &entry) ? -1 : 0);

  for (int i = first; i >= 0 && i < (int) self->entries->len; i += forward ? 1 : -1)
    if (exists (self->selection, &g_array_index (self->entries, Entry, i)))
      return TRUE;
  return FALSE;
}

gboolean
hir_selection_history_go (HirSelectionHistory *self, gboolean forward)
{
  gboolean is_done;

  self->is_going = TRUE;
  is_done = go (self, forward);
  self->is_going = FALSE;
  return is_done;
}

HirSelectionHistory *
hir_selection_history_new (HirSelection *selection)
{
  HirSelectionHistory *self = g_new0 (HirSelectionHistory, 1);

  self->selection = g_object_ref (selection);
  self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  self->current = -1;
  g_signal_connect_swapped (selection, "event-changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (selection, "node-changed", G_CALLBACK (on_changed), self);
  return self;
}

void
hir_selection_history_free (HirSelectionHistory *self)
{
  g_signal_handlers_disconnect_by_data (self->selection, self);
  g_object_unref (self->selection);
  g_array_unref (self->entries);
  g_free (self);
}
