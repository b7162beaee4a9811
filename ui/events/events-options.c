#include "events/events-options.h"

#include <string.h>

#include "base/names.h"

struct _HirEventsOptions
{
  GObject parent_instance;

  GSimpleActionGroup *actions;
  const char *table;
  gboolean is_sql; /* the rows are those of the user's SQL */
  HirListingGroup group;
  HirSettings *settings;
  GPtrArray *chosen;  /* names of columns in their order */
  GHashTable *widths; /* name of a column -> pixels */
  GMenu *columns;     /* those of the table */
  GtkMenuButton *button;
};

static guint changed, resized;

G_DEFINE_FINAL_TYPE (HirEventsOptions, hir_events_options, G_TYPE_OBJECT)

static const struct
{
  const char *table, *label;
} tables[] = {
  { "events", "All Events" },    { "kernels", "Kernels" },         { "copies", "Copies" },
  { "host_ops", "Host Events" }, { "collectives", "Collectives" },
};

static const struct
{
  const char *name, *label, *button;
} groups[] = {
  [HIR_LISTING_NO_GROUP] = { "none", "No Groups", "View" },
  [HIR_LISTING_BY_NAME] = { "name", "By Name", "By Name" },
  [HIR_LISTING_BY_STREAM] = { "stream", "By Stream", "By Stream" },
  [HIR_LISTING_BY_RANK] = { "rank", "By Rank", "By Rank" },
  [HIR_LISTING_BY_INSTRUCTION] = { "instruction", "By Instruction", "By Instruction" },
};

#define MIN_WIDTH 20
#define MAX_WIDTH 2000

/* Columns that come first; they are chosen initially. */
static const char *const first_columns[] = { "name", "start_ns", "dur_ns", "rank", "stream", "op" };

const char *
hir_events_options_get_table (HirEventsOptions *self)
{
  return self->table;
}

HirListingGroup
hir_events_options_get_group (HirEventsOptions *self)
{
  return self->group;
}

static void
set_label (HirEventsOptions *self)
{
  if (self->button != NULL)
    gtk_menu_button_set_label (self->button,
                               groups[self->is_sql ? HIR_LISTING_NO_GROUP : self->group].button);
}

static void
emit (HirEventsOptions *self)
{
  set_label (self);
  g_signal_emit (self, changed, 0);
}

void
hir_events_options_set_is_sql (HirEventsOptions *self, gboolean is_sql)
{
  GActionMap *map = G_ACTION_MAP (self->actions);

  if (is_sql == self->is_sql)
    return;
  self->is_sql = is_sql;
  g_simple_action_set_state (G_SIMPLE_ACTION (g_action_map_lookup_action (map, "table")),
                             g_variant_new_string (is_sql ? "" : self->table));
  g_simple_action_set_state (G_SIMPLE_ACTION (g_action_map_lookup_action (map, "group")),
                             g_variant_new_string (is_sql ? "" : groups[self->group].name));
  set_label (self);
}

void
hir_events_options_set_group (HirEventsOptions *self, HirListingGroup group)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->actions), "group");

  if (group == self->group && !self->is_sql)
    return;
  self->group = group;
  g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_string (groups[group].name));
  emit (self);
}

static gboolean
has_column (const char *table, const char *name)
{
  const char *column;

  for (guint i = 0; (column = hir_listing_get_column (table, i)) != NULL; i++)
    if (g_str_equal (column, name))
      return TRUE;
  return FALSE;
}

static gboolean
is_first (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (first_columns); i++)
    if (g_str_equal (first_columns[i], name))
      return TRUE;
  return FALSE;
}

/* Returns the columns of a table in the order of the display (borrowed names). */
static GPtrArray *
dup_order (const char *table)
{
  GPtrArray *order = g_ptr_array_new ();
  const char *column;

  for (guint i = 0; i < G_N_ELEMENTS (first_columns); i++)
    if (has_column (table, first_columns[i]))
      g_ptr_array_add (order, (gpointer) g_intern_string (first_columns[i]));
  for (guint i = 0; (column = hir_listing_get_column (table, i)) != NULL; i++)
    if (!is_first (column))
      g_ptr_array_add (order, (gpointer) g_intern_string (column));
  return order;
}

