#include "window/check-controller.h"

#include "document/document-edit.h"
#include "program/program-dump.h"
#include "program/request-edit.h"
#include "window/window-open.h"
#include "window/window-panes.h"

#define PANEL_HEIGHT 150

struct _HirCheckController
{
  HirWindow *window; /* borrowed */
  HirCheckPage *page;
  gboolean runs_when_lowered;   /* run the program when it is lowered */
  gboolean checks_when_lowered; /* check the program when it is lowered */
  HirSource *fix;               /* nullable: text to apply to the copy when it is lowered */
  char *fix_what;               /* the change of fix */
};

void
hir_window_check (HirWindow *window, GVariant *parameter, int argument)
{
  HirCheckController *self = window->check;

  if (hir_document_get_program (window->document) == NULL || !hir_window_has_passes (window))
    return;
  hir_window_raise_bottom (window, HIR_BOTTOM_CHECK);
  hir_window_leave_statistics (window);
  self->checks_when_lowered = hir_document_get_is_lowering (window->document);
  hir_document_forget_undone (window->document);
  hir_check_page_begin (self->page, hir_run_controls_get_n_streams (&window->run_controls));
}

void
hir_window_check_cancel (HirWindow *window, GVariant *parameter, int argument)
{
  hir_check_page_cancel (window->check->page);
}

void
hir_window_check_close (HirWindow *window, GVariant *parameter, int argument)
{
  window->check->checks_when_lowered = FALSE;
  hir_check_page_cancel (window->check->page);
  hir_selection_set_pair (window->selection, NULL, NULL);
  hir_window_close_bottom (window, HIR_BOTTOM_CHECK);
}

void
hir_window_check_fix (HirWindow *window, GVariant *parameter, int argument)
{
  hir_check_page_fix (window->check->page, g_variant_get_int32 (parameter));
}

/* Missing synchronization is best seen in the lanes of the streams. */
static void
on_chosen (HirCheckController *self)
{
  guint64 first, second;

  if (hir_selection_get_pair (self->window->selection, &first, &second))
    {
      gtk_toggle_button_set_active (self->window->graph_tabs.show_lanes, TRUE);
      hir_graph_view_fit (self->window->graph);
    }
}

static void
apply (HirCheckController *self, HirRequest *request, const char *what)
{
  self->runs_when_lowered = TRUE;
  hir_document_edit (self->window->document, request, what);
  hir_window_toast (self->window, what);
}

/* A fix changes the text of the last program. Without a script or other programs, this is the text
 * of the document; otherwise, they stay, and a copy of the program is fixed in a new window. */
static void
on_fixed (HirCheckController *self, gpointer fixed, const char *what)
{
  HirWindow *window = self->window;
  HirProgram *program = hir_document_get_program (window->document);
  HirRequest *request = hir_document_get_request (window->document);
  HirProgramView *view = program->views->pdata[program->views->len - 1];
  g_autoptr (HirRequest) copy = NULL;
  HirCheckController *of_copy;

  if (program->views->len == 1 && hir_program_is_dump (request->source))
    {
      apply (self, fixed, what);
      return;
    }
  copy = hir_request_with_printed (request, view->pass_name, view->text);
  of_copy = hir_window_open_copy (window, copy,
                                  "Copy of the last program with the fix; the original stays open "
                                  "in its own window")
                ->check;
  of_copy->fix = hir_source_ref (((HirRequest *) fixed)->source);
  of_copy->fix_what = g_strdup (what);
}

static void
fix_copy (HirCheckController *self)
{
  HirSource *fix = g_steal_pointer (&self->fix);
  g_autofree char *what = g_steal_pointer (&self->fix_what);
  HirRequest *request = hir_document_get_edit (self->window->document);
  g_autoptr (HirRequest) fixed = NULL;

  if (request != NULL)
    fixed = hir_request_with_text (request, NULL, fix->text);
  hir_source_unref (fix);
  if (fixed != NULL)
    apply (self, fixed, what);
}

static void
on_failed (HirCheckController *self, const char *what, const char *why)
{
  hir_window_alert (self->window, what, why);
}

void
hir_check_controller_continue (HirCheckController *self)
{
  HirWindow *window = self->window;
  gboolean runs = self->runs_when_lowered;

  if (hir_document_get_is_lowering (window->document) ||
      hir_document_is_outdated (window->document))
    return;
  if (self->fix != NULL)
    {
      fix_copy (self);
      return;
    }
  if (runs)
    gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
  if (runs || self->checks_when_lowered)
    gtk_widget_activate_action (GTK_WIDGET (window), "win.check", NULL);
  self->runs_when_lowered = self->checks_when_lowered = FALSE;
}

void
hir_check_controller_drop_run (HirCheckController *self)
{
  self->runs_when_lowered = FALSE;
}

void
hir_check_controller_free (HirCheckController *self)
{
  g_clear_pointer (&self->fix, hir_source_unref);
  g_free (self->fix_what);
  g_free (self);
}

HirCheckPage *
hir_check_controller_get_page (HirCheckController *self)
{
  return self->page;
}

HirCheckController *
hir_check_controller_new (HirWindow *window)
{
  HirCheckController *self = g_new0 (HirCheckController, 1);
  GtkWidget *page = hir_check_page_new (window->selection);

  self->window = window;
  self->page = HIR_CHECK_PAGE (page);
  gtk_widget_set_size_request (page, -1, PANEL_HEIGHT);
  g_signal_connect_swapped (page, "chosen", G_CALLBACK (on_chosen), self);
  g_signal_connect_swapped (page, "fixed", G_CALLBACK (on_fixed), self);
  g_signal_connect_swapped (page, "failed", G_CALLBACK (on_failed), self);
  return self;
}
