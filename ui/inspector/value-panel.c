#include "inspector/value-panel.h"

#include "base/control-words.h"
#include "base/focus.h"
#include "canvas/scaler.h"
#include "config.h"
#include "draw/cards/value-scene.h"
#include "inspector/fact-card.h"
#include "inspector/scene-card.h"
#include "job/recorded-values.h"

#define PAGE_ROWS 10
#define PAGE_COLUMNS 8

/* Data of the drawing; owned by the card. */
typedef struct
{
  HirValueSummary *summary; /* nullable */
} Picture;

struct _HirValuePanel
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirDocument *document;
  GtkWidget *box;
  GtkLabel *message; /* displayed instead of everything else */
  GtkWidget *controls;
  GtkDropDown *device;
  GtkDropDown *what; /* HirValueWhat; visible while a program is debugged */
  GtkLabel *note;
  GtkWidget *numbers, *pictures; /* the two halves of the box */
  GtkEntry *slice;
  GtkBox *facts; /* contains one card */
  GtkWidget *scene;
  GtkWidget *pager;
  GtkLabel *page_text;
  Picture *picture; /* owned by the card */
  guint64 tensor;   /* 0 if none was set */
  guint question;   /* number of the pending request; 0 if there is none */
  HirValueQuery query;
  gboolean is_filling;
  gboolean is_stale;   /* request the value when the panel becomes visible */
  gboolean is_current; /* displays the answer of the run, nothing recorded and no message */
};

G_DEFINE_FINAL_TYPE (HirValuePanel, hir_value_panel, GTK_TYPE_WIDGET)

static HirValueScene
get_scene (gpointer data, HirMeasure *measure, double width, int current)
{
  return (HirValueScene){ ((Picture *) data)->summary, NULL, measure, width, current };
}

static double
get_height (gpointer data, HirMeasure *measure, double width)
{
  HirValueScene scene = get_scene (data, measure, width, -1);

  return scene.summary != NULL ? hir_value_scene_get_height (&scene) : 0;
}

static void
draw (gpointer data,
      HirDisplayList *list,
      const HirTheme *theme,
      HirMeasure *measure,
      double width,
      int current)
{
  HirValueScene scene = get_scene (data, measure, width, current);

  scene.theme = theme;
  if (scene.summary != NULL)
    hir_value_scene_draw (&scene, list);
}

static int
step (gpointer data, HirMeasure *measure, double width, int current, int dx, int dy)
{
  HirValueScene scene = get_scene (data, measure, width, current);

  return scene.summary != NULL ? hir_value_scene_step (&scene, current, dx, dy) : -1;
}

static char *
dup_text (gpointer data, int part)
{
  HirValueScene scene = get_scene (data, NULL, 0, part);

  return scene.summary != NULL ? hir_value_scene_dup_text (&scene, part) : g_strdup ("");
}

static void
picture_free (gpointer data)
{
  hir_value_summary_free (((Picture *) data)->summary);
  g_free (data);
}

static const HirSceneCardClassTable value_table = {
  "Value", get_height, draw, step, dup_text, picture_free,
};

static guint
get_n_ranks (HirValuePanel *self)
{
  HirRequest *request = hir_document_get_request (self->document);

  return request != NULL ? (guint) CLAMP (request->n_devices, 1, 1024) : 1;
}

static void
show_message (HirValuePanel *self, const char *text)
{
  g_autofree char *words = hir_control_words_dup (text);

  self->is_current = FALSE;
  gtk_label_set_text (self->message, words);
  gtk_widget_set_visible (GTK_WIDGET (self->message), text != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->facts), text == NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->note), text == NULL && self->picture->summary != NULL &&
                                                       self->picture->summary->note != NULL);
  gtk_widget_set_visible (self->scene, text == NULL);
  gtk_widget_set_visible (self->pager, text == NULL);
}

static void
show_summary (HirValuePanel *self, const HirValueSummary *summary, gboolean is_recorded);

