/* Reads the state that another process has sent. */
#include "debugger/state.h"

static void
stream_free (gpointer data)
{
  HirDebugStateStream *stream = data;

  g_free (stream->name);
  g_free (stream->label);
  g_free (stream->waits_for);
  g_free (stream);
}

static void
buffer_free (gpointer data)
{
  HirDebugStateBuffer *buffer = data;

  g_array_unref (buffer->names);
  g_free (buffer);
}

static void
pending_free (gpointer data)
{
  HirDebugStatePending *pending = data;

  g_free (pending->label);
  g_free (pending);
}

static void
rank_free (gpointer data)
{
  HirDebugStateRank *rank = data;

  g_free (rank->place);
  g_ptr_array_unref (rank->streams);
  g_ptr_array_unref (rank->buffers);
  g_ptr_array_unref (rank->pending);
  g_free (rank);
}

static void
comm_free (gpointer data)
{
  HirDebugStateComm *comm = data;

  g_free (comm->where);
  g_array_unref (comm->posted);
  g_array_unref (comm->missing);
  g_free (comm);
}

static void
break_free (gpointer data)
{
  HirDebugStateBreak *breakpoint = data;

  g_free (breakpoint->text);
  g_array_unref (breakpoint->ids);
  g_free (breakpoint);
}

static void
display_free (gpointer data)
{
  HirDebugStateDisplay *display = data;

  g_free (display->text);
  g_free (display->value);
  g_free (display->detail);
  g_free (display);
}

void
hir_debug_state_free (HirDebugState *state)
{
  g_free (state->text);
  g_free (state->error);
  g_free (state->failure);
  g_ptr_array_unref (state->ranks);
  g_ptr_array_unref (state->comms);
  g_ptr_array_unref (state->breakpoints);
  g_ptr_array_unref (state->displays);
  g_free (state);
}

/* Returns the elements of a fixed-size array. Takes @variant. */
static GArray *
dup_array (GVariant *variant, gsize size)
{
  GArray *array = g_array_new (FALSE, FALSE, (guint) size);
  gsize n;
  gconstpointer data = g_variant_get_fixed_array (variant, &n, size);

  g_array_append_vals (array, data, (guint) n);
  g_variant_unref (variant);
  return array;
}

static GPtrArray *
read_streams (GVariantIter *iter)
{
  GPtrArray *streams = g_ptr_array_new_with_free_func (stream_free);
  HirDebugStateStream one = { 0 };
  guint8 doing;

  while (g_variant_iter_next (iter, "(sbysisu)", &one.name, &one.is_current, &doing, &one.label,
                              &one.iteration, &one.waits_for, &one.n_queued))
    {
      one.doing = MIN (doing, HIR_STREAM_HELD);
      g_ptr_array_add (streams, g_memdup2 (&one, sizeof one));
    }
  return streams;
}

static GPtrArray *
read_buffers (GVariantIter *iter)
{
  GPtrArray *buffers = g_ptr_array_new_with_free_func (buffer_free);
  HirDebugStateBuffer one = { 0 };
  GVariant *names;

  while (g_variant_iter_next (iter, "(tb@ai)", &one.size_bytes, &one.is_input, &names))
    {
      one.names = dup_array (names, sizeof (gint32));
      g_ptr_array_add (buffers, g_memdup2 (&one, sizeof one));
    }
  return buffers;
}

static GPtrArray *
read_pending (GVariantIter *iter)
{
  GPtrArray *pending = g_ptr_array_new_with_free_func (pending_free);
  HirDebugStatePending one = { 0 };

  while (g_variant_iter_next (iter, "(ts)", &one.instruction, &one.label))
    g_ptr_array_add (pending, g_memdup2 (&one, sizeof one));
  return pending;
}

