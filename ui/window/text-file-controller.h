/* Saves the script or the printed program that is open, and asks before unsaved changes are
 * lost. Stores a draft of them, which later sessions offer if this one has ended with a crash.
 * Reads the file again when another program changes it. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Creates the controller. If the window is closed with unsaved changes, the user is asked first. */
HirTextFileController *hir_text_file_controller_new (HirWindow *window);

/* Frees @self. */
void hir_text_file_controller_free (HirTextFileController *self);

/* Marks the open text as saved in the file @path (nullable: in no file). */
void hir_window_begin_text (HirWindow *self, const char *path);

/* Shows in the title whether there are unsaved changes, and stores or deletes their draft. */
void hir_window_show_title (HirWindow *self);

/* Returns the strip that offers the draft of an earlier session (borrowed, floating). */
GtkWidget *hir_text_file_controller_get_draft_strip (HirTextFileController *self);

/* Returns the strip that asks which text to keep, because another program has changed the file
 * (borrowed, floating). */
GtkWidget *hir_text_file_controller_get_changed_strip (HirTextFileController *self);

/* `win.file-reload` (@argument TRUE): the text of the file replaces the edited one, which can be
 * undone. `win.file-keep` (FALSE): the edited text stays, and saving does not ask any more. */
void hir_window_answer_changed_file (HirWindow *self, GVariant *parameter, int argument);

/* Stops the offer, because another document is being opened. */
void hir_window_leave_draft (HirWindow *self);

/* Returns the file of the offered draft (transfer full) if another file, or none, is open.
 * Otherwise returns NULL. */
char *hir_window_dup_draft_file (HirWindow *self);

/* Restores the draft of the file that is being opened as soon as it is open. */
void hir_window_restore_when_opened (HirWindow *self);

/* Makes the offered draft the edited text if the text that it changes is open. Otherwise returns
 * the request to open first (transfer full), or NULL if no draft is offered. */
HirRequest *hir_window_begin_restoring (HirWindow *self);

/* `win.draft-discard`: deletes the offered draft and offers the one before it. */
void hir_window_discard_draft (HirWindow *self, GVariant *parameter, int argument);

/* `win.draft-next`: offers the newest draft of another document, one after the other. */
void hir_window_offer_next_draft (HirWindow *self, GVariant *parameter, int argument);

/* Stores the function, devices and pipeline of the displayed script, see opened-memory.h. */
void hir_window_keep_opened (HirWindow *self);

/**
 * hir_window_may_open:
 * @spec: what to open, see hir_window_open()
 *
 * Asks the user if there are unsaved changes, and activates `win.open-path` with @spec after the
 * answer.
 *
 * Returns: TRUE if @spec may be opened now
 */
gboolean hir_window_may_open (HirWindow *self, const char *spec);

/* `win.save-text`: saves the text in its file, or asks for a file. */
void hir_window_save_text (HirWindow *self, GVariant *parameter, int argument);

/* `win.save-text-as`: asks for a file and saves the text there. */
void hir_window_save_text_as (HirWindow *self, GVariant *parameter, int argument);

/* `win.save-any`: saves the text if it has changes; without a text, the trace as a recording. */
void hir_window_save_any (HirWindow *self, GVariant *parameter, int argument);

G_END_DECLS
