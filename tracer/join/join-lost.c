/* Finds the calls that a trace lacks by their correlations: a recorder that numbers its calls one
 * by one leaves a gap for each of them. */
#include "join/join-private.h"

#define DENSE 0.75 /* least share of numbers that follow directly on another */

GArray *
hir_join_list_lost (const GArray *numbers)
{
  GArray *lost;
  guint n = 0, n_direct = 0;
  guint64 n_lost = 0;

  for (guint i = 1; i < numbers->len; i++)
    {
      guint32 apart = g_array_index (numbers, guint32, i) - g_array_index (numbers, guint32, i - 1);

      n += apart > 0;
      n_direct += apart == 1;
      n_lost += apart > 0 ? apart - 1 : 0;
    }
  if (n == 0 || (double) n_direct < DENSE * n || n_lost > n)
    return NULL;
  lost = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 1; i < numbers->len; i++)
    for (guint32 k = g_array_index (numbers, guint32, i - 1) + 1;
         k < g_array_index (numbers, guint32, i); k++)
      g_array_append_val (lost, k);
  return lost;
}