char *
hir_events_options_dup_columns (HirEventsOptions *self)
{
  GString *columns = g_string_new (NULL);

  for (guint i = 0; i < self->chosen->len; i++)
    if (has_column (self->table, self->chosen->pdata[i]))
      g_string_append_printf (columns, "%s%s", columns->len > 0 ? ", " : "",
                              (const char *) self->chosen->pdata[i]);
  if (columns->len == 0)
    g_string_append (columns, "name");
  return g_string_free (columns, FALSE);
}

/* Returns the name of the action for a column: names of actions have no underscore. */
static char *
dup_action (const char *column)
{
  return g_strdelimit (g_strconcat ("column-", column, NULL), "_", '-');
}

static void
fill_columns (HirEventsOptions *self)
{
  g_autoptr (GPtrArray) order = dup_order (self->table);
  g_autoptr (GMenu) names = g_menu_new (), rest = g_menu_new ();

  g_menu_remove_all (self->columns);
  g_menu_append (rest, "Reset Columns", "events.reset-columns");
  g_menu_append_section (self->columns, NULL, G_MENU_MODEL (names));
  g_menu_append_section (self->columns, NULL, G_MENU_MODEL (rest));
  for (guint i = 0; i < order->len; i++)
    {
      g_autofree char *name = dup_action (order->pdata[i]);
      g_autofree char *action = g_strconcat ("events.", name, NULL);
      g_autofree char *label = hir_names_dup_menu_label (order->pdata[i]);

      g_menu_append (names, label, action);
    }
}

/* --- columns ------------------------------------------------------------------------------ */

/* Returns the static name of a column of any table, or NULL. */
static const char *
lookup_column (const char *name)
{
  const char *column;

  for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
    for (guint i = 0; (column = hir_listing_get_column (tables[t].table, i)) != NULL; i++)
      if (g_str_equal (column, name))
        return g_intern_string (column);
  return NULL;
}

static void
load_columns (HirEventsOptions *self)
{
  const char *text = hir_settings_get_text (self->settings, HIR_SETTING_EVENTS_COLUMNS);
  g_auto (GStrv) names = g_strsplit (text, " ", -1);

  g_ptr_array_set_size (self->chosen, 0);
  for (guint i = 0; names[i] != NULL; i++)
    {
      gpointer column = (gpointer) lookup_column (names[i]);

      if (column != NULL && !g_ptr_array_find (self->chosen, column, NULL))
        g_ptr_array_add (self->chosen, column);
    }
  for (guint i = 0; i < G_N_ELEMENTS (first_columns) && *text == '\0'; i++)
    g_ptr_array_add (self->chosen, (gpointer) g_intern_string (first_columns[i]));
}

static void
save_columns (HirEventsOptions *self)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < self->chosen->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", (char *) self->chosen->pdata[i]);
  /* An empty text is the default. */
  hir_settings_set_text (self->settings, HIR_SETTING_EVENTS_COLUMNS,
                         text->len > 0 ? text->str : " ");
}

static void
load_widths (HirEventsOptions *self)
{
  g_auto (GStrv) words =
      g_strsplit (hir_settings_get_text (self->settings, HIR_SETTING_EVENTS_WIDTHS), " ", -1);

  g_hash_table_remove_all (self->widths);
  for (guint i = 0; words[i] != NULL; i++)
    {
      char *end = strchr (words[i], '=');
      gint64 width;

      if (end == NULL ||
          !g_ascii_string_to_signed (end + 1, 10, MIN_WIDTH, MAX_WIDTH, &width, NULL))
        continue;
      *end = '\0';
      g_hash_table_insert (self->widths, (gpointer) g_intern_string (words[i]),
                           GINT_TO_POINTER ((int) width));
    }
}

int
hir_events_options_get_width (HirEventsOptions *self, const char *column)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (self->widths, column));
}