/* Returns the reason why no value is displayed, and what to do. */
static char *
dup_reason (HirValuePanel *self, const HirTrace *trace)
{
  const char *obstacle = hir_document_get_obstacle (self->document);
  const char *how = obstacle != NULL ? obstacle : "Run the program (Space) to see it";

  if (hir_document_has_values (self->document))
    return g_strdup ("The run's process has exited, and its values are lost. Run the program "
                     "again.");
  if (hir_document_get_is_running (self->document))
    return g_strdup ("The value is shown when the run has ended.");
  if (trace == NULL || hir_trace_get_n_events (trace) == 0)
    return g_strdup_printf ("After a run, its value on each device is shown here. %s.", how);
  if (hir_trace_get_n_values (trace) == 0)
    return g_strdup_printf ("This recording has no values. %s.", how);
  return g_strdup_printf ("The recording has no value of this tensor here: it had none when the "
                          "run ended, or there was no space for it. %s.",
                          how);
}

/* Displays the recorded value if there is no run to request_value. */
static void
show_recorded (HirValuePanel *self, int rank)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  g_autofree char *reason = dup_reason (self, trace);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirValueSummary) summary = NULL;

  if (trace != NULL && !hir_document_get_is_running (self->document))
    summary = hir_recorded_values_dup (trace, rank, self->tensor, &error);
  if (summary != NULL)
    show_summary (self, summary, TRUE);
  else
    show_message (self, error != NULL ? error->message : reason);
  /* The controls stay: another device may have a value. */
  gtk_widget_set_visible (self->controls, trace != NULL && hir_trace_get_n_values (trace) > 0);
}

static void
request_value (HirValuePanel *self)
{
  int rank = (int) gtk_drop_down_get_selected (self->device);
  gboolean is_debugged =
      hir_document_get_is_running (self->document) && hir_document_has_values (self->document);

  if (self->tensor == 0)
    return;
  /* Do not request a value that is not visible. */
  self->is_stale = !gtk_widget_get_mapped (GTK_WIDGET (self));
  if (self->is_stale)
    return;
  self->query.what =
      is_debugged ? (HirValueWhat) gtk_drop_down_get_selected (self->what) : HIR_VALUE_OF_RANK;
  gtk_widget_set_visible (GTK_WIDGET (self->what), is_debugged);
  self->question = hir_document_ask_value (self->document, rank, self->tensor, &self->query);
  if (self->question == 0)
    show_recorded (self, rank);
  else
    gtk_widget_set_visible (self->controls, TRUE);
}

/* Fills the drop-down with one entry per device. */
static void
fill_devices (HirValuePanel *self)
{
  guint n = get_n_ranks (self);
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  int rank = hir_selection_get_rank (self->selection);
  GListModel *old = gtk_drop_down_get_model (self->device);

  gtk_widget_set_visible (GTK_WIDGET (self->device), n > 1);
  if (old != NULL && g_list_model_get_n_items (old) == n)
    return;
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("Device %u", i);

      gtk_string_list_append (names, name);
    }
  self->is_filling = TRUE;
  gtk_drop_down_set_model (self->device, G_LIST_MODEL (names));
  gtk_drop_down_set_selected (self->device, rank >= 0 && (guint) rank < n ? (guint) rank : 0);
  self->is_filling = FALSE;
}

static void
add_list (HirFactCard *card, const char *name, const gint64 *items, guint n)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", items[i]);
  g_string_append_c (text, ']');
  hir_fact_card_add (card, name, text->str, NULL);
  g_string_free (text, TRUE);
}

static void
add_number (HirFactCard *card, const char *name, const HirValueSummary *summary, double number)
{
  g_autofree char *text = hir_value_summary_dup_number (summary, number);

  hir_fact_card_add (card, name, text, NULL);
}

static void
fill_facts (HirValuePanel *self, const HirValueSummary *summary)
{
  HirFactCard *card = hir_fact_card_new ();
  g_autofree char *mean = g_strdup_printf ("%.4g \xc2\xb1 %.4g", summary->mean, summary->deviation);
  g_autofree char *broken = g_strdup_printf ("%" G_GUINT64_FORMAT " NaN, %" G_GUINT64_FORMAT " Inf",
                                             summary->n_nan, summary->n_inf);
  g_autofree char *zeros =
      g_strdup_printf ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, summary->n_zero,
                       hir_value_summary_get_n_elements (summary));
  GtkWidget *old = gtk_widget_get_first_child (GTK_WIDGET (self->facts));

  hir_focus_leave (GTK_WIDGET (self->facts), NULL);
  if (old != NULL)
    gtk_box_remove (self->facts, old);
  add_list (card, "shape", summary->sizes, summary->n_dims);
  add_list (card, "strides", summary->strides, summary->n_dims);
  add_number (card, "min", summary, summary->min);
  add_number (card, "max", summary, summary->max);
  hir_fact_card_add (card, "mean", mean, NULL);
  hir_fact_card_add (card, "not finite", summary->n_nan + summary->n_inf > 0 ? broken : "none",
                     NULL);
  hir_fact_card_add (card, "zeros", zeros, NULL);
  gtk_box_append (self->facts, GTK_WIDGET (card));
}

