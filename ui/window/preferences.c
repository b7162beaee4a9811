#include "window/preferences.h"

#include <adwaita.h>

#include "base/names.h"
#include "trace/trace-rules.h"

#define WIDTH 580
#define HEIGHT 980 /* all rows */

/* A row with a choice of numbers. */
typedef struct
{
  HirSetting setting;
  const char *title, *subtitle;
  const char *const *words;
  const int *values; /* values of the words */
} Choice;

/* A row with a switch. */
typedef struct
{
  HirSetting setting;
  const char *title, *subtitle;
} Switch;

static const char *const style_words[] = { "Follow System", "Light", "Dark", NULL };
static const int style_values[] = { HIR_STYLE_SYSTEM, HIR_STYLE_LIGHT, HIR_STYLE_DARK };
static const char *const size_words[] = { "100 %", "125 %", "150 %", "175 %", "200 %", NULL };
static const int size_values[] = { 100, 125, 150, 175, 200 };
static const char *const stream_words[] = { "1", "2", "3", "4", "6", "8", NULL };
static const int stream_values[] = { 1, 2, 3, 4, 6, 8 };
static const char *const clock_words[] = { "Modelled", "Wall", NULL };
static const int clock_values[] = { 1, 0 };
static const char *const limit_words[] = { "10 s", "30 s", "1 min", "5 min", "1 h", NULL };
static const int limit_values[] = { 10, 30, 60, 300, 3600 };
static const char *const backend_words[] = { "CPU", "GPU", NULL };
static const int backend_values[] = { 0, 1 };

static const Choice look[] = {
  { HIR_SETTING_STYLE, "Style", NULL, style_words, style_values },
  { HIR_SETTING_TEXT_SIZE, "Size of Text and Graphics", "Only in this program", size_words,
    size_values },
};
static const Switch switches[] = {
  { HIR_SETTING_ANIMATION, "Animation",
    "Moves the boxes of the graph to new positions, unless the desktop reduces motion" },
  { HIR_SETTING_MAP, "Map of the Graph",
    "Shown in a corner if only a part of the graph is visible" },
  { HIR_SETTING_LEGEND, "Legend of the Graph", "Explains colors and lines next to the graph" },
  { HIR_SETTING_WHEEL_ZOOMS, "Wheel Zooms the Timeline",
    "Otherwise it scrolls, Ctrl+wheel zooms and Shift+wheel moves in time" },
};
static const Choice runs[] = {
  { HIR_SETTING_ON_GPU, "Back End", NULL, backend_words, backend_values },
  { HIR_SETTING_STREAMS, "Streams", "Value of numberOfStreams in a run", stream_words,
    stream_values },
  { HIR_SETTING_MODEL_CLOCK, "Clock on the CPU", "Modelled times are equal on every machine",
    clock_words, clock_values },
  { HIR_SETTING_TIME_LIMIT, "Time Limit", "A run without progress stops; also in open windows",
    limit_words, limit_values },
};

/* A row with a regular expression. */
typedef struct
{
  HirTextSetting setting;
  const char *title, *tooltip;
} Pattern;

static const Pattern patterns[] = {
  { HIR_SETTING_COMM_PATTERN, "Communication",
    "Regular expression; device work whose name matches is communication" },
  { HIR_SETTING_COPY_PATTERN, "Copies",
    "Regular expression; device work whose name matches is a copy" },
};

static void
on_selected (AdwComboRow *row, GParamSpec *pspec, gpointer user_data)
{
  const Choice *choice = g_object_get_data (G_OBJECT (row), "choice");

  hir_settings_set (user_data, choice->setting, choice->values[adw_combo_row_get_selected (row)]);
}

static GtkWidget *
choice_new (const Choice *choice, HirSettings *settings)
{
  GtkWidget *row = adw_combo_row_new ();
  g_autoptr (GtkStringList) words = gtk_string_list_new (choice->words);
  int value = hir_settings_get (settings, choice->setting);
  guint selected = 0;

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), choice->title);
  if (choice->subtitle != NULL)
    adw_action_row_set_subtitle (ADW_ACTION_ROW (row), choice->subtitle);
  adw_combo_row_set_model (ADW_COMBO_ROW (row), G_LIST_MODEL (words));
  /* If the value is not offered, select the next lower one. */
  for (guint i = 0; choice->words[i] != NULL; i++)
    if (choice->values[i] == value ||
        (choice->setting != HIR_SETTING_MODEL_CLOCK && choice->values[i] < value))
      selected = i;
  adw_combo_row_set_selected (ADW_COMBO_ROW (row), selected);
  g_object_set_data (G_OBJECT (row), "choice", (gpointer) choice);
  g_signal_connect_object (row, "notify::selected", G_CALLBACK (on_selected), settings, 0);
  return row;
}

static void
on_switched (GtkSwitch *button, GParamSpec *pspec, gpointer user_data)
{
  const Switch *row = g_object_get_data (G_OBJECT (button), "switch");

  hir_settings_set (user_data, row->setting, gtk_switch_get_active (button));
}

