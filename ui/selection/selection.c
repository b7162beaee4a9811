#include "selection/selection.h"

#include <string.h>

struct _HirSelection
{
  GObject parent_instance;

  HirProgram *program;
  HirRankPrograms *ranks; /* nullable */
  HirTrace *trace;
  char *advice; /* nullable */
  guint step;
  HirProgram *earlier;  /* nullable: the program before the last change */
  HirProgramView *base; /* nullable: the snapshot to compare with */
  char *base_name;

  guint64 node;
  guint node_step;     /* the step in which node was selected */
  guint line;          /* the selected line of the script; 0: a node was selected */
  GArray *no_ids;      /* always empty */
  GPtrArray *followed; /* per step: GArray of guint64, or NULL if not computed yet */
  GPtrArray *sets;     /* per step: the same ids as a GHashTable that borrows them, or NULL */

  gboolean has_event;
  guint event_track;
  guint event_index;
  gint64 event_start_ns; /* identifies the event after the trace has grown */

  gint64 range_start_ns, range_end_ns; /* equal if there is no range */
  GArray *tracks;                      /* nullable: set of selected tracks */
};

enum
{
  PROGRAM_CHANGED,
  RANKS_CHANGED,
  TRACE_CHANGED,
  STEP_CHANGED,
  BASE_CHANGED,
  NODE_CHANGED,
  EVENT_CHANGED,
  RANGE_CHANGED,
  PAIR_CHANGED,
  DEBUG_CHANGED,
  ADVICE_CHANGED,
  DRAWING_CHANGED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (HirSelection, hir_selection, G_TYPE_OBJECT)

static void
free_ids (gpointer ids)
{
  if (ids != NULL)
    g_array_unref (ids);
}

static void
free_set (gpointer set)
{
  if (set != NULL)
    g_hash_table_unref (set);
}

static void
hir_selection_finalize (GObject *object)
{
  HirSelection *self = HIR_SELECTION (object);

  g_clear_pointer (&self->program, hir_program_unref);
  g_clear_pointer (&self->earlier, hir_program_unref);
  g_clear_pointer (&self->base, hir_program_view_unref);
  g_free (self->base_name);
  g_free (self->advice);
  g_clear_pointer (&self->ranks, hir_rank_programs_unref);
  g_clear_pointer (&self->trace, hir_trace_unref);
  g_clear_pointer (&self->tracks, g_array_unref);
  g_array_unref (self->no_ids);
  g_ptr_array_unref (self->sets);
  g_ptr_array_unref (self->followed);
  G_OBJECT_CLASS (hir_selection_parent_class)->finalize (object);
}

static void
hir_selection_class_init (HirSelectionClass *klass)
{
  static const char *const names[N_SIGNALS] = {
    [PROGRAM_CHANGED] = "program-changed", [RANKS_CHANGED] = "ranks-changed",
    [TRACE_CHANGED] = "trace-changed",     [STEP_CHANGED] = "step-changed",
    [BASE_CHANGED] = "base-changed",       [NODE_CHANGED] = "node-changed",
    [EVENT_CHANGED] = "event-changed",     [RANGE_CHANGED] = "range-changed",
    [PAIR_CHANGED] = "pair-changed",       [DEBUG_CHANGED] = "debug-changed",
    [ADVICE_CHANGED] = "advice-changed",   [DRAWING_CHANGED] = "drawing-changed",
  };

  G_OBJECT_CLASS (klass)->finalize = hir_selection_finalize;
  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] = g_signal_new (names[i], HIR_TYPE_SELECTION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                               G_TYPE_NONE, 0);
}

static void
hir_selection_init (HirSelection *self)
{
  self->no_ids = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->followed = g_ptr_array_new_with_free_func (free_ids);
  self->sets = g_ptr_array_new_with_free_func (free_set);
}

HirSelection *
hir_selection_new (void)
{
  return g_object_new (HIR_TYPE_SELECTION, NULL);
}

static guint
n_steps (HirSelection *self)
{
  return self->program != NULL ? self->program->views->len : 0;
}

