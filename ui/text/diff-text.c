#include "text/diff-text.h"

#include "config.h"
#include "text/diff-side.h"

#define LATE_MS 300

struct _HirDiffText
{
  GtkWidget parent_instance;

  HirSelection *selection;
  GtkWidget *box;
  GtkLabel *summary;
  GtkToggleButton *beside;
  GtkStack *stack; /* pages "one" and "two" */
  HirDiffSide *both, *old, *new;
  HirProgramDiff *diff; /* nullable: the displayed difference */
  GCancellable *work;   /* nullable: the running comparison */
  guint late;           /* id of the GSource that reports a long comparison; 0: none */
  gboolean is_stale, is_node_stale;
};

G_DEFINE_FINAL_TYPE (HirDiffText, hir_diff_text, GTK_TYPE_WIDGET)

typedef struct
{
  HirProgramView *before, *after;
} Pair;

static void
pair_free (Pair *pair)
{
  hir_program_view_unref (pair->before);
  hir_program_view_unref (pair->after);
  g_free (pair);
}

static HirProgramView *
get_base (HirDiffText *self)
{
  HirProgramView *base = hir_selection_get_base (self->selection);

  return base != NULL ? base : hir_selection_get_previous_view (self->selection);
}

static gboolean
has_sides (HirDiffText *self)
{
  return gtk_toggle_button_get_active (self->beside);
}

static void
sync_node (HirDiffText *self)
{
  self->is_node_stale = FALSE;
  if (has_sides (self))
    {
      hir_diff_side_sync_node (self->old);
      hir_diff_side_sync_node (self->new);
    }
  else
    hir_diff_side_sync_node (self->both);
}

/* Uses the signs of the margin, because there is little space next to the buttons. */
static char *
dup_counts (const HirProgramDiff *diff)
{
  GString *text = g_string_new (NULL);

  if (diff->n_created > 0)
    g_string_append_printf (text, "+%u", diff->n_created);
  if (diff->n_removed > 0)
    g_string_append_printf (text, "%s\xe2\x88\x92%u", text->len > 0 ? ", " : "", diff->n_removed);
  if (diff->n_changed > 0)
    g_string_append_printf (text, "%s~%u", text->len > 0 ? ", " : "", diff->n_changed);
  if (diff->n_moved > 0)
    g_string_append_printf (text, "%s%u moved", text->len > 0 ? ", " : "", diff->n_moved);
  if (text->len == 0)
    g_string_append (text, "no difference");
  return g_string_free (text, FALSE);
}

static void
show_diff (HirDiffText *self)
{
  g_autofree char *text = NULL, *tooltip = NULL;

  if (self->diff != NULL)
    {
      g_autofree char *summary = hir_program_diff_to_summary (self->diff);
      g_autofree char *counts = dup_counts (self->diff);
      const char *base = hir_selection_get_base_name (self->selection);

      text = g_strdup_printf ("%s against %s", counts, base);
      tooltip = g_strdup_printf ("%s against %s, in tensors and instructions. Signs of the lines: "
                                 "+ added, - before, ~ changed, > moved, = not changed, but an "
                                 "operand has changed or has another name",
                                 summary, base);
    }
  else if (hir_selection_get_view (self->selection) != NULL)
    text = g_strdup ("No previous step; c compares");
  gtk_label_set_text (self->summary, text != NULL ? text : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->summary), tooltip != NULL ? tooltip : text);
  hir_diff_side_set_diff (self->both, has_sides (self) ? NULL : self->diff);
  hir_diff_side_set_diff (self->old, has_sides (self) ? self->diff : NULL);
  hir_diff_side_set_diff (self->new, has_sides (self) ? self->diff : NULL);
  sync_node (self);
}

static void
compare (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  Pair *pair = task_data;

  g_task_return_pointer (task, hir_program_diff_new (pair->before, pair->after),
                         (GDestroyNotify) hir_program_diff_unref);
}

