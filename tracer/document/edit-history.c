/* A list of requests and an index of the current one. */
#include "document/edit-history.h"

#include "program/request-edit.h"

#define MAX_ENTRIES 500
#define MAX_BYTES ((gsize) 512 << 20) /* of the data of other changes */

typedef struct
{
  HirRequest *request; /* NULL if nothing can be edited */
  char *what;          /* the change that led to it; NULL for the first entry */
  HirEditFunc func;    /* nullable: the change is another one, which left the request as it was */
  gpointer data;
  GDestroyNotify free;
  gsize size_bytes;
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

  g_clear_pointer (&entry->request, hir_request_unref);
  if (entry->free != NULL)
    entry->free (entry->data);
  g_free (entry->what);
  g_free (entry);
}

static Entry *
append (HirEditHistory *history, HirRequest *request, const char *what)
{
  Entry *entry = g_new0 (Entry, 1);

  entry->request = request != NULL ? hir_request_ref (request) : NULL;
  entry->what = g_strdup (what);
  g_ptr_array_add (history->entries, entry);
  history->current = history->entries->len - 1;
  return entry;
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
  append (history, NULL, NULL);
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
  append (history, request, NULL);
}

static Entry *
add (HirEditHistory *history, HirRequest *request, const char *what)
{
  g_ptr_array_set_size (history->entries, (int) history->current + 1);
  if (history->entries->len >= MAX_ENTRIES)
    g_ptr_array_remove_index (history->entries, 0);
  return append (history, request, what);
}

void
hir_edit_history_add (HirEditHistory *history, HirRequest *request, const char *what)
{
  add (history, request, what);
}

/* The first entry stays: its change cannot be undone any more. */
static void
remove_at (HirEditHistory *history, guint i)
{
  g_ptr_array_remove_index (history->entries, i);
  history->current -= i <= history->current;
}

void
hir_edit_history_add_other (HirEditHistory *history,
                            const char *what,
                            HirEditFunc func,
                            gpointer data,
                            GDestroyNotify free,
                            gsize size_bytes)
{
  Entry *entry = add (history, hir_edit_history_get (history), what);
  gsize n_bytes = size_bytes;

  entry->func = func;
  entry->data = data;
  entry->free = free;
  entry->size_bytes = size_bytes;
  for (guint i = history->current; i-- > 1;)
    {
      gsize own = entry_at (history, i)->size_bytes;

      n_bytes += own;
      if (own > 0 && n_bytes > MAX_BYTES)
        remove_at (history, i);
    }
}

void
hir_edit_history_forget (HirEditHistory *history, gconstpointer data)
{
  for (guint i = history->entries->len; i-- > 1;)
    if (entry_at (history, i)->func != NULL && entry_at (history, i)->data == data)
      remove_at (history, i);
}

/* Other changes have the request of the entry before. */
static void
replace (HirEditHistory *history, HirRequest *before, HirRequest *request)
{
  for (guint i = 0; i < history->entries->len; i++)
    {
      Entry *entry = entry_at (history, i);

      if (entry->request != before)
        continue;
      hir_request_unref (entry->request);
      entry->request = hir_request_ref (request);
    }
}

void
hir_edit_history_replace (HirEditHistory *history, HirRequest *request)
{
  g_autoptr (HirRequest) before = hir_request_ref (hir_edit_history_get (history));

  replace (history, before, request);
}

void
hir_edit_history_rename (HirEditHistory *history, const char *path)
{
  g_autofree char *before = g_strdup (hir_edit_history_get (history)->source->path);

  for (guint i = 0; i < history->entries->len; i++)
    {
      g_autoptr (HirRequest) request = hir_request_ref (entry_at (history, i)->request);
      g_autoptr (HirRequest) renamed = NULL;

      if (!g_str_equal (request->source->path, before))
        continue;
      renamed = hir_request_with_text (request, path, request->source->text);
      replace (history, request, renamed);
    }
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

gboolean
hir_edit_history_undo (HirEditHistory *history, gpointer owner)
{
  const Entry *entry = entry_at (history, history->current);

  if (history->current == 0)
    return FALSE;
  history->current--;
  if (entry->func != NULL)
    entry->func (owner, entry->data, TRUE);
  return TRUE;
}

gboolean
hir_edit_history_redo (HirEditHistory *history, gpointer owner)
{
  const Entry *entry = entry_at (history, history->current + 1);

  if (entry == NULL)
    return FALSE;
  history->current++;
  if (entry->func != NULL)
    entry->func (owner, entry->data, FALSE);
  return TRUE;
}
