#include "debugger/debug-values.h"

#include <string.h>

#include "config.h"
#include "inspector/value-panel.h"

struct _HirDebugValues
{
  GtkWidget parent_instance;

  HirSelection *selection;
  GtkWidget *scroller;
  GtkWidget *hint, *rest;
  GtkDropDown *tensors;
  HirValuePanel *panel;
  GArray *names; /* int: tensor name of each entry (5 for T5) */
  int rank;
  gboolean is_following;
};

G_DEFINE_FINAL_TYPE (HirDebugValues, hir_debug_values, GTK_TYPE_WIDGET)

/* Returns the id of tensor @name in the displayed program, or 0. */
static guint64
find_tensor (HirDebugValues *self, int name)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  HirContainer *host = program != NULL ? hir_program_get_host (program) : NULL;

  for (guint i = 0; host != NULL && i < host->tensors.len; i++)
    {
      const HirTensor *tensor = host->tensors.items[i];

      if (tensor->base.name == name)
        return tensor->base.node.id;
    }
  return 0;
}

static void
on_tensor (HirDebugValues *self)
{
  guint i = gtk_drop_down_get_selected (self->tensors);

  if (!self->is_following && i < self->names->len)
    hir_value_panel_set_tensor (self->panel,
                                find_tensor (self, g_array_index (self->names, int, i)));
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return *(const int *) a - *(const int *) b;
}

/* Fills the list of tensors. The selected tensor stays selected if it still has memory. */
static void
fill (HirDebugValues *self, const HirDebugStateRank *rank)
{
  g_autoptr (GArray) names = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);
  guint old = gtk_drop_down_get_selected (self->tensors);
  int chosen = old < self->names->len ? g_array_index (self->names, int, old) : -1;
  guint next = 0;

  for (guint i = 0; i < rank->buffers->len; i++)
    {
      const HirDebugStateBuffer *buffer = rank->buffers->pdata[i];

      g_array_append_vals (names, buffer->names->data, buffer->names->len);
    }
  g_array_sort (names, by_name);
  if (names->len == self->names->len &&
      (names->len == 0 || memcmp (names->data, self->names->data, names->len * sizeof (int)) == 0))
    return;
  for (guint i = 0; i < names->len; i++)
    {
      gtk_string_list_take (list, g_strdup_printf ("T%d", g_array_index (names, int, i)));
      next = g_array_index (names, int, i) == chosen ? i : next;
    }
  g_array_unref (self->names);
  self->names = g_steal_pointer (&names);
  self->is_following = TRUE;
  gtk_drop_down_set_model (self->tensors, G_LIST_MODEL (list));
  gtk_drop_down_set_selected (self->tensors, next);
  self->is_following = FALSE;
}

void
hir_debug_values_set (HirDebugValues *self, const HirDebugState *state)
{
  const HirDebugStateRank *rank =
      state != NULL && state->is_running && state->focus < state->ranks->len
          ? state->ranks->pdata[state->focus]
          : NULL;

  gtk_widget_set_visible (self->hint, rank == NULL);
  gtk_widget_set_visible (self->rest, rank != NULL);
  if (rank == NULL)
    return;
  if (rank->rank != self->rank)
    hir_value_panel_set_rank (self->panel, rank->rank);
  self->rank = rank->rank;
  fill (self, rank);
  on_tensor (self);
}

#if HIR_TESTING
char *
hir_debug_values_dup_text (HirDebugValues *self)
{
  return hir_value_panel_dup_text (self->panel);
}
#endif

static void
hir_debug_values_dispose (GObject *object)
{
  HirDebugValues *self = HIR_DEBUG_VALUES (object);

  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->names, g_array_unref);
  G_OBJECT_CLASS (hir_debug_values_parent_class)->dispose (object);
}

static void
hir_debug_values_class_init (HirDebugValuesClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_debug_values_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
hir_debug_values_init (HirDebugValues *self)
{
  self->names = g_array_new (FALSE, FALSE, sizeof (int));
  self->rank = -1;
}

GtkWidget *
hir_debug_values_new (HirSelection *selection, HirDocument *document)
{
  HirDebugValues *self = g_object_new (HIR_TYPE_DEBUG_VALUES, NULL);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  self->selection = g_object_ref (selection);
  self->hint = gtk_label_new ("Values of a debugged program are shown here.");
  gtk_label_set_xalign (GTK_LABEL (self->hint), 0);
  gtk_label_set_wrap (GTK_LABEL (self->hint), TRUE);
  gtk_widget_add_css_class (self->hint, "dim-label");
  self->rest = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  self->tensors = GTK_DROP_DOWN (gtk_drop_down_new (NULL, NULL));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->tensors), "Tensor");
  gtk_widget_set_valign (GTK_WIDGET (self->tensors), GTK_ALIGN_START);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->tensors), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Tensor", -1);
  g_signal_connect_swapped (self->tensors, "notify::selected", G_CALLBACK (on_tensor), self);
  self->panel = HIR_VALUE_PANEL (hir_value_panel_new (selection, document));
  hir_value_panel_set_wide (self->panel);
  gtk_widget_set_hexpand (GTK_WIDGET (self->panel), TRUE);
  gtk_box_append (GTK_BOX (self->rest), GTK_WIDGET (self->tensors));
  gtk_box_append (GTK_BOX (self->rest), GTK_WIDGET (self->panel));
  gtk_widget_add_css_class (box, "debug-status");
  gtk_box_append (GTK_BOX (box), self->hint);
  gtk_box_append (GTK_BOX (box), self->rest);
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), box);
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
  hir_debug_values_set (self, NULL);
  return GTK_WIDGET (self);
}