static void
on_compared (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirDiffText *self = HIR_DIFF_TEXT (source);
  HirProgramDiff *diff = g_task_propagate_pointer (G_TASK (result), NULL);

  if (g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    {
      hir_program_diff_unref (diff);
      return;
    }
  g_clear_object (&self->work);
  g_clear_handle_id (&self->late, g_source_remove);
  g_clear_pointer (&self->diff, hir_program_diff_unref);
  self->diff = diff;
  show_diff (self);
}

/* Short comparisons are not reported. Selecting another step cancels the comparison. */
static gboolean
on_late (gpointer user_data)
{
  HirDiffText *self = user_data;

  self->late = 0;
  gtk_label_set_text (self->summary, "Comparing\xe2\x80\xa6");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->summary), "Select another step to cancel (j, k)");
  return G_SOURCE_REMOVE;
}

static void
cancel (HirDiffText *self)
{
  if (self->work != NULL)
    g_cancellable_cancel (self->work);
  g_clear_object (&self->work);
  g_clear_handle_id (&self->late, g_source_remove);
}

static void
update (HirDiffText *self)
{
  HirProgramView *view = hir_selection_get_view (self->selection), *base = get_base (self);
  g_autoptr (GTask) task = NULL;
  Pair *pair;

  self->is_stale = FALSE;
  if (self->diff != NULL && self->diff->after == view && self->diff->before == base)
    return;
  cancel (self);
  if (view == NULL || base == NULL)
    {
      g_clear_pointer (&self->diff, hir_program_diff_unref);
      show_diff (self);
      return;
    }
  pair = g_new0 (Pair, 1);
  pair->before = hir_program_view_ref (base);
  pair->after = hir_program_view_ref (view);
  self->work = g_cancellable_new ();
  self->late = g_timeout_add (LATE_MS, on_late, self);
  task = g_task_new (self, self->work, on_compared, NULL);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, pair, (GDestroyNotify) pair_free);
  g_task_run_in_thread (task, compare);
}

static void
on_map (HirDiffText *self)
{
  if (self->is_stale)
    update (self);
  else if (self->is_node_stale)
    sync_node (self);
}

static void
on_step (HirDiffText *self)
{
  self->is_stale = TRUE;
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    on_map (self);
}

static void
on_node (HirDiffText *self)
{
  self->is_node_stale = TRUE;
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    on_map (self);
}

static void
on_beside (HirDiffText *self)
{
  gtk_stack_set_visible_child_name (self->stack, has_sides (self) ? "two" : "one");
  show_diff (self);
}

void
hir_diff_text_set_sides (HirDiffText *self, gboolean beside)
{
  gtk_toggle_button_set_active (self->beside, beside);
}

gboolean
hir_diff_text_get_sides (HirDiffText *self)
{
  return has_sides (self);
}

GtkTextView *
hir_diff_text_get_text_view (HirDiffText *self)
{
  return hir_diff_side_get_text_view (has_sides (self) ? self->new : self->both);
}

#if HIR_TESTING
const char *
hir_diff_text_get_summary (HirDiffText *self)
{
  return gtk_label_get_text (self->summary);
}
#endif

void
hir_diff_text_go (HirDiffText *self, gboolean forward)
{
  HirDiffSide *side = has_sides (self) ? self->new : self->both;
  GtkTextView *text = hir_diff_side_get_text_view (side);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (text);
  GtkTextIter iter;
  int line;

  gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
  line = hir_diff_side_find_change (side, gtk_text_iter_get_line (&iter), forward);
  if (line < 0)
    return;
  gtk_text_buffer_get_iter_at_line (buffer, &iter, line);
  gtk_text_buffer_place_cursor (buffer, &iter);
  gtk_text_view_scroll_to_mark (text, gtk_text_buffer_get_insert (buffer), 0.15, TRUE, 0, 0.3);
}

static void
go_next (HirDiffText *self)
{
  hir_diff_text_go (self, TRUE);
}

static void
go_previous (HirDiffText *self)
{
  hir_diff_text_go (self, FALSE);
}