void
hir_events_options_set_width (HirEventsOptions *self, const char *column, int width)
{
  g_autoptr (GString) text = g_string_new (NULL);
  GHashTableIter iter;
  gpointer name, value;

  if (width > 0)
    g_hash_table_insert (self->widths, (gpointer) g_intern_string (column),
                         GINT_TO_POINTER (CLAMP (width, MIN_WIDTH, MAX_WIDTH)));
  else
    g_hash_table_remove (self->widths, column);
  g_hash_table_iter_init (&iter, self->widths);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if (strpbrk (name, " =") == NULL)
      g_string_append_printf (text, "%s%s=%d", text->len > 0 ? " " : "", (char *) name,
                              GPOINTER_TO_INT (value));
  hir_settings_set_text (self->settings, HIR_SETTING_EVENTS_WIDTHS, text->str);
  g_signal_emit (self, resized, 0);
}

void
hir_events_options_move (HirEventsOptions *self, const char *column, const char *before)
{
  gpointer moved = (gpointer) lookup_column (column);
  guint at = self->chosen->len;

  if (moved == NULL || g_strcmp0 (column, before) == 0 || !g_ptr_array_remove (self->chosen, moved))
    return;
  at = self->chosen->len;
  if (before != NULL)
    (void) g_ptr_array_find (self->chosen, lookup_column (before), &at);
  g_ptr_array_insert (self->chosen, (int) at, moved);
  save_columns (self);
  emit (self);
}

static void
on_reset (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  HirEventsOptions *self = user_data;
  g_auto (GStrv) names = g_action_group_list_actions (G_ACTION_GROUP (self->actions));

  hir_settings_set_text (self->settings, HIR_SETTING_EVENTS_COLUMNS, "");
  hir_settings_set_text (self->settings, HIR_SETTING_EVENTS_WIDTHS, "");
  load_columns (self);
  load_widths (self);
  for (guint i = 0; names[i] != NULL; i++)
    {
      GAction *column = g_action_map_lookup_action (G_ACTION_MAP (self->actions), names[i]);
      gpointer name = g_object_get_data (G_OBJECT (column), "hir-column");

      if (name != NULL)
        g_simple_action_set_state (G_SIMPLE_ACTION (column),
                                   g_variant_new_boolean (
                                       g_ptr_array_find (self->chosen, name, NULL)));
    }
  g_signal_emit (self, resized, 0);
  emit (self);
}

static void
on_table (GSimpleAction *action, GVariant *value, gpointer user_data)
{
  HirEventsOptions *self = user_data;
  const char *name = g_variant_get_string (value, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    if (g_str_equal (tables[i].table, name))
      {
        self->table = tables[i].table;
        g_simple_action_set_state (action, value);
        fill_columns (self);
        emit (self);
      }
}

static void
on_group (GSimpleAction *action, GVariant *value, gpointer user_data)
{
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    if (g_str_equal (groups[i].name, g_variant_get_string (value, NULL)))
      hir_events_options_set_group (user_data, (HirListingGroup) i);
}

static void
on_column (GSimpleAction *action, GVariant *value, gpointer user_data)
{
  HirEventsOptions *self = user_data;
  gpointer column = g_object_get_data (G_OBJECT (action), "hir-column");

  g_simple_action_set_state (action, value);
  g_ptr_array_remove (self->chosen, column);
  if (g_variant_get_boolean (value))
    g_ptr_array_add (self->chosen, column);
  save_columns (self);
  emit (self);
}

static void
add_action (HirEventsOptions *self, GSimpleAction *action, GCallback on_state)
{
  g_signal_connect (action, "change-state", on_state, self);
  g_action_map_add_action (G_ACTION_MAP (self->actions), G_ACTION (action));
  g_object_unref (action);
}

/* Adds actions for the columns of all tables. */
static void
add_column_actions (HirEventsOptions *self)
{
  for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
    {
      g_autoptr (GPtrArray) order = dup_order (tables[t].table);

      for (guint i = 0; i < order->len; i++)
        {
          g_autofree char *name = dup_action (order->pdata[i]);
          gboolean is_chosen = g_ptr_array_find (self->chosen, order->pdata[i], NULL);
          GSimpleAction *action;

          if (g_action_map_lookup_action (G_ACTION_MAP (self->actions), name) != NULL)
            continue;
          action = g_simple_action_new_stateful (name, NULL, g_variant_new_boolean (is_chosen));
          g_object_set_data (G_OBJECT (action), "hir-column", order->pdata[i]);
          add_action (self, action, G_CALLBACK (on_column));
        }
    }
}

GSimpleActionGroup *
hir_events_options_get_actions (HirEventsOptions *self)
{
  return self->actions;
}

GtkWidget *
hir_events_options_create_button (HirEventsOptions *self)
{
  GtkWidget *button = gtk_menu_button_new ();
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GMenu) kinds = g_menu_new ();
  g_autoptr (GMenu) grouping = g_menu_new ();
  g_autoptr (GMenu) rest = g_menu_new ();

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      g_autofree char *action = g_strconcat ("events.table::", tables[i].table, NULL);

      g_menu_append (kinds, tables[i].label, action);
    }
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    {
      g_autofree char *action = g_strconcat ("events.group::", groups[i].name, NULL);

      g_menu_append (grouping, groups[i].label, action);
    }
  g_menu_append_section (menu, NULL, G_MENU_MODEL (kinds));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (grouping));
  g_menu_append (rest, "Copy Rows", "events.copy");
  g_menu_append (rest, "Save Rows as CSV\xe2\x80\xa6", "win.events-save");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (rest));
  self->button = GTK_MENU_BUTTON (button);
  g_object_add_weak_pointer (G_OBJECT (button), (gpointer *) &self->button);
  gtk_menu_button_set_label (self->button, groups[self->group].button);
  gtk_menu_button_set_menu_model (self->button, G_MENU_MODEL (menu));
  gtk_widget_set_tooltip_text (button, "Kinds of events and groups; copy or save the rows");
  return button;
}