static HirProgramView *
view_at (HirSelection *self, guint step)
{
  return step < n_steps (self) ? self->program->views->pdata[step] : NULL;
}

/* Clears the counterparts of the node in other steps. They are computed on demand. */
static void
forget_followed (HirSelection *self)
{
  g_ptr_array_set_size (self->sets, 0);
  g_ptr_array_set_size (self->sets, (int) n_steps (self));
  g_ptr_array_set_size (self->followed, 0);
  g_ptr_array_set_size (self->followed, (int) n_steps (self));
}

static gboolean
is_same_script (const HirProgram *a, const HirProgram *b)
{
  return a != NULL && b != NULL && a->request != NULL && b->request != NULL &&
         g_str_equal (a->request->source->text, b->request->source->text);
}

static gboolean
is_same_function (const HirProgram *a, const HirProgram *b)
{
  return a != NULL && b != NULL && a->request != NULL && b->request != NULL &&
         g_strcmp0 (a->request->function, b->request->function) == 0 &&
         g_strcmp0 (a->request->source->path, b->request->source->path) == 0;
}

/* Replaces a base of the old program by the step with the same name of @program. A base of another
 * program is kept only if the function stays the same. */
static void
renew_base (HirSelection *self, HirProgram *program)
{
  gboolean is_own =
      self->program != NULL && g_ptr_array_find (self->program->views, self->base, NULL);
  int step = -1;

  if (self->base == NULL || (!is_own && is_same_function (self->program, program)))
    return;
  if (is_own && is_same_function (self->program, program))
    step = hir_program_find_view (program, self->base->pass_name);
  g_clear_pointer (&self->base, hir_program_view_unref);
  g_clear_pointer (&self->base_name, g_free);
  if (step >= 0)
    self->base = hir_program_view_ref (program->views->pdata[step]);
}

/* Finds the selected node in @program, otherwise one of its origins. All ranks and
 * both pipelines have the same fusion, so that an origin almost always exists. */
static guint64
find_in_program (HirSelection *self, const HirProgram *program, guint *step)
{
  if (self->node == 0)
    return 0;
  for (*step = MIN (self->node_step + 1, program->views->len); (*step)-- > 0;)
    {
      GArray *ids = hir_selection_get_nodes_at (self, *step);

      for (guint i = 0; i < ids->len; i++)
        {
          guint64 id = g_array_index (ids, guint64, i);

          if (hir_program_view_lookup (program->views->pdata[*step], id) != NULL)
            return id;
        }
    }
  return 0;
}

static gboolean
is_other_pipeline (const HirProgram *a, const HirProgram *b)
{
  return is_same_function (a, b) && a->request->pipeline != b->request->pipeline;
}

/* Returns the step of the same pass, or of the last earlier pass that is enabled. The host program
 * of another pipeline is its last step. */
static guint
find_step (HirSelection *self, const HirProgram *program)
{
  int step = -1;

  if (is_other_pipeline (self->program, program) && view_at (self, self->step) != NULL &&
      view_at (self, self->step)->is_host)
    return program->views->len > 0 ? program->views->len - 1 : 0;
  for (guint i = MIN (self->step + 1, n_steps (self)); program != NULL && step < 0 && i-- > 0;)
    step = hir_program_find_view (program, view_at (self, i)->pass_name);
  return step >= 0 ? (guint) step : 0;
}

/* Does not emit signals. */
static void
replace_program (HirSelection *self, HirProgram *program)
{
  guint step = find_step (self, program);

  renew_base (self, program);
  if (!is_same_script (self->program, program))
    self->line = 0;
  if (program != NULL)
    hir_program_ref (program);
  g_clear_pointer (&self->program, hir_program_unref);
  self->program = program;
  self->step = step;
  /* Ids stay the same when the program is lowered again. */
  if (self->node_step >= n_steps (self) ||
      hir_program_view_lookup (view_at (self, self->node_step), self->node) == NULL)
    self->node = 0;
  forget_followed (self);
}

