#include "text/cuda-text.h"

#include <string.h>

#include "base/control-words.h"
#include "canvas/scroller.h"
#include "program/program-kernels.h"
#include "selection/instances.h"
#include "text/code-style.h"
#include "text/text-fill.h"

/* A script line can cause thousands of instructions. */
#define MAX_INSTRUCTIONS 100

struct _HirCudaText
{
  GtkWidget parent_instance;

  HirSelection *selection;
  GtkWidget *box;
  GtkLabel *summary;
  GtkWidget *save;
  GtkTextView *text;
  HirTextFill *fill;
  HirProgram *program;    /* nullable: the displayed one, of which the rest is */
  HirProgram *executable; /* nullable: hir_program_ref_executable() */
  GPtrArray *kernels;     /* nullable: HirKernels* of executable */
  GError *error;          /* nullable: why there are none */
  GCancellable *work;     /* nullable: of the running generation */
  char *shown;            /* nullable: the displayed text */
  gboolean is_stale;
};

G_DEFINE_FINAL_TYPE (HirCudaText, hir_cuda_text, GTK_TYPE_WIDGET)

/* Returns the selected instructions of the host program (const HirExpr*), without duplicates. */
static GPtrArray *
dup_selected (HirCudaText *self)
{
  GPtrArray *found = g_ptr_array_new ();
  g_autoptr (GArray) ids = hir_instances_dup_instructions (self->selection);

  for (guint i = 0; i < ids->len && found->len < MAX_INSTRUCTIONS; i++)
    {
      const HirExpr *expr =
          hir_program_lookup_instruction (self->executable, g_array_index (ids, guint64, i));

      if (expr != NULL && !g_ptr_array_find (found, expr, NULL))
        g_ptr_array_add (found, (gpointer) expr);
    }
  return found;
}

/* Appends the names that the recorded trace has for the launches of @expr, if they are not in the
 * code: kernels that a library has chosen. */
static void
append_recorded (HirCudaText *self, const HirExpr *expr, GString *text)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  g_autoptr (GHashTable) names = g_hash_table_new (g_direct_hash, g_direct_equal);
  int rank = (int) self->executable->request->rank;
  guint track = 0, index = HIR_NO_EVENT;

  while (trace != NULL && hir_trace_next_of_instruction (trace, expr->node.id, &track, &index))
    {
      HirEvent event;
      const char *name;

      hir_trace_get_event (trace, track, index, &event);
      if (hir_trace_get_track (trace, track)->rank != rank || event.kind != HIR_EVENT_KERNEL ||
          !hir_track_is_of_device (hir_trace_get_track (trace, track)) ||
          !g_hash_table_add (names, GUINT_TO_POINTER (event.name)))
        continue;
      name = hir_trace_get_string (trace, event.name);
      if (strstr (text->str, name) == NULL)
        g_string_append_printf (text, "// recorded: %s\n", name);
    }
}

static void
show_text (HirCudaText *self, const char *summary, char *text)
{
  gtk_label_set_text (self->summary, summary);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->summary), summary);
  if (g_strcmp0 (text, self->shown) == 0)
    {
      g_free (text);
      return;
    }
  g_free (self->shown);
  self->shown = g_strdup (text);
  hir_text_fill_start (self->fill, text);
}

/* Returns the code of @selected, or of all instructions if it is empty. */
static char *
dup_code (HirCudaText *self, const GPtrArray *selected)
{
  GString *text = g_string_new (NULL);

  if (selected->len == 0 && hir_selection_get_node (self->selection) != 0)
    g_string_append (text, "// the selection is not an instruction; Escape shows all kernels\n");
  else if (selected->len == 0)
    hir_program_append_kernels (self->executable, self->kernels, NULL, text);
  for (guint i = 0; i < selected->len; i++)
    {
      g_autoptr (GString) one = g_string_new (NULL);

      hir_program_append_kernels (self->executable, self->kernels, selected->pdata[i], one);
      append_recorded (self, selected->pdata[i], one);
      g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "", one->str);
    }
  return g_string_free (text, FALSE);
}

static void
show (HirCudaText *self)
{
  g_autoptr (GPtrArray) selected = NULL;
  g_autofree char *title = NULL;
  g_autofree char *label = NULL;
  g_autofree char *problem =
      hir_control_words_dup (self->error != NULL ? self->error->message : NULL);

  gtk_widget_set_sensitive (self->save, self->kernels != NULL);
  if (self->kernels == NULL)
    {
      show_text (self,
                 problem != NULL         ? problem
                 : self->program == NULL ? ""
                                         : "Generating CUDA C\xe2\x80\xa6",
                 g_strdup (""));
      return;
    }
  selected = dup_selected (self);
  if (selected->len > 0)
    label = hir_evaluator_dup_expr_label (selected->pdata[0]);
  title = selected->len > 1
              ? g_strdup_printf ("%s and %u more instructions", label, selected->len - 1)
          : selected->len == 1                            ? g_strdup (label)
          : hir_selection_get_node (self->selection) != 0 ? g_strdup ("Not an instruction")
                                                          : g_strdup ("All instructions");
  g_autofree char *summary =
      g_strdup_printf ("%s, rank %d, for a GPU with %d multiprocessors (H100, H200)", title,
                       (int) self->executable->request->rank, HIR_KERNELS_N_SMS);
  show_text (self, summary, dup_code (self, selected));
}

char *
hir_cuda_text_dup_file (HirCudaText *self, char **name)
{
  g_autoptr (GPtrArray) selected = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *label = NULL;

  if (self->kernels == NULL)
    return NULL;
  selected = dup_selected (self);
  if (selected->len > 0)
    label = g_strdelimit (hir_evaluator_dup_expr_label (selected->pdata[0]), " /", '_');
  hir_program_append_kernel_file (self->executable, self->kernels, selected, text);
  *name = g_strdup_printf ("%s.cu", label != NULL ? label : "kernels");
  return g_strdup (text->str);
}

