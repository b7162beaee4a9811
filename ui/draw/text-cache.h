/* Caches shaped texts between frames, because shaping takes most of the time of a frame. Use from
 * one thread. */
#pragma once

#include "draw/glyph-row.h"

G_BEGIN_DECLS

typedef struct _HirTextCache HirTextCache;

/* Creates an empty cache. */
HirTextCache *hir_text_cache_new (void);
/* Frees @cache. */
void hir_text_cache_free (HirTextCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTextCache, hir_text_cache_free)

/* Returns the glyph rows (borrowed), which suffice for most texts. */
HirGlyphRows *hir_text_cache_get_rows (HirTextCache *cache);

/* Returns the layout of @text as one line, with an ellipsis at @width pixels (0: no limit).
 * Borrowed until the next call. */
PangoLayout *hir_text_cache_get (
    HirTextCache *cache, HirFont font, double size_px, double width, const char *text);

G_END_DECLS
