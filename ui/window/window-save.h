/* The script, or the printed program, as a file: saved, saved elsewhere, not lost. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* What is open now counts as saved in @path (nullable: it is in no file). */
void hir_window_begin_text (HirWindow *self, const char *path);
/* What is typed this moment counts. */
gboolean hir_window_has_changes (HirWindow *self);
/* A dot before the title while there is something to save. */
void hir_window_show_title (HirWindow *self);
/* Connects what asks before the window closes. */
void hir_window_save_connect (HirWindow *self);
/* TRUE where @spec may be opened now; else the user is asked, and it is opened after the answer. */
gboolean hir_window_may_open (HirWindow *self, const char *spec);
void hir_window_save_clear (HirWindow *self);

/* Activate functions. */
void hir_window_save_text (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_save_text_as (GtkWidget *widget, const char *name, GVariant *parameter);
/* The text where it was changed, else the recording. */
void hir_window_save_any (GtkWidget *widget, const char *name, GVariant *parameter);

G_END_DECLS