static void
read_ranks (GVariantDict *dict, HirDebugState *state)
{
  g_autoptr (GVariantIter) iter = NULL;
  HirDebugStateRank one = { 0 };
  GVariantIter *streams, *buffers, *pending;

  if (!g_variant_dict_lookup (dict, "ranks", "a(ituiutsa(sbysisu)a(tbai)a(ts))", &iter))
    return;
  while (g_variant_iter_next (iter, "(ituiutsa(sbysisu)a(tbai)a(ts))", &one.rank, &one.instruction,
                              &one.number, &one.iteration, &one.depth, &one.n_steps, &one.place,
                              &streams, &buffers, &pending))
    {
      one.streams = read_streams (streams);
      one.buffers = read_buffers (buffers);
      one.pending = read_pending (pending);
      g_variant_iter_free (pending);
      g_variant_iter_free (streams);
      g_variant_iter_free (buffers);
      g_ptr_array_add (state->ranks, g_memdup2 (&one, sizeof one));
    }
}

static void
read_comms (GVariantDict *dict, HirDebugState *state)
{
  g_autoptr (GVariantIter) iter = NULL;
  HirDebugStateComm one = { 0 };
  GVariant *posted, *missing;

  if (!g_variant_dict_lookup (dict, "comms", "a(stbaxax)", &iter))
    return;
  while (g_variant_iter_next (iter, "(stb@ax@ax)", &one.where, &one.instruction, &one.is_waited_in,
                              &posted, &missing))
    {
      one.posted = dup_array (posted, sizeof (gint64));
      one.missing = dup_array (missing, sizeof (gint64));
      g_ptr_array_add (state->comms, g_memdup2 (&one, sizeof one));
    }
}

static void
read_breakpoints (GVariantDict *dict, HirDebugState *state)
{
  g_autoptr (GVariantIter) iter = NULL;
  HirDebugStateBreak one = { 0 };
  GVariant *ids;

  if (!g_variant_dict_lookup (dict, "breakpoints", "a(ubbbusat)", &iter))
    return;
  while (g_variant_iter_next (iter, "(ubbbus@at)", &one.number, &one.is_watch, &one.is_temporary,
                              &one.is_disabled, &one.n_hits, &one.text, &ids))
    {
      one.ids = dup_array (ids, sizeof (guint64));
      g_ptr_array_add (state->breakpoints, g_memdup2 (&one, sizeof one));
    }
}

static void
read_displays (GVariantDict *dict, HirDebugState *state)
{
  g_autoptr (GVariantIter) iter = NULL;
  HirDebugStateDisplay one = { 0 };

  if (!g_variant_dict_lookup (dict, "displays", "a(usssbt)", &iter))
    return;
  while (g_variant_iter_next (iter, "(usssbt)", &one.number, &one.text, &one.value, &one.detail,
                              &one.is_error, &one.digest))
    g_ptr_array_add (state->displays, g_memdup2 (&one, sizeof one));
}

HirDebugState *
hir_debug_state_new_from_variant (GVariant *variant)
{
  HirDebugState *state = g_new0 (HirDebugState, 1);
  GVariantDict dict;

  state->ranks = g_ptr_array_new_with_free_func (rank_free);
  state->comms = g_ptr_array_new_with_free_func (comm_free);
  state->breakpoints = g_ptr_array_new_with_free_func (break_free);
  state->displays = g_ptr_array_new_with_free_func (display_free);
  g_variant_dict_init (&dict, variant);
  if (!g_variant_dict_lookup (&dict, "text", "s", &state->text))
    state->text = g_strdup ("");
  g_variant_dict_lookup (&dict, "error", "s", &state->error);
  g_variant_dict_lookup (&dict, "column", "u", &state->column);
  g_variant_dict_lookup (&dict, "running", "b", &state->is_running);
  g_variant_dict_lookup (&dict, "over", "b", &state->is_over);
  if (!g_variant_dict_lookup (&dict, "failure", "s", &state->failure))
    state->failure = g_strdup ("");
  g_variant_dict_lookup (&dict, "alone", "b", &state->is_alone);
  g_variant_dict_lookup (&dict, "focus", "u", &state->focus);
  g_variant_dict_lookup (&dict, "round", "t", &state->round);
  read_ranks (&dict, state);
  read_comms (&dict, state);
  read_breakpoints (&dict, state);
  read_displays (&dict, state);
  g_variant_dict_clear (&dict);
  /* Callers index ranks with it. */
  if (state->focus >= state->ranks->len)
    state->focus = 0;
  state->is_running &= state->ranks->len > 0;
  return state;
}