/* Finds the instruction that corresponds to the selected one if @program is of the other
 * pipeline, otherwise what find_in_program() finds. */
static guint64
find_related (HirSelection *self, const HirProgram *program, guint *step)
{
  g_autoptr (HirOpTable) ops = NULL;
  guint64 id = 0;

  if (self->node != 0 && self->node_step + 1 == n_steps (self))
    ops = hir_program_dup_ops (self->program, program);
  if (ops != NULL)
    id = hir_op_table_find_counterpart (ops, 0, self->node);
  *step = program->views->len - 1;
  return id != 0 ? id : find_in_program (self, program, step);
}

/* Like replace_program(), for a program of the same fusion: keeps the node, or selects the related
 * instruction or an origin. */
static void
replace_related (HirSelection *self, HirProgram *program)
{
  guint step = 0;
  guint64 node = find_related (self, program, &step);

  replace_program (self, program);
  self->node = node;
  self->node_step = step;
  forget_followed (self);
}

static void
emit_replaced (HirSelection *self)
{
  g_signal_emit (self, signals[PROGRAM_CHANGED], 0);
  g_signal_emit (self, signals[STEP_CHANGED], 0);
  g_signal_emit (self, signals[NODE_CHANGED], 0);
  g_signal_emit (self, signals[EVENT_CHANGED], 0);
}

void
hir_selection_set_program (HirSelection *self, HirProgram *program)
{
  gboolean had_ranks = self->ranks != NULL;

  if (program != self->program)
    {
      g_clear_pointer (&self->earlier, hir_program_unref);
      if (is_same_function (self->program, program))
        self->earlier = hir_program_ref (self->program);
    }
  if (is_other_pipeline (self->program, program))
    replace_related (self, program);
  else
    replace_program (self, program);
  self->has_event = FALSE;
  g_clear_pointer (&self->ranks, hir_rank_programs_unref);
  hir_selection_clear_range (self);
  hir_selection_set_pair (self, NULL, NULL);
  emit_replaced (self);
  if (had_ranks)
    g_signal_emit (self, signals[RANKS_CHANGED], 0);
}

void
hir_selection_set_ranks (HirSelection *self, HirRankPrograms *ranks)
{
  if (ranks != NULL)
    hir_rank_programs_ref (ranks);
  g_clear_pointer (&self->ranks, hir_rank_programs_unref);
  self->ranks = ranks;
  g_signal_emit (self, signals[RANKS_CHANGED], 0);
}

HirRankPrograms *
hir_selection_get_ranks (HirSelection *self)
{
  return self->ranks;
}

/* Returns FALSE if entry @i is already displayed. */
static gboolean
show_rank_program (HirSelection *self, guint i)
{
  HirProgram *program = hir_rank_programs_get (self->ranks, i)->program;

  if (program == self->program)
    return FALSE;
  replace_related (self, program);
  return TRUE;
}

/* Deselects an event of a rank that runs another program. */
static void
drop_foreign_event (HirSelection *self)
{
  int rank;

  if (!self->has_event || self->trace == NULL)
    return;
  rank = hir_trace_get_track (self->trace, self->event_track)->rank;
  if (hir_rank_programs_find (self->ranks, rank) != hir_selection_get_rank_program (self))
    self->has_event = FALSE;
}

void
hir_selection_set_rank_program (HirSelection *self, guint i)
{
  g_return_if_fail (self->ranks != NULL && i < self->ranks->programs->len);

  if (!show_rank_program (self, i))
    return;
  drop_foreign_event (self);
  emit_replaced (self);
}

int
hir_selection_get_rank_program (HirSelection *self)
{
  return self->ranks != NULL ? hir_rank_programs_find_program (self->ranks, self->program) : -1;
}

int
hir_selection_get_rank (HirSelection *self)
{
  int i = hir_selection_get_rank_program (self);

  if (self->has_event && self->trace != NULL)
    return hir_trace_get_track (self->trace, self->event_track)->rank;
  if (self->program != NULL && self->program->request != NULL && self->program->request->rank >= 0)
    return (int) self->program->request->rank;
  return i >= 0 ? g_array_index (hir_rank_programs_get (self->ranks, (guint) i)->ranks, int, 0) : 0;
}

