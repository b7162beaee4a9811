#include "passes/program-menu.h"

#include "base/control-words.h"
#include "base/focus.h"
#include "base/names.h"
#include "program/program-dump.h"
#include "program/program-inputs.h"
#include "program/request-edit.h"

#define MAX_DEVICES 4096 /* of -d */
#define ERROR_CHARS 34
#define INPUTS_HEIGHT 240
#define MAX_SHAPE_CHARS 24

static const gint64 usual_numbers[] = { 1, 2, 4, 8 };

typedef struct
{
  HirDocument *document; /* borrowed; the window owns both */
  GtkMenuButton *button;
} Menu;

/* An entry and the error below it. */
typedef struct
{
  GtkEditable *entry;
  GtkLabel *error;
} Field;

/* The contents of the popover, created each time it opens. */
typedef struct
{
  HirDocument *document; /* borrowed */
  HirProgram *program;   /* nullable: its inputs are those of the fields */
  GtkWidget *popover;
  GtkBox *box;
  GtkWidget *note; /* shown while the script is read */
  Field devices;
  GArray *inputs;            /* Field */
  GCancellable *cancellable; /* of the script that is being read */
} Form;

static void
form_free (gpointer data)
{
  Form *self = data;

  g_cancellable_cancel (self->cancellable);
  g_object_unref (self->cancellable);
  g_clear_pointer (&self->program, hir_program_unref_async);
  g_array_unref (self->inputs);
  g_free (self);
}

/* Returns the number of devices that the program is, or was to be, lowered for. */
static gint64
get_n_devices (HirDocument *document)
{
  HirRequest *edit = hir_document_get_edit (document);
  HirRequest *request = hir_document_get_request (document);

  if (edit != NULL && edit->n_devices > 0)
    return edit->n_devices;
  return request != NULL && request->n_devices > 0 ? request->n_devices : 1;
}

static void
show_error (const Field *field, const char *text)
{
  g_autofree char *words = hir_control_words_dup (text != NULL ? text : "");

  gtk_label_set_text (field->error, words);
  gtk_widget_set_visible (GTK_WIDGET (field->error), text != NULL);
  if (text != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (field->entry));
}

static void
apply (Form *self, HirRequest *request, const char *what)
{
  GtkWidget *popover = self->popover;

  hir_document_edit (self->document, request, what);
  gtk_popover_popdown (GTK_POPOVER (popover));
}

static void
set_devices (Form *self, gint64 n)
{
  HirRequest *edit = hir_document_get_edit (self->document);
  g_autoptr (HirRequest) request = NULL;
  g_autofree char *what = g_strdup_printf ("%" G_GINT64_FORMAT " device%s", n, n == 1 ? "" : "s");

  if (edit == NULL || n == get_n_devices (self->document))
    {
      gtk_popover_popdown (GTK_POPOVER (self->popover));
      return;
    }
  request = hir_request_with_devices (edit, n);
  apply (self, request, what);
}

static void
on_usual_number (GtkWidget *button, gpointer user_data)
{
  set_devices (user_data, GPOINTER_TO_INT (g_object_get_data (G_OBJECT (button), "hir-number")));
}

static void
on_devices (GtkEntry *entry, gpointer user_data)
{
  Form *self = user_data;
  gint64 n;

  if (g_ascii_string_to_signed (gtk_editable_get_text (self->devices.entry), 10, 1, MAX_DEVICES, &n,
                                NULL))
    set_devices (self, n);
  else
    show_error (&self->devices, "Enter a number from 1 to " G_STRINGIFY (MAX_DEVICES));
}

static void
on_apply_inputs (Form *self)
{
  HirRequest *edit = hir_document_get_edit (self->document);
  g_auto (GStrv) texts = g_new0 (char *, self->inputs->len + 1);
  g_auto (GStrv) inputs = NULL;
  g_autofree char *words = NULL;
  g_autofree char *what = NULL;
  g_autoptr (HirRequest) request = NULL;
  g_autoptr (GError) error = NULL;
  guint wrong;

  for (guint i = 0; i < self->inputs->len; i++)
    {
      texts[i] = g_strdup (gtk_editable_get_text (g_array_index (self->inputs, Field, i).entry));
      show_error (&g_array_index (self->inputs, Field, i), NULL);
    }
  if (!hir_program_read_inputs (self->program, (const char *const *) texts, &wrong, &inputs,
                                &error))
    {
      show_error (&g_array_index (self->inputs, Field, wrong), error->message);
      return;
    }
  if (edit == NULL)
    return;
  request = hir_request_with_inputs (edit, (const char *const *) inputs);
  words = inputs != NULL ? g_strjoinv (", ", inputs) : g_strdup ("chosen");
  what = g_strdup_printf ("Inputs %s", words);
  apply (self, request, what);
}

