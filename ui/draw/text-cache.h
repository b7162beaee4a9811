/* Shaped texts, kept between two paintings: shaping takes most of the time of a frame. One thread.
 */
#pragma once

#include "draw/glyph-row.h"

G_BEGIN_DECLS

typedef struct _HirTextCache HirTextCache;

HirTextCache *hir_text_cache_new (void);
void hir_text_cache_free (HirTextCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTextCache, hir_text_cache_free)

/* The rows of glyphs that most texts are; borrowed. Those that are not are got as below. */
HirGlyphRows *hir_text_cache_get_rows (HirTextCache *cache);

/* @text as one line, cut with an ellipsis at @width pixels (0: never). Borrowed, until the next
 * call. */
PangoLayout *hir_text_cache_get (
    HirTextCache *cache, HirFont font, double size_px, double width, const char *text);

G_END_DECLS
