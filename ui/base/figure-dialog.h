/* Asks for the look of an exported figure, before its file is chosen. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef enum
{
  HIR_FIGURE_ON_WHITE,
  HIR_FIGURE_ON_THEME, /* that of the window, dark or light */
  HIR_FIGURE_ON_NOTHING,
} HirFigureBackground;

typedef struct
{
  double width_mm;  /* 0: as needed, for graphs only */
  double height_mm; /* 0: as needed */
  double font_pt;
  HirFigureBackground background;
  gboolean legend;
  gboolean all_rows; /* of a timeline: ignores hidden and folded tracks of the window */
} HirFigureLook;

/* Sets the defaults, which are those of `hirscope export`. */
void hir_figure_look_init (HirFigureLook *look, gboolean is_timeline);

/* Presents the dialog. @time (nullable): which time of a timeline is drawn, a sentence and a space;
 * NULL for a graph. "Choose File…" stores the values in @look and calls @done. @look must
 * outlive the dialog, which is destroyed with @parent. */
void hir_figure_dialog_present (GtkWindow *parent,
                                const char *time,
                                HirFigureLook *look,
                                GFunc done,
                                gpointer data,
                                gpointer user_data);

G_END_DECLS