/* --- contents --- */

static GtkWidget *
add_heading (GtkBox *box, const char *text)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "heading-small");
  gtk_box_append (box, label);
  return label;
}

/* Adds an entry, @name and @type (nullable) in front of it, and a hidden error. Only @name may be
 * shortened: without its start, bfloat16 is another type. */
static Field
add_field (GtkBox *box, const char *name, const char *type, const char *text, const char *tooltip)
{
  g_autofree char *full = type != NULL ? g_strdup_printf ("%s %s", name, type) : g_strdup (name);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = gtk_label_new (name);
  GtkWidget *entry = gtk_entry_new ();
  GtkWidget *error = gtk_label_new ("");

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 20);
  gtk_widget_set_hexpand (label, TRUE);
  hir_names_set_tooltip (label, full);
  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  gtk_editable_set_width_chars (GTK_EDITABLE (entry),
                                CLAMP ((int) strlen (text) + 1, 14, MAX_SHAPE_CHARS));
  gtk_widget_set_tooltip_text (entry, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, full, -1);
  gtk_label_set_xalign (GTK_LABEL (error), 0);
  gtk_label_set_wrap (GTK_LABEL (error), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (error), ERROR_CHARS);
  gtk_widget_add_css_class (error, "error");
  gtk_widget_add_css_class (error, "option-summary");
  gtk_widget_set_visible (error, FALSE);
  gtk_box_append (GTK_BOX (row), label);
  if (type != NULL)
    gtk_box_append (GTK_BOX (row), gtk_label_new (type));
  gtk_box_append (GTK_BOX (row), entry);
  gtk_box_append (box, row);
  gtk_box_append (box, error);
  return (Field){ GTK_EDITABLE (entry), GTK_LABEL (error) };
}

static void
add_devices (Form *self)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gint64 now = get_n_devices (self->document);
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, now);

  add_heading (self->box, "Devices");
  gtk_widget_add_css_class (row, "linked");
  for (guint i = 0; i < G_N_ELEMENTS (usual_numbers); i++)
    {
      g_autofree char *label = g_strdup_printf ("%" G_GINT64_FORMAT, usual_numbers[i]);
      GtkWidget *button = gtk_toggle_button_new_with_label (label);

      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), usual_numbers[i] == now);
      gtk_widget_set_hexpand (button, TRUE);
      gtk_widget_set_tooltip_text (button, "Lower for this number of devices");
      g_object_set_data (G_OBJECT (button), "hir-number", GINT_TO_POINTER ((int) usual_numbers[i]));
      g_signal_connect (button, "clicked", G_CALLBACK (on_usual_number), self);
      gtk_box_append (GTK_BOX (row), button);
    }
  gtk_box_append (self->box, row);
  self->devices = add_field (self->box, "Number of devices", NULL, text, "Press Enter to apply");
  g_signal_connect (self->devices.entry, "activate", G_CALLBACK (on_devices), self);
}

static GtkWidget *
add_note (GtkBox *box, const char *text)
{
  g_autofree char *words = hir_control_words_dup (text);
  GtkWidget *label = gtk_label_new (words);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), ERROR_CHARS);
  gtk_widget_add_css_class (label, "option-summary");
  gtk_box_append (box, label);
  return label;
}

/* Adds one entry per input, or the error if shapes of the request do not fit the script. */
static void
add_entries (Form *self, GtkBox *box)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) inputs = hir_program_dup_inputs (self->program, &error);

  if (inputs == NULL)
    add_note (box, error->message);
  for (guint i = 0; inputs != NULL && i < inputs->len; i++)
    {
      const HirProgramInput *input = inputs->pdata[i];
      Field field =
          add_field (box, input->label, input->dtype, input->shape,
                     input->is_chosen ? "Chosen; enter the unsharded shape, like 4x8, or a number"
                                      : "Unsharded shape, like 4x8, or a number; empty: chosen");

      g_signal_connect_swapped (field.entry, "activate", G_CALLBACK (on_apply_inputs), self);
      g_array_append_val (self->inputs, field);
    }
}

static void
add_inputs (Form *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *button = gtk_button_new_with_label ("Apply Shapes");

  add_entries (self, GTK_BOX (box));
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), box);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_propagate_natural_width (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), INPUTS_HEIGHT);
  gtk_box_append (self->box, scroller);
  gtk_widget_set_tooltip_text (button, "Use these shapes in the next run");
  if (self->inputs->len == 0)
    gtk_button_set_label (GTK_BUTTON (button), "Choose All Shapes");
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (on_apply_inputs), self);
  gtk_box_append (self->box, button);
}

