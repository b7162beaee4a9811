#include "debug-breaks.h"

#include <string.h>

static void
break_free (gpointer data)
{
  HirDebugStateBreak *item = data;

  g_free (item->text);
  g_array_unref (item->ids);
  g_free (item);
}

GPtrArray *
hir_debug_breaks_new (void)
{
  return g_ptr_array_new_with_free_func (break_free);
}

void
hir_debug_breaks_add (GPtrArray *breaks, const char *text, guint64 id, gboolean is_watch)
{
  HirDebugStateBreak *item = g_new0 (HirDebugStateBreak, 1);
  const HirDebugStateBreak *last = breaks->len > 0 ? breaks->pdata[breaks->len - 1] : NULL;

  item->number = last != NULL ? last->number + 1 : 1;
  item->text = g_strdup (text);
  item->is_watch = is_watch;
  item->ids = g_array_new (FALSE, FALSE, sizeof (guint64));
  if (id != 0)
    g_array_append_val (item->ids, id);
  g_ptr_array_add (breaks, item);
}

void
hir_debug_breaks_take (GPtrArray *breaks, const HirDebugState *state)
{
  g_ptr_array_set_size (breaks, 0);
  for (guint i = 0; i < state->breakpoints->len; i++)
    {
      const HirDebugStateBreak *from = state->breakpoints->pdata[i];
      HirDebugStateBreak *item;

      if (from->is_temporary)
        continue;
      item = g_memdup2 (from, sizeof *from);
      item->text = g_strdup (from->text);
      item->ids = g_array_copy (from->ids);
      g_ptr_array_add (breaks, item);
    }
}

/* A number, and nothing behind it. */
static gboolean
is_plain (const char *text)
{
  return g_ascii_isdigit (*text) && text[strspn (text, "0123456789")] == '\0';
}

guint
hir_debug_breaks_find (GPtrArray *breaks, guint64 id)
{
  for (guint i = 0; i < breaks->len; i++)
    {
      const HirDebugStateBreak *item = breaks->pdata[i];

      if (!item->is_watch && is_plain (item->text) && item->ids->len > 0 &&
          g_array_index (item->ids, guint64, 0) == id)
        return item->number;
    }
  return 0;
}

gboolean
hir_debug_breaks_remove (GPtrArray *breaks, guint number)
{
  for (guint i = 0; i < breaks->len; i++)
    if (((const HirDebugStateBreak *) breaks->pdata[i])->number == number)
      {
        g_ptr_array_remove_index (breaks, i);
        return TRUE;
      }
  return FALSE;
}

GArray *
hir_debug_breaks_dup_ids (GPtrArray *breaks)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint64));

  for (guint i = 0; i < breaks->len; i++)
    {
      const HirDebugStateBreak *item = breaks->pdata[i];

      if (item->ids->len > 0)
        g_array_append_vals (ids, item->ids->data, item->ids->len);
    }
  return ids;
}

guint
hir_debug_breaks_get_number (HirProgram *program, guint64 id)
{
  HirContainer *host = program != NULL ? hir_program_get_host (program) : NULL;
  g_autoptr (GPtrArray) numbers = host != NULL ? hir_instruction_numbers (host) : NULL;

  return numbers != NULL && id != 0 ? hir_instruction_find (numbers, id) : 0;
}

guint
hir_debug_breaks_renumber (GPtrArray *breaks, HirProgram *program)
{
  guint n_gone = 0;

  for (guint i = breaks->len; i-- > 0;)
    {
      HirDebugStateBreak *item = breaks->pdata[i];
      guint number;
      char *text;

      if (!g_ascii_isdigit (*item->text) || item->ids->len == 0)
        continue;
      number = hir_debug_breaks_get_number (program, g_array_index (item->ids, guint64, 0));
      if (number == 0)
        {
          g_ptr_array_remove_index (breaks, i);
          n_gone++;
          continue;
        }
      text = g_strdup_printf ("%u%s", number, item->text + strspn (item->text, "0123456789"));
      g_free (item->text);
      item->text = text;
    }
  return n_gone;
}
