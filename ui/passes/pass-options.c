#include "passes/pass-options.h"

#include "base/control-words.h"

#define WIDTH_CHARS 46
#define HELP_HEIGHT 180

typedef struct
{
  const HirPass *pass;
  const HirPassOption *option;
} Control;

static void
control_free (gpointer data, GClosure *closure)
{
  g_free (data);
}

static void
ask (GtkWidget *widget, const Control *control, const char *value)
{
  gtk_widget_activate_action (widget, "win.pass-option", "(sss)", control->pass->name,
                              control->option->name, value);
}

static void
on_switch (GtkSwitch *widget, GParamSpec *pspec, gpointer user_data)
{
  ask (GTK_WIDGET (widget), user_data, gtk_switch_get_active (widget) ? "on" : "off");
}

static void
on_choice (GtkDropDown *widget, GParamSpec *pspec, gpointer user_data)
{
  const Control *control = user_data;

  ask (GTK_WIDGET (widget), control, control->option->choices[gtk_drop_down_get_selected (widget)]);
}

static void
on_number (GtkSpinButton *widget, gpointer user_data)
{
  g_autofree char *value = g_strdup_printf ("%d", gtk_spin_button_get_value_as_int (widget));

  ask (GTK_WIDGET (widget), user_data, value);
}

static void
on_text (GtkEntry *widget, gpointer user_data)
{
  ask (GTK_WIDGET (widget), user_data, gtk_editable_get_text (GTK_EDITABLE (widget)));
}

static gboolean
is_switch (const HirPassOption *option)
{
  static const char *const off_on[] = { "off", "on", NULL };

  return option->choices != NULL && g_strv_length ((char **) option->choices) == 2 &&
         g_strv_contains (off_on, option->choices[0]) &&
         g_strv_contains (off_on, option->choices[1]);
}

static guint
find_choice (const HirPassOption *option, const char *value)
{
  for (guint i = 0; option->choices[i] != NULL; i++)
    if (g_str_equal (option->choices[i], value))
      return i;
  return 0;
}

static GtkWidget *
create_control (const HirPass *pass, const HirPassOption *option, const char *value)
{
  Control *control = g_new (Control, 1);
  GtkWidget *widget;
  const char *signal;
  GCallback callback;

  *control = (Control){ pass, option };
  if (is_switch (option))
    {
      widget = gtk_switch_new ();
      gtk_switch_set_active (GTK_SWITCH (widget), g_str_equal (value, "on"));
      signal = "notify::active";
      callback = G_CALLBACK (on_switch);
    }
  else if (option->choices != NULL)
    {
      widget = gtk_drop_down_new_from_strings (option->choices);
      gtk_drop_down_set_selected (GTK_DROP_DOWN (widget), find_choice (option, value));
      signal = "notify::selected";
      callback = G_CALLBACK (on_choice);
    }
  else if (option->is_text)
    {
      widget = gtk_entry_new ();
      gtk_editable_set_text (GTK_EDITABLE (widget), value);
      gtk_editable_set_width_chars (GTK_EDITABLE (widget), 14);
      gtk_entry_set_placeholder_text (GTK_ENTRY (widget), option->default_value);
      gtk_widget_set_tooltip_text (widget, "Press Enter to apply");
      signal = "activate";
      callback = G_CALLBACK (on_text);
    }
  else
    {
      widget = gtk_spin_button_new_with_range (0, G_MAXINT32, 1);
      gtk_spin_button_set_value (GTK_SPIN_BUTTON (widget), g_ascii_strtod (value, NULL));
      signal = "value-changed";
      callback = G_CALLBACK (on_number);
    }
  g_signal_connect_data (widget, signal, callback, control, control_free, 0);
  gtk_widget_set_valign (widget, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  option->name, -1);
  return widget;
}

static GtkWidget *
add_text (GtkWidget *box, const char *text, const char *css_class)
{
  g_autofree char *words = hir_control_words_dup (text);
  GtkWidget *label = gtk_label_new (words);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), WIDTH_CHARS);
  gtk_widget_add_css_class (label, css_class);
  gtk_box_append (GTK_BOX (box), label);
  return label;
}

static void
add_option (GtkWidget *box, const HirPass *pass, const HirPassOption *option, const char *value)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 18);
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  g_autofree char *summary =
      g_strdup_printf ("%s. Default: %s.", option->summary, option->default_value);

  add_text (texts, option->name, "option-name");
  add_text (texts, summary, "option-summary");
  gtk_widget_set_hexpand (texts, TRUE);
  gtk_box_append (GTK_BOX (row), texts);
  gtk_box_append (GTK_BOX (row), create_control (pass, option, value));
  gtk_box_append (GTK_BOX (box), row);
}

GtkWidget *
hir_pass_options_new (const HirPass *pass, HirRequest *request)
{
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 10);
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *help = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  g_autoptr (HirPipeline) pipeline = hir_request_create_pipeline (request, NULL);

  gtk_widget_add_css_class (popover, "pass-options-popover");
  gtk_popover_set_has_arrow (GTK_POPOVER (popover), FALSE);
  add_text (box, pass->name, "heading");
  for (const HirPassOption *option = pass->options;
       pipeline != NULL && option != NULL && option->name != NULL; option++)
    add_option (box, pass, option, hir_pipeline_get_option (pipeline, pass->name, option->name));
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  add_text (help, pass->help, "option-summary");
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), help);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), HELP_HEIGHT);
  gtk_box_append (GTK_BOX (box), scroller);
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  return popover;
}