/* A recorded value has one page. */
static void
fill_pager (HirValuePanel *self, const HirValueSummary *summary, gboolean is_recorded)
{
  GtkWidget *button = gtk_widget_get_next_sibling (GTK_WIDGET (self->page_text));
  g_autofree char *text =
      g_strdup_printf ("rows %" G_GINT64_FORMAT "\xe2\x80\x93%" G_GINT64_FORMAT
                       " of %" G_GINT64_FORMAT ", columns from %" G_GINT64_FORMAT
                       " of %" G_GINT64_FORMAT,
                       summary->page_row, summary->page_row + MAX (summary->page_rows, 1) - 1,
                       summary->n_rows, summary->page_column, summary->n_columns);

  for (; button != NULL; button = gtk_widget_get_next_sibling (button))
    gtk_widget_set_visible (button, !is_recorded);
  gtk_label_set_text (self->page_text,
                      is_recorded ? "As recorded at the end of the run: a summary and the first "
                                    "numbers. Another run has slices and all numbers."
                                  : text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->page_text),
                               "The last axis is the columns, all others are the rows");
  gtk_widget_set_visible (self->pager, is_recorded || summary->n_rows > summary->page_rows ||
                                           summary->n_columns > 1);
}

static void
show_summary (HirValuePanel *self, const HirValueSummary *summary, gboolean is_recorded)
{
  g_autofree char *slice = hir_value_summary_dup_slice (summary);

  hir_value_summary_free (self->picture->summary);
  self->picture->summary = hir_value_summary_copy (summary);
  self->query.page_row = summary->page_row;
  self->query.page_column = summary->page_column;
  gtk_label_set_text (self->note, summary->note != NULL ? summary->note : "");
  show_message (self, NULL);
  self->is_current = !is_recorded;
  fill_facts (self, summary);
  fill_pager (self, summary, is_recorded);
  gtk_editable_set_text (GTK_EDITABLE (self->slice), slice);
  gtk_widget_set_visible (GTK_WIDGET (self->slice), summary->n_dims > 0 && !is_recorded);
  gtk_widget_queue_resize (self->scene);
}

static void
on_value (HirDocument *document,
          guint number,
          const HirValueSummary *summary,
          const GError *error,
          gpointer user_data)
{
  HirValuePanel *self = user_data;

  /* Only one request runs at a time. If another panel's request replaced this one, repeat it. */
  if (number > self->question && self->question != 0)
    request_value (self);
  if (number != self->question)
    return;
  self->question = 0;
  if (summary == NULL)
    show_message (self, error->message);
  else
    show_summary (self, summary, FALSE);
}

static void
on_device (HirValuePanel *self)
{
  if (!self->is_filling)
    request_value (self);
}

static void
on_slice (GtkEntry *entry, gpointer user_data)
{
  HirValuePanel *self = user_data;
  const HirValueSummary *summary = self->picture->summary;
  g_autoptr (GError) error = NULL;
  gboolean is_valid;

  if (summary == NULL)
    return;
  is_valid = hir_value_query_parse (&self->query, gtk_editable_get_text (GTK_EDITABLE (entry)),
                                    summary->n_dims, summary->sizes, &error);
  if (is_valid)
    gtk_widget_remove_css_class (GTK_WIDGET (entry), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (entry), "error");
  gtk_widget_set_tooltip_text (GTK_WIDGET (entry),
                               is_valid ? "Slice such as [:, 3, :], then Enter" : error->message);
  if (!is_valid)
    return;
  self->query.page_row = self->query.page_column = 0;
  request_value (self);
}

/* A click on a cell of the map displays the page with its first element. */
static void
on_cell (HirSceneCard *card, int cell, gpointer user_data)
{
  HirValuePanel *self = user_data;
  HirValueScene scene = get_scene (self->picture, NULL, 0, cell);

  hir_value_scene_get_place (&scene, cell, &self->query.page_row, &self->query.page_column);
  request_value (self);
}

