#include "draw/text-cache.h"

#include <pango/pangocairo.h>
#include <string.h>

/* About the number of texts in a window. The cache is emptied at this size. */
#define MAX_LAYOUTS 6000

typedef struct
{
  guint32 font;
  gint32 size;  /* Pango units */
  gint32 width; /* Pango units; -1 if unlimited */
  PangoLayout *layout;
  const char *text; /* owned by the layout, or the key of a lookup */
} Entry;

struct _HirTextCache
{
  PangoContext *context;
  GHashTable *entries; /* set of Entry */
  HirGlyphRows *rows;
};

static guint
hash_entry (gconstpointer data)
{
  const Entry *entry = data;

  return g_str_hash (entry->text) ^ (entry->font * 0x9e3779b9u) ^ ((guint) entry->size * 31u) ^
         ((guint) entry->width * 0x85ebca6bu);
}

static gboolean
equal_entries (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;

  return x->font == y->font && x->size == y->size && x->width == y->width &&
         strcmp (x->text, y->text) == 0;
}

static void
free_entry (gpointer data)
{
  Entry *entry = data;

  g_object_unref (entry->layout);
  g_free (entry);
}

HirTextCache *
hir_text_cache_new (void)
{
  HirTextCache *cache = g_new0 (HirTextCache, 1);

  cache->context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  hir_font_prepare_context (cache->context);
  cache->entries = g_hash_table_new_full (hash_entry, equal_entries, free_entry, NULL);
  cache->rows = hir_glyph_rows_new (cache->context);
  return cache;
}

void
hir_text_cache_free (HirTextCache *cache)
{
  if (cache == NULL)
    return;
  g_hash_table_unref (cache->entries);
  hir_glyph_rows_free (cache->rows);
  g_object_unref (cache->context);
  g_free (cache);
}

HirGlyphRows *
hir_text_cache_get_rows (HirTextCache *cache)
{
  return cache->rows;
}

static PangoLayout *
make_layout (HirTextCache *cache, const Entry *key, double size_px)
{
  PangoLayout *layout = pango_layout_new (cache->context);
  PangoFontDescription *font = hir_font_dup_description ((HirFont) key->font, size_px);

  hir_font_prepare_layout (layout);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_width (layout, key->width);
  pango_layout_set_ellipsize (layout, key->width >= 0 ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
  pango_layout_set_text (layout, key->text, -1);
  pango_font_description_free (font);
  return layout;
}

PangoLayout *
hir_text_cache_get (
    HirTextCache *cache, HirFont font, double size_px, double width, const char *text)
{
  Entry key = { font, (gint32) (size_px * PANGO_SCALE),
                width > 0 ? (gint32) (width * PANGO_SCALE) : -1, NULL, text };
  Entry *entry = g_hash_table_lookup (cache->entries, &key);

  if (entry != NULL)
    return entry->layout;
  if (g_hash_table_size (cache->entries) >= MAX_LAYOUTS)
    g_hash_table_remove_all (cache->entries);
  entry = g_memdup2 (&key, sizeof key);
  entry->layout = make_layout (cache, &key, size_px);
  entry->text = pango_layout_get_text (entry->layout);
  g_hash_table_add (cache->entries, entry);
  return entry->layout;
}
