#include "debugger/debug-watches.h"

struct _HirDebugWatches
{
  GPtrArray *items; /* HirWatch* */
  GArray *removed;  /* guint: displays that the program still has to delete */
};

static void
clear_value (HirWatch *watch)
{
  g_clear_pointer (&watch->value, g_free);
  g_clear_pointer (&watch->detail, g_free);
  watch->is_error = watch->is_changed = FALSE;
  watch->number = 0;
}

static void
watch_free (gpointer data)
{
  HirWatch *watch = data;

  clear_value (watch);
  g_free (watch->text);
  g_free (watch);
}

HirDebugWatches *
hir_debug_watches_new (void)
{
  HirDebugWatches *watches = g_new0 (HirDebugWatches, 1);

  watches->items = g_ptr_array_new_with_free_func (watch_free);
  watches->removed = g_array_new (FALSE, FALSE, sizeof (guint));
  return watches;
}

void
hir_debug_watches_free (HirDebugWatches *watches)
{
  g_ptr_array_unref (watches->items);
  g_array_unref (watches->removed);
  g_free (watches);
}

const GPtrArray *
hir_debug_watches_get (const HirDebugWatches *watches)
{
  return watches->items;
}

static HirWatch *
lookup (HirDebugWatches *watches, const char *text)
{
  for (guint i = 0; i < watches->items->len; i++)
    if (g_str_equal (((HirWatch *) watches->items->pdata[i])->text, text))
      return watches->items->pdata[i];
  return NULL;
}

const HirWatch *
hir_debug_watches_add (HirDebugWatches *watches, const char *text)
{
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  HirWatch *watch;

  if (*stripped == '\0' || lookup (watches, stripped) != NULL)
    return NULL;
  watch = g_new0 (HirWatch, 1);
  watch->text = g_steal_pointer (&stripped);
  g_ptr_array_add (watches->items, watch);
  return watch;
}

guint
hir_debug_watches_remove (HirDebugWatches *watches, const char *text)
{
  HirWatch *watch = lookup (watches, text);
  guint number = watch != NULL ? watch->number : 0;

  if (number > 0)
    g_array_append_val (watches->removed, number);
  if (watch != NULL)
    g_ptr_array_remove (watches->items, watch);
  return number;
}

void
hir_debug_watches_clear (HirDebugWatches *watches)
{
  g_ptr_array_set_size (watches->items, 0);
  g_array_set_size (watches->removed, 0);
}

void
hir_debug_watches_reject (HirDebugWatches *watches, const char *text, const char *why)
{
  HirWatch *watch = lookup (watches, text);

  if (watch == NULL)
    return;
  clear_value (watch);
  watch->value = g_strdup (why);
  watch->is_error = TRUE;
}

static gboolean
is_removed (const HirDebugWatches *watches, guint number)
{
  for (guint i = 0; i < watches->removed->len; i++)
    if (g_array_index (watches->removed, guint, i) == number)
      return TRUE;
  return FALSE;
}

static void
take_value (HirWatch *watch, const HirDebugStateDisplay *display, gboolean has_moved)
{
  if (has_moved)
    watch->is_changed = watch->number == display->number && watch->value != NULL &&
                        (watch->digest != display->digest || watch->is_error != display->is_error ||
                         !g_str_equal (watch->value, display->value));
  watch->number = display->number;
  g_free (watch->value);
  g_free (watch->detail);
  watch->value = g_strdup (display->value);
  watch->detail = g_strdup (display->detail);
  watch->digest = display->digest;
  watch->is_error = display->is_error;
}

static gboolean
has_display (const HirDebugState *state, guint number)
{
  for (guint i = 0; i < state->displays->len; i++)
    if (((const HirDebugStateDisplay *) state->displays->pdata[i])->number == number)
      return TRUE;
  return FALSE;
}

void
hir_debug_watches_take (HirDebugWatches *watches, const HirDebugState *state, gboolean has_moved)
{
  for (guint i = watches->items->len; i-- > 0;)
    {
      const HirWatch *watch = watches->items->pdata[i];

      if (watch->number > 0 && !has_display (state, watch->number))
        g_ptr_array_remove_index (watches->items, i);
    }
  for (guint i = 0; i < state->displays->len; i++)
    {
      const HirDebugStateDisplay *display = state->displays->pdata[i];

      if (is_removed (watches, display->number))
        continue;
      (void) hir_debug_watches_add (watches, display->text);
      take_value (lookup (watches, display->text), display, has_moved);
    }
}

void
hir_debug_watches_end (HirDebugWatches *watches)
{
  g_array_set_size (watches->removed, 0);
  for (guint i = 0; i < watches->items->len; i++)
    clear_value (watches->items->pdata[i]);
}
