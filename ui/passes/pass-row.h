/* A row of the list of passes: what the pass did and how long it took, a switch, a button for its options. */
#pragma once

#include <gtk/gtk.h>

#include "pass.h"
#include "program/request.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_PASS_ROW_SOURCE,
  HIR_PASS_ROW_CHANGED,
  HIR_PASS_ROW_UNCHANGED,
  HIR_PASS_ROW_FAILED,
  HIR_PASS_ROW_OFF,
  HIR_PASS_ROW_NOT_REACHED, /* a pass before it failed, or the pipeline ended there */
} HirPassRowKind;

typedef struct
{
  HirPassRowKind kind;
  int step;            /* of the snapshot after it, -1: there is none */
  gboolean is_enabled; /* asked for */
  gboolean differs;    /* another program than before the last change */
  guint n_set;         /* options that are not at their default */
  gint64 duration_ns;  /* -1: none */
  const char *note;    /* what it did, or why it failed; borrowed */
} HirPassRowState;

/* @pass: NULL for a row that only shows a snapshot. The row asks for changes by `win.pass-enable` (sb) and
 * `win.pass-option` (sss): pass, option, value. */
GtkWidget *hir_pass_row_new (const char *title, const HirPass *pass);
/* Brings it up to date; @request (nullable) is where its options are looked up when they are opened. */
void hir_pass_row_set (GtkWidget *row, const HirPassRowState *state, HirRequest *request);
const char *hir_pass_row_get_title (GtkWidget *row);
HirPassRowKind hir_pass_row_get_kind (GtkWidget *row);
int hir_pass_row_get_step (GtkWidget *row);
/* NULL: see new(). */
const HirPass *hir_pass_row_get_pass (GtkWidget *row);
gboolean hir_pass_row_get_enabled (GtkWidget *row);
/* Opens the options; FALSE where there are none. */
gboolean hir_pass_row_open_options (GtkWidget *row);
/* What a bisection says of it: "right", "wrong", "same", "unknown" and a text, or NULL: nothing. */
void hir_pass_row_set_verdict (GtkWidget *row, const char *verdict, const char *text);

G_END_DECLS