static GtkWidget *
switch_new (const Switch *what, HirSettings *settings)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *button = gtk_switch_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), what->title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), what->subtitle);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_switch_set_active (GTK_SWITCH (button), hir_settings_get (settings, what->setting) != 0);
  g_object_set_data (G_OBJECT (button), "switch", (gpointer) what);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  what->title, -1);
  g_signal_connect_object (button, "notify::active", G_CALLBACK (on_switched), settings, 0);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), button);
  return row;
}

/* Stores a valid pattern; the title of an invalid one is the reason. */
static void
on_apply (GtkWidget *row, gpointer user_data)
{
  const Pattern *pattern = g_object_get_data (G_OBJECT (row), "pattern");
  const char *text = gtk_editable_get_text (GTK_EDITABLE (row));
  const char *const list[] = { text, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTraceRules) rules = hir_trace_rules_new (list, NULL, FALSE, &error);
  g_autofree char *title = rules != NULL
                               ? g_strdup (pattern->title)
                               : g_strdup_printf ("%s: %s", pattern->title, error->message);

  if (rules != NULL)
    {
      gtk_widget_remove_css_class (row, "error");
      hir_settings_set_text (user_data, pattern->setting, text);
    }
  else
    gtk_widget_add_css_class (row, "error");
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  hir_names_set_tooltip (row, rules != NULL ? pattern->tooltip : error->message);
}

static GtkWidget *
pattern_new (const Pattern *pattern, HirSettings *settings)
{
  GtkWidget *row = adw_entry_row_new ();

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), pattern->title);
  gtk_editable_set_text (GTK_EDITABLE (row), hir_settings_get_text (settings, pattern->setting));
  adw_entry_row_set_show_apply_button (ADW_ENTRY_ROW (row), TRUE);
  hir_names_set_tooltip (row, pattern->tooltip);
  g_object_set_data (G_OBJECT (row), "pattern", (gpointer) pattern);
  g_signal_connect_object (row, "apply", G_CALLBACK (on_apply), settings, 0);
  gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_editable_get_delegate (GTK_EDITABLE (row))),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, pattern->title, -1);
  return row;
}

static AdwPreferencesGroup *
group_new (AdwPreferencesPage *page, const char *title, const char *description)
{
  GtkWidget *group = adw_preferences_group_new ();

  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group), title);
  if (description != NULL)
    adw_preferences_group_set_description (ADW_PREFERENCES_GROUP (group), description);
  adw_preferences_page_add (page, ADW_PREFERENCES_GROUP (group));
  return ADW_PREFERENCES_GROUP (group);
}

void
hir_preferences_present (GtkWindow *parent, HirSettings *settings, const char *gpu_missing)
{
  GtkWidget *window = adw_preferences_window_new ();
  AdwPreferencesPage *page = ADW_PREFERENCES_PAGE (adw_preferences_page_new ());
  AdwPreferencesGroup *group = group_new (page, "Appearance", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (look); i++)
    adw_preferences_group_add (group, choice_new (&look[i], settings));
  for (guint i = 0; i < G_N_ELEMENTS (switches); i++)
    adw_preferences_group_add (group, switch_new (&switches[i], settings));
  group = group_new (page, "Runs", "Initial settings of new windows");
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      GtkWidget *row = choice_new (&runs[i], settings);

      if (runs[i].setting == HIR_SETTING_ON_GPU && gpu_missing != NULL)
        {
          gtk_widget_set_sensitive (row, FALSE);
          adw_action_row_set_subtitle (ADW_ACTION_ROW (row), gpu_missing);
          adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 2);
          gtk_widget_set_tooltip_text (row, gpu_missing);
        }
      adw_preferences_group_add (group, row);
    }
  group = group_new (
      page, "Traces",
      "Regular expressions for names that the built-in rules do not classify; they apply to "
      "traces that are opened later");
  for (guint i = 0; i < G_N_ELEMENTS (patterns); i++)
    adw_preferences_group_add (group, pattern_new (&patterns[i], settings));
  /* The page switcher is hidden for a single page, but screen readers read its title. */
  adw_preferences_page_set_title (page, "Appearance, Runs and Traces");
  adw_preferences_window_add (ADW_PREFERENCES_WINDOW (window), page);
  adw_preferences_window_set_search_enabled (ADW_PREFERENCES_WINDOW (window), FALSE);
  gtk_window_set_transient_for (GTK_WINDOW (window), parent);
  gtk_window_set_modal (GTK_WINDOW (window), TRUE);
  gtk_window_set_default_size (GTK_WINDOW (window), WIDTH,
                               MIN (HEIGHT, gtk_widget_get_height (GTK_WIDGET (parent))));
  hir_names_follow (GTK_WINDOW (window));
  gtk_window_present (GTK_WINDOW (window));
}
