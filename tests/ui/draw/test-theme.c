#include "draw/theme.h"

#include <math.h>

/* Blends @above with opacity @alpha over @below; both are opaque. */
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
  g_assert_cmpfloat (hir_color_contrast (theme->dim_text, theme->panel), >=, 4.5);
  g_assert_cmpfloat (hir_color_contrast (theme->text, theme->accent_fill), >=, 4.5);
  g_assert_cmpfloat (hir_color_contrast (theme->group, theme->background), >=, 3);
  for (int i = 0; i < HIR_GRAPH_N_KINDS; i++)
    {
      HirColor fill = theme->node[i].fill;

      g_assert_cmpfloat (hir_color_contrast (theme->text, fill), >=, 7);
      /* Subtitles are drawn with this opacity. */
      g_assert_cmpfloat (hir_color_contrast (mix (theme->text, fill, 0.72), fill), >=, 4.5);
      g_assert_cmpfloat (hir_color_contrast (theme->node[i].stroke, theme->background), >=, 3);
    }
  for (int i = 0; i < HIR_EDGE_N_KINDS; i++)
    g_assert_cmpfloat (hir_color_contrast (theme->edge[i], theme->background), >=, 3);
}

/* The outline of a change must contrast with the box and the background. */
static void
test_changes_are_seen (gconstpointer data)
{
  const HirTheme *theme = hir_theme_get (GPOINTER_TO_INT (data));
  HirColor outlines[] = { theme->created, theme->changed, theme->removed, theme->accent };

  for (guint i = 0; i < G_N_ELEMENTS (outlines); i++)
    {
      g_assert_cmpfloat (hir_color_contrast (outlines[i], theme->background), >=, 3);
      for (int k = 0; k < HIR_GRAPH_N_KINDS; k++)
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

/* Returns CIE L*a*b* of @color for a kind of color vision, given as a matrix on linear light. */
static void
get_lab (HirColor color, const double sight[3][3], double lab[3])
{
  double light[3], seen[3], xyz[3];

  for (int i = 0; i < 3; i++)
    {
      double value = ((color >> (16 - 8 * i)) & 255) / 255.0;

      light[i] = value <= 0.04045 ? value / 12.92 : pow ((value + 0.055) / 1.055, 2.4);
    }
  for (int i = 0; i < 3; i++)
    seen[i] =
        CLAMP (sight[i][0] * light[0] + sight[i][1] * light[1] + sight[i][2] * light[2], 0, 1);
  xyz[0] = (0.4124 * seen[0] + 0.3576 * seen[1] + 0.1805 * seen[2]) / 0.9505;
  xyz[1] = 0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2];
  xyz[2] = (0.0193 * seen[0] + 0.1192 * seen[1] + 0.9505 * seen[2]) / 1.089;
  for (int i = 0; i < 3; i++)
    xyz[i] = xyz[i] > 0.008856 ? cbrt (xyz[i]) : 7.787 * xyz[i] + 16.0 / 116;
  lab[0] = 116 * xyz[1] - 16;
  lab[1] = 500 * (xyz[0] - xyz[1]);
  lab[2] = 200 * (xyz[1] - xyz[2]);
}

/* The colors of two families always differ, also without red or green (matrices of Machado,
 * Oliveira and Fernandes, 2009). Differences are visible from 2.3 on; requires 20. */
static void
test_families_differ (void)
{
  static const double sights[3][3][3] = {
    { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
    { { 0.367322, 0.860646, -0.227968 },
      { 0.280085, 0.672501, 0.047413 },
      { -0.01182, 0.04294, 0.968881 } },
    { { 0.152286, 1.052583, -0.204868 },
      { 0.114503, 0.786281, 0.099216 },
      { -0.003882, -0.048116, 1.051998 } },
  };
  static const struct
  {
    HirEventKind kind;
    const char *name;
  } families[] = {
    { HIR_EVENT_KERNEL, "T8_linear" },
    { HIR_EVENT_KERNEL, "Set T4" },
    { HIR_EVENT_KERNEL, "HostUnit0_64x64" },
    { HIR_EVENT_KERNEL, "T5_add" },
    { HIR_EVENT_KERNEL, "T6_sum" },
    { HIR_EVENT_KERNEL, "volta_fft" },
    { HIR_EVENT_COMMUNICATION, "Allgather" },
    { HIR_EVENT_COMMUNICATION, "ReduceScatter T4" },
    { HIR_EVENT_COMMUNICATION, "Broadcast" },
    { HIR_EVENT_COMMUNICATION, "recv T3 from 1" },
    { HIR_EVENT_MEMCPY, NULL },
    { HIR_EVENT_MEMSET, NULL },
  };
  const HirTheme *theme = hir_theme_get (TRUE);

  for (guint s = 0; s < 3; s++)
    for (guint i = 0; i < G_N_ELEMENTS (families); i++)
      for (guint j = 0; j < i; j++)
        {
          double a[3], b[3];

          get_lab (hir_theme_get_event_color (theme, families[i].kind, families[i].name), sights[s],
                   a);
          get_lab (hir_theme_get_event_color (theme, families[j].kind, families[j].name), sights[s],
                   b);
          g_assert_cmpfloat (sqrt (pow (a[0] - b[0], 2) + pow (a[1] - b[1], 2) +
                                   pow (a[2] - b[2], 2)),
                             >=, 20);
        }
}

/* Names of one family in different notations. */
static void
test_families (void)
{
  static const char *const groups[][5] = {
    { "T8_linear", "T12_linear", "matmul", "sm80_xmma_gemm",
      "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT" },
    { "Set T4", "T3_permute", "T9_cat", "LoadStoreOp" },
    { "T5_add", "relu", "T1_where", "vectorized_elementwise_kernel" },
    { "T5_sum", "T6_max", "var_mean", "softmax_warp_forward" },
    { "HostUnit0", "HostUnit17_8x8", "nvfuser_n1", "triton_poi",
      "void flash_fwd_kernel<cutlass::half_t>(Params)" },
  };
  const HirTheme *theme = hir_theme_get (FALSE);

  for (guint g = 0; g < G_N_ELEMENTS (groups); g++)
    for (guint i = 1; i < 5 && groups[g][i] != NULL; i++)
      g_assert_cmphex (hir_theme_get_event_color (theme, HIR_EVENT_KERNEL, groups[g][i]), ==,
                       hir_theme_get_event_color (theme, HIR_EVENT_KERNEL, groups[g][0]));
  /* Finds every name of the table, which must be sorted for the binary search. */
  g_assert_cmphex (hir_theme_get_event_color (theme, HIR_EVENT_KERNEL, "T1_abs"), ==,
                   hir_theme_get_event_color (theme, HIR_EVENT_KERNEL, "T1_truediv"));
  g_assert_cmphex (hir_theme_get_event_color (theme, HIR_EVENT_KERNEL, "atan2"), ==,
                   hir_theme_get_event_color (theme, HIR_EVENT_KERNEL, "atan"));
  g_assert_cmphex (hir_theme_get_event_color (theme, HIR_EVENT_KERNEL, "var"), ==,
                   hir_theme_get_event_color (theme, HIR_EVENT_KERNEL, "var_mean"));
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
  g_test_add_func ("/theme/families-differ", test_families_differ);
  g_test_add_func ("/theme/families", test_families);
  g_test_add_func ("/theme/contrast", test_contrast_formula);
  return g_test_run ();
}
