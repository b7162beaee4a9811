/* A drawing as a list of plain shapes in painting order. Views create it; paint-pixels.h paints it
 * on the screen, paint-cairo.h into PNG and PDF, paint-svg.h into SVG.
 *
 * Items have a fixed size. Texts and points are in separate arrays, so that 100,000 bars are one
 * block of memory. One thread at a time may build or paint a list; several threads may paint a
 * finished list. */
#pragma once

#include "draw/measure.h"
#include "draw/shape.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_DRAW_RECT,       /* fill */
  HIR_DRAW_ROUND_RECT, /* fill and stroke, inside the rectangle */
  HIR_DRAW_POLYLINE,   /* stroke, n points */
  HIR_DRAW_BEZIER,     /* stroke, 3k + 1 points */
  HIR_DRAW_POLYGON,    /* fill, n points */
  HIR_DRAW_TEXT,
  HIR_DRAW_COLUMNS, /* n columns of equal width, each with its own fill color */
  HIR_DRAW_PUSH_CLIP,
  HIR_DRAW_POP_CLIP,
} HirDrawKind;

typedef enum
{
  HIR_DASH_NONE,
  HIR_DASH_DASHED, /* 5 px on, 4 px off */
  HIR_DASH_DOTTED, /* 2 px on, 3 px off */
} HirDash;

typedef enum
{
  HIR_ALIGN_START,
  HIR_ALIGN_CENTER,
  HIR_ALIGN_END,
} HirAlign;

typedef struct
{
  HirRect rect;  /* box of a text; empty for paths */
  HirColor fill; /* also the color of a text */
  HirColor stroke;
  guint32 data; /* index of the first byte of the text, the first point or the first color */
  guint32 n;    /* number of bytes, points or colors */
  float line_width;
  float radius; /* corner radius; font size in pixels for a text */
  guint8 kind;  /* HirDrawKind */
  guint8 dash;  /* HirDash */
  guint8 font;  /* HirFont */
  guint8 align; /* HirAlign */
} HirDrawItem;

typedef struct
{
  HirRect rect;
  guint64 id;
  guint32 tag; /* defined by the creator of the list */
} HirHit;

typedef struct
{
  GArray *items;  /* HirDrawItem */
  GArray *points; /* HirPoint */
  GArray *colors; /* HirColor */
  GByteArray *texts;
  GArray *hits; /* HirHit; later ones are on top */
} HirDisplayList;

HirDisplayList *hir_display_list_new (void);
/* Removes all items but keeps the allocated memory. */
void hir_display_list_clear (HirDisplayList *list);
void hir_display_list_free (HirDisplayList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDisplayList, hir_display_list_free)

/* Adds a rectangle without rounded corners and stroke, the cheapest shape. */
void hir_display_list_add_rect (HirDisplayList *list, HirRect rect, HirColor fill);
/* Adds a rectangle with rounded corners. Color 0 means no fill or no stroke. */
void hir_display_list_add_round_rect (HirDisplayList *list,
                                      HirRect rect,
                                      double radius,
                                      HirColor fill,
                                      HirColor stroke,
                                      double line_width,
                                      HirDash dash);
void hir_display_list_add_polyline (HirDisplayList *list,
                                    const HirPoint *points,
                                    guint n_points,
                                    HirColor stroke,
                                    double line_width,
                                    HirDash dash);
/* Adds a curve. @n_points = 3k + 1: the start, then two control points and an end for each
 * segment. */
void hir_display_list_add_bezier (HirDisplayList *list,
                                  const HirPoint *points,
                                  guint n_points,
                                  HirColor stroke,
                                  double line_width,
                                  HirDash dash);
void hir_display_list_add_polygon (HirDisplayList *list,
                                   const HirPoint *points,
                                   guint n_points,
                                   HirColor fill);
/* Adds a filled arrow head with its tip at @tip, pointing away from @from. */
void hir_display_list_add_arrow (
    HirDisplayList *list, HirPoint from, HirPoint tip, double size, HirColor fill);
/* Adds one line of text, vertically centered in @box and horizontally aligned in its width. Text
 * that does not fit ends in an ellipsis; with width 0, there is no limit and @align is relative to
 * @box.x.
 *
 * Any text is safe: invalid UTF-8 is repaired, control characters are shown as spaces, and text
 * beyond HIR_TEXT_MAX bytes is truncated. */
void hir_display_list_add_text (HirDisplayList *list,
                                HirRect box,
                                const char *text,
                                HirFont font,
                                double size_px,
                                HirColor color,
                                HirAlign align);
/* Adds @n columns that share the width of @rect, the cheapest way to draw many thin shapes next to
 * each other. @colors has one color per column, 0 for an empty one. Opaque colors are fastest. */
void
hir_display_list_add_columns (HirDisplayList *list, HirRect rect, const HirColor *colors, guint n);
/* Returns the first of @item->n colors of an item of columns. */
const HirColor *hir_display_list_get_columns (const HirDisplayList *list, const HirDrawItem *item);
/* Returns the end of the run of equal colors that starts at column @from. */
guint hir_display_list_get_run (const HirDisplayList *list, const HirDrawItem *item, guint from);
void hir_display_list_push_clip (HirDisplayList *list, HirRect rect);
void hir_display_list_pop_clip (HirDisplayList *list);

/* Adds an area for hit tests. Draws nothing. */
void hir_display_list_add_hit (HirDisplayList *list, HirRect rect, guint64 id, guint32 tag);
/* Returns the topmost hit area at a point in the coordinates of the list, or NULL. */
const HirHit *hir_display_list_get_hit (const HirDisplayList *list, double x, double y);

/* Returns a copy with all coordinates shifted. */
HirDisplayList *hir_display_list_new_moved (const HirDisplayList *list, double dx, double dy);

static inline const HirDrawItem *
hir_display_list_get_item (const HirDisplayList *list, guint i)
{
  return &g_array_index (list->items, HirDrawItem, i);
}

static inline const HirPoint *
hir_display_list_get_points (const HirDisplayList *list, const HirDrawItem *item)
{
  return &g_array_index (list->points, HirPoint, item->data);
}

/* Returns the text of @item: NUL-terminated, valid UTF-8, of item->n bytes. */
static inline const char *
hir_display_list_get_text (const HirDisplayList *list, const HirDrawItem *item)
{
  return (const char *) list->texts->data + item->data;
}

G_END_DECLS