HirProgram *
hir_selection_get_program (HirSelection *self)
{
  return self->program;
}

/* Finds the selected event in @trace, which extends the previous trace. */
static gboolean
find_event (HirSelection *self, HirTrace *trace)
{
  guint i;

  if (!self->has_event || trace == NULL || self->event_track >= hir_trace_get_n_tracks (trace))
    return FALSE;
  for (i = self->event_index; i < hir_trace_get_track_n_events (trace, self->event_track); i++)
    {
      gint64 start_ns, end_ns;

      hir_trace_get_interval (trace, self->event_track, i, &start_ns, &end_ns);
      if (start_ns == self->event_start_ns)
        {
          self->event_index = i;
          return TRUE;
        }
    }
  return FALSE;
}

/* Returns whether @trace has the selected tracks at the same indexes. */
static gboolean
find_tracks (HirSelection *self, HirTrace *trace)
{
  for (guint i = 0; self->tracks != NULL && i < self->tracks->len; i++)
    {
      guint track = g_array_index (self->tracks, guint, i);
      const HirTrack *a = hir_trace_get_track (self->trace, track), *b;

      if (trace == NULL || track >= hir_trace_get_n_tracks (trace))
        return FALSE;
      b = hir_trace_get_track (trace, track);
      if (a->rank != b->rank || !g_str_equal (a->name, b->name))
        return FALSE;
    }
  return TRUE;
}

void
hir_selection_set_trace (HirSelection *self, HirTrace *trace)
{
  gboolean had_event = self->has_event, has_tracks;

  if (trace == self->trace)
    return;
  if (trace != NULL)
    hir_trace_ref (trace);
  self->has_event = find_event (self, trace);
  has_tracks = find_tracks (self, trace);
  g_clear_pointer (&self->trace, hir_trace_unref);
  self->trace = trace;
  if (!has_tracks)
    hir_selection_set_tracks (self, NULL);
  if (trace == NULL)
    hir_selection_set_range (self, 0, 0);
  g_signal_emit (self, signals[TRACE_CHANGED], 0);
  if (had_event)
    g_signal_emit (self, signals[EVENT_CHANGED], 0);
}

void
hir_selection_set_advice (HirSelection *self, const char *advice)
{
  if (g_strcmp0 (self->advice, advice) == 0)
    return;
  g_free (self->advice);
  self->advice = g_strdup (advice);
  g_signal_emit (self, signals[ADVICE_CHANGED], 0);
}

const char *
hir_selection_get_advice (HirSelection *self)
{
  return self->advice != NULL ? self->advice : "No recording";
}

HirTrace *
hir_selection_get_trace (HirSelection *self)
{
  return self->trace;
}

void
hir_selection_set_step (HirSelection *self, guint step)
{
  if (n_steps (self) == 0)
    return;

  step = MIN (step, n_steps (self) - 1);
  if (step == self->step)
    return;
  self->step = step;
  g_signal_emit (self, signals[STEP_CHANGED], 0);
  g_signal_emit (self, signals[NODE_CHANGED], 0);
}

guint
hir_selection_get_step (HirSelection *self)
{
  return self->step;
}

HirProgramView *
hir_selection_get_view (HirSelection *self)
{
  return view_at (self, self->step);
}

HirProgramView *
hir_selection_get_previous_view (HirSelection *self)
{
  return self->step > 0 ? view_at (self, self->step - 1) : NULL;
}

void
hir_selection_set_base (HirSelection *self, HirProgramView *base, const char *name)
{
  if (base == self->base)
    return;
  g_clear_pointer (&self->base, hir_program_view_unref);
  g_free (self->base_name);
  self->base = base != NULL ? hir_program_view_ref (base) : NULL;
  self->base_name = base != NULL ? g_strdup (name) : NULL;
  g_signal_emit (self, signals[BASE_CHANGED], 0);
}