/* --- menu --- */

static Form *
get_form (GtkWidget *popover)
{
  return popover != NULL ? g_object_get_data (G_OBJECT (popover), "hir-form") : NULL;
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GtkWidget) popover = user_data;
  g_autoptr (GPtrArray) diagnostics = NULL;
  g_autoptr (GError) error = NULL;
  HirProgram *program = hir_program_new_finish (result, &diagnostics, &error);
  Form *self = get_form (popover);

  /* The popover has been replaced. */
  if (gtk_widget_get_parent (popover) == NULL)
    {
      g_clear_pointer (&program, hir_program_unref_async);
      return;
    }
  self->program = program;
  hir_focus_leave (self->note, NULL);
  gtk_box_remove (self->box, self->note);
  if (program != NULL)
    add_inputs (self);
  else
    add_note (self->box, error->message);
}

/* A recording has no fusion, so its script is read again. */
static void
read_inputs (Form *self)
{
  HirProgram *program = hir_document_get_program (self->document);
  HirRequest *edit = hir_document_get_edit (self->document);

  add_heading (self->box, "Inputs");
  if (program != NULL && (program->fusion != NULL || program->printed != NULL))
    {
      self->program = hir_program_ref (program);
      add_inputs (self);
      return;
    }
  self->note = add_note (self->box, "Reading the script\342\200\246");
  hir_program_new_async (edit, NULL, self->cancellable, on_read, g_object_ref (self->popover));
}

static void
create_popup (GtkMenuButton *button, gpointer user_data)
{
  Menu *menu = user_data;
  HirRequest *edit = hir_document_get_edit (menu->document);
  Form *self;

  if (edit == NULL)
    return;
  self = g_new0 (Form, 1);
  self->document = menu->document;
  self->cancellable = g_cancellable_new ();
  self->inputs = g_array_new (FALSE, FALSE, sizeof (Field));
  self->popover = gtk_popover_new ();
  self->box = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 8));
  gtk_widget_add_css_class (self->popover, "pass-options-popover");
  gtk_popover_set_child (GTK_POPOVER (self->popover), GTK_WIDGET (self->box));
  g_object_set_data_full (G_OBJECT (self->popover), "hir-form", self, form_free);
  if (!hir_program_is_dump (edit->source))
    add_devices (self);
  read_inputs (self);
  hir_names_fill (self->popover);
  gtk_menu_button_set_popover (button, self->popover);
}

static void
update (GtkWidget *button)
{
  Menu *self = g_object_get_data (G_OBJECT (button), "hir-menu");
  HirRequest *edit = hir_document_get_edit (self->document);
  gint64 n = get_n_devices (self->document);
  g_autofree char *label =
      edit != NULL && hir_program_is_dump (edit->source)
          ? g_strdup ("Inputs")
          : g_strdup_printf ("%" G_GINT64_FORMAT " device%s", n, n == 1 ? "" : "s");

  gtk_menu_button_set_label (self->button, label);
}

void
hir_program_menu_open (GtkWidget *menu, gboolean at_inputs)
{
  Form *form;

  gtk_menu_button_popup (GTK_MENU_BUTTON (menu));
  form = get_form (GTK_WIDGET (gtk_menu_button_get_popover (GTK_MENU_BUTTON (menu))));
  if (form != NULL && at_inputs && form->inputs->len > 0)
    gtk_widget_grab_focus (GTK_WIDGET (g_array_index (form->inputs, Field, 0).entry));
  else if (form != NULL && form->devices.entry != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (form->devices.entry));
}

GtkWidget *
hir_program_menu_new (HirDocument *document)
{
  Menu *self = g_new0 (Menu, 1);
  GtkWidget *button = gtk_menu_button_new ();

  self->document = document;
  self->button = GTK_MENU_BUTTON (button);
  gtk_menu_button_set_always_show_arrow (self->button, TRUE);
  gtk_widget_add_css_class (button, "raised"); /* as the drop-downs next to it */
  gtk_menu_button_set_create_popup_func (self->button, create_popup, self, NULL);
  gtk_widget_set_tooltip_text (button, "Number of devices and shapes of the inputs");
  g_object_set_data_full (G_OBJECT (button), "hir-menu", self, g_free);
  gtk_widget_set_focus_on_click (gtk_widget_get_first_child (button), FALSE);
  g_signal_connect_object (document, "program-changed", G_CALLBACK (update), button,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "edited", G_CALLBACK (update), button, G_CONNECT_SWAPPED);
  update (button);
  return button;
}
