#include "draw/glyph-row.h"

#include <pango/pangocairo.h>
#include <string.h>

#define MAX_GLYPHS 128 /* different glyphs of a font, at most 254 */
#define MAX_FONTS 24   /* number of fonts and sizes; a zoom creates many */
#define NOT_SEEN 0
#define NOT_PLAIN 255
#define ELLIPSIS 0x2026
#define KERN_NOT_SEEN G_MININT32
#define KERN_NONE (G_MININT32 + 1) /* the pair is not drawn as two separate glyphs */

typedef struct
{
  PangoGlyph glyph;
  int width; /* Pango units */
  gunichar c;
  gint32 *kern; /* kerning with each possible next glyph; NULL if none was requested yet */
} Glyph;

typedef struct
{
  HirFont font;
  gint32 size; /* Pango units */
  PangoFontDescription *description;
  PangoFont *pango_font; /* the font of all its glyphs; NULL if there are none yet */
  int height, baseline;  /* Pango units */
  guint8 latin[256];     /* index in glyphs, plus 1 */
  guint n_glyphs;
  Glyph glyphs[MAX_GLYPHS];
} Font;

struct _HirGlyphRows
{
  PangoLayout *layout;
  Font *fonts[MAX_FONTS]; /* most recently used first */
  cairo_glyph_t glyphs[HIR_TEXT_MAX + 2];
  const Glyph *row[HIR_TEXT_MAX + 2];
  int x[HIR_TEXT_MAX + 2]; /* start of each glyph, and the end */
};

static void
free_font (gpointer data)
{
  Font *font = data;

  if (font == NULL)
    return;
  for (guint i = 0; i < font->n_glyphs; i++)
    g_free (font->glyphs[i].kern);
  g_clear_object (&font->pango_font);
  pango_font_description_free (font->description);
  g_free (font);
}

HirGlyphRows *
hir_glyph_rows_new (PangoContext *context)
{
  HirGlyphRows *rows = g_new0 (HirGlyphRows, 1);

  rows->layout = pango_layout_new (context);
  hir_font_prepare_layout (rows->layout);
  pango_layout_set_single_paragraph_mode (rows->layout, TRUE);
  return rows;
}

void
hir_glyph_rows_free (HirGlyphRows *rows)
{
  if (rows == NULL)
    return;
  for (guint i = 0; i < MAX_FONTS; i++)
    free_font (rows->fonts[i]);
  g_object_unref (rows->layout);
  g_free (rows);
}

/* Shapes @text with Pango. Returns NULL unless the result is one run of @n unshifted glyphs. */
static const PangoGlyphItem *
shape (HirGlyphRows *rows, const Font *font, const char *text, int n)
{
  PangoLayoutLine *line;
  const PangoGlyphItem *run;

  pango_layout_set_font_description (rows->layout, font->description);
  pango_layout_set_text (rows->layout, text, -1);
  line = pango_layout_get_line_readonly (rows->layout, 0);
  if (line == NULL || line->runs == NULL || line->runs->next != NULL)
    return NULL;
  run = line->runs->data;
  if (run->glyphs->num_glyphs != n || run->item->analysis.level % 2 != 0)
    return NULL;
  for (int i = 0; i < n; i++)
    {
      const PangoGlyphInfo *info = &run->glyphs->glyphs[i];

      if ((info->glyph & PANGO_GLYPH_UNKNOWN_FLAG) != 0 || info->glyph == PANGO_GLYPH_EMPTY ||
          info->geometry.x_offset != 0 || info->geometry.y_offset != 0 ||
          run->glyphs->log_clusters[i] != (int) (g_utf8_offset_to_pointer (text, i) - text))
        return NULL;
    }
  return run;
}

