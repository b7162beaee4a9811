#include "inspector/fact-card.h"

#include <string.h>

#include "base/control-words.h"
#include "base/links.h"
#include "base/long-text.h"
#include "base/names.h"

/* A longer name is wrapped to WRAPPED_CHARS, so that its value has space. */
#define MAX_NAME_CHARS 18
#define WRAPPED_CHARS 14
/* In a narrower card values are below their names. */
#define MIN_BESIDE_CHARS 22
/* The middle of a longer value is left out; a link copies the whole value. */
#define MAX_VALUE_CHARS 400
#define MAX_HEADING_CHARS 80
#define MAX_COPIED_CHARS 50
#define COPY_URI "copy:"
#define WHOLE "hir-whole"

struct _HirFactCard
{
  GtkWidget parent_instance;

  GtkGrid *grid;
  int n_rows;
  gboolean is_only_seen;
  gboolean is_stacked;
  guint idle; /* idle source: the grid must not change during size allocation */
};

static guint link_signal;

G_DEFINE_FINAL_TYPE (HirFactCard, hir_fact_card, GTK_TYPE_WIDGET)

char *
hir_fact_split_words (const char *kind)
{
  GString *words = g_string_new (NULL);

  for (const char *c = kind; *c != '\0'; c++)
    {
      if (c > kind && g_ascii_isupper (*c) && (g_ascii_islower (c[-1]) || g_ascii_isdigit (c[-1])))
        g_string_append_c (words, ' ');
      g_string_append_c (words, *c);
    }
  return g_string_free (words, FALSE);
}

const char *
hir_fact_get_author (const HirProgram *program)
{
  return program->request != NULL && !g_str_has_suffix (program->request->source->path, ".py")
             ? "the dump"
             : "the script";
}

const HirFact *
hir_fact_find (const HirNodeInfo *info, const char *name)
{
  for (guint i = 0; i < info->facts->len; i++)
    if (g_str_equal (g_array_index (info->facts, HirFact, i).name, name))
      return &g_array_index (info->facts, HirFact, i);
  return NULL;
}

GtkWidget *
hir_fact_heading_new (const char *text)
{
  g_autofree char *upper = g_utf8_strup (text, -1);
  GtkWidget *label = gtk_label_new (upper);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_tooltip_text (label, text);
  gtk_widget_add_css_class (label, "pane-heading");
  gtk_widget_add_css_class (label, "dim-label");
  return label;
}

/* Places a label of a row. Each row has two lines of the grid: name and value share the first
 * line, or take one each. */
static void
arrange (HirFactCard *self, GtkWidget *label)
{
  gboolean is_value = gtk_widget_has_css_class (label, "fact-value");
  gboolean is_pair = is_value || gtk_widget_has_css_class (label, "fact-name");
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self->grid));
  GtkLayoutChild *child = gtk_layout_manager_get_layout_child (layout, label);
  gboolean is_beside = is_pair && !self->is_stacked;
  int row;

  g_object_get (child, "row", &row, NULL);
  row -= row % 2;
  /* Without a name the value continues the one above it. */
  gtk_widget_set_visible (label, is_value || !is_pair || !self->is_stacked ||
                                     *gtk_label_get_text (GTK_LABEL (label)) != '\0');
  g_object_set (child, "row", row + (is_value && self->is_stacked), "column",
                is_value && is_beside ? 1 : 0, "column-span", is_beside ? 1 : 2, NULL);
}

static gboolean
restack (gpointer user_data)
{
  HirFactCard *self = user_data;
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->grid));

  self->idle = 0;
  for (; child != NULL; child = gtk_widget_get_next_sibling (child))
    arrange (self, child);
  return G_SOURCE_REMOVE;
}

static int
get_char_width (GtkWidget *widget)
{
  PangoContext *context = gtk_widget_get_pango_context (widget);
  PangoFontMetrics *metrics = pango_context_get_metrics (context, NULL, NULL);
  int width = PANGO_PIXELS (pango_font_metrics_get_approximate_char_width (metrics));

  pango_font_metrics_unref (metrics);
  return width;
}

static void
hir_fact_card_measure (GtkWidget *widget,
                       GtkOrientation orientation,
                       int for_size,
                       int *minimum,
                       int *natural,
                       int *minimum_baseline,
                       int *natural_baseline)
{
  gtk_widget_measure (GTK_WIDGET (HIR_FACT_CARD (widget)->grid), orientation, for_size, minimum,
                      natural, minimum_baseline, natural_baseline);
}

