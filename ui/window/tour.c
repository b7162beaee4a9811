#include "window/tour.h"

#include "base/names.h"
#include "passes/pass-list.h"
#include "window/window-private.h"

#define KEY "hir-tour"

typedef struct
{
  HirWindow *window; /* borrowed; owns the tour */
  GtkWidget *card;
  GtkLabel *title, *text, *count;
  GtkButton *next;
  guint step;
  guint64 node; /* the last selection */
} Tour;

static const struct
{
  const char *title, *text;
} steps[] = {
  { "Step through the passes",
    "Press j and k to go from pass to pass. Text, graph and difference follow, and the changes of "
    "each pass are highlighted." },
  { "Click anything",
    "Click a tensor, an instruction or a bar: everything related is highlighted in all views. The "
    "inspector shows which pass created it, why, and when it ran. Ctrl+P finds anything by a few "
    "letters." },
  { "Run it",
    "Press Space to run the program and record all streams of all devices. You can then inspect "
    "the value of each tensor and the reason of each wait. F1 lists all keys." },
};

static GtkWidget *
get_target (Tour *self, guint step)
{
  return step == 0   ? self->window->layout.panes[HIR_PANE_PASSES]
         : step == 1 ? GTK_WIDGET (self->window->text)
                     : GTK_WIDGET (self->window->run);
}

/* Outlines the target of @step. */
static void
point_at (Tour *self, guint step)
{
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      if (i == step)
        gtk_widget_add_css_class (get_target (self, i), "tour-target");
      else
        gtk_widget_remove_css_class (get_target (self, i), "tour-target");
    }
}

static void
show_step (Tour *self)
{
  g_autofree char *count =
      g_strdup_printf ("%u of %u", self->step + 1, (guint) G_N_ELEMENTS (steps));

  gtk_label_set_text (self->title, steps[self->step].title);
  gtk_label_set_text (self->text, steps[self->step].text);
  gtk_label_set_text (self->count, count);
  gtk_button_set_label (self->next, self->step + 1 < G_N_ELEMENTS (steps) ? "Next" : "Done");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->card), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  steps[self->step].title, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  steps[self->step].text, -1);
  point_at (self, self->step);
}

/* The outline looks like that of the focus: it is shown only while the card has the focus. */
static void
on_focus (GtkEventControllerFocus *controller, GParamSpec *spec, gpointer user_data)
{
  Tour *self = user_data;

  if (gtk_widget_in_destruction (GTK_WIDGET (self->window)))
    return;
  point_at (self, gtk_event_controller_focus_contains_focus (controller) ? self->step
                                                                         : G_N_ELEMENTS (steps));
}

static void show_next (Tour *self);
static void end (Tour *self);

static Tour *
get_tour (HirWindow *window)
{
  return g_object_get_data (G_OBJECT (window), KEY);
}

/* Doing what a step says shows the next one. */
static void
on_step_changed (HirWindow *window)
{
  if (get_tour (window)->step == 0)
    show_next (get_tour (window));
}

static void
on_node_changed (HirWindow *window)
{
  Tour *self = get_tour (window);
  guint64 node = hir_selection_get_node (window->selection);

  if (self->step == 1 && node != 0 && node != self->node)
    show_next (self);
  self->node = node;
}

static void
on_run_finished (HirWindow *window)
{
  end (get_tour (window));
}

static void
end (Tour *self)
{
  HirWindow *window = self->window;
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (window));

  g_signal_handlers_disconnect_by_func (window->selection, on_step_changed, window);
  g_signal_handlers_disconnect_by_func (window->selection, on_node_changed, window);
  g_signal_handlers_disconnect_by_func (window->document, on_run_finished, window);
  point_at (self, G_N_ELEMENTS (steps));
  hir_settings_set (window->settings, HIR_SETTING_TOUR_SEEN, 1);
  if (gtk_widget_get_mapped (window->passes) && focus != NULL &&
      gtk_widget_is_ancestor (focus, self->card))
    hir_pass_list_focus (HIR_PASS_LIST (window->passes));
  gtk_overlay_remove_overlay (window->overlay, self->card);
  g_object_set_data (G_OBJECT (window), KEY, NULL);
}

static void
show_next (Tour *self)
{
  if (++self->step < G_N_ELEMENTS (steps))
    show_step (self);
  else
    end (self);
}

static void
on_next (GtkButton *button, gpointer user_data)
{
  show_next (user_data);
}

static void
on_skip (GtkButton *button, gpointer user_data)
{
  end (user_data);
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        gpointer user_data)
{
  if (keyval != GDK_KEY_Escape)
    return FALSE;
  end (user_data);
  return TRUE;
}

static GtkLabel *
label_new (GtkBox *box, const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 52);
  gtk_widget_add_css_class (label, css_class);
  gtk_box_append (box, label);
  return GTK_LABEL (label);
}

static void
make_card (Tour *self)
{
  GtkWidget *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *skip = gtk_button_new_with_label ("Skip");
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();

  self->card = g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", 8,
                             "accessible-role", GTK_ACCESSIBLE_ROLE_DIALOG, NULL);
  gtk_widget_add_css_class (self->card, "tour");
  /* In a corner, the card covers no box in the middle of the graph, and its buttons stay where they
   * are if a text has more lines. */
  gtk_widget_set_halign (self->card, GTK_ALIGN_END);
  gtk_widget_set_valign (self->card, GTK_ALIGN_END);
  self->title = label_new (GTK_BOX (self->card), "title-4");
  self->text = label_new (GTK_BOX (self->card), "tour-text");
  gtk_box_append (GTK_BOX (self->card), buttons);
  self->count = label_new (GTK_BOX (buttons), "dim-label");
  gtk_widget_set_hexpand (GTK_WIDGET (self->count), TRUE);
  self->next = GTK_BUTTON (gtk_button_new_with_label ("Next"));
  gtk_widget_add_css_class (GTK_WIDGET (self->next), "suggested-action");
  gtk_widget_add_css_class (skip, "flat");
  g_signal_connect (skip, "clicked", G_CALLBACK (on_skip), self);
  g_signal_connect (self->next, "clicked", G_CALLBACK (on_next), self);
  gtk_box_append (GTK_BOX (buttons), skip);
  gtk_box_append (GTK_BOX (buttons), GTK_WIDGET (self->next));
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (self->card, keys);
  g_signal_connect (focus, "notify::contains-focus", G_CALLBACK (on_focus), self);
  gtk_widget_add_controller (self->card, focus);
}

void
hir_tour_begin (HirWindow *window)
{
  Tour *self;

  if (g_object_get_data (G_OBJECT (window), KEY) != NULL || !hir_window_in_workspace (window) ||
      !hir_window_has_passes (window))
    return;
  self = g_new0 (Tour, 1);
  self->window = window;
  make_card (self);
  g_object_set_data_full (G_OBJECT (window), KEY, self, g_free);
  gtk_overlay_add_overlay (window->overlay, self->card);
  show_step (self);
  self->node = hir_selection_get_node (window->selection);
  g_signal_connect_object (window->selection, "step-changed", G_CALLBACK (on_step_changed), window,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (window->selection, "node-changed", G_CALLBACK (on_node_changed), window,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (window->document, "run-finished", G_CALLBACK (on_run_finished), window,
                           G_CONNECT_SWAPPED);
  hir_names_fill (self->card);
  gtk_widget_grab_focus (GTK_WIDGET (self->next));
}

void
hir_tour_offer (HirWindow *window)
{
  if (!hir_settings_get (window->settings, HIR_SETTING_TOUR_SEEN))
    hir_tour_begin (window);
}