static void
on_page (GtkButton *button, gpointer user_data)
{
  HirValuePanel *self = user_data;
  int by = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (button), "by"));

  if (g_object_get_data (G_OBJECT (button), "columns") != NULL)
    self->query.page_column = MAX (self->query.page_column + by * 4, 0);
  else
    self->query.page_row = MAX (self->query.page_row + by * PAGE_ROWS, 0);
  request_value (self);
}

static void
add_pager (HirValuePanel *self)
{
  static const struct
  {
    const char *icon, *tooltip;
    int by;
    gboolean columns;
  } buttons[] = {
    { "go-up-symbolic", "Previous rows", -1, FALSE },
    { "go-down-symbolic", "Next rows", 1, FALSE },
    { "go-previous-symbolic", "Previous columns", -1, TRUE },
    { "go-next-symbolic", "Next columns", 1, TRUE },
  };

  self->pager = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  self->page_text = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->page_text, 0);
  gtk_label_set_wrap (self->page_text, TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (self->page_text), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->page_text), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (self->page_text), "hint");
  gtk_box_append (GTK_BOX (self->pager), GTK_WIDGET (self->page_text));
  for (guint i = 0; i < G_N_ELEMENTS (buttons); i++)
    {
      GtkWidget *button = gtk_button_new_from_icon_name (buttons[i].icon);

      gtk_widget_add_css_class (button, "flat");
      gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
      gtk_widget_set_tooltip_text (button, buttons[i].tooltip);
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      buttons[i].tooltip, -1);
      g_object_set_data (G_OBJECT (button), "by", GINT_TO_POINTER (buttons[i].by));
      g_object_set_data (G_OBJECT (button), "columns", GINT_TO_POINTER (buttons[i].columns));
      g_signal_connect (button, "clicked", G_CALLBACK (on_page), self);
      gtk_box_append (GTK_BOX (self->pager), button);
    }
}

static void
add_what (HirValuePanel *self)
{
  static const char *const kinds[] = { "Value", "Gathered", "Difference", NULL };

  self->what = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (kinds));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->what),
                               "Value of the device, value gathered from all devices, or "
                               "difference from sequential execution");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->what), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Kind of value", -1);
  gtk_widget_set_visible (GTK_WIDGET (self->what), FALSE);
  g_signal_connect_swapped (self->what, "notify::selected", G_CALLBACK (on_device), self);
  gtk_box_append (GTK_BOX (self->controls), GTK_WIDGET (self->what));
  self->note = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_wrap (self->note, TRUE);
  gtk_label_set_wrap_mode (self->note, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (self->note, 0);
  gtk_label_set_selectable (self->note, FALSE);
  gtk_widget_add_css_class (GTK_WIDGET (self->note), "hint");
}

static void
add_controls (HirValuePanel *self)
{
  self->controls = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  self->device = GTK_DROP_DOWN (gtk_drop_down_new (NULL, NULL));
  self->slice = GTK_ENTRY (gtk_entry_new ());
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->device), "Device of the value");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->slice), "Slice such as [:, 3, :], then Enter");
  gtk_widget_set_hexpand (GTK_WIDGET (self->slice), TRUE);
  gtk_editable_set_width_chars (GTK_EDITABLE (self->slice), 2);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->device), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Device", -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->slice), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Slice", -1);
  g_signal_connect_swapped (self->device, "notify::selected", G_CALLBACK (on_device), self);
  g_signal_connect (self->slice, "activate", G_CALLBACK (on_slice), self);
  gtk_box_append (GTK_BOX (self->controls), GTK_WIDGET (self->device));
  add_what (self);
  gtk_box_append (GTK_BOX (self->controls), GTK_WIDGET (self->slice));
}

static void
hir_value_panel_dispose (GObject *object)
{
  HirValuePanel *self = HIR_VALUE_PANEL (object);

  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_value_panel_parent_class)->dispose (object);
}

static void
hir_value_panel_class_init (HirValuePanelClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_value_panel_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "valuepanel");
}

