#include "cuda/cupti/cupti-ids.h"

#define PAGE_IDS 4096u

typedef struct
{
  gint64 last_set_ns;
  guint64 ids[PAGE_IDS];
} Page;

struct _HirCuptiIds
{
  GHashTable *pages; /* correlation / PAGE_IDS -> Page */
  gint64 now_ns;
  guint last; /* number of last_page, a cache: correlation numbers are consecutive */
  Page *last_page;
};

HirCuptiIds *
hir_cupti_ids_new (gint64 now_ns)
{
  HirCuptiIds *self = g_new0 (HirCuptiIds, 1);

  self->now_ns = now_ns;
  self->pages = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return self;
}

void
hir_cupti_ids_free (HirCuptiIds *self)
{
  g_hash_table_unref (self->pages);
  g_free (self);
}

static Page *
lookup_page (HirCuptiIds *self, guint number)
{
  if (self->last_page == NULL || self->last != number)
    {
      self->last_page = g_hash_table_lookup (self->pages, GUINT_TO_POINTER (number));
      self->last = number;
    }
  return self->last_page;
}

void
hir_cupti_ids_set (HirCuptiIds *self, guint32 correlation, guint64 id)
{
  guint number = correlation / PAGE_IDS;
  Page *page = lookup_page (self, number);

  if (page == NULL)
    {
      page = g_new0 (Page, 1);
      g_hash_table_insert (self->pages, GUINT_TO_POINTER (number), page);
      self->last_page = page;
    }
  page->ids[correlation % PAGE_IDS] = id;
  page->last_set_ns = self->now_ns;
}

guint64
hir_cupti_ids_get (HirCuptiIds *self, guint32 correlation)
{
  Page *page = lookup_page (self, correlation / PAGE_IDS);

  return page != NULL ? page->ids[correlation % PAGE_IDS] : 0;
}

void
hir_cupti_ids_tick (HirCuptiIds *self, gint64 now_ns, gint64 before_ns)
{
  GHashTableIter iter;
  gpointer page;

  self->now_ns = now_ns;
  self->last_page = NULL;
  g_hash_table_iter_init (&iter, self->pages);
  while (g_hash_table_iter_next (&iter, NULL, &page))
    if (((Page *) page)->last_set_ns < before_ns)
      g_hash_table_iter_remove (&iter);
}