HirProgramView *
hir_selection_get_base (HirSelection *self)
{
  return self->base;
}

const char *
hir_selection_get_base_name (HirSelection *self)
{
  HirProgramView *base = self->base != NULL ? self->base : hir_selection_get_previous_view (self);

  if (self->base_name != NULL)
    return self->base_name;
  return base != NULL ? base->pass_name : NULL;
}

HirProgram *
hir_selection_get_earlier_program (HirSelection *self)
{
  return self->earlier;
}

static void
put_node (HirSelection *self, guint step, guint64 id)
{
  self->node = id;
  self->node_step = step;
  self->line = 0;
  forget_followed (self);
}

static void
select_node (HirSelection *self, guint step, guint64 id)
{
  put_node (self, step, id);
  g_signal_emit (self, signals[NODE_CHANGED], 0);
}

static gboolean
has_instruction (HirSelection *self, guint64 id)
{
  return n_steps (self) > 0 && hir_selection_has_node_at (self, n_steps (self) - 1, id);
}

/* Deselects an event of another node, and any event if a line is selected, which is more than one
 * event. */
static void
drop_other_event (HirSelection *self)
{
  HirEvent event;

  if (!self->has_event || self->trace == NULL)
    return;
  hir_trace_get_event (self->trace, self->event_track, self->event_index, &event);
  if (self->line != 0 || !has_instruction (self, event.instruction))
    {
      self->has_event = FALSE;
      g_signal_emit (self, signals[EVENT_CHANGED], 0);
    }
}

void
hir_selection_set_node (HirSelection *self, guint64 id)
{
  if (id == self->node && self->node_step == self->step && self->line == 0)
    return;

  select_node (self, self->step, id);
  drop_other_event (self);
}

gboolean
hir_selection_set_line (HirSelection *self, guint line)
{
  g_autoptr (GPtrArray) caused = line > 0 && n_steps (self) > 0
                                     ? hir_program_views_follow_line (self->program->views, line)
                                     : NULL;
  guint step = self->step;

  if (caused == NULL)
    return FALSE;
  if (((GArray *) caused->pdata[step])->len == 0)
    for (step = 0; step < caused->len && ((GArray *) caused->pdata[step])->len == 0;)
      step++;
  if (step == caused->len)
    return FALSE;
  put_node (self, step, g_array_index ((GArray *) caused->pdata[step], guint64, 0));
  self->line = line;
  for (guint i = 0; i < caused->len; i++)
    self->followed->pdata[i] = g_array_ref (caused->pdata[i]);
  g_signal_emit (self, signals[NODE_CHANGED], 0);
  drop_other_event (self);
  return TRUE;
}

guint
hir_selection_get_line (HirSelection *self)
{
  return self->node != 0 ? self->line : 0;
}

guint64
hir_selection_get_node (HirSelection *self)
{
  return self->node;
}

GArray *
hir_selection_get_nodes_at (HirSelection *self, guint step)
{
  GArray *ids;

  if (self->node == 0 || step >= self->followed->len)
    return self->no_ids;

  ids = self->followed->pdata[step];
  if (ids == NULL && self->line != 0)
    {
      g_autoptr (GPtrArray) caused =
          hir_program_views_follow_line (self->program->views, self->line);

      for (guint i = 0; i < caused->len; i++)
        self->followed->pdata[i] = g_array_ref (caused->pdata[i]);
      ids = self->followed->pdata[step];
    }
  if (ids == NULL)
    {
      ids = hir_program_views_follow (self->program->views, self->node_step, step, self->node);
      self->followed->pdata[step] = ids;
    }
  return ids;
}

gboolean
hir_selection_has_node_at (HirSelection *self, guint step, guint64 id)
{
  GHashTable *set;
  GArray *ids;

  if (self->node == 0 || id == 0 || step >= n_steps (self))
    return FALSE;
  ids = hir_selection_get_nodes_at (self, step);
  set = self->sets->pdata[step];
  if (set == NULL)
    {
      set = g_hash_table_new (g_int64_hash, g_int64_equal);
      for (guint i = 0; i < ids->len; i++)
        g_hash_table_add (set, &g_array_index (ids, guint64, i));
      self->sets->pdata[step] = set;
    }
  return g_hash_table_contains (set, &id);
}