static void
hir_value_panel_init (HirValuePanel *self)
{
  hir_value_query_init (&self->query);
  self->query.map_rows = 48;
  self->query.map_columns = 48;
  self->query.page_rows = PAGE_ROWS;
  self->query.page_columns = PAGE_COLUMNS;
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  self->message = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_wrap (self->message, TRUE);
  gtk_label_set_wrap_mode (self->message, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (self->message, 0);
  gtk_widget_add_css_class (GTK_WIDGET (self->message), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (self->message), "hint");
  self->facts = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 0));
  self->picture = g_new0 (Picture, 1);
  self->scene = hir_scene_card_new (&value_table, self->picture);
  g_signal_connect (self->scene, "activate-part", G_CALLBACK (on_cell), self);
  add_controls (self);
  add_pager (self);
  self->numbers = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  self->pictures = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  gtk_box_append (GTK_BOX (self->numbers), self->controls);
  gtk_box_append (GTK_BOX (self->numbers), GTK_WIDGET (self->message));
  gtk_box_append (GTK_BOX (self->numbers), GTK_WIDGET (self->note));
  gtk_box_append (GTK_BOX (self->numbers), GTK_WIDGET (self->facts));
  gtk_box_append (GTK_BOX (self->pictures), hir_scaler_new (self->scene));
  gtk_box_append (GTK_BOX (self->pictures), self->pager);
  gtk_box_append (GTK_BOX (self->box), self->numbers);
  gtk_box_append (GTK_BOX (self->box), self->pictures);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  show_message (self, "");
}

/* Another run has other values. */
static void
on_finished (HirDocument *document, gpointer outcome, gpointer user_data)
{
  request_value (user_data);
}

/* The reason why there is no value names what stops a run. */
static void
on_advice (HirValuePanel *self)
{
  if (self->question == 0)
    request_value (self);
}

/* The memory changes with each stop of the program. */
static void
on_debugged (HirDocument *document, guint number, gpointer state, gpointer user_data)
{
  request_value (user_data);
}

static void
on_map (HirValuePanel *self)
{
  if (self->is_stale)
    request_value (self);
}

void
hir_value_panel_set_wide (HirValuePanel *self, gboolean is_wide)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->box),
                                  is_wide ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self->box), is_wide ? 18 : 6);
  gtk_widget_set_size_request (self->numbers, is_wide ? 250 : -1, -1);
  gtk_widget_set_hexpand (self->numbers, FALSE);
  gtk_widget_set_hexpand (self->pictures, TRUE);
}

void
hir_value_panel_set_rank (HirValuePanel *self, int rank)
{
  if (rank < 0 || (guint) rank >= get_n_ranks (self))
    return;
  fill_devices (self);
  self->is_filling = TRUE;
  gtk_drop_down_set_selected (self->device, (guint) rank);
  self->is_filling = FALSE;
}

GtkWidget *
hir_value_panel_new (HirSelection *selection, HirDocument *document)
{
  HirValuePanel *self = g_object_new (HIR_TYPE_VALUE_PANEL, NULL);

  self->selection = g_object_ref (selection);
  self->document = g_object_ref (document);
  g_signal_connect (document, "value", G_CALLBACK (on_value), self);
  g_signal_connect (document, "run-finished", G_CALLBACK (on_finished), self);
  g_signal_connect (document, "debugged", G_CALLBACK (on_debugged), self);
  g_signal_connect_object (selection, "advice-changed", G_CALLBACK (on_advice), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
  return GTK_WIDGET (self);
}

void
hir_value_panel_set_tensor (HirValuePanel *self, guint64 id)
{
  gboolean is_same = id == self->tensor && self->is_current && !self->is_stale &&
                     hir_document_has_values (self->document);

  fill_devices (self);
  if (is_same)
    return;
  if (id != self->tensor)
    {
      for (guint i = 0; i < HIR_MAX_DIMS; i++)
        self->query.at[i] = -1;
      self->query.page_row = self->query.page_column = 0;
      g_clear_pointer (&self->picture->summary, hir_value_summary_free);
      gtk_widget_set_visible (GTK_WIDGET (self->slice), FALSE);
      show_message (self, "");
    }
  self->tensor = id;
  request_value (self);
}

#if HIR_TESTING
char *
hir_value_panel_dup_text (HirValuePanel *self)
{
  if (gtk_widget_get_visible (GTK_WIDGET (self->message)) || self->picture->summary == NULL)
    return g_strdup (gtk_label_get_text (self->message));
  if (self->picture->summary->note != NULL)
    return g_strdup (self->picture->summary->note);
  return hir_value_summary_format (self->picture->summary);
}
#endif
