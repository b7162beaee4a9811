/* A row of the list of passes: effect and duration of the pass, a switch, and a button for its
 * options. */
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
  HIR_PASS_ROW_NOT_REACHED, /* an earlier pass failed or ended the pipeline */
} HirPassRowKind;

typedef struct
{
  HirPassRowKind kind;
  int step;            /* index of the snapshot after the pass, or -1 */
  gboolean is_enabled; /* as requested */
  gboolean differs;    /* the last change of the document changed the result */
  guint n_set;         /* number of options that differ from their default */
  gint64 duration_ns;  /* -1 if unknown */
  const char *note;    /* the effect or the error (borrowed) */
} HirPassRowState;

/**
 * hir_pass_row_new:
 * @title: name of the pass or of the snapshot
 * @pass: (nullable): NULL for a row that only shows a snapshot
 *
 * Creates a row. Its controls activate `win.pass-enable` (sb) with pass and state, and
 * `win.pass-option` (sss) with pass, option and value.
 */
GtkWidget *hir_pass_row_new (const char *title, const HirPass *pass);

/* Sets the contents. @request has the values of the options when they are opened. NULL: switch and
 * options show an earlier run and cannot be changed. */
void hir_pass_row_set (GtkWidget *row, const HirPassRowState *state, HirRequest *request);

/* Returns the title (borrowed). */
const char *hir_pass_row_get_title (GtkWidget *row);

/* Returns the kind that was set last. */
HirPassRowKind hir_pass_row_get_kind (GtkWidget *row);

/* Returns the index of the snapshot, or -1. */
int hir_pass_row_get_step (GtkWidget *row);

/* Returns the pass, or NULL if the row only shows a snapshot. */
const HirPass *hir_pass_row_get_pass (GtkWidget *row);

/* Returns whether the pass is enabled. */
gboolean hir_pass_row_get_enabled (GtkWidget *row);

/* Opens the options. Returns FALSE if there are none. */
gboolean hir_pass_row_open_options (GtkWidget *row);

/* Shows a result of bisection: @verdict is "right", "wrong", "?", "match" or "no match", and @text
 * explains it. Removes the result if @verdict is NULL. */
void hir_pass_row_set_verdict (GtkWidget *row, const char *verdict, const char *text);

G_END_DECLS
