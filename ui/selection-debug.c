/* Where a debugged program stands: kept beside the selection, for it is none. */
#include "selection.h"

#define KEY "hir-debug"

typedef struct
{
  guint64 pointer;
  GArray *breaks; /* guint64 */
} Debug;

static void
debug_free (gpointer data)
{
  Debug *debug = data;

  g_array_unref (debug->breaks);
  g_free (debug);
}

void
hir_selection_set_debug (HirSelection *self, guint64 pointer, const GArray *breaks)
{
  Debug *debug = g_new (Debug, 1);

  debug->pointer = pointer;
  debug->breaks = g_array_new (FALSE, FALSE, sizeof (guint64));
  if (breaks != NULL && breaks->len > 0)
    g_array_append_vals (debug->breaks, breaks->data, breaks->len);
  g_object_set_data_full (G_OBJECT (self), KEY, debug, debug_free);
  g_signal_emit_by_name (self, "debug-changed");
}

guint64
hir_selection_get_pointer (HirSelection *self)
{
  const Debug *debug = g_object_get_data (G_OBJECT (self), KEY);

  return debug != NULL ? debug->pointer : 0;
}

gboolean
hir_selection_has_break (HirSelection *self, guint64 id)
{
  const Debug *debug = g_object_get_data (G_OBJECT (self), KEY);

  for (guint i = 0; debug != NULL && id != 0 && i < debug->breaks->len; i++)
    if (g_array_index (debug->breaks, guint64, i) == id)
      return TRUE;
  return FALSE;
}
