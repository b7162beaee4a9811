#include "passes/pass-row.h"

#include "passes/pass-options.h"

#define SWITCH_TOOLTIP "%s on or off (x)"
#define OPTIONS_TOOLTIP "Options of %s (o)"

typedef struct
{
  const HirPass *pass;
  char *title;
  HirRequest *request;
  HirPassRowKind kind;
  int step;
  gboolean is_syncing; /* the switch is changed by the program, not by the user */
  GtkWidget *dot;
  GtkLabel *note;
  GtkLabel *time;
  GtkWidget *differs;
  GtkLabel *verdict;
  GtkWidget *options; /* NULL if the pass has no options */
  GtkSwitch *enabled; /* NULL if the row has no pass */
} Row;

static void
row_free (gpointer data)
{
  Row *self = data;

  g_clear_pointer (&self->request, hir_request_unref);
  g_free (self->title);
  g_free (self);
}

static Row *
get_row (GtkWidget *row)
{
  return g_object_get_data (G_OBJECT (row), "hir-pass-row");
}

static GtkLabel *
add_label (GtkWidget *box, const char *text, const char *const *classes)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_css_classes (label, (const char **) classes);
  gtk_box_append (GTK_BOX (box), label);
  return GTK_LABEL (label);
}

static void
on_enabled (GtkSwitch *enabled, GParamSpec *pspec, gpointer user_data)
{
  Row *self = user_data;

  if (!self->is_syncing)
    gtk_widget_activate_action (GTK_WIDGET (enabled), "win.pass-enable", "(sb)", self->title,
                                gtk_switch_get_active (enabled));
}

/* Enables or disables a control. The tooltip of a disabled one says why. */
static void
set_can_change (GtkWidget *control, const char *format, const char *title, gboolean can_change)
{
  g_autofree char *tooltip =
      can_change
          ? g_strdup_printf (format, title)
          : g_strdup_printf ("%s: as in the displayed run; press Show Current to change it", title);

  gtk_widget_set_sensitive (control, can_change);
  gtk_widget_set_tooltip_text (control, tooltip);
}

/* Creates the popover each time it opens, because options may have changed. */
static void
create_popup (GtkMenuButton *button, gpointer user_data)
{
  Row *self = user_data;

  gtk_menu_button_set_popover (button, self->request != NULL
                                           ? hir_pass_options_new (self->pass, self->request)
                                           : NULL);
}

static GtkWidget *
create_options (Row *self)
{
  GtkWidget *button = gtk_menu_button_new ();
  g_autofree char *tooltip = g_strdup_printf (OPTIONS_TOOLTIP, self->title);

  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "emblem-system-symbolic");
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (button), create_popup, self, NULL);
  gtk_menu_button_set_direction (GTK_MENU_BUTTON (button), GTK_ARROW_RIGHT);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "pass-options");
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  /* Tab leaves the list. Options have a key. */
  gtk_widget_set_focusable (gtk_widget_get_first_child (button), FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip,
                                  -1);
  return button;
}

static GtkSwitch *
create_switch (Row *self)
{
  GtkWidget *enabled = gtk_switch_new ();
  g_autofree char *tooltip = g_strdup_printf (SWITCH_TOOLTIP, self->title);

  gtk_widget_add_css_class (enabled, "pass-switch");
  gtk_widget_set_valign (enabled, GTK_ALIGN_CENTER);
  gtk_widget_set_focusable (enabled, FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (enabled), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip,
                                  -1);
  g_signal_connect (enabled, "notify::active", G_CALLBACK (on_enabled), self);
  return GTK_SWITCH (enabled);
}

/* The second line: effect, marks, duration, options. */
static GtkWidget *
create_notes (Row *self)
{
  GtkWidget *notes = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  self->note = add_label (notes, "", (const char *const[]){ "dim-label", "pass-note", NULL });
  gtk_widget_set_hexpand (GTK_WIDGET (self->note), TRUE);
  gtk_label_set_ellipsize (self->note, PANGO_ELLIPSIZE_END);
  self->verdict = add_label (notes, "", (const char *const[]){ "pass-verdict", NULL });
  gtk_widget_set_visible (GTK_WIDGET (self->verdict), FALSE);
  self->differs =
      GTK_WIDGET (add_label (notes, "\xe2\x89\xa0", (const char *const[]){ "pass-differs", NULL }));
  gtk_widget_set_tooltip_text (self->differs,
                               "The last change of the document affected this program");
  gtk_widget_set_visible (self->differs, FALSE);
  self->time =
      add_label (notes, "", (const char *const[]){ "dim-label", "pass-note", "numeric", NULL });
  if (self->pass != NULL && self->pass->options != NULL)
    {
      self->options = create_options (self);
      gtk_box_append (GTK_BOX (notes), self->options);
    }
  return notes;
}

