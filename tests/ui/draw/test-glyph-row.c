/* Compares texts that are measured and painted as rows of glyphs with Pango. */
#include "draw/glyph-row.h"

#include <pango/pangocairo.h>
#include <string.h>

#define WIDTH 900
#define HEIGHT 40

typedef struct
{
  PangoContext *context;
  PangoLayout *layout;
  HirGlyphRows *rows;
  cairo_surface_t *surfaces[2];
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  f->context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  hir_font_prepare_context (f->context);
  f->layout = pango_layout_new (f->context);
  hir_font_prepare_layout (f->layout);
  pango_layout_set_single_paragraph_mode (f->layout, TRUE);
  f->rows = hir_glyph_rows_new (f->context);
  for (guint i = 0; i < 2; i++)
    f->surfaces[i] = cairo_image_surface_create (CAIRO_FORMAT_A8, WIDTH, HEIGHT);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < 2; i++)
    cairo_surface_destroy (f->surfaces[i]);
  hir_glyph_rows_free (f->rows);
  g_object_unref (f->layout);
  g_object_unref (f->context);
}

static void
set_layout (Fixture *f, HirFont font, double size, const char *text)
{
  PangoFontDescription *description = hir_font_dup_description (font, size);

  pango_layout_set_font_description (f->layout, description);
  pango_layout_set_text (f->layout, text, -1);
  pango_font_description_free (description);
}

static char *
random_text (GRand *rand)
{
  static const char *const rare[] = { "·", "…", "é", "→", "µ", "–", "Å" };
  GString *text = g_string_new (NULL);
  int n = g_rand_int_range (rand, 1, 60);

  for (int i = 0; i < n; i++)
    if (g_rand_int_range (rand, 0, 12) == 0)
      g_string_append (text, rare[g_rand_int_range (rand, 0, G_N_ELEMENTS (rare))]);
    else
      g_string_append_c (text, (char) g_rand_int_range (rand, 0x20, 0x7f));
  return g_string_free (text, FALSE);
}

static void
clear (cairo_surface_t *surface)
{
  cairo_t *cr = cairo_create (surface);

  cairo_set_operator (cr, CAIRO_OPERATOR_CLEAR);
  cairo_paint (cr);
  cairo_destroy (cr);
}

/* Compares pixels for any start of the line. */
static void
compare_pictures (Fixture *f, const HirGlyphRow *row, double x, double y)
{
  gsize size = (gsize) cairo_image_surface_get_stride (f->surfaces[0]) * HEIGHT;

  for (guint i = 0; i < 2; i++)
    {
      cairo_t *cr;

      clear (f->surfaces[i]);
      cr = cairo_create (f->surfaces[i]);
      cairo_translate (cr, x, y);
      if (i == 0)
        {
          cairo_translate (cr, 0, row->baseline);
          cairo_set_scaled_font (cr, row->font);
          cairo_show_glyphs (cr, row->glyphs, row->n_glyphs);
        }
      else
        pango_cairo_show_layout (cr, f->layout);
      cairo_destroy (cr);
      cairo_surface_flush (f->surfaces[i]);
    }
  const guint8 *a = cairo_image_surface_get_data (f->surfaces[0]);
  const guint8 *b = cairo_image_surface_get_data (f->surfaces[1]);
  guint n_ink = 0, n_differ = 0;

  for (gsize i = 0; i < size; i++)
    {
      n_ink += b[i] > 0;
      n_differ += ABS (a[i] - b[i]) > 40;
    }
  /* A glyph between two subpixel positions may be rounded either way. */
  g_assert_cmpuint (n_differ * 20, <=, n_ink);
}