HirPos
hir_selection_get_script_pos (HirSelection *self)
{
  HirPos none = { 0, 0 };
  const HirNodeInfo *info;

  if (self->node == 0 || self->node_step >= n_steps (self))
    return none;
  if (self->line != 0)
    return (HirPos){ self->line, 0 };
  info = hir_program_view_lookup (view_at (self, self->node_step), self->node);
  return info != NULL ? info->pos : none;
}

void
hir_selection_set_event (HirSelection *self, guint track, guint index)
{
  HirEvent event;

  gboolean replaced = FALSE;
  int rank;

  g_return_if_fail (self->trace != NULL);

  hir_trace_get_event (self->trace, track, index, &event);
  self->has_event = TRUE;
  self->event_track = track;
  self->event_index = index;
  self->event_start_ns = event.start_ns;
  rank = hir_trace_get_track (self->trace, track)->rank;
  if (event.instruction != 0 && self->ranks != NULL &&
      hir_rank_programs_find (self->ranks, rank) >= 0)
    replaced = show_rank_program (self, (guint) hir_rank_programs_find (self->ranks, rank));
  /* Instructions are nodes of the last snapshot. Other steps show their origins. */
  if (event.instruction != 0 && n_steps (self) > 0)
    put_node (self, n_steps (self) - 1, event.instruction);
  else
    put_node (self, self->step, 0);
  if (replaced)
    {
      emit_replaced (self);
      return;
    }
  g_signal_emit (self, signals[NODE_CHANGED], 0);
  g_signal_emit (self, signals[EVENT_CHANGED], 0);
}

gboolean
hir_selection_get_event (HirSelection *self, guint *track, guint *index)
{
  if (!self->has_event || self->trace == NULL)
    return FALSE;
  *track = self->event_track;
  *index = self->event_index;
  return TRUE;
}

void
hir_selection_clear (HirSelection *self)
{
  hir_selection_set_pair (self, NULL, NULL);
  self->has_event = FALSE;
  select_node (self, self->step, 0);
  g_signal_emit (self, signals[EVENT_CHANGED], 0);
}

void
hir_selection_set_range (HirSelection *self, gint64 start_ns, gint64 end_ns)
{
  gint64 first_ns = start_ns == end_ns ? 0 : MIN (start_ns, end_ns);
  gint64 last_ns = start_ns == end_ns ? 0 : MAX (start_ns, end_ns);

  if (first_ns == self->range_start_ns && last_ns == self->range_end_ns)
    return;
  self->range_start_ns = first_ns;
  self->range_end_ns = last_ns;
  g_signal_emit (self, signals[RANGE_CHANGED], 0);
}

gboolean
hir_selection_get_range (HirSelection *self, gint64 *start_ns, gint64 *end_ns)
{
  *start_ns = self->range_start_ns;
  *end_ns = self->range_end_ns;
  return self->range_end_ns > self->range_start_ns;
}

void
hir_selection_set_tracks (HirSelection *self, GArray *tracks)
{
  if (tracks != NULL && tracks->len == 0)
    tracks = NULL;
  if (tracks == self->tracks ||
      (tracks != NULL && self->tracks != NULL && tracks->len == self->tracks->len &&
       memcmp (tracks->data, self->tracks->data, tracks->len * sizeof (guint)) == 0))
    return;
  g_clear_pointer (&self->tracks, g_array_unref);
  self->tracks = tracks != NULL ? g_array_ref (tracks) : NULL;
  g_signal_emit (self, signals[RANGE_CHANGED], 0);
}

GArray *
hir_selection_get_tracks (HirSelection *self)
{
  return self->tracks;
}

void
hir_selection_clear_range (HirSelection *self)
{
  hir_selection_set_tracks (self, NULL);
  hir_selection_set_range (self, 0, 0);
}
