#include "debugger/debug-values.h"

#include <string.h>

#include "base/focus.h"
#include "config.h"
#include "inspector/value-panel.h"

#define WIDE_PX 620

struct _HirDebugValues
{
  GtkWidget parent_instance;

  HirSelection *selection;
  GtkWidget *scroller;
  GtkWidget *hint, *rest;
  GtkDropDown *tensors;
  GtkToggleButton *pin;
  GtkBox *steps; /* tensors of the last and the next instruction */
  HirValuePanel *panel;
  GArray *names;    /* int: tensor name of each entry (5 for T5) */
  GHashTable *seen; /* gint64* step of a rank -> Seen*: instructions that were next */
  int current;      /* name of the tensor to display unless pinned; -1: none */
  int rank;
  gboolean is_following; /* the controls are being updated, not used */
  guint idle;            /* arranges the parts for a new width */
};

typedef struct
{
  guint64 instruction;
  guint number; /* its line in the text, from 1 */
} Seen;

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
show_tensor (HirDebugValues *self)
{
  guint i = gtk_drop_down_get_selected (self->tensors);

  if (i < self->names->len)
    hir_value_panel_set_tensor (self->panel,
                                find_tensor (self, g_array_index (self->names, int, i)));
}

/* The user has chosen a tensor, which stays. */
static void
on_tensor (HirDebugValues *self)
{
  if (self->is_following)
    return;
  self->is_following = TRUE;
  gtk_toggle_button_set_active (self->pin, TRUE);
  self->is_following = FALSE;
  show_tensor (self);
}

/* Returns the index of tensor @name in the list, or -1 if it has no memory. */
static int
find_name (HirDebugValues *self, int name)
{
  for (guint i = 0; i < self->names->len; i++)
    if (g_array_index (self->names, int, i) == name)
      return (int) i;
  return -1;
}

static void
select_name (HirDebugValues *self, int name)
{
  int i = find_name (self, name);

  self->is_following = TRUE;
  if (i >= 0)
    gtk_drop_down_set_selected (self->tensors, (guint) i);
  self->is_following = FALSE;
  show_tensor (self);
}

static void
on_pin (HirDebugValues *self)
{
  if (!self->is_following && !gtk_toggle_button_get_active (self->pin))
    select_name (self, self->current);
}

static void
on_button (GtkButton *button, gpointer user_data)
{
  select_name (user_data, GPOINTER_TO_INT (g_object_get_data (G_OBJECT (button), "name")));
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

static void
take_name (GArray *names, const HirVal *val)
{
  if (val == NULL || !HIR_IS_TENSOR (val))
    return;
  for (guint i = 0; i < names->len; i++)
    if (g_array_index (names, int, i) == val->name)
      return;
  g_array_append_val (names, val->name);
}

/* Collects the names of the tensors that @expr reads, and of those that it computes. */
static void
take_tensors (const HirExpr *expr, GArray *in, GArray *out)
{
  const HirExpr *of = expr->kind == HIR_EXPR_WAIT ? expr->u.wait.of : NULL;
  HirTensor *result = hir_expr_get_result (expr);

  for (guint i = 0; i < expr->n_inputs; i++)
    take_name (in, expr->inputs[i]);
  if (expr->kind == HIR_EXPR_P2P && expr->u.p2p.is_send)
    take_name (in, HIR_VAL (expr->u.p2p.buffer));
  for (guint i = 0; i < expr->n_outputs; i++)
    take_name (out, expr->outputs[i]);
  if (result != NULL)
    take_name (out, HIR_VAL (result));
  for (guint i = 0; of != NULL && i < of->n_outputs; i++)
    take_name (out, of->outputs[i]);
}

static void
add_buttons (HirDebugValues *self, GtkWidget *line, const GArray *names)
{
  for (guint i = 0; i < names->len; i++)
    {
      int name = g_array_index (names, int, i);
      g_autofree char *text = g_strdup_printf ("T%d", name);
      GtkWidget *button = gtk_button_new_with_label (text);

      gtk_widget_add_css_class (button, "flat");
      gtk_widget_set_sensitive (button, find_name (self, name) >= 0);
      g_object_set_data (G_OBJECT (button), "name", GINT_TO_POINTER (name));
      g_signal_connect (button, "clicked", G_CALLBACK (on_button), self);
      gtk_box_append (GTK_BOX (line), button);
    }
}

/* Adds "Next: line 12, matmul  T3 T4 -> T6". */
static void
add_step (HirDebugValues *self,
          const char *what,
          const HirExpr *expr,
          guint number,
          const GArray *in,
          const GArray *out)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  g_autofree char *text =
      g_strdup_printf ("%s: line %u, %s", what, number, hir_expr_get_op_name (expr));
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_box_append (self->steps, label);
  add_buttons (self, line, in);
  if (in->len > 0 && out->len > 0)
    gtk_box_append (GTK_BOX (line), gtk_label_new ("\xe2\x86\x92"));
  add_buttons (self, line, out);
  gtk_box_append (self->steps, line);
}

/* Sets self->current to the first of @names that has memory, if it is not set yet. */
static void
prefer (HirDebugValues *self, const GArray *names)
{
  for (guint i = 0; i < names->len && self->current < 0; i++)
    if (find_name (self, g_array_index (names, int, i)) >= 0)
      self->current = g_array_index (names, int, i);
}