static void
hir_fact_card_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HirFactCard *self = HIR_FACT_CARD (widget);
  gboolean is_narrow = width < MIN_BESIDE_CHARS * get_char_width (widget);
  int natural;

  if (is_narrow && !self->is_stacked)
    {
      gtk_widget_measure (GTK_WIDGET (self->grid), GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural,
                          NULL, NULL);
      is_narrow = natural > width;
    }
  if (is_narrow != self->is_stacked)
    {
      self->is_stacked = is_narrow;
      if (self->idle == 0)
        self->idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, restack, self, NULL);
    }
  gtk_widget_allocate (GTK_WIDGET (self->grid), width, height, baseline, NULL);
}

static GtkSizeRequestMode
hir_fact_card_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
hir_fact_card_dispose (GObject *object)
{
  HirFactCard *self = HIR_FACT_CARD (object);

  g_clear_handle_id (&self->idle, g_source_remove);
  if (self->grid != NULL)
    gtk_widget_unparent (GTK_WIDGET (self->grid));
  self->grid = NULL;
  G_OBJECT_CLASS (hir_fact_card_parent_class)->dispose (object);
}

static void
hir_fact_card_class_init (HirFactCardClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_fact_card_dispose;
  GTK_WIDGET_CLASS (klass)->measure = hir_fact_card_measure;
  GTK_WIDGET_CLASS (klass)->size_allocate = hir_fact_card_size_allocate;
  GTK_WIDGET_CLASS (klass)->get_request_mode = hir_fact_card_get_request_mode;
  link_signal = g_signal_new ("activate-link", HIR_TYPE_FACT_CARD, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                              NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
hir_fact_card_init (HirFactCard *self)
{
  self->grid = GTK_GRID (gtk_grid_new ());
  gtk_grid_set_column_spacing (self->grid, 12);
  gtk_grid_set_row_spacing (self->grid, 5);
  gtk_widget_set_parent (GTK_WIDGET (self->grid), GTK_WIDGET (self));
  gtk_widget_add_css_class (GTK_WIDGET (self), "card");
  gtk_widget_add_css_class (GTK_WIDGET (self), "facts");
}

HirFactCard *
hir_fact_card_new (void)
{
  return g_object_new (HIR_TYPE_FACT_CARD, NULL);
}

static gboolean
on_link (GtkLabel *label, const char *uri, gpointer user_data)
{
  const char *whole = g_object_get_data (G_OBJECT (label), WHOLE);

  if (whole != NULL && g_str_equal (uri, COPY_URI))
    {
      gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (label)), whole);
      return TRUE;
    }
  g_signal_emit (user_data, link_signal, 0, uri);
  return TRUE;
}

/* @finds: whether the things that @value names become links. */
static void
set_value (HirFactCard *self, GtkWidget *label, const char *value, const char *uri, gboolean finds)
{
  gboolean was_cut;
  g_autofree char *shown = hir_long_text_dup (value, MAX_VALUE_CHARS, &was_cut);
  g_autofree char *found =
      uri == NULL && finds && !self->is_only_seen ? hir_links_dup_markup (shown) : NULL;
  g_autoptr (GString) markup = g_string_new (NULL);
  g_autofree char *escaped = uri != NULL
                                 ? g_markup_printf_escaped ("<a href=\"%s\">%s</a>", uri, shown)
                             : found != NULL ? g_strdup (found)
                                             : g_markup_escape_text (shown, -1);

  if (uri == NULL && found == NULL && !was_cut)
    {
      gtk_label_set_text (GTK_LABEL (label), value);
      return;
    }
  g_string_append (markup, escaped);
  if (was_cut)
    {
      g_object_set_data_full (G_OBJECT (label), WHOLE, g_strdup (value), g_free);
      hir_names_set_tooltip (label, value);
      if (!self->is_only_seen)
        g_string_append_printf (markup, " <a href=\"" COPY_URI "\">copy all %ld characters</a>",
                                g_utf8_strlen (value, -1));
    }
  gtk_label_set_markup (GTK_LABEL (label), markup->str);
  g_signal_connect (label, "activate-link", G_CALLBACK (on_link), self);
}

