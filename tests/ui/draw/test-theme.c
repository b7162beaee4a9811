#include "draw/theme.h"

/* @above at @alpha over @below, both opaque. */
static HirColor
mix (HirColor above, HirColor below, double alpha)
{
  HirColor mixed = 0xff000000u;

  for (int shift = 0; shift < 24; shift += 8)
    mixed |= (HirColor) (((above >> shift) & 255) * alpha + ((below >> shift) & 255) * (1 - alpha))
             << shift;
  return mixed;
}

static void
test_texts_are_read (gconstpointer data)
{
  const HirTheme *theme = hir_theme_get (GPOINTER_TO_INT (data));

  g_assert_cmpfloat (hir_color_contrast (theme->text, theme->background), >=, 7);
  g_assert_cmpfloat (hir_color_contrast (theme->text, theme->panel), >=, 7);
  g_assert_cmpfloat (hir_color_contrast (theme->dim_text, theme->background), >=, 4.5);
  g_assert_cmpfloat (hir_color_contrast (theme->group_title, theme->background), >=, 4.5);
  g_assert_cmpfloat (hir_color_contrast (theme->link, theme->background), >=, 4.5);
  g_assert_cmpfloat (hir_color_contrast (theme->text, theme->accent_fill), >=, 4.5);
  for (int i = 0; i <= HIR_GRAPH_COMM; i++)
    {
      HirColor fill = theme->node[i].fill;

      g_assert_cmpfloat (hir_color_contrast (theme->text, fill), >=, 7);
      /* Subtitles are drawn at this opacity. */
      g_assert_cmpfloat (hir_color_contrast (mix (theme->text, fill, 0.72), fill), >=, 4.5);
      g_assert_cmpfloat (hir_color_contrast (theme->node[i].stroke, theme->background), >=, 1.5);
    }
  for (int i = 0; i <= HIR_EDGE_SYNC; i++)
    g_assert_cmpfloat (hir_color_contrast (theme->edge[i], theme->background), >=, 1.8);
}

/* What a pass did is told by an outline: it must be seen against the box and the ground. */
static void
test_changes_are_seen (gconstpointer data)
{
  const HirTheme *theme = hir_theme_get (GPOINTER_TO_INT (data));
  HirColor outlines[] = { theme->created, theme->changed, theme->removed, theme->accent };

  for (guint i = 0; i < G_N_ELEMENTS (outlines); i++)
    {
      g_assert_cmpfloat (hir_color_contrast (outlines[i], theme->background), >=, 3);
      for (int k = 0; k <= HIR_GRAPH_COMM; k++)
        g_assert_cmpfloat (hir_color_contrast (outlines[i], theme->node[k].fill), >=, 3);
      for (guint k = i + 1; k < G_N_ELEMENTS (outlines); k++)
        g_assert_cmphex (outlines[i], !=, outlines[k]);
    }
}

static void
test_bars_carry_labels (gconstpointer data)
{
  static const char *const names[] = { "matmul",    "Set",       "add",       "relu",
                                       "Allgather", "Allreduce", "HostUnit0", "ReduceScatter",
                                       "sum",       "SendRecv",  "softmax",   "Broadcast" };
  const HirTheme *theme = hir_theme_get (GPOINTER_TO_INT (data));

  for (int kind = 0; kind < HIR_N_EVENT_KINDS; kind++)
    for (guint i = 0; i < G_N_ELEMENTS (names); i++)
      {
        HirColor color = hir_theme_get_event_color (theme, (HirEventKind) kind, names[i]);

        g_assert_cmpfloat (hir_color_contrast (hir_theme_get_ink (color), color), >=, 4.5);
        g_assert_cmpfloat (hir_color_contrast (color, theme->background), >=, 1.6);
      }
}

static void
test_colors_are_stable (void)
{
  const HirTheme *theme = hir_theme_get (TRUE);
  HirColor matmul = hir_theme_get_event_color (theme, HIR_EVENT_KERNEL, "matmul");

  g_assert_cmphex (matmul, ==,
                   hir_theme_get_event_color (theme, HIR_EVENT_KERNEL, "sm90_gemm_f16"));
  g_assert_cmphex (matmul, !=, hir_theme_get_event_color (theme, HIR_EVENT_KERNEL, "relu"));
  g_assert_cmphex (hir_theme_get_event_color (theme, HIR_EVENT_KERNEL, "HostUnit0"), ==,
                   hir_theme_get_event_color (theme, HIR_EVENT_KERNEL, "HostUnit17"));
  g_assert_cmphex (hir_theme_get_event_color (theme, HIR_EVENT_COMMUNICATION, "Allgather"), !=,
                   matmul);
  g_assert_cmphex (hir_theme_get_event_color (theme, HIR_EVENT_KERNEL, NULL), ==, matmul);
}

static void
test_contrast_formula (void)
{
  g_assert_cmpfloat_with_epsilon (hir_color_contrast (0xffffffff, 0xff000000), 21, 1e-6);
  g_assert_cmpfloat_with_epsilon (hir_color_contrast (0xff777777, 0xffffffff), 4.478, 1e-2);
  g_assert_cmphex (hir_theme_get_ink (0xff000000), ==, 0xffffffff);
  g_assert_cmphex (hir_theme_get_ink (0xffffff00), !=, 0xffffffff);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/theme/dark/texts", GINT_TO_POINTER (TRUE), test_texts_are_read);
  g_test_add_data_func ("/theme/light/texts", GINT_TO_POINTER (FALSE), test_texts_are_read);
  g_test_add_data_func ("/theme/dark/changes", GINT_TO_POINTER (TRUE), test_changes_are_seen);
  g_test_add_data_func ("/theme/light/changes", GINT_TO_POINTER (FALSE), test_changes_are_seen);
  g_test_add_data_func ("/theme/dark/bars", GINT_TO_POINTER (TRUE), test_bars_carry_labels);
  g_test_add_data_func ("/theme/light/bars", GINT_TO_POINTER (FALSE), test_bars_carry_labels);
  g_test_add_func ("/theme/stable", test_colors_are_stable);
  g_test_add_func ("/theme/contrast", test_contrast_formula);
  return g_test_run ();
}
