#include "window/account-button.h"

#include "config.h"

#define MAX_SHOWN_HEIGHT 320
#define LINE_WIDTH_CHARS 72

struct _HirAccountButton
{
  GtkWidget parent_instance;

  HirSelection *selection;
  GtkMenuButton *button;
  GtkLabel *lines;
};

G_DEFINE_FINAL_TYPE (HirAccountButton, hir_account_button, GTK_TYPE_WIDGET)

static void
on_trace (HirAccountButton *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  const char *const *account = trace != NULL ? hir_trace_get_account (trace) : NULL;
  guint n = account != NULL ? g_strv_length ((char **) account) : 0;
  g_autofree char *text = n > 0 ? g_strjoinv ("\n", (char **) account) : g_strdup ("");
  g_autofree char *label = g_strdup_printf ("%u note%s", n, n == 1 ? "" : "s");

  gtk_menu_button_set_label (self->button, label);
  gtk_label_set_text (self->lines, text);
  gtk_widget_set_visible (GTK_WIDGET (self), n > 0);
}

#if HIR_TESTING
const char *
hir_account_button_get_text (HirAccountButton *self)
{
  return gtk_label_get_text (self->lines);
}
#endif

static void
hir_account_button_dispose (GObject *object)
{
  HirAccountButton *self = HIR_ACCOUNT_BUTTON (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->selection);
  if (self->button != NULL)
    gtk_widget_unparent (GTK_WIDGET (self->button));
  self->button = NULL;
  G_OBJECT_CLASS (hir_account_button_parent_class)->dispose (object);
}

static void
hir_account_button_class_init (HirAccountButtonClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_account_button_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
hir_account_button_init (HirAccountButton *self)
{
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *title = gtk_label_new ("Notes on this trace");
  GtkWidget *lines = gtk_label_new ("");

  self->button = GTK_MENU_BUTTON (gtk_menu_button_new ());
  self->lines = GTK_LABEL (lines);
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_add_css_class (title, "heading");
  gtk_label_set_xalign (self->lines, 0);
  gtk_label_set_wrap (self->lines, TRUE);
  gtk_label_set_selectable (self->lines, TRUE);
  gtk_label_set_width_chars (self->lines, 40);
  gtk_label_set_max_width_chars (self->lines, LINE_WIDTH_CHARS);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_propagate_natural_width (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scrolled), MAX_SHOWN_HEIGHT);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), lines);
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), scrolled);
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_menu_button_set_popover (self->button, popover);
  gtk_widget_add_css_class (GTK_WIDGET (self->button), "flat");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->button),
                               "Data of this trace that was repaired, clamped or left out");
  gtk_widget_set_parent (GTK_WIDGET (self->button), GTK_WIDGET (self));
}

GtkWidget *
hir_account_button_new (HirSelection *selection)
{
  HirAccountButton *self = g_object_new (HIR_TYPE_ACCOUNT_BUTTON, NULL);

  self->selection = g_object_ref (selection);
  g_signal_connect_swapped (selection, "trace-changed", G_CALLBACK (on_trace), self);
  on_trace (self);
  return GTK_WIDGET (self);
}
