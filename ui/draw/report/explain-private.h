/* Internal declarations of the explanation: sizes in pixels that layout and drawing share. */
#pragma once

#include "draw/report/explain-scene.h"

G_BEGIN_DECLS

#define EDGE 12.0   /* at both sides */
#define TIMES 78.0  /* width of time and share */
#define LINE 16.0   /* height of a line */
#define PIECE 205.0 /* width of "interval 10 of 15 (Shift+J, Shift+K)" */
#define PAD 5.0     /* above and below the lines of a row */
#define TITLE_PX 12.5
#define TEXT_PX 11.5
#define DETAIL_PX 10.5

/* Returns the start of the lines of a row. */
double hir_explain_row_get_text_x (const HirExplainRow *row);

G_END_DECLS
