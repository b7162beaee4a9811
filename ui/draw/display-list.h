/* What is to be seen, as plain shapes in painting order, with no word of how it is painted. A view
 * makes one; paint-pixels.h puts it on the screen, paint-cairo.h into PNG and PDF, paint-svg.h into
 * SVG. Building and painting: one thread at a time; a finished list may be painted by any.
 *
 * Items are of one size; texts and points lie in arrays beside them, so that 100,000 bars are one
 * block of memory. */
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
  HIR_DRAW_COLUMNS, /* n columns of one width, each filled in its own colour */
  HIR_DRAW_PUSH_CLIP,
  HIR_DRAW_POP_CLIP,
} HirDrawKind;

typedef enum
{
  HIR_DASH_NONE,
  HIR_DASH_DASHED, /* 5 on, 4 off */
  HIR_DASH_DOTTED, /* 2 on, 3 off */
} HirDash;

typedef enum
{
  HIR_ALIGN_START,
  HIR_ALIGN_CENTER,
  HIR_ALIGN_END,
} HirAlign;

typedef struct
{
  HirRect rect;  /* text: its box; empty for paths */
  HirColor fill; /* also text */
  HirColor stroke;
  guint32 data; /* first byte of the text, first point, or first colour */
  guint32 n;    /* bytes, points or colours */
  float line_width;
  float radius; /* of corners; of text: size in pixels */
  guint8 kind;  /* HirDrawKind */
  guint8 dash;  /* HirDash */
  guint8 font;  /* HirFont */
  guint8 align; /* HirAlign */
} HirDrawItem;

typedef struct
{
  HirRect rect;
  guint64 id;
  guint32 tag; /* what the maker of the list says it is */
} HirHit;

typedef struct
{
  GArray *items;  /* HirDrawItem */
  GArray *points; /* HirPoint */
  GArray *colors; /* HirColor */
  GByteArray *texts;
  GArray *hits; /* HirHit, later ones on top */
} HirDisplayList;

HirDisplayList *hir_display_list_new (void);
/* Empty again, memory kept. */
void hir_display_list_clear (HirDisplayList *list);
void hir_display_list_free (HirDisplayList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDisplayList, hir_display_list_free)

/* Square corners, no stroke: the cheapest shape. */
void hir_display_list_add_rect (HirDisplayList *list, HirRect rect, HirColor fill);
/* Either colour may be 0: then it is not filled or not stroked. */
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
/* @n_points = 3k + 1: a start, then two control points and an end for each piece. */
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
/* A filled arrow head whose tip is @tip, coming from @from. */
void hir_display_list_add_arrow (
    HirDisplayList *list, HirPoint from, HirPoint tip, double size, HirColor fill);
/* One line, centred in the height of @box and aligned in its width; what does not fit ends in an
 * ellipsis. Any text is safe: broken UTF-8 is mended, control characters are shown as spaces, what
 * is longer than HIR_TEXT_MAX bytes is cut. Width 0: no limit (and @align is about @box.x). */
void hir_display_list_add_text (HirDisplayList *list,
                                HirRect box,
                                const char *text,
                                HirFont font,
                                double size_px,
                                HirColor color,
                                HirAlign align);
/* @n columns that share the width of @rect, the cheapest way to put many thin things side by side:
 * a colour each, 0 where there is nothing. Opaque colours are the quickest. */
void hir_display_list_add_columns (HirDisplayList *list,
                                   HirRect rect,
                                   const HirColor *colors,
                                   guint n);
/* Of an item of columns: the first of @item->n. */
const HirColor *hir_display_list_get_columns (const HirDisplayList *list, const HirDrawItem *item);
/* The end of the run of equal colours that begins at column @from. */
guint hir_display_list_get_run (const HirDisplayList *list, const HirDrawItem *item, guint from);
void hir_display_list_push_clip (HirDisplayList *list, HirRect rect);
void hir_display_list_pop_clip (HirDisplayList *list);

/* An area that the pointer finds; draws nothing. */
void hir_display_list_add_hit (HirDisplayList *list, HirRect rect, guint64 id, guint32 tag);
/* The topmost hit area at a point, in the list's own coordinates; NULL where there is none. */
const HirHit *hir_display_list_get_hit (const HirDisplayList *list, double x, double y);

/* A copy with everything moved. */
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

/* NUL-terminated, valid UTF-8, of item->n bytes. */
static inline const char *
hir_display_list_get_text (const HirDisplayList *list, const HirDrawItem *item)
{
  return (const char *) list->texts->data + item->data;
}

G_END_DECLS
