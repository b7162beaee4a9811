/* Two instructions that should be ordered and are not: kept beside the selection, for it is none.
 */
#include "selection.h"

#define KEY "hir-pair"

typedef struct
{
  guint64 ids[2];
} Pair;

void
hir_selection_set_pair (HirSelection *self, guint64 first, guint64 second)
{
  guint64 before[2];
  Pair *pair;

  (void) hir_selection_get_pair (self, &before[0], &before[1]);
  if (before[0] == first && before[1] == second)
    return;
  pair = g_new (Pair, 1);
  pair->ids[0] = first;
  pair->ids[1] = second;
  g_object_set_data_full (G_OBJECT (self), KEY, pair, g_free);
  g_signal_emit_by_name (self, "pair-changed");
}

gboolean
hir_selection_get_pair (HirSelection *self, guint64 *first, guint64 *second)
{
  const Pair *pair = g_object_get_data (G_OBJECT (self), KEY);

  *first = pair != NULL ? pair->ids[0] : 0;
  *second = pair != NULL ? pair->ids[1] : 0;
  return *first != 0 || *second != 0;
}
