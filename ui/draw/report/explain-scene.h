/* Draws an explanation: for each repetition the causes of its time, with their shares and a
 * sentence each; below what would help, and the notes. The list is in pixels of the view, with (0,
 * 0) at its top left. The cost of drawing depends only on the visible rows. */
#pragma once

#include "draw/display-list.h"
#include "draw/theme.h"
#include "explain/explain.h"

G_BEGIN_DECLS

/* Words of a line that are a link. */
typedef struct
{
  guint line;       /* of the row; the detail follows the others */
  guint start, end; /* bytes of the line */
  double x, width;  /* from the start of the line */
  char *target;     /* of the action `win.link` */
} HirExplainLink;

typedef struct
{
  /* Borrowed from the explanation; both are NULL: a title or a note. */
  const HirLoss *loss;
  const HirGain *gain;
  gboolean is_title;
  double share;
  char *time, *percent, *detail; /* NULL without a loss or a gain */
  gboolean can_predict;          /* of a gain: an option of predict makes its change */
  gboolean has_piece_line;       /* of a loss: its pieces do not fit into the line of the detail */
  char **lines;                  /* of the sentence, the title or the note */
  GArray *links;                 /* HirExplainLink, in the order of the text */
  double y, height;
} HirExplainRow;

/* The rows for one width. */
typedef struct
{
  GArray *rows; /* HirExplainRow */
  double width, height;
} HirExplainLayout;

/* Lays out @explain, which must outlive the result. At most 2000 rows: later repetitions are left
 * out, which a note says. */
HirExplainLayout *
hir_explain_layout_new (const HirExplain *explain, HirMeasure *measure, double width);
void hir_explain_layout_free (HirExplainLayout *layout);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirExplainLayout, hir_explain_layout_free)

/* A row and one of its links; -1: none. */
typedef struct
{
  int row, link;
} HirExplainSpot;

/* All fields are borrowed during a call. */
typedef struct
{
  const HirExplainLayout *layout;
  const HirTrace *trace;
  const HirTheme *theme;
  HirExplainSpot hovered, selected;
  guint piece; /* of the selected loss, from 1; 0: none is selected */
  double width, height, scroll_y;
} HirExplainScene;

/* Draws the visible rows. */
void hir_explain_scene_draw (const HirExplainScene *scene, HirDisplayList *list);
/* Returns the place of a link, from the top left of the row. */
HirRect hir_explain_row_get_link_rect (const HirExplainRow *row, guint i);
/* Returns whether @row is a loss or a gain, which can be selected. */
gboolean hir_explain_row_is_selectable (const HirExplainRow *row);
/* Returns whether (@x, @y) of the view is on "Predict" of row @i. */
gboolean hir_explain_scene_hits_predict (const HirExplainScene *scene, int i, double x, double y);
/* Returns the row at (@x, @y) of the view, if it can be selected or a link is there, and the link.
 */
HirExplainSpot hir_explain_scene_hit (const HirExplainScene *scene, double x, double y);

G_END_DECLS