static void
test_equals_pango (Fixture *f, gconstpointer data)
{
  static const double sizes[] = { 7, 10, 11.5, 13 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  guint n_plain = 0;

  for (guint i = 0; i < 400; i++)
    {
      g_autofree char *text = random_text (rand);
      HirFont font = (HirFont) g_rand_int_range (rand, 0, HIR_N_FONTS);
      double size = sizes[i % G_N_ELEMENTS (sizes)], width, height;
      PangoRectangle logical;
      HirGlyphRow row;

      if (!hir_glyph_rows_measure (f->rows, font, size, text, &width, &height))
        continue;
      n_plain++;
      set_layout (f, font, size, text);
      pango_layout_get_extents (f->layout, NULL, &logical);
      g_assert_cmpfloat_with_epsilon (width, (double) logical.width / PANGO_SCALE, 0.1);
      g_assert_cmpfloat_with_epsilon (height, (double) logical.height / PANGO_SCALE, 0.01);
      g_assert_true (hir_glyph_rows_lay_out (f->rows, font, size, text, 0, &row));
      g_assert_cmpfloat (row.width, ==, width);
      compare_pictures (f, &row, g_rand_double_range (rand, 0, 5), 5);
    }
  /* Fonts with ligatures have some exceptions. */
  g_test_message ("%u of 400 are plain rows", n_plain);
  g_assert_cmpuint (n_plain, >, 100);
}

static void
test_complex (Fixture *f, gconstpointer data)
{
  g_autofree char *too_long = g_strnfill (HIR_TEXT_MAX + 1, 'a');
  const char *const texts[] = { "a\tb",
                                "a\nb",
                                "\xff\xfe",
                                "caf\xc3",
                                "שלום",
                                "سلام",
                                "e\u0301",
                                "\U0001F600",
                                "a\u200bb",
                                "\xc2\xad",
                                "a\u2028b",
                                "हिन्दी",
                                "\xed\xa0\x80",
                                "\x7f",
                                "a\xc2\x85"
                                "b",
                                too_long };
  double width, height;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (hir_glyph_rows_measure (f->rows, HIR_FONT_SANS, 12, texts[i], &width, &height))
      g_error ("text %u was taken for a plain row", i);
  g_assert_true (hir_glyph_rows_measure (f->rows, HIR_FONT_SANS, 12, "", &width, &height));
  g_assert_cmpfloat (width, ==, 0);
}

/* A truncated text fits and ends in an ellipsis; one more letter would not fit. */
static void
test_cut (Fixture *f, gconstpointer data)
{
  const char *text = "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTT";
  HirGlyphRow row;
  double full, ellipsis, height;
  int last = 0;

  g_assert_true (hir_glyph_rows_measure (f->rows, HIR_FONT_SANS, 11, text, &full, &height));
  g_assert_true (hir_glyph_rows_measure (f->rows, HIR_FONT_SANS, 11, "…", &ellipsis, &height));
  for (double room = 1; room < full + 3; room += 0.7)
    {
      g_assert_true (hir_glyph_rows_lay_out (f->rows, HIR_FONT_SANS, 11, text, room, &row));
      g_assert_cmpint (row.n_glyphs, >=, last);
      last = row.n_glyphs;
      if (room >= full + 0.01)
        g_assert_cmpfloat (row.width, ==, full);
      else if (room >= ellipsis + 0.01)
        g_assert_cmpfloat (row.width, <=, room);
      else
        g_assert_cmpint (row.n_glyphs, ==, 1);
      if (room < full - 0.01)
        g_assert_cmpfloat (row.width, >, MIN (room - 14, ellipsis - 0.01));
    }
  g_assert_cmpint (last, ==, (int) strlen (text));
}

/* Uses more sizes than the cache has, as a zoom does. */
static void
test_many_sizes (Fixture *f, gconstpointer data)
{
  double width, height, before = 0;

  for (guint pass = 0; pass < 2; pass++, before = 0)
    for (guint i = 0; i < 60; i++)
      {
        g_assert_true (
            hir_glyph_rows_measure (f->rows, HIR_FONT_MONO, 5 + i, "AV. Ti", &width, &height));
        g_assert_cmpfloat (width, >, before);
        before = width;
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/glyph-row/equals-pango", Fixture, NULL, set_up, test_equals_pango, tear_down);
  g_test_add ("/glyph-row/complex", Fixture, NULL, set_up, test_complex, tear_down);
  g_test_add ("/glyph-row/cut", Fixture, NULL, set_up, test_cut, tear_down);
  g_test_add ("/glyph-row/many-sizes", Fixture, NULL, set_up, test_many_sizes, tear_down);
  return g_test_run ();
}