static GtkWidget *
value_new (HirFactCard *self, const char *value, const char *uri, gboolean finds)
{
  GtkWidget *label = gtk_label_new (NULL);
  PangoAttrList *attributes = pango_attr_list_new ();

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  /* A hyphen would look like a part of the name. */
  pango_attr_list_insert (attributes, pango_attr_insert_hyphens_new (FALSE));
  gtk_label_set_attributes (GTK_LABEL (label), attributes);
  pango_attr_list_unref (attributes);
  /* Stacked accents could extend over the labels above. */
  gtk_widget_set_overflow (label, GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_hexpand (label, TRUE);
  set_value (self, label, value, uri, finds);
  return label;
}

static void
attach (HirFactCard *self, GtkWidget *label)
{
  gtk_grid_attach (self->grid, label, 0, 2 * self->n_rows, 1, 1);
  arrange (self, label);
}

void
hir_fact_card_set_only_seen (HirFactCard *self)
{
  self->is_only_seen = TRUE;
}

/* Returns the label of the value. */
static GtkWidget *
add_fact (HirFactCard *self, const char *name, const char *value, const char *uri)
{
  /* A name is not a link to itself. */
  GtkWidget *label = value_new (self, value, uri, name != NULL && !g_str_equal (name, "name"));
  g_autofree char *shown = NULL;
  GtkWidget *heading;
  gboolean was_cut;

  if (name == NULL)
    {
      /* The title can be selected to copy it. Values are not selectable, so that Tab reaches
       * only links. */
      gtk_label_set_selectable (GTK_LABEL (label),
                                uri == NULL && g_object_get_data (G_OBJECT (label), WHOLE) == NULL);
      gtk_widget_add_css_class (label, "fact-title");
      attach (self, label);
      self->n_rows++;
      return label;
    }
  shown = hir_long_text_dup (name, MAX_HEADING_CHARS, &was_cut);
  heading = gtk_label_new (shown);
  if (was_cut)
    hir_names_set_tooltip (heading, name);
  gtk_widget_set_overflow (heading, GTK_OVERFLOW_HIDDEN);
  gtk_label_set_xalign (GTK_LABEL (heading), 0);
  gtk_label_set_yalign (GTK_LABEL (heading), 0);
  if (g_utf8_strlen (name, -1) > MAX_NAME_CHARS)
    {
      gtk_label_set_wrap (GTK_LABEL (heading), TRUE);
      gtk_label_set_wrap_mode (GTK_LABEL (heading), PANGO_WRAP_WORD_CHAR);
      gtk_label_set_width_chars (GTK_LABEL (heading), WRAPPED_CHARS);
      gtk_label_set_max_width_chars (GTK_LABEL (heading), WRAPPED_CHARS);
    }
  gtk_widget_add_css_class (heading, "dim-label");
  gtk_widget_add_css_class (heading, "fact-name");
  gtk_widget_add_css_class (label, "fact-value");
  attach (self, heading);
  attach (self, label);
  self->n_rows++;
  return label;
}

void
hir_fact_card_add (HirFactCard *self, const char *name, const char *value, const char *uri)
{
  (void) add_fact (self, name, value, uri);
}

void
hir_fact_card_add_copied (HirFactCard *self, const char *name, const char *value)
{
  g_autofree char *shown = hir_long_text_dup (value, MAX_COPIED_CHARS, NULL);
  g_autofree char *tooltip = g_strconcat ("Copy: ", value, NULL);
  GtkWidget *label = add_fact (self, name, shown, COPY_URI);

  g_object_set_data_full (G_OBJECT (label), WHOLE, g_strdup (value), g_free);
  hir_names_set_tooltip (label, tooltip);
}

void
hir_fact_card_add_note (HirFactCard *self, const char *text)
{
  g_autofree char *words = hir_control_words_dup (text);
  GtkWidget *label = value_new (self, words, NULL, TRUE);

  gtk_widget_add_css_class (label, "dim-label");
  attach (self, label);
  self->n_rows++;
}

void
hir_fact_card_add_script (HirFactCard *self, const HirProgram *program, guint line)
{
  g_autofree char *base = NULL, *where = NULL, *target = NULL;

  if (line == 0 || program->request == NULL)
    return;
  base = g_path_get_basename (program->request->source->path);
  where = g_strdup_printf ("%s:%u", base, line);
  target = g_strdup_printf ("line/%u", line);
  hir_fact_card_add (self, "script", where, target);
}

void
hir_fact_card_add_rest (HirFactCard *self, guint n, guint n_shown)
{
  g_autofree char *text = NULL;

  if (n <= n_shown)
    return;
  text = g_strdup_printf ("and %u more", n - n_shown);
  hir_fact_card_add (self, "", text, NULL);
}