static GtkWidget *
add_button (GtkWidget *strip, const char *icon, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_box_append (GTK_BOX (strip), button);
  return button;
}

static GtkWidget *
create_strip (HirDiffText *self)
{
  GtkWidget *strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  GtkWidget *compare_button = gtk_button_new_with_label ("Compare\xe2\x80\xa6");

  self->summary = GTK_LABEL (gtk_label_new (""));
  gtk_label_set_xalign (self->summary, 0);
  gtk_label_set_ellipsize (self->summary, PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (GTK_WIDGET (self->summary), TRUE);
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->summary));
  g_signal_connect_swapped (add_button (strip, "go-up-symbolic", "Previous difference (Shift+P)"),
                            "clicked", G_CALLBACK (go_previous), self);
  g_signal_connect_swapped (add_button (strip, "go-down-symbolic", "Next difference (p)"),
                            "clicked", G_CALLBACK (go_next), self);
  self->beside = GTK_TOGGLE_BUTTON (gtk_toggle_button_new ());
  gtk_button_set_icon_name (GTK_BUTTON (self->beside), "view-dual-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->beside), "Side by side (y)");
  gtk_widget_set_focus_on_click (GTK_WIDGET (self->beside), FALSE);
  g_signal_connect_swapped (self->beside, "toggled", G_CALLBACK (on_beside), self);
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->beside));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (compare_button), "win.compare");
  gtk_widget_set_tooltip_text (compare_button,
                               "Compare this step with another step, or with its version before "
                               "the last change (c)");
  gtk_box_append (GTK_BOX (strip), compare_button);
  gtk_widget_add_css_class (strip, "strip");
  return strip;
}

static void
hir_diff_text_dispose (GObject *object)
{
  HirDiffText *self = HIR_DIFF_TEXT (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  cancel (self);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->diff, hir_program_diff_unref);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_diff_text_parent_class)->dispose (object);
}

static void
hir_diff_text_class_init (HirDiffTextClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_diff_text_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
hir_diff_text_init (HirDiffText *self)
{
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}

GtkWidget *
hir_diff_text_new (HirSelection *selection)
{
  HirDiffText *self = g_object_new (HIR_TYPE_DIFF_TEXT, NULL);
  GtkWidget *two = gtk_paned_new (GTK_ORIENTATION_HORIZONTAL);

  self->selection = g_object_ref (selection);
  self->both = HIR_DIFF_SIDE (hir_diff_side_new (selection, HIR_SIDE_BOTH));
  self->old = HIR_DIFF_SIDE (hir_diff_side_new (selection, HIR_SIDE_OLD));
  self->new = HIR_DIFF_SIDE (hir_diff_side_new (selection, HIR_SIDE_NEW));
  gtk_paned_set_start_child (GTK_PANED (two), GTK_WIDGET (self->old));
  gtk_paned_set_end_child (GTK_PANED (two), GTK_WIDGET (self->new));
  /* Both sides have the same rows and scroll together. */
  gtk_scrolled_window_set_vadjustment (hir_diff_side_get_scroller (self->old),
                                       gtk_scrolled_window_get_vadjustment (
                                           hir_diff_side_get_scroller (self->new)));
  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->both), "one");
  gtk_stack_add_named (self->stack, two, "two");
  gtk_widget_set_vexpand (GTK_WIDGET (self->stack), TRUE);
  gtk_box_append (GTK_BOX (self->box), create_strip (self));
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->stack));
  g_signal_connect_swapped (selection, "program-changed", G_CALLBACK (on_step), self);
  g_signal_connect_swapped (selection, "step-changed", G_CALLBACK (on_step), self);
  g_signal_connect_swapped (selection, "base-changed", G_CALLBACK (on_step), self);
  g_signal_connect_swapped (selection, "node-changed", G_CALLBACK (on_node), self);
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
  self->is_stale = TRUE;
  return GTK_WIDGET (self);
}
