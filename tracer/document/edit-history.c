/* A list of requests and an index of the current one. */
#include "document/edit-history.h"

#define MAX_ENTRIES 500

typedef struct
{
  HirRequest *request;
  char *what; /* the change that led to it; NULL for the first entry */
} Entry;

struct _HirEditHistory
{
  GPtrArray *entries; /* Entry* */
  guint current;
};

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  hir_request_unref (entry->request);
  g_free (entry->what);
  g_free (entry);
}

static void
append (HirEditHistory *history, HirRequest *request, const char *what)
{
  Entry *entry = g_new0 (Entry, 1);

  entry->request = hir_request_ref (request);
  entry->what = g_strdup (what);
  g_ptr_array_add (history->entries, entry);
  history->current = history->entries->len - 1;
}

static Entry *
entry_at (const HirEditHistory *history, guint i)
{
  return i < history->entries->len ? history->entries->pdata[i] : NULL;
}

HirEditHistory *
hir_edit_history_new (void)
{
  HirEditHistory *history = g_new0 (HirEditHistory, 1);

  history->entries = g_ptr_array_new_with_free_func (entry_free);
  return history;
}

void
hir_edit_history_free (HirEditHistory *history)
{
  g_ptr_array_unref (history->entries);
  g_free (history);
}

void
hir_edit_history_begin (HirEditHistory *history, HirRequest *request)
{
  g_ptr_array_set_size (history->entries, 0);
  history->current = 0;
  if (request != NULL)
    append (history, request, NULL);
}

void
hir_edit_history_add (HirEditHistory *history, HirRequest *request, const char *what)
{
  g_return_if_fail (history->entries->len > 0);

  g_ptr_array_set_size (history->entries, (int) history->current + 1);
  if (history->entries->len >= MAX_ENTRIES)
    g_ptr_array_remove_index (history->entries, 0);
  append (history, request, what);
}

void
hir_edit_history_replace (HirEditHistory *history, HirRequest *request)
{
  Entry *entry = entry_at (history, history->current);

  g_return_if_fail (entry != NULL);

  hir_request_ref (request);
  hir_request_unref (entry->request);
  entry->request = request;
}

HirRequest *
hir_edit_history_get (const HirEditHistory *history)
{
  Entry *entry = entry_at (history, history->current);

  return entry != NULL ? entry->request : NULL;
}

const char *
hir_edit_history_get_undo (const HirEditHistory *history)
{
  Entry *entry = entry_at (history, history->current);

  return history->current > 0 && entry != NULL ? entry->what : NULL;
}

const char *
hir_edit_history_get_redo (const HirEditHistory *history)
{
  Entry *entry = entry_at (history, history->current + 1);

  return entry != NULL ? entry->what : NULL;
}

HirRequest *
hir_edit_history_undo (HirEditHistory *history)
{
  if (history->current == 0 || history->entries->len == 0)
    return NULL;
  history->current--;
  return hir_edit_history_get (history);
}

HirRequest *
hir_edit_history_redo (HirEditHistory *history)
{
  if (history->current + 1 >= history->entries->len)
    return NULL;
  history->current++;
  return hir_edit_history_get (history);
}
