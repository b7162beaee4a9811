#include "window/palette.h"

#include <string.h>

#include "base/fuzzy.h"
#include "base/names.h"
#include "window/palette-items.h"

/* Maximum number of displayed matches. */
#define MAX_ROWS 40
/* Fewer letters match titles only. */
#define MIN_WORD 3

typedef struct
{
  HirWindow *window; /* borrowed; owns the palette */
  GPtrArray *items;  /* HirPaletteItem* */
  GtkWidget *dialog;
  GtkEditable *entry;
  GtkListBox *list;
} Palette;

typedef struct
{
  const HirPaletteItem *item;
  int score;
  guint order;
  GArray *positions;
} Match;

static void
palette_free (gpointer data)
{
  Palette *self = data;

  g_ptr_array_unref (self->items);
  g_free (self);
}

static void
clear_match (gpointer data)
{
  g_clear_pointer (&((Match *) data)->positions, g_array_unref);
}

static gint
compare_matches (gconstpointer a, gconstpointer b)
{
  const Match *left = a, *right = b;

  return left->score != right->score ? (left->score > right->score ? -1 : 1)
                                     : (left->order < right->order ? -1 : 1);
}

/* Highlights the matched letters. */
static GtkWidget *
title_new (const Match *match)
{
  GtkWidget *label = gtk_label_new (match->item->title);
  PangoAttrList *attributes = pango_attr_list_new ();

  for (guint i = 0; i < match->positions->len; i++)
    {
      PangoAttribute *bold = pango_attr_weight_new (PANGO_WEIGHT_BOLD);
      PangoAttribute *line = pango_attr_underline_new (PANGO_UNDERLINE_SINGLE);
      guint at = g_array_index (match->positions, guint, i);
      guint end = (guint) (g_utf8_next_char (match->item->title + at) - match->item->title);

      bold->start_index = line->start_index = at;
      bold->end_index = line->end_index = end;
      pango_attr_list_insert (attributes, bold);
      pango_attr_list_insert (attributes, line);
    }
  gtk_label_set_attributes (GTK_LABEL (label), attributes);
  pango_attr_list_unref (attributes);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_overflow (label, GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_hexpand (label, TRUE);
  return label;
}

static GtkWidget *
dim_label_new (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_START);
  gtk_widget_set_overflow (label, GTK_OVERFLOW_HIDDEN);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 28);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_add_css_class (label, css_class);
  return label;
}

static GtkWidget *
row_new (const Match *match)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);
  GtkWidget *kind = dim_label_new (match->item->kind, "palette-kind");

  gtk_label_set_xalign (GTK_LABEL (kind), 0);
  gtk_label_set_width_chars (GTK_LABEL (kind), 10);
  gtk_box_append (GTK_BOX (box), kind);
  gtk_box_append (GTK_BOX (box), title_new (match));
  if (match->item->detail != NULL)
    gtk_box_append (GTK_BOX (box),
                    dim_label_new (match->item->detail,
                                   match->item->action != NULL ? "step-key" : "palette-kind"));
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  g_object_set_data (G_OBJECT (row), "item", (gpointer) match->item);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  match->item->title, -1);
  return row;
}

/* Returns whether each word of @pattern is the start of one of @words, which are in lower case. */
static gboolean
has_words (const char *pattern, const char *words)
{
  g_autofree char *folded = g_utf8_casefold (pattern, -1);
  g_auto (GStrv) wanted = g_strsplit (folded, " ", -1);
  g_auto (GStrv) known = g_strsplit (words, " ", -1);
  guint n_found = 0;

  for (guint i = 0; wanted[i] != NULL; i++)
    {
      gboolean is_known = *wanted[i] == '\0';

      for (guint k = 0; known[k] != NULL && !is_known; k++)
        is_known = g_str_has_prefix (known[k], wanted[i]);
      if (!is_known)
        return FALSE;
      n_found += *wanted[i] != '\0';
    }
  return n_found > 0;
}

/* A word of an action counts as much as the same letters at the start of a title. */
static gboolean
match_words (const char *pattern, const HirPaletteItem *item, Match *match)
{
  int score;

  if (item->words == NULL || strlen (pattern) < MIN_WORD || !has_words (pattern, item->words) ||
      !hir_fuzzy_match (pattern, pattern, &score, NULL) ||
      (match->positions != NULL && match->score >= score))
    return FALSE;
  g_clear_pointer (&match->positions, g_array_unref);
  match->positions = g_array_new (FALSE, FALSE, sizeof (guint));
  match->score = score;
  return TRUE;
}

static GArray *
find_matches (Palette *self, const char *pattern)
{
  GArray *matches = g_array_new (FALSE, TRUE, sizeof (Match));

  g_array_set_clear_func (matches, clear_match);
  for (guint i = 0; i < self->items->len; i++)
    {
      Match match = { g_ptr_array_index (self->items, i), 0, i, NULL };

      gboolean is_match =
          hir_fuzzy_match (pattern, match.item->title, &match.score, &match.positions);

      if (match_words (pattern, match.item, &match) || is_match)
        g_array_append_val (matches, match);
      else if (match.item->spec != NULL && strstr (match.item->spec, pattern) != NULL)
        {
          /* "example:NAME" or a path; after all titles. */
          match.score = G_MININT;
          match.positions = g_array_new (FALSE, FALSE, sizeof (guint));
          g_array_append_val (matches, match);
        }
    }
  g_array_sort (matches, compare_matches);
  return matches;
}

