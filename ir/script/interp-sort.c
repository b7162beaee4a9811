/* Sorts lists. */
#include "script/interp.h"
#include "script/parse/lex.h"

/* Sorts @items by @keys with a stable merge sort. */
static gboolean
merge_sort (
    HirPy *py, HirPyValue *keys, HirPyValue *items, HirPyValue *spare, guint n, gboolean reverse)
{
  for (guint width = 1; width < n; width *= 2)
    for (guint low = 0; low + width < n; low += 2 * width)
      {
        guint middle = low + width, high = MIN (low + 2 * width, n), i = low, j = middle;

        for (guint k = low; k < high; k++)
          {
            gboolean right = i >= middle;

            if (!right && j < high)
              right = reverse ? hir_py_compare (py, HIR_TOKEN_LT, FALSE, keys[i], keys[j]).i != 0
                              : hir_py_compare (py, HIR_TOKEN_LT, FALSE, keys[j], keys[i]).i != 0;
            if (!hir_py_step (py, 1))
              return FALSE;
            spare[2 * k] = keys[right ? j : i];
            spare[2 * k + 1] = items[right ? j : i];
            if (right)
              j++;
            else
              i++;
          }
        for (guint k = low; k < high; k++)
          {
            keys[k] = spare[2 * k];
            items[k] = spare[2 * k + 1];
          }
      }
  return TRUE;
}

HirPyValue
hir_py_sort (HirPy *py, HirPyList *list, HirPyValue key, gboolean reverse)
{
  HirPyValue keys = hir_py_list (py, HIR_PY_LIST, list->n),
             spare = hir_py_list (py, HIR_PY_LIST, 2 * list->n);

  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  for (guint i = 0; i < list->n && py->signal == HIR_PY_GO; i++)
    {
      keys.list->items[i] = key.type == HIR_PY_NONE
                                ? list->items[i]
                                : hir_py_call_values (py, key, &list->items[i], 1);
      if (hir_py_is_opaque (keys.list->items[i]))
        hir_py_stop (py, "the order of a sort depends on %s, whose value is unknown",
                     keys.list->items[i].opaque->path);
    }
  if (py->signal == HIR_PY_GO)
    merge_sort (py, keys.list->items, list->items, spare.list->items, list->n, reverse);
  return hir_py_none ();
}