static Font *
new_font (HirGlyphRows *rows, HirFont which, double size_px)
{
  Font *font = g_new0 (Font, 1);
  PangoRectangle logical;
  const PangoGlyphItem *run;

  font->font = which;
  font->size = (gint32) (size_px * PANGO_SCALE);
  font->description = hir_font_dup_description (which, size_px);
  run = shape (rows, font, "x", 1);
  if (run == NULL)
    return font;
  font->pango_font = g_object_ref (run->item->analysis.font);
  pango_layout_get_extents (rows->layout, NULL, &logical);
  font->height = logical.height;
  font->baseline = pango_layout_get_baseline (rows->layout);
  return font;
}

static Font *
get_font (HirGlyphRows *rows, HirFont which, double size_px)
{
  gint32 size = (gint32) (size_px * PANGO_SCALE);
  guint i = 0;
  Font *font;

  while (i < MAX_FONTS && rows->fonts[i] != NULL &&
         (rows->fonts[i]->font != which || rows->fonts[i]->size != size))
    i++;
  if (i == MAX_FONTS)
    free_font (rows->fonts[--i]);
  else if (rows->fonts[i] != NULL && i == 0)
    return rows->fonts[0];
  else if (rows->fonts[i] != NULL)
    {
      font = rows->fonts[i];
      memmove (&rows->fonts[1], &rows->fonts[0], i * sizeof (Font *));
      return rows->fonts[0] = font;
    }
  memmove (&rows->fonts[1], &rows->fonts[0], i * sizeof (Font *));
  return rows->fonts[0] = new_font (rows, which, size_px);
}

/* Adds a new character. Returns NULL if it has no single glyph in this font. */
static const Glyph *
add_glyph (HirGlyphRows *rows, Font *font, gunichar c)
{
  char text[8];
  const PangoGlyphItem *run;
  Glyph *glyph;

  text[g_unichar_to_utf8 (c, text)] = '\0';
  run = font->n_glyphs < MAX_GLYPHS ? shape (rows, font, text, 1) : NULL;
  if (run == NULL || run->item->analysis.font != font->pango_font)
    {
      if (c < 256)
        font->latin[c] = NOT_PLAIN;
      return NULL;
    }
  glyph = &font->glyphs[font->n_glyphs++];
  *glyph = (Glyph){ run->glyphs->glyphs[0].glyph, run->glyphs->glyphs[0].geometry.width, c, NULL };
  if (c < 256)
    font->latin[c] = (guint8) font->n_glyphs;
  return glyph;
}

static const Glyph *
get_glyph (HirGlyphRows *rows, Font *font, gunichar c)
{
  if (c < 256)
    {
      guint8 glyph_index = font->latin[c];

      if (glyph_index == NOT_PLAIN)
        return NULL;
      return glyph_index != NOT_SEEN ? &font->glyphs[glyph_index - 1] : add_glyph (rows, font, c);
    }
  /* Also accepts arrows, dashes and the like, but no scripts that need shaping. */
  if (c < 0x2010 || c > 0x2265 || (c >= 0x2028 && c <= 0x202f) || (c >= 0x2060 && c <= 0x206f))
    return NULL;
  for (guint i = 0; i < font->n_glyphs; i++)
    if (font->glyphs[i].c == c)
      return &font->glyphs[i];
  return add_glyph (rows, font, c);
}

static gint32
shape_pair (HirGlyphRows *rows, const Font *font, const Glyph *a, const Glyph *b)
{
  char text[16];
  int n = g_unichar_to_utf8 (a->c, text);
  const PangoGlyphItem *run;

  text[n + g_unichar_to_utf8 (b->c, text + n)] = '\0';
  run = shape (rows, font, text, 2);
  if (run == NULL || run->item->analysis.font != font->pango_font ||
      run->glyphs->glyphs[0].glyph != a->glyph || run->glyphs->glyphs[1].glyph != b->glyph ||
      run->glyphs->glyphs[1].geometry.width != b->width)
    return KERN_NONE;
  return run->glyphs->glyphs[0].geometry.width - a->width;
}

