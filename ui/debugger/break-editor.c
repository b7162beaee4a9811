#include "debugger/break-editor.h"

#include "config.h"

struct _HirBreakEditor
{
  GtkPopover parent_instance;

  guint key;   /* 0 for a new breakpoint */
  guint64 id;  /* of its instruction; used unless the location is edited */
  char *where; /* original location */
  GtkDropDown *kind;
  GtkEditable *place, *iteration, *rank, *stream, *condition;
  GtkLabel *why;
};

G_DEFINE_FINAL_TYPE (HirBreakEditor, hir_break_editor, GTK_TYPE_POPOVER)

static char *
dup_stripped (GtkEditable *editable)
{
  return g_strstrip (g_strdup (gtk_editable_get_text (editable)));
}

static void
append (GString *text, const char *word, GtkEditable *editable)
{
  g_autofree char *value = dup_stripped (editable);

  if (*value != '\0')
    g_string_append_printf (text, "%s%s%s", text->len > 0 ? " " : "", word, value);
}

static void
on_apply (HirBreakEditor *self)
{
  gboolean is_watch = gtk_drop_down_get_selected (self->kind) == 1;
  g_autofree char *place = dup_stripped (self->place);
  g_autoptr (GString) text = g_string_new (NULL);

  if (self->id != 0 && !is_watch && g_str_equal (place, self->where))
    g_string_append_printf (text, "@%016" G_GINT64_MODIFIER "x", self->id);
  else
    g_string_append (text, place);
  append (text, "iteration ", self->iteration);
  append (text, "rank ", self->rank);
  append (text, "stream ", self->stream);
  append (text, "if ", self->condition);
  if (is_watch)
    g_string_prepend (text, "watch ");
  if (self->key != 0)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.break-change", "(us)", self->key,
                                text->str);
  else
    gtk_widget_activate_action (GTK_WIDGET (self), "win.break-add", "s", text->str);
}

static GtkEditable *
add_row (HirBreakEditor *self,
         GtkGrid *grid,
         int row,
         const char *title,
         const char *hint,
         const char *tooltip)
{
  GtkWidget *label = gtk_label_new (title);
  GtkWidget *entry = gtk_entry_new ();

  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), hint);
  gtk_editable_set_width_chars (GTK_EDITABLE (entry), 28);
  gtk_widget_set_tooltip_text (entry, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (on_apply), self);
  gtk_grid_attach (grid, label, 0, row, 1, 1);
  gtk_grid_attach (grid, entry, 1, row, 1, 1);
  return GTK_EDITABLE (entry);
}

static void
hir_break_editor_finalize (GObject *object)
{
  g_free (HIR_BREAK_EDITOR (object)->where);
  G_OBJECT_CLASS (hir_break_editor_parent_class)->finalize (object);
}

static void
hir_break_editor_class_init (HirBreakEditorClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hir_break_editor_finalize;
}

static void
hir_break_editor_init (HirBreakEditor *self)
{
  static const char *const kinds[] = { "Before an instruction", "After a tensor is written", NULL };
  GtkWidget *grid = gtk_grid_new ();
  GtkWidget *apply = gtk_button_new_with_label ("Apply");

  gtk_grid_set_row_spacing (GTK_GRID (grid), 4);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 8);
  self->kind = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (kinds));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->kind), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "When to stop", -1);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->kind), "When to stop");
  gtk_grid_attach (GTK_GRID (grid), GTK_WIDGET (self->kind), 1, 0, 1, 1);
  self->place = add_row (self, GTK_GRID (grid), 1, "Where", "12, T5, matmul, Communication",
                         "Number of an instruction, written tensor, kind or op; "
                         "empty means anywhere");
  self->iteration = add_row (self, GTK_GRID (grid), 2, "Iteration", "any",
                             "Iteration of the innermost loop, from 0");
  self->rank = add_row (self, GTK_GRID (grid), 3, "Rank", "any", "Device, from 0");
  self->stream =
      add_row (self, GTK_GRID (grid), 4, "Stream", "any", "Number of the current stream");
  self->condition = add_row (self, GTK_GRID (grid), 5, "If", "StreamIdx == 5 && isnan(T5)",
                             "Stop if this is not 0");
  self->why = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_wrap (self->why, TRUE);
  gtk_label_set_max_width_chars (self->why, 32);
  gtk_label_set_xalign (self->why, 0);
  gtk_widget_add_css_class (GTK_WIDGET (self->why), "error");
  gtk_widget_set_visible (GTK_WIDGET (self->why), FALSE);
  gtk_grid_attach (GTK_GRID (grid), GTK_WIDGET (self->why), 0, 6, 2, 1);
  gtk_widget_add_css_class (apply, "suggested-action");
  gtk_widget_set_halign (apply, GTK_ALIGN_END);
  g_signal_connect_swapped (apply, "clicked", G_CALLBACK (on_apply), self);
  gtk_grid_attach (GTK_GRID (grid), apply, 1, 7, 1, 1);
  gtk_widget_add_css_class (GTK_WIDGET (self), "break-editor");
  gtk_popover_set_child (GTK_POPOVER (self), grid);
}

GtkWidget *
hir_break_editor_new (const HirBreak *item)
{
  HirBreakEditor *self = g_object_new (HIR_TYPE_BREAK_EDITOR, NULL);

  if (item == NULL)
    return GTK_WIDGET (self);
  self->key = item->key;
  self->id = item->id;
  self->where = g_strdup (item->where);
  gtk_drop_down_set_selected (self->kind, item->is_watch ? 1 : 0);
  gtk_editable_set_text (self->place, item->where);
  gtk_editable_set_text (self->iteration, item->iteration);
  gtk_editable_set_text (self->rank, item->rank);
  gtk_editable_set_text (self->stream, item->stream);
  gtk_editable_set_text (self->condition, item->condition);
  return GTK_WIDGET (self);
}

void
hir_break_editor_refuse (HirBreakEditor *self, const char *why)
{
  gtk_label_set_text (self->why, why);
  gtk_widget_set_visible (GTK_WIDGET (self->why), TRUE);
}

#if HIR_TESTING
const char *
hir_break_editor_get_why (HirBreakEditor *self)
{
  return gtk_label_get_text (self->why);
}
#endif