static void
on_changed (GtkEditable *entry, gpointer user_data)
{
  Palette *self = user_data;
  g_autoptr (GArray) matches = find_matches (self, gtk_editable_get_text (entry));
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->list))) != NULL &&
         GTK_IS_LIST_BOX_ROW (child))
    gtk_list_box_remove (self->list, child);
  for (guint i = 0; i < matches->len && i < MAX_ROWS; i++)
    gtk_list_box_append (self->list, row_new (&g_array_index (matches, Match, i)));
  gtk_list_box_select_row (self->list, gtk_list_box_get_row_at_index (self->list, 0));
}

static void
activate (Palette *self, GtkListBoxRow *row)
{
  const HirPaletteItem *item = row != NULL ? g_object_get_data (G_OBJECT (row), "item") : NULL;
  g_autoptr (GPtrArray) items = NULL;
  HirWindow *window = self->window;

  if (item == NULL)
    return;
  items = g_ptr_array_ref (self->items); /* the palette is destroyed first */
  gtk_window_destroy (GTK_WINDOW (self->dialog));
  hir_palette_item_activate (item, window);
}

static void
on_row_activated (GtkListBox *list, GtkListBoxRow *row, gpointer user_data)
{
  activate (user_data, row);
}

static void
on_enter (GtkEntry *entry, gpointer user_data)
{
  Palette *self = user_data;

  activate (self, gtk_list_box_get_selected_row (self->list));
}

static void
select_beside (Palette *self, int by)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);
  int at = row != NULL ? gtk_list_box_row_get_index (row) + by : 0;
  GtkListBoxRow *next = at >= 0 ? gtk_list_box_get_row_at_index (self->list, at) : NULL;
  GtkWidget *viewport;
  double y = 0;

  if (next == NULL)
    return;
  gtk_list_box_select_row (self->list, next);
  viewport = gtk_widget_get_ancestor (GTK_WIDGET (self->list), GTK_TYPE_SCROLLED_WINDOW);
  if (viewport != NULL &&
      gtk_widget_translate_coordinates (GTK_WIDGET (next), GTK_WIDGET (self->list), 0, 0, NULL, &y))
    gtk_adjustment_clamp_page (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (viewport)),
                               y, y + gtk_widget_get_height (GTK_WIDGET (next)));
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        gpointer user_data)
{
  Palette *self = user_data;

  if (keyval == GDK_KEY_Escape)
    gtk_window_destroy (GTK_WINDOW (self->dialog));
  else if (keyval == GDK_KEY_Down || keyval == GDK_KEY_Up)
    select_beside (self, keyval == GDK_KEY_Down ? 1 : -1);
  else
    return FALSE;
  return TRUE;
}

static GtkWidget *
list_new (Palette *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *nothing = gtk_label_new ("No match; type fewer letters");

  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "navigation-sidebar");
  gtk_widget_add_css_class (nothing, "dim-label");
  gtk_widget_set_margin_top (nothing, 24);
  gtk_widget_set_margin_bottom (nothing, 24);
  gtk_list_box_set_placeholder (self->list, nothing);
  g_signal_connect (self->list, "row-activated", G_CALLBACK (on_row_activated), self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Matches", -1);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->list));
  gtk_widget_set_vexpand (scroller, TRUE);
  return scroller;
}

void
hir_palette_present (HirWindow *window, HirGetKeysFunc get_keys)
{
  Palette *self = g_new0 (Palette, 1);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *entry = gtk_entry_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->window = window;
  self->items = hir_palette_items_new (window, get_keys);
  self->dialog = gtk_window_new ();
  self->entry = GTK_EDITABLE (entry);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), "An action, a pass, a tensor, an instruction, "
                                                     "an example, a file");
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Command or search", -1);
  gtk_widget_add_css_class (entry, "palette-entry");
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), list_new (self));
  gtk_window_set_child (GTK_WINDOW (self->dialog), box);
  gtk_window_set_title (GTK_WINDOW (self->dialog), "Command Palette");
  gtk_window_set_decorated (GTK_WINDOW (self->dialog), FALSE);
  gtk_widget_add_css_class (self->dialog, "palette");
  /* Without a compositor, what is outside of rounded corners is black. */
  if (gdk_display_is_composited (gtk_widget_get_display (self->dialog)))
    gtk_widget_add_css_class (self->dialog, "rounded");
  gtk_window_set_modal (GTK_WINDOW (self->dialog), TRUE);
  gtk_window_set_destroy_with_parent (GTK_WINDOW (self->dialog), TRUE);
  gtk_window_set_transient_for (GTK_WINDOW (self->dialog), GTK_WINDOW (window));
  gtk_window_set_default_size (GTK_WINDOW (self->dialog), 640, 440);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (self->dialog, keys);
  g_signal_connect (entry, "changed", G_CALLBACK (on_changed), self);
  g_signal_connect (entry, "activate", G_CALLBACK (on_enter), self);
  g_object_set_data_full (G_OBJECT (self->dialog), "palette", self, palette_free);
  on_changed (self->entry, self);
  hir_names_follow (GTK_WINDOW (self->dialog));
  gtk_widget_grab_focus (entry);
  gtk_window_present (GTK_WINDOW (self->dialog));
}