static gint32
get_kern (HirGlyphRows *rows, Font *font, const Glyph *a, const Glyph *b)
{
  Glyph *first = &font->glyphs[a - font->glyphs];
  gint32 *kern;

  if (first->kern == NULL)
    {
      first->kern = g_new (gint32, MAX_GLYPHS);
      for (guint i = 0; i < MAX_GLYPHS; i++)
        first->kern[i] = KERN_NOT_SEEN;
    }
  kern = &first->kern[b - font->glyphs];
  if (*kern == KERN_NOT_SEEN)
    *kern = shape_pair (rows, font, a, b);
  return *kern;
}

/* Fills row and x. Returns the number of glyphs, or -1. */
static int
place_glyphs (HirGlyphRows *rows, Font *font, const char *text)
{
  const char *end = text + strnlen (text, HIR_TEXT_MAX + 1);
  int n = 0, x = 0;

  if (end - text > HIR_TEXT_MAX || font->pango_font == NULL)
    return -1;
  for (const char *p = text; p < end; n++)
    {
      gunichar c = (guchar) *p;
      const Glyph *glyph;

      if (c < 0x80)
        p++;
      else
        {
          c = g_utf8_get_char_validated (p, end - p);
          if (c >= 0x110000)
            return -1;
          p = g_utf8_next_char (p);
        }
      /* Rejects control characters and the soft hyphen, which is invisible. */
      if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad)
        return -1;
      glyph = get_glyph (rows, font, c);
      if (glyph == NULL)
        return -1;
      if (n > 0)
        {
          gint32 kern = get_kern (rows, font, rows->row[n - 1], glyph);

          if (kern == KERN_NONE)
            return -1;
          x += kern;
        }
      rows->row[n] = glyph;
      rows->x[n] = x;
      x += glyph->width;
    }
  rows->x[n] = x;
  return n;
}

gboolean
hir_glyph_rows_measure (HirGlyphRows *rows,
                        HirFont which,
                        double size_px,
                        const char *text,
                        double *width,
                        double *height)
{
  Font *font = get_font (rows, which, size_px);
  int n = place_glyphs (rows, font, text);

  if (n < 0)
    return FALSE;
  *width = (double) rows->x[n] / PANGO_SCALE;
  *height = (double) font->height / PANGO_SCALE;
  return TRUE;
}

/* Returns the number of glyphs that fit in @max_width with an ellipsis as the last one. */
static int
cut (HirGlyphRows *rows, Font *font, int n, int max_width)
{
  const Glyph *ellipsis = get_glyph (rows, font, ELLIPSIS);

  if (ellipsis == NULL)
    return -1;
  /* Uses the end of the glyph, not the start of the next one, which kerning may have moved. */
  do
    n--;
  while (n > 0 && rows->x[n - 1] + rows->row[n - 1]->width + ellipsis->width > max_width);
  if (n > 0)
    rows->x[n] = rows->x[n - 1] + rows->row[n - 1]->width;
  rows->row[n] = ellipsis;
  rows->x[n + 1] = rows->x[n] + ellipsis->width;
  return n + 1;
}

gboolean
hir_glyph_rows_lay_out (HirGlyphRows *rows,
                        HirFont which,
                        double size_px,
                        const char *text,
                        double max_width,
                        HirGlyphRow *row)
{
  Font *font = get_font (rows, which, size_px);
  int n = place_glyphs (rows, font, text);

  if (n > 0 && max_width > 0 && rows->x[n] > (int) (max_width * PANGO_SCALE))
    n = cut (rows, font, n, (int) (max_width * PANGO_SCALE));
  if (n < 0)
    return FALSE;
  for (int i = 0; i < n; i++)
    rows->glyphs[i] = (cairo_glyph_t){ rows->row[i]->glyph, (double) rows->x[i] / PANGO_SCALE, 0 };
  *row = (HirGlyphRow){
    .font = pango_cairo_font_get_scaled_font (PANGO_CAIRO_FONT (font->pango_font)),
    .glyphs = rows->glyphs,
    .n_glyphs = n,
    .width = (double) rows->x[n] / PANGO_SCALE,
    .height = (double) font->height / PANGO_SCALE,
    .baseline = (double) font->baseline / PANGO_SCALE,
  };
  return row->font != NULL;
}
