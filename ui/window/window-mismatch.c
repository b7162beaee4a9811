/* The first instruction whose result is wrong, looked for in a worker. */
#include "bisect/bisect-program.h"
#include "config.h"
#include "window/window-debug-private.h"

#define KEY "hir-wrong"
#define PROGRESS_MS 200

/* Of a window, freed with it. */
typedef struct
{
  HirWindow *window;         /* borrowed */
  GCancellable *cancellable; /* nullable: it goes on */
  HirProgramBisect *bisect;  /* nullable: of it, or what was found */
  guint timeout;
} Wrong;

static void
stop (Wrong *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_handle_id (&self->timeout, g_source_remove);
}

static void
wrong_free (gpointer data)
{
  Wrong *self = data;

  stop (self);
  g_clear_pointer (&self->bisect, hir_program_bisect_unref);
  g_free (self);
}

static Wrong *
get_wrong (HirWindow *window)
{
  return g_object_get_data (G_OBJECT (window), KEY);
}

static HirMismatchStrip *
get_strip (HirWindow *window)
{
  return hir_debug_page_get_mismatch (hir_window_get_debugging (window)->page);
}

static gboolean
on_timeout (gpointer user_data)
{
  Wrong *self = user_data;

  hir_mismatch_strip_show_progress (get_strip (self->window),
                                 (guint) g_atomic_int_get (&self->bisect->n_compared));
  return G_SOURCE_CONTINUE;
}

static void
show_found (HirWindow *window, const HirProgramBisect *bisect)
{
  g_autofree char *iteration = bisect->iteration >= 0
                                   ? g_strdup_printf (" in iteration %d", bisect->iteration)
                                   : g_strdup ("");
  g_autofree char *heading =
      g_strdup_printf ("#%u %s%s on rank %d is the first that is wrong", bisect->number,
                       bisect->label, iteration, bisect->rank);

  hir_mismatch_strip_show_result (get_strip (window), heading, bisect->report, TRUE);
  hir_window_find_mismatch_show (GTK_WIDGET (window), NULL, NULL);
}

/* Of one search: the window may look for something else by now. */
typedef struct
{
  HirWindow *window;
  GCancellable *cancellable;
} Search;

static void
on_done (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Search *search = user_data;
  HirWindow *window = search->window;
  Wrong *self = get_wrong (window);
  g_autoptr (GError) error = NULL;
  gboolean done = hir_program_bisect_finish (result, &error);

  if (self != NULL && self->cancellable == search->cancellable)
    {
      g_autofree char *text =
          g_strdup_printf ("%d results were compared with the program in sequence",
                           g_atomic_int_get (&self->bisect->n_compared));

      stop (self);
      if (!done)
        hir_mismatch_strip_show_result (get_strip (window), "It can't be compared", error->message,
                                     FALSE);
      else if (self->bisect->id != 0)
        show_found (window, self->bisect);
      else
        hir_mismatch_strip_show_result (get_strip (window), "No instruction's result is wrong", text,
                                     FALSE);
    }
  g_object_unref (search->cancellable);
  g_object_unref (search->window);
  g_free (search);
}

void
hir_window_find_mismatch (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *window = HIR_WINDOW (widget);
  Wrong *self = get_wrong (window);
  HirProgram *program = hir_document_get_program (window->document);
  g_auto (HirRunSettings) settings = { 0 };
  Search *search;

  if (program == NULL || !hir_window_has_passes (window))
    return;
  stop (self);
  hir_run_settings_init (&settings);
  settings.n_streams = hir_window_get_n_streams (window);
#if HIR_TESTING
  /* Correct programs have nothing to find. */
  settings.plant_op = g_strdup (g_getenv ("HIRSCOPE_TEST_PLANT"));
  settings.plant_scale = 0.1;
#endif
  self->cancellable = g_cancellable_new ();
  search = g_new (Search, 1);
  search->window = g_object_ref (window);
  search->cancellable = g_object_ref (self->cancellable);
  hir_window_debug_show_panel (window);
  hir_mismatch_strip_show_progress (get_strip (window), 0);
  g_clear_pointer (&self->bisect, hir_program_bisect_unref);
  self->bisect =
      hir_program_bisect_new_async (program, &settings, self->cancellable, on_done, search);
  self->timeout = g_timeout_add (PROGRESS_MS, on_timeout, self);
}

void
hir_window_find_mismatch_end (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *window = HIR_WINDOW (widget);

  stop (get_wrong (window));
  hir_mismatch_strip_clear (get_strip (window));
}

void
hir_window_find_mismatch_show (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *window = HIR_WINDOW (widget);
  const HirProgramBisect *bisect = get_wrong (window)->bisect;
  HirRankPrograms *ranks = hir_selection_get_ranks (window->selection);
  int entry = ranks != NULL && bisect != NULL ? hir_rank_programs_find (ranks, bisect->rank) : -1;
  HirProgram *program;

  if (bisect == NULL || bisect->id == 0)
    return;
  if (entry >= 0 && entry != hir_selection_get_rank_program (window->selection))
    hir_selection_set_rank_program (window->selection, (guint) entry);
  program = hir_selection_get_program (window->selection);
  if (program == NULL || program->views->len == 0)
    return;
  hir_selection_set_step (window->selection, program->views->len - 1);
  hir_text_pane_show (window->text, "ir");
  hir_selection_set_node (window->selection, bisect->id);
}

void
hir_window_find_mismatch_break (GtkWidget *widget, const char *name, GVariant *parameter)
{
  const HirProgramBisect *bisect = get_wrong (HIR_WINDOW (widget))->bisect;
  g_autoptr (GString) text = g_string_new (NULL);

  if (bisect == NULL || bisect->id == 0)
    return;
  g_string_append_printf (text, "@%016" G_GINT64_MODIFIER "x", bisect->id);
  if (bisect->iteration >= 0)
    g_string_append_printf (text, " iteration %d", bisect->iteration);
  g_string_append_printf (text, " rank %d", bisect->rank);
  gtk_widget_activate_action (widget, "win.break-add", "s", text->str);
}

/* Its numbers are of another program. */
static void
on_program (HirWindow *window)
{
  hir_window_find_mismatch_end (GTK_WIDGET (window), NULL, NULL);
}

void
hir_window_mismatch_connect (HirWindow *window)
{
  Wrong *self = g_new0 (Wrong, 1);

  self->window = window;
  g_object_set_data_full (G_OBJECT (window), KEY, self, wrong_free);
  g_signal_connect_swapped (window->document, "program-changed", G_CALLBACK (on_program), window);
}