GtkWidget *
hir_events_options_create_columns_button (HirEventsOptions *self)
{
  GtkWidget *button = gtk_menu_button_new ();

  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "view-list-symbolic");
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (self->columns));
  gtk_widget_set_tooltip_text (button, "Columns");
  return button;
}

static void
hir_events_options_finalize (GObject *object)
{
  HirEventsOptions *self = HIR_EVENTS_OPTIONS (object);

  g_clear_weak_pointer ((gpointer *) &self->button);
  g_object_unref (self->columns);
  g_object_unref (self->actions);
  g_ptr_array_unref (self->chosen);
  g_hash_table_unref (self->widths);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (hir_events_options_parent_class)->finalize (object);
}

static void
hir_events_options_class_init (HirEventsOptionsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hir_events_options_finalize;
  changed = g_signal_new ("changed", HIR_TYPE_EVENTS_OPTIONS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                          NULL, G_TYPE_NONE, 0);
  resized = g_signal_new ("resized", HIR_TYPE_EVENTS_OPTIONS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                          NULL, G_TYPE_NONE, 0);
}

static void
hir_events_options_init (HirEventsOptions *self)
{
  static const GActionEntry reset = { .name = "reset-columns", .activate = on_reset };

  self->actions = g_simple_action_group_new ();
  self->columns = g_menu_new ();
  self->chosen = g_ptr_array_new ();
  self->widths = g_hash_table_new (g_str_hash, g_str_equal);
  self->table = tables[0].table;
  add_action (self,
              g_simple_action_new_stateful ("table", G_VARIANT_TYPE_STRING,
                                            g_variant_new_string (self->table)),
              G_CALLBACK (on_table));
  add_action (self,
              g_simple_action_new_stateful ("group", G_VARIANT_TYPE_STRING,
                                            g_variant_new_string (groups[0].name)),
              G_CALLBACK (on_group));
  g_action_map_add_action_entries (G_ACTION_MAP (self->actions), &reset, 1, self);
}

HirEventsOptions *
hir_events_options_new (HirSettings *settings)
{
  HirEventsOptions *self = g_object_new (HIR_TYPE_EVENTS_OPTIONS, NULL);

  self->settings = g_object_ref (settings);
  load_columns (self);
  load_widths (self);
  add_column_actions (self);
  fill_columns (self);
  return self;
}
