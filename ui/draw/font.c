#include "draw/font.h"

#include <pango/pangocairo.h>

const char *
hir_font_get_family (HirFont font)
{
  return font == HIR_FONT_MONO ? "DejaVu Sans Mono, Liberation Mono, monospace"
                               : "Inter, Cantarell, DejaVu Sans, sans-serif";
}

PangoFontDescription *
hir_font_dup_description (HirFont font, double size_px)
{
  PangoFontDescription *description = pango_font_description_new ();

  pango_font_description_set_family_static (description, hir_font_get_family (font));
  pango_font_description_set_weight (description, font == HIR_FONT_SANS_BOLD ? PANGO_WEIGHT_BOLD
                                                                             : PANGO_WEIGHT_NORMAL);
  pango_font_description_set_absolute_size (description, size_px * PANGO_SCALE);
  return description;
}

void
hir_font_prepare_context (PangoContext *context)
{
  cairo_font_options_t *options = cairo_font_options_create ();

  cairo_font_options_set_hint_style (options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options (context, options);
  pango_context_set_round_glyph_positions (context, FALSE);
  cairo_font_options_destroy (options);
}

void
hir_font_prepare_layout (PangoLayout *layout)
{
  PangoAttrList *attributes = pango_attr_list_new ();

  pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum"));
  pango_layout_set_attributes (layout, attributes);
  pango_attr_list_unref (attributes);
}
