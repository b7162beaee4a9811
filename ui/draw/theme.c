#include "draw/theme.h"

#include <math.h>

static const HirTheme dark_theme = {
  .dark = TRUE,
  .background = 0xff1c1c1f,
  .panel = 0xff29292c,
  .line = 0xff2f2f33,
  .text = 0xfff2f2f4,
  .dim_text = 0xffa3a3ab,
  .accent = 0xff78aeed,
  .accent_fill = 0xff1c3f6e,
  .created = 0xff57e389,
  .changed = 0xfff8d048,
  .removed = 0xfff66151,
  .link = 0xfff8d048,
  .band = 0x403d6099,
  .group = 0xff77767b,
  .group_title = 0xffc0bfbc,
  .node = {
    [HIR_GRAPH_TENSOR] = { 0xff303034, 0xff68686f },
    [HIR_GRAPH_OP] = { 0xff20344f, 0xff456ca0 },
    [HIR_GRAPH_MEMORY] = { 0xff26333b, 0xff576b7a },
    [HIR_GRAPH_STREAM] = { 0xff3a3423, 0xff857437 },
    [HIR_GRAPH_COMM] = { 0xff4b2d1c, 0xffa05a2c },
    [HIR_GRAPH_FOLD] = { 0xff2d2b38, 0xff7a7690 },
  },
  .edge = {
    [HIR_EDGE_DATA] = 0xff9a9996,
    [HIR_EDGE_ALIAS] = 0xff8096a8,
    [HIR_EDGE_ORDER] = 0xff77767b,
    [HIR_EDGE_SYNC] = 0xffc8a227,
    [HIR_EDGE_COMM] = 0xffd8783c,
  },
};

static const HirTheme light_theme = {
  .dark = FALSE,
  .background = 0xfffafafb,
  .panel = 0xffebebed,
  .line = 0xffdedee2,
  .text = 0xff1d1d20,
  .dim_text = 0xff5e5c64,
  .accent = 0xff1a5fb4,
  .accent_fill = 0xffcfe2fa,
  .created = 0xff1a7f4f,
  .changed = 0xff9c6500,
  .removed = 0xffc01c28,
  .link = 0xff9c6500,
  .band = 0x406aa0e6,
  .group = 0xff8b8a90,
  .group_title = 0xff3d3846,
  .node = {
    [HIR_GRAPH_TENSOR] = { 0xfff0f0f2, 0xff8d8c93 },
    [HIR_GRAPH_OP] = { 0xffdceafc, 0xff5e8fce },
    [HIR_GRAPH_MEMORY] = { 0xffe3ecf0, 0xff7b93a0 },
    [HIR_GRAPH_STREAM] = { 0xfffaf1d2, 0xffa98c2f },
    [HIR_GRAPH_COMM] = { 0xfffde4d0, 0xffc2752f },
    [HIR_GRAPH_FOLD] = { 0xffeeecf5, 0xff8f8aa6 },
  },
  .edge = {
    [HIR_EDGE_DATA] = 0xff77767b,
    [HIR_EDGE_ALIAS] = 0xff6f8799,
    [HIR_EDGE_ORDER] = 0xff8e8d94,
    [HIR_EDGE_SYNC] = 0xffa37c00,
    [HIR_EDGE_COMM] = 0xffc4561a,
  },
};

const HirTheme *
hir_theme_get (gboolean dark)
{
  return dark ? &dark_theme : &light_theme;
}

HirColor
hir_theme_get_change_color (const HirTheme *theme, HirChange change, HirColor otherwise)
{
  switch (change)
    {
    case HIR_CHANGE_CREATED:
      return theme->created;
    case HIR_CHANGE_CHANGED:
      return theme->changed;
    case HIR_CHANGE_REMOVED:
      return theme->removed;
    case HIR_CHANGE_NONE:
    default:
      return otherwise;
    }
}

static double
get_linear (guint channel)
{
  double value = channel / 255.0;

  return value <= 0.03928 ? value / 12.92 : pow ((value + 0.055) / 1.055, 2.4);
}

static double
get_luminance (HirColor color)
{
  return 0.2126 * get_linear ((color >> 16) & 255) + 0.7152 * get_linear ((color >> 8) & 255) +
         0.0722 * get_linear (color & 255);
}

double
hir_color_contrast (HirColor a, HirColor b)
{
  double la = get_luminance (a), lb = get_luminance (b);

  return (MAX (la, lb) + 0.05) / (MIN (la, lb) + 0.05);
}

HirColor
hir_theme_get_ink (HirColor background)
{
  HirColor white = 0xffffffff, black = 0xff101012;

  /* Prefers white if the contrast suffices, so that the bars of a row have labels of one color. */
  if (hir_color_contrast (white, background) >= 4.5)
    return white;
  return hir_color_contrast (white, background) >= hir_color_contrast (black, background) ? white
                                                                                          : black;
}

const char *
hir_event_kind_get_label (HirEventKind kind)
{
  static const char *const labels[HIR_N_EVENT_KINDS] = {
    [HIR_EVENT_KERNEL] = "kernel",  [HIR_EVENT_MEMCPY] = "memcpy",
    [HIR_EVENT_MEMSET] = "memset",  [HIR_EVENT_COMMUNICATION] = "communication",
    [HIR_EVENT_SYNC] = "waiting",   [HIR_EVENT_ISSUE] = "issue",
    [HIR_EVENT_HOST] = "host work", [HIR_EVENT_COUNTER] = "counter",
  };

  g_return_val_if_fail (kind < HIR_N_EVENT_KINDS, "");
  return labels[kind];
}
