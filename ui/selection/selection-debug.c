/* State of the debugger, stored with the selection so that all views can show it. */
#include "selection/selection.h"

#define KEY "hir-debug"

typedef struct
{
  guint64 pointer;
  GArray *breaks[2]; /* guint64: enabled, disabled */
} Debug;

static void
debug_free (gpointer data)
{
  Debug *debug = data;

  g_array_unref (debug->breaks[0]);
  g_array_unref (debug->breaks[1]);
  g_free (debug);
}

static GArray *
dup_ids (const GArray *from)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint64));

  if (from != NULL && from->len > 0)
    g_array_append_vals (ids, from->data, from->len);
  return ids;
}

void
hir_selection_set_debug (HirSelection *self,
                         guint64 pointer,
                         const GArray *breaks,
                         const GArray *disabled)
{
  Debug *debug = g_new (Debug, 1);

  debug->pointer = pointer;
  debug->breaks[0] = dup_ids (breaks);
  debug->breaks[1] = dup_ids (disabled);
  g_object_set_data_full (G_OBJECT (self), KEY, debug, debug_free);
  g_signal_emit_by_name (self, "debug-changed");
}

guint64
hir_selection_get_pointer (HirSelection *self)
{
  const Debug *debug = g_object_get_data (G_OBJECT (self), KEY);

  return debug != NULL ? debug->pointer : 0;
}

const GArray *
hir_selection_get_breaks (HirSelection *self, gboolean disabled)
{
  const Debug *debug = g_object_get_data (G_OBJECT (self), KEY);

  return debug != NULL ? debug->breaks[disabled ? 1 : 0] : NULL;
}

gboolean
hir_selection_has_break (HirSelection *self, guint64 id, gboolean disabled)
{
  const GArray *ids = hir_selection_get_breaks (self, disabled);

  for (guint i = 0; ids != NULL && id != 0 && i < ids->len; i++)
    if (g_array_index (ids, guint64, i) == id)
      return TRUE;
  return FALSE;
}

#define PLACES_KEY "hir-debug-places"

typedef struct
{
  GArray *places; /* HirDebugPlace */
  guint focus;
  gboolean is_behind;
} Places;

static void
places_free (gpointer data)
{
  g_array_unref (((Places *) data)->places);
  g_free (data);
}

void
hir_selection_set_debug_places (HirSelection *self,
                                const GArray *places,
                                guint focus,
                                gboolean is_behind)
{
  Places *copy = g_new (Places, 1);

  *copy = (Places){ g_array_copy ((GArray *) places), focus, is_behind };
  g_object_set_data_full (G_OBJECT (self), PLACES_KEY, copy, places_free);
}

gboolean
hir_selection_get_debug_place (HirSelection *self,
                               int rank,
                               HirDebugPlace *place,
                               gboolean *is_behind)
{
  const Places *places = g_object_get_data (G_OBJECT (self), PLACES_KEY);

  if (places == NULL || hir_selection_get_pointer (self) == 0)
    return FALSE;
  for (guint i = 0; i < places->places->len; i++)
    {
      const HirDebugPlace *one = &g_array_index (places->places, HirDebugPlace, i);

      if (rank < 0 ? i != places->focus : one->rank != rank)
        continue;
      *place = *one;
      *is_behind = places->is_behind;
      return TRUE;
    }
  return FALSE;
}
