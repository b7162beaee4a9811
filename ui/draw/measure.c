#include "draw/measure.h"

#include "draw/glyph-row.h"

#include <pango/pangocairo.h>
#include <string.h>

/* A window shows thousands of labels, rarely more. The cache is emptied at this size. */
#define MAX_REMEMBERED 20000

struct _HirMeasure
{
  PangoContext *context;
  PangoLayout *layout;
  HirGlyphRows *rows; /* measures nearly all texts; the others are cached */
  GHashTable *sizes;  /* "font size text" -> double[2]: width and height */
  GString *key;
};

HirMeasure *
hir_measure_new (void)
{
  HirMeasure *measure = g_new0 (HirMeasure, 1);

  measure->context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  hir_font_prepare_context (measure->context);
  measure->layout = pango_layout_new (measure->context);
  hir_font_prepare_layout (measure->layout);
  pango_layout_set_single_paragraph_mode (measure->layout, TRUE);
  measure->rows = hir_glyph_rows_new (measure->context);
  measure->sizes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  measure->key = g_string_new (NULL);
  return measure;
}

void
hir_measure_free (HirMeasure *measure)
{
  if (measure == NULL)
    return;
  g_object_unref (measure->layout);
  hir_glyph_rows_free (measure->rows);
  g_object_unref (measure->context);
  g_hash_table_unref (measure->sizes);
  g_string_free (measure->key, TRUE);
  g_free (measure);
}

static void
set_layout (HirMeasure *measure, HirFont font, double size_px, const char *text)
{
  PangoFontDescription *description = hir_font_dup_description (font, size_px);

  pango_layout_set_font_description (measure->layout, description);
  pango_font_description_free (description);
  pango_layout_set_text (measure->layout, text, -1);
}

void
hir_measure_text (HirMeasure *measure,
                  HirFont font,
                  double size_px,
                  const char *text,
                  double *width,
                  double *height)
{
  double *size, row_width, row_height;

  g_return_if_fail (measure != NULL && text != NULL);

  if (hir_glyph_rows_measure (measure->rows, font, size_px, text, &row_width, &row_height))
    {
      if (width != NULL)
        *width = row_width;
      if (height != NULL)
        *height = row_height;
      return;
    }

  g_string_printf (measure->key, "%d %d ", font, (int) (size_px * 64));
  g_string_append_len (measure->key, text, (gssize) strnlen (text, HIR_TEXT_MAX * 2));
  size = g_hash_table_lookup (measure->sizes, measure->key->str);
  if (size == NULL)
    {
      g_autofree char *line = hir_text_dup_line (text);
      PangoRectangle logical;

      set_layout (measure, font, size_px, line);
      pango_layout_get_extents (measure->layout, NULL, &logical);
      size = g_new (double, 2);
      size[0] = (double) logical.width / PANGO_SCALE;
      size[1] = (double) logical.height / PANGO_SCALE;
      if (g_hash_table_size (measure->sizes) >= MAX_REMEMBERED)
        g_hash_table_remove_all (measure->sizes);
      g_hash_table_insert (measure->sizes, g_strdup (measure->key->str), size);
    }
  if (width != NULL)
    *width = size[0];
  if (height != NULL)
    *height = size[1];
}

double
hir_measure_get_width (HirMeasure *measure, HirFont font, double size_px, const char *text)
{
  double width = 0;

  hir_measure_text (measure, font, size_px, text, &width, NULL);
  return width;
}

void
hir_measure_get_line (
    HirMeasure *measure, HirFont font, double size_px, double *baseline, double *height)
{
  g_return_if_fail (measure != NULL);

  set_layout (measure, font, size_px, "Xg");
  if (baseline != NULL)
    *baseline = (double) pango_layout_get_baseline (measure->layout) / PANGO_SCALE;
  if (height != NULL)
    {
      PangoRectangle logical;

      pango_layout_get_extents (measure->layout, NULL, &logical);
      *height = (double) logical.height / PANGO_SCALE;
    }
}

char *
hir_measure_dup_fitted (
    HirMeasure *measure, HirFont font, double size_px, const char *text, double width)
{
  g_autofree char *line = hir_text_dup_line (text);
  glong low = 0, high = g_utf8_strlen (line, -1);

  if (hir_measure_get_width (measure, font, size_px, line) <= width)
    return g_steal_pointer (&line);
  while (low < high)
    {
      glong middle = (low + high + 1) / 2;
      g_autofree char *head = g_utf8_substring (line, 0, middle);
      g_autofree char *cut = g_strconcat (head, "…", NULL);

      if (hir_measure_get_width (measure, font, size_px, cut) <= width)
        low = middle;
      else
        high = middle - 1;
    }
  g_autofree char *head = g_utf8_substring (line, 0, low);
  return g_strconcat (head, "…", NULL);
}

/* Languages need at most this many per letter. A longer stack would overlap the lines above. */
#define MAX_MARKS 4

static gboolean
is_plain (const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if (text[i] < 0x20 || text[i] > 0x7e)
      return FALSE;
  return length <= HIR_TEXT_MAX;
}

static gboolean
is_xml (gunichar c)
{
  return c >= 0x20 ? c != 0xfffe && c != 0xffff : c == '\t' || c == '\n' || c == '\r';
}

char *
hir_text_dup_xml (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autoptr (GString) xml = g_string_sized_new (strlen (valid));

  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      g_string_append_unichar (xml, is_xml (c) ? c : 0xfffd);
    }
  return g_markup_escape_text (xml->str, (gssize) xml->len);
}

char *
hir_text_dup_line (const char *text)
{
  gsize length = strnlen (text, HIR_TEXT_MAX + 1);

  if (is_plain (text, length))
    return g_strndup (text, length);
  g_autofree char *valid = g_utf8_make_valid (text, (gssize) MIN (length, HIR_TEXT_MAX));
  GString *line = g_string_sized_new (length + 4);
  guint n_marks = 0;

  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      n_marks = g_unichar_ismark (c) ? n_marks + 1 : 0;
      if (n_marks > MAX_MARKS)
        continue;
      if (g_unichar_iscntrl (c) || c == 0x2028 || c == 0x2029)
        c = ' ';
      g_string_append_unichar (line, c);
    }
  if (length > HIR_TEXT_MAX)
    {
      /* Removes the replacement character that make_valid() inserts for a split character. */
      if (g_str_has_suffix (line->str, "\357\277\275"))
        g_string_truncate (line, line->len - 3);
      g_string_append (line, "…");
    }
  return g_string_free (line, FALSE);
}