static void
show_step (HirDebugValues *self, const char *what, const Seen *seen, gboolean is_done)
{
  g_autoptr (GArray) in = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (int));
  HirProgram *program = hir_selection_get_program (self->selection);
  HirContainer *host = program != NULL ? hir_program_get_host (program) : NULL;
  const HirExpr *expr = seen != NULL && host != NULL && seen->instruction != 0
                            ? hir_container_lookup_expr (host, seen->instruction)
                            : NULL;

  if (expr == NULL)
    return;
  take_tensors (expr, in, out);
  if (in->len + out->len == 0)
    return;
  add_step (self, what, expr, seen->number, in, out);
  /* The memory may still be unwritten. */
  if (is_done && (expr->kind == HIR_EXPR_ALLOCATE || expr->kind == HIR_EXPR_ALIAS_SELECT ||
                  expr->kind == HIR_EXPR_SHARD_BY_STREAM))
    return;
  if (is_done)
    prefer (self, out);
  else
    prefer (self, in);
  prefer (self, is_done ? in : out);
}

static gint64
get_step_key (int rank, guint64 n_steps)
{
  return (gint64) n_steps * 4096 + rank;
}

/* Shows the tensors of the instruction that has just been executed, if it was the next one at an
 * earlier stop, and those of the next one. */
static void
show_steps (HirDebugValues *self, const HirDebugStateRank *rank)
{
  gint64 key = get_step_key (rank->rank, rank->n_steps);
  gint64 before = get_step_key (rank->rank, rank->n_steps - 1);
  Seen next = { rank->instruction, rank->number };
  GtkWidget *child;

  hir_focus_leave (GTK_WIDGET (self->steps), GTK_WIDGET (self->tensors));
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->steps))) != NULL)
    gtk_box_remove (self->steps, child);
  self->current = -1;
  if (rank->n_steps > 0)
    show_step (self, "Done", g_hash_table_lookup (self->seen, &before), TRUE);
  show_step (self, "Next", &next, FALSE);
  if (next.instruction != 0)
    g_hash_table_insert (self->seen, g_memdup2 (&key, sizeof key), g_memdup2 (&next, sizeof next));
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
    {
      g_hash_table_remove_all (self->seen);
      return;
    }
  if (rank->rank != self->rank)
    hir_value_panel_set_rank (self->panel, rank->rank);
  self->rank = rank->rank;
  fill (self, rank);
  show_steps (self, rank);
  if (gtk_toggle_button_get_active (self->pin))
    show_tensor (self);
  else
    select_name (self, self->current);
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

  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->names, g_array_unref);
  g_clear_pointer (&self->seen, g_hash_table_unref);
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
  self->seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->current = self->rank = -1;
}

/* Puts the parts next to each other if there is room, so that nothing scrolls sideways. */
static gboolean
arrange (gpointer user_data)
{
  HirDebugValues *self = user_data;
  gboolean is_wide = gtk_widget_get_width (GTK_WIDGET (self)) >= WIDE_PX;

  self->idle = 0;
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->rest),
                                  is_wide ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL);
  hir_value_panel_set_wide (self->panel, is_wide);
  return G_SOURCE_REMOVE;
}

/* The layout must not change while sizes are allocated. */
static void
on_width (HirDebugValues *self)
{
  if (self->idle == 0)
    self->idle = g_idle_add (arrange, self);
}

GtkWidget *
hir_debug_values_new (HirSelection *selection, HirDocument *document)
{
  HirDebugValues *self = g_object_new (HIR_TYPE_DEBUG_VALUES, NULL);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *side = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *choice = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);

  self->selection = g_object_ref (selection);
  self->hint = gtk_label_new ("Values of a debugged program are shown here.");
  gtk_label_set_xalign (GTK_LABEL (self->hint), 0);
  gtk_label_set_wrap (GTK_LABEL (self->hint), TRUE);
  gtk_widget_add_css_class (self->hint, "dim-label");
  self->rest = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  self->tensors = GTK_DROP_DOWN (gtk_drop_down_new (NULL, NULL));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->tensors), "Tensor");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->tensors), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Tensor", -1);
  g_signal_connect_swapped (self->tensors, "notify::selected", G_CALLBACK (on_tensor), self);
  self->pin = GTK_TOGGLE_BUTTON (gtk_toggle_button_new_with_label ("Pin"));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->pin),
                               "Keep this tensor; otherwise, the value follows the instructions");
  g_signal_connect_swapped (self->pin, "toggled", G_CALLBACK (on_pin), self);
  self->steps = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 0));
  gtk_widget_add_css_class (GTK_WIDGET (self->steps), "value-steps");
  gtk_box_append (GTK_BOX (choice), GTK_WIDGET (self->tensors));
  gtk_box_append (GTK_BOX (choice), GTK_WIDGET (self->pin));
  gtk_box_append (GTK_BOX (side), choice);
  gtk_box_append (GTK_BOX (side), GTK_WIDGET (self->steps));
  self->panel = HIR_VALUE_PANEL (hir_value_panel_new (selection, document));
  gtk_widget_set_hexpand (GTK_WIDGET (self->panel), TRUE);
  gtk_box_append (GTK_BOX (self->rest), side);
  gtk_box_append (GTK_BOX (self->rest), GTK_WIDGET (self->panel));
  gtk_widget_add_css_class (box, "debug-status");
  gtk_box_append (GTK_BOX (box), self->hint);
  gtk_box_append (GTK_BOX (box), self->rest);
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), box);
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
  g_signal_connect_swapped (gtk_scrolled_window_get_hadjustment (
                                GTK_SCROLLED_WINDOW (self->scroller)),
                            "notify::page-size", G_CALLBACK (on_width), self);
  arrange (self);
  hir_debug_values_set (self, NULL);
  return GTK_WIDGET (self);
}
