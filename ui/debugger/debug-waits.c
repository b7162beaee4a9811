#include "debugger/debug-waits.h"

#include <string.h>

static void
wait_free (gpointer data)
{
  HirDebugWait *wait = data;

  g_free (wait->waits);
  g_free (wait->awaited);
  g_free (wait);
}

static const HirDebugStateRank *
find_rank (const HirDebugState *state, gint64 number)
{
  for (guint i = 0; i < state->ranks->len; i++)
    if (((const HirDebugStateRank *) state->ranks->pdata[i])->rank == number)
      return state->ranks->pdata[i];
  return NULL;
}

static gboolean
is_wait (const HirDebugStateComm *comm)
{
  return comm->is_waited_in && comm->missing->len > 0 && comm->posted->len > 0;
}

static char *
dup_ranks (const GArray *ranks)
{
  GString *out = g_string_new (ranks->len == 1 ? "rank " : "ranks ");

  for (guint i = 0; i < ranks->len; i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                            g_array_index (ranks, gint64, i));
  return g_string_free (out, FALSE);
}

static const char *
get_position (const HirDebugState *state, const HirDebugStateComm *comm, guint i)
{
  const HirDebugStateRank *rank = find_rank (state, g_array_index (comm->missing, gint64, i));

  return rank != NULL ? rank->place : NULL;
}

/* Appends the awaited ranks. Ranks with the same position are listed together. */
static void
append_awaited (const HirDebugState *state, const HirDebugStateComm *comm, GString *out)
{
  for (guint first = 0, end; first < comm->missing->len; first = end)
    {
      const char *position = get_position (state, comm, first);
      gboolean is_one;

      for (end = first + 1; end < comm->missing->len; end++)
        if (g_strcmp0 (position, get_position (state, comm, end)) != 0)
          break;
      is_one = end == first + 1;
      g_string_append_printf (out, "%s rank%s", first > 0 ? ";" : "for", is_one ? "" : "s");
      for (guint i = first; i < end; i++)
        g_string_append_printf (out, "%s %" G_GINT64_FORMAT, i > first ? "," : "",
                                g_array_index (comm->missing, gint64, i));
      if (position != NULL)
        g_string_append_printf (out, ", stopped %s", position);
    }
}

static HirDebugWait *
wait_new (const HirDebugState *state, const HirDebugStateComm *comm)
{
  HirDebugWait *wait = g_new0 (HirDebugWait, 1);
  const char *end = strstr (comm->where, " on rank ");
  g_autofree char *where =
      g_strndup (comm->where, end != NULL ? (gsize) (end - comm->where) : strlen (comm->where));
  g_autofree char *waiting = dup_ranks (comm->posted);
  g_autoptr (GString) awaited = g_string_new (NULL);

  *waiting = 'R';
  wait->waits =
      g_strdup_printf ("%s %s in %s", waiting, comm->posted->len == 1 ? "waits" : "wait", where);
  wait->instruction = comm->instruction;
  wait->rank = (int) g_array_index (comm->missing, gint64, 0);
  append_awaited (state, comm, awaited);
  wait->awaited = g_strdup (awaited->str);
  return wait;
}

/* Returns whether @from waits for @to, directly or through other ranks. */
static gboolean
reaches (const HirDebugState *state, gint64 from, gint64 to, GHashTable *seen)
{
  if (!g_hash_table_add (seen, GSIZE_TO_POINTER ((gsize) from + 1)))
    return FALSE;
  for (guint i = 0; i < state->comms->len; i++)
    {
      const HirDebugStateComm *comm = state->comms->pdata[i];
      gboolean is_in = FALSE;

      for (guint k = 0; is_wait (comm) && k < comm->posted->len; k++)
        is_in |= g_array_index (comm->posted, gint64, k) == from;
      for (guint k = 0; is_in && k < comm->missing->len; k++)
        if (g_array_index (comm->missing, gint64, k) == to ||
            reaches (state, g_array_index (comm->missing, gint64, k), to, seen))
          return TRUE;
    }
  return FALSE;
}

static gboolean
has_circle (const HirDebugState *state)
{
  for (guint i = 0; i < state->ranks->len; i++)
    {
      g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
      int rank = ((const HirDebugStateRank *) state->ranks->pdata[i])->rank;

      if (reaches (state, rank, rank, seen))
        return TRUE;
    }
  return FALSE;
}

/* Returns whether one of the ranks has ended and will never post. */
static gboolean
has_ended (const HirDebugState *state, const GArray *ranks)
{
  for (guint i = 0; i < ranks->len; i++)
    {
      const HirDebugStateRank *rank = find_rank (state, g_array_index (ranks, gint64, i));

      if (rank != NULL && rank->instruction == 0 && strstr (rank->place, "end") != NULL)
        return TRUE;
    }
  return FALSE;
}

GPtrArray *
hir_debug_waits_new (const HirDebugState *state, char **title)
{
  GPtrArray *waits = g_ptr_array_new_with_free_func (wait_free);
  gboolean is_over = FALSE;

  for (guint i = 0; i < state->comms->len; i++)
    {
      const HirDebugStateComm *comm = state->comms->pdata[i];

      if (!is_wait (comm))
        continue;
      g_ptr_array_add (waits, wait_new (state, comm));
      is_over |= has_ended (state, comm->missing);
    }
  *title = g_strdup (waits->len == 0      ? ""
                     : has_circle (state) ? "Deadlock: ranks wait for each other"
                     : is_over            ? "Deadlock: a rank has ended while others wait for it"
                     : state->is_alone    ? "Other ranks wait for a rank that is held"
                                          : "Ranks wait for others that have not posted");
  return waits;
}
