#include "events/events-options.h"

#include <string.h>

struct _HirEventsOptions
{
  GObject parent_instance;

  GSimpleActionGroup *actions;
  const char *table;
  HirListingGroup group;
  GHashTable *chosen; /* names of columns */
  GMenu *columns;     /* those of the table */
  GtkMenuButton *button;
};

static guint changed;

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
emit (HirEventsOptions *self)
{
  if (self->button != NULL)
    gtk_menu_button_set_label (self->button, groups[self->group].button);
  g_signal_emit (self, changed, 0);
}

void
hir_events_options_set_group (HirEventsOptions *self, HirListingGroup group)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->actions), "group");

  if (group == self->group)
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
      g_ptr_array_add (order, (gpointer) first_columns[i]);
  for (guint i = 0; (column = hir_listing_get_column (table, i)) != NULL; i++)
    if (!is_first (column))
      g_ptr_array_add (order, (gpointer) column);
  return order;
}

char *
hir_events_options_dup_columns (HirEventsOptions *self)
{
  g_autoptr (GPtrArray) order = dup_order (self->table);
  GString *columns = g_string_new (NULL);

  for (guint i = 0; i < order->len; i++)
    if (g_hash_table_contains (self->chosen, order->pdata[i]))
      g_string_append_printf (columns, "%s%s", columns->len > 0 ? ", " : "",
                              (const char *) order->pdata[i]);
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

  g_menu_remove_all (self->columns);
  for (guint i = 0; i < order->len; i++)
    {
      g_autofree char *name = dup_action (order->pdata[i]);
      g_autofree char *action = g_strconcat ("events.", name, NULL);
      g_auto (GStrv) parts = g_strsplit (order->pdata[i], "_", -1);
      g_autofree char *label = g_strjoinv ("__", parts); /* a single one marks a key */

      g_menu_append (self->columns, label, action);
    }
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
  const char *column = g_object_get_data (G_OBJECT (action), "hir-column");

  g_simple_action_set_state (action, value);
  if (g_variant_get_boolean (value))
    g_hash_table_add (self->chosen, (gpointer) column);
  else
    g_hash_table_remove (self->chosen, column);
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
          gboolean is_chosen = g_hash_table_contains (self->chosen, order->pdata[i]);
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
  g_menu_append (rest, "Save as CSV\xe2\x80\xa6", "win.events-save");
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
  g_hash_table_unref (self->chosen);
  G_OBJECT_CLASS (hir_events_options_parent_class)->finalize (object);
}

static void
hir_events_options_class_init (HirEventsOptionsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hir_events_options_finalize;
  changed = g_signal_new ("changed", HIR_TYPE_EVENTS_OPTIONS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                          NULL, G_TYPE_NONE, 0);
}

static void
hir_events_options_init (HirEventsOptions *self)
{
  self->actions = g_simple_action_group_new ();
  self->columns = g_menu_new ();
  self->chosen = g_hash_table_new (g_str_hash, g_str_equal);
  self->table = tables[0].table;
  for (guint i = 0; i < G_N_ELEMENTS (first_columns); i++)
    g_hash_table_add (self->chosen, (gpointer) first_columns[i]);
  add_action (self,
              g_simple_action_new_stateful ("table", G_VARIANT_TYPE_STRING,
                                            g_variant_new_string (self->table)),
              G_CALLBACK (on_table));
  add_action (self,
              g_simple_action_new_stateful ("group", G_VARIANT_TYPE_STRING,
                                            g_variant_new_string (groups[0].name)),
              G_CALLBACK (on_group));
  add_column_actions (self);
  fill_columns (self);
}

HirEventsOptions *
hir_events_options_new (void)
{
  return g_object_new (HIR_TYPE_EVENTS_OPTIONS, NULL);
}
