/* Two instances without the required order, stored with the selection so that all views can show
 * them. */
#include "selection/selection.h"

#define KEY "hir-pair"

typedef struct
{
  HirTraceInstance instances[2];
} Pair;

static void
pair_free (gpointer data)
{
  Pair *pair = data;

  for (guint i = 0; pair != NULL && i < 2; i++)
    hir_trace_instance_clear (&pair->instances[i]);
  g_free (pair);
}

static gboolean
is_set (HirSelection *self, const HirTraceInstance *first, const HirTraceInstance *second)
{
  const HirTraceInstance *now = hir_selection_get_pair_instances (self);

  if (now == NULL || first == NULL)
    return now == NULL && first == NULL;
  return hir_trace_instance_equal (&now[0], first) && hir_trace_instance_equal (&now[1], second);
}

void
hir_selection_set_pair (HirSelection *self,
                        const HirTraceInstance *first,
                        const HirTraceInstance *second)
{
  Pair *pair = NULL;

  g_return_if_fail ((first == NULL) == (second == NULL));

  if (is_set (self, first, second))
    return;
  if (first != NULL)
    {
      pair = g_new0 (Pair, 1);
      hir_trace_instance_set (&pair->instances[0], first);
      hir_trace_instance_set (&pair->instances[1], second);
    }
  g_object_set_data_full (G_OBJECT (self), KEY, pair, pair_free);
  g_signal_emit_by_name (self, "pair-changed");
}

const HirTraceInstance *
hir_selection_get_pair_instances (HirSelection *self)
{
  const Pair *pair = g_object_get_data (G_OBJECT (self), KEY);

  return pair != NULL ? pair->instances : NULL;
}

gboolean
hir_selection_get_pair (HirSelection *self, guint64 *first, guint64 *second)
{
  const HirTraceInstance *now = hir_selection_get_pair_instances (self);

  *first = now != NULL ? now[0].instruction : 0;
  *second = now != NULL ? now[1].instruction : 0;
  return *first != 0 || *second != 0;
}