typedef struct
{
  HirProgram *executable;
  GPtrArray *kernels;
} Generated;

static void
generated_free (gpointer data)
{
  Generated *generated = data;

  g_clear_pointer (&generated->executable, hir_program_unref);
  g_clear_pointer (&generated->kernels, g_ptr_array_unref);
  g_free (generated);
}

static void
generate (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  Generated *generated = g_new0 (Generated, 1);
  GError *error = NULL;

  generated->executable = hir_program_ref_executable (task_data, cancellable, &error);
  if (generated->executable != NULL)
    generated->kernels = hir_program_new_kernels (generated->executable, cancellable, &error);
  if (generated->kernels != NULL)
    {
      g_task_return_pointer (task, generated, generated_free);
      return;
    }
  generated_free (generated);
  g_task_return_error (task, error);
}

static void
on_generated (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirCudaText *self = HIR_CUDA_TEXT (source);
  g_autoptr (GError) error = NULL;
  Generated *generated = g_task_propagate_pointer (G_TASK (result), &error);

  if (g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    {
      g_clear_pointer (&generated, generated_free);
      return;
    }
  g_clear_object (&self->work);
  self->error = g_steal_pointer (&error);
  if (generated != NULL)
    {
      self->kernels = g_steal_pointer (&generated->kernels);
      self->executable = g_steal_pointer (&generated->executable);
      generated_free (generated);
    }
  show (self);
}

static void
drop (HirCudaText *self)
{
  if (self->work != NULL)
    g_cancellable_cancel (self->work);
  g_clear_object (&self->work);
  g_clear_pointer (&self->kernels, g_ptr_array_unref);
  g_clear_error (&self->error);
  g_clear_pointer (&self->executable, hir_program_unref_async);
  g_clear_pointer (&self->program, hir_program_unref_async);
}

/* Generates the code of another program, or shows another selection. */
static void
update (HirCudaText *self)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  g_autoptr (GTask) task = NULL;

  self->is_stale = FALSE;
  if (program != NULL && program == self->program)
    {
      show (self);
      return;
    }
  drop (self);
  if (program != NULL)
    {
      self->program = hir_program_ref (program);
      self->work = g_cancellable_new ();
      task = g_task_new (self, self->work, on_generated, NULL);
      g_task_set_check_cancellable (task, FALSE);
      g_task_set_task_data (task, hir_program_ref (program), (GDestroyNotify) hir_program_unref);
      g_task_run_in_thread (task, generate);
    }
  show (self);
}

/* Reads the language late, because reading a language takes 20 ms. */
static void
on_map (HirCudaText *self)
{
  GtkSourceBuffer *buffer = GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (self->text));
  GtkSourceLanguage *language = gtk_source_buffer_get_language (buffer);

  if (language == NULL)
    language = hir_code_style_get_language ("cuda");
  if (language == NULL)
    language = hir_code_style_get_language ("c");
  gtk_source_buffer_set_language (buffer, language);
  if (self->is_stale)
    update (self);
}

static void
on_changed (HirCudaText *self)
{
  self->is_stale = TRUE;
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    update (self);
}

GtkTextView *
hir_cuda_text_get_text_view (HirCudaText *self)
{
  return self->text;
}

static GtkWidget *
create_strip (HirCudaText *self)
{
  GtkWidget *strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);

  self->summary = GTK_LABEL (gtk_label_new (""));
  gtk_label_set_xalign (self->summary, 0);
  gtk_label_set_ellipsize (self->summary, PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (GTK_WIDGET (self->summary), TRUE);
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->summary));
  self->save = gtk_button_new_with_label ("Save\xe2\x80\xa6");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->save), "win.save-cuda");
  gtk_widget_set_tooltip_text (self->save, "Save as a file that nvcc compiles");
  gtk_widget_set_focus_on_click (self->save, FALSE);
  gtk_box_append (GTK_BOX (strip), self->save);
  gtk_widget_add_css_class (strip, "strip");
  return strip;
}

static void
hir_cuda_text_dispose (GObject *object)
{
  HirCudaText *self = HIR_CUDA_TEXT (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->selection);
  drop (self);
  g_clear_pointer (&self->fill, hir_text_fill_free);
  g_clear_pointer (&self->shown, g_free);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_cuda_text_parent_class)->dispose (object);
}

static void
hir_cuda_text_class_init (HirCudaTextClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_cuda_text_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
hir_cuda_text_init (HirCudaText *self)
{
  self->is_stale = TRUE;
}

GtkWidget *
hir_cuda_text_new (HirSelection *selection)
{
  HirCudaText *self = g_object_new (HIR_TYPE_CUDA_TEXT, NULL);
  GtkSourceBuffer *buffer = gtk_source_buffer_new (NULL);
  GtkWidget *scroller = hir_scroller_new ();

  self->selection = g_object_ref (selection);
  self->fill = hir_text_fill_new (GTK_TEXT_BUFFER (buffer), NULL, NULL);
  self->text = GTK_TEXT_VIEW (hir_code_style_create_view (buffer));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->text), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "CUDA C", -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->text));
  gtk_widget_set_vexpand (scroller, TRUE);
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append (GTK_BOX (self->box), create_strip (self));
  gtk_box_append (GTK_BOX (self->box), scroller);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
  g_signal_connect_swapped (selection, "program-changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (selection, "node-changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (selection, "trace-changed", G_CALLBACK (on_changed), self);
  return GTK_WIDGET (self);
}
