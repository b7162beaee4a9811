#include "draw/display-list.h"

#include <string.h>

static const char *
get_only_text (const HirDisplayList *list)
{
  g_assert_cmpuint (list->items->len, ==, 1);
  return hir_display_list_get_text (list, hir_display_list_get_item (list, 0));
}

static void
check_text (const char *in, const char *out)
{
  g_autoptr (HirDisplayList) list = hir_display_list_new ();

  hir_display_list_add_text (list, hir_rect (0, 0, 100, 20), in, HIR_FONT_SANS, 12, 0xff000000,
                             HIR_ALIGN_START);
  g_assert_cmpstr (get_only_text (list), ==, out);
}

static void
test_text_is_safe (void)
{
  check_text ("T0[i0] -> {a|b} <&> \"q\" \\n", "T0[i0] -> {a|b} <&> \"q\" \\n");
  check_text ("two\nlines\tand\001more", "two lines and more");
  check_text ("e\u0301\u0301\u0301\u0301\u0301\u0301 x\u0301", "e\u0301\u0301\u0301\u0301 x\u0301");
  check_text ("bad \377 byte", "bad \357\277\275 byte");
}

static void
test_xml_characters (void)
{
  g_autofree char *text = hir_text_dup_xml ("<a & \"b\">\n\t\001\033 \377 \357\277\277");

  g_assert_cmpstr (text, ==,
                   "&lt;a &amp; &quot;b&quot;&gt;\n\t\357\277\275\357\277\275 \357\277\275 "
                   "\357\277\275");
}

static void
test_long_text_is_cut (void)
{
  g_autofree char *name = g_strnfill (10240, 'x');
  g_autofree char *umlauts = NULL;
  g_autoptr (GString) two_bytes = g_string_new ("x");
  g_autoptr (HirDisplayList) list = hir_display_list_new ();

  hir_display_list_add_text (list, hir_rect (0, 0, 0, 20), name, HIR_FONT_SANS, 12, 0xff000000,
                             HIR_ALIGN_START);
  g_assert_cmpuint (strlen (get_only_text (list)), ==, HIR_TEXT_MAX + strlen ("…"));
  /* The truncation falls into the middle of a character. */
  for (int i = 0; i < 200; i++)
    g_string_append (two_bytes, "ü");
  umlauts = hir_text_dup_line (two_bytes->str);
  g_assert_true (g_utf8_validate (umlauts, -1, NULL));
  g_assert_true (g_str_has_suffix (umlauts, "ü…"));
}

static void
test_nothing_is_not_kept (void)
{
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  HirPoint point = { 0, 0 };

  hir_display_list_add_rect (list, hir_rect (0, 0, 0, 5), 0xff000000);
  hir_display_list_add_rect (list, hir_rect (0, 0, 5, 5), 0x00ffffff);
  hir_display_list_add_text (list, hir_rect (0, 0, 5, 5), "", HIR_FONT_SANS, 12, 0xff000000,
                             HIR_ALIGN_START);
  hir_display_list_add_polyline (list, &point, 1, 0xff000000, 1, HIR_DASH_NONE);
  hir_display_list_add_arrow (list, point, point, 5, 0xff000000);
  g_assert_cmpuint (list->items->len, ==, 0);
}

static void
test_hits (void)
{
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  g_autoptr (HirDisplayList) moved = NULL;

  hir_display_list_add_hit (list, hir_rect (0, 0, 100, 100), 1, 7);
  hir_display_list_add_hit (list, hir_rect (50, 50, 10, 10), 2, 8);
  g_assert_cmpuint (hir_display_list_get_hit (list, 10, 10)->id, ==, 1);
  g_assert_cmpuint (hir_display_list_get_hit (list, 55, 55)->id, ==, 2);
  g_assert_cmpuint (hir_display_list_get_hit (list, 60, 55)->id, ==, 1);
  g_assert_null (hir_display_list_get_hit (list, 100, 10));
  moved = hir_display_list_new_moved (list, 100, 0);
  g_assert_cmpuint (hir_display_list_get_hit (moved, 155, 55)->id, ==, 2);
  g_assert_null (hir_display_list_get_hit (moved, 10, 10));
}

/* 100,000 bars must not take more than this number of bytes. */
static void
test_items_are_small (void)
{
  g_assert_cmpuint (sizeof (HirDrawItem), <=, 48);
}

static void
test_fitted (void)
{
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  const char *text = "FOR StreamIdx in iStreamIdx11{i0}";
  double whole = hir_measure_get_width (measure, HIR_FONT_SANS, 12, text);
  g_autofree char *all = hir_measure_dup_fitted (measure, HIR_FONT_SANS, 12, text, whole + 1);
  g_autofree char *half = hir_measure_dup_fitted (measure, HIR_FONT_SANS, 12, text, whole / 2);

  g_assert_cmpfloat (whole, >, 50);
  g_assert_cmpstr (all, ==, text);
  g_assert_true (g_str_has_suffix (half, "…"));
  g_assert_true (strncmp (half, text, strlen (half) - strlen ("…")) == 0);
  g_assert_cmpfloat (hir_measure_get_width (measure, HIR_FONT_SANS, 12, half), <=, whole / 2);
  /* Nearly the full width is used. */
  g_assert_cmpfloat (hir_measure_get_width (measure, HIR_FONT_SANS, 12, half), >, whole / 2 - 14);
}

static gpointer
measure_in_thread (gpointer data)
{
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  double *width = g_new (double, 1);

  for (int i = 0; i < 200; i++)
    {
      g_autofree char *text = g_strdup_printf ("matmul %d", i % 50);

      *width = hir_measure_get_width (measure, HIR_FONT_SANS_BOLD, 13, text);
    }
  return width;
}

static void
test_measure_in_threads (void)
{
  GThread *threads[4];
  double first = 0;

  for (int i = 0; i < 4; i++)
    threads[i] = g_thread_new ("measure", measure_in_thread, NULL);
  for (int i = 0; i < 4; i++)
    {
      g_autofree double *width = g_thread_join (threads[i]);

      if (i == 0)
        first = *width;
      g_assert_cmpfloat (*width, >, 10);
      g_assert_cmpfloat (*width, ==, first);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/display-list/text-is-safe", test_text_is_safe);
  g_test_add_func ("/display-list/xml-characters", test_xml_characters);
  g_test_add_func ("/display-list/long-text", test_long_text_is_cut);
  g_test_add_func ("/display-list/nothing", test_nothing_is_not_kept);
  g_test_add_func ("/display-list/hits", test_hits);
  g_test_add_func ("/display-list/items-are-small", test_items_are_small);
  g_test_add_func ("/measure/fitted", test_fitted);
  g_test_add_func ("/measure/threads", test_measure_in_threads);
  return g_test_run ();
}