GtkWidget *
hir_pass_row_new (const char *title, const HirPass *pass)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *first = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  Row *self = g_new0 (Row, 1);
  GtkLabel *label;

  self->pass = pass;
  self->title = g_strdup (title);
  g_object_set_data_full (G_OBJECT (row), "hir-pass-row", self, row_free);
  self->dot = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_set_valign (self->dot, GTK_ALIGN_CENTER);
  gtk_widget_set_hexpand (texts, TRUE);
  label = add_label (first, title, (const char *const[]){ "pass-title", NULL });
  gtk_label_set_ellipsize (label, PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (GTK_WIDGET (label), TRUE);
  gtk_widget_set_tooltip_text (GTK_WIDGET (label), pass != NULL ? pass->summary : title);
  if (pass != NULL)
    {
      self->enabled = create_switch (self);
      gtk_box_append (GTK_BOX (first), GTK_WIDGET (self->enabled));
    }
  gtk_box_append (GTK_BOX (texts), first);
  gtk_box_append (GTK_BOX (texts), create_notes (self));
  gtk_box_append (GTK_BOX (box), self->dot);
  gtk_box_append (GTK_BOX (box), texts);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  return row;
}

static void
set_class (GtkWidget *widget, const char *name, gboolean on)
{
  if (on)
    gtk_widget_add_css_class (widget, name);
  else
    gtk_widget_remove_css_class (widget, name);
}

static void
set_text (GtkLabel *label, const char *text)
{
  if (g_strcmp0 (gtk_label_get_text (label), text) != 0)
    gtk_label_set_text (label, text);
}

static void
show_time (Row *self, gint64 duration_ns)
{
  double ms = (double) duration_ns / 1e6;
  g_autofree char *text = duration_ns < 0 ? g_strdup ("")
                          : ms < 0.1      ? g_strdup ("<0.1 ms")
                                          : g_strdup_printf (ms < 10 ? "%.1f ms" : "%.0f ms", ms);

  set_text (self->time, text);
  gtk_widget_set_visible (GTK_WIDGET (self->time), duration_ns >= 0);
}

void
hir_pass_row_set (GtkWidget *row, const HirPassRowState *state, HirRequest *request)
{
  static const char *const dots[] = { "source", "changed", "unchanged", "failed", "off", "off" };
  Row *self = get_row (row);
  gboolean failed = state->kind == HIR_PASS_ROW_FAILED;

  if (request != NULL)
    hir_request_ref (request);
  g_clear_pointer (&self->request, hir_request_unref);
  self->request = request;
  self->kind = state->kind;
  self->step = state->step;
  set_text (self->note, state->note);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->note), state->note);
  /* Only errors need more than one line. */
  gtk_label_set_wrap (self->note, failed);
  gtk_label_set_wrap_mode (self->note, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines (self->note, failed ? 5 : 1);
  show_time (self, failed ? -1 : state->duration_ns);
  gtk_widget_set_visible (self->differs, state->differs);
  gtk_widget_set_css_classes (self->dot, (const char *[]){ "pass-dot", dots[state->kind], NULL });
  set_class (row, "pass-unchanged",
             state->kind == HIR_PASS_ROW_UNCHANGED || state->kind == HIR_PASS_ROW_OFF ||
                 state->kind == HIR_PASS_ROW_NOT_REACHED);
  set_class (row, "pass-failed", failed);
  gtk_list_box_row_set_selectable (GTK_LIST_BOX_ROW (row), state->step >= 0);
  if (self->options != NULL)
    {
      set_class (self->options, "pass-options-set", state->n_set > 0);
      set_can_change (self->options, OPTIONS_TOOLTIP, self->title, request != NULL);
    }
  if (self->enabled != NULL)
    {
      self->is_syncing = TRUE;
      gtk_switch_set_active (self->enabled, state->is_enabled);
      set_can_change (GTK_WIDGET (self->enabled), SWITCH_TOOLTIP, self->title, request != NULL);
      self->is_syncing = FALSE;
    }
}

const char *
hir_pass_row_get_title (GtkWidget *row)
{
  return get_row (row)->title;
}

HirPassRowKind
hir_pass_row_get_kind (GtkWidget *row)
{
  return get_row (row)->kind;
}

int
hir_pass_row_get_step (GtkWidget *row)
{
  return get_row (row)->step;
}

const HirPass *
hir_pass_row_get_pass (GtkWidget *row)
{
  return get_row (row)->pass;
}

gboolean
hir_pass_row_get_enabled (GtkWidget *row)
{
  Row *self = get_row (row);

  return self->enabled == NULL || gtk_switch_get_active (self->enabled);
}

gboolean
hir_pass_row_open_options (GtkWidget *row)
{
  Row *self = get_row (row);

  if (self->options == NULL || self->request == NULL)
    return FALSE;
  gtk_menu_button_popup (GTK_MENU_BUTTON (self->options));
  return TRUE;
}

void
hir_pass_row_set_verdict (GtkWidget *row, const char *verdict, const char *text)
{
  Row *self = get_row (row);

  gtk_widget_set_visible (GTK_WIDGET (self->verdict), verdict != NULL);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->verdict), text);
  gtk_widget_set_css_classes (GTK_WIDGET (self->verdict),
                              (const char *[]){ "pass-verdict", verdict != NULL ? verdict : "none",
                                                NULL });
  set_text (self->verdict, verdict != NULL ? verdict : "");
}
