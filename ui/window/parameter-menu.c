#include "window/parameter-menu.h"

#include <string.h>

#include "program/program-dump.h"
#include "script/parse/parse.h"
#include "script/script.h"

/* A longer list cannot be read; the command line takes every id. */
#define MAX_ITEMS 60

GtkWidget *
hir_parameter_menu_new (void)
{
  GtkWidget *menu = gtk_menu_button_new ();

  gtk_menu_button_set_label (GTK_MENU_BUTTON (menu), "Parameters");
  gtk_widget_set_visible (menu, FALSE);
  return menu;
}

static char **
dup_choices (const HirRequest *request, const char *function)
{
  g_autofree char *plain = g_strndup (function, strcspn (function, "["));
  g_autoptr (HirScript) script = hir_script_parse (request->source, NULL);

  return hir_script_dup_choices (script, plain, NULL);
}

/* @id (nullable) is the current choice; NULL means the first one. */
static GMenuModel *
create_model (char **choices, const char *id)
{
  GMenu *menu = g_menu_new ();

  for (guint i = 0; choices[i] != NULL && i < MAX_ITEMS; i++)
    {
      const char *own = strchr (choices[i], '[');
      gboolean is_current = id != NULL ? g_strcmp0 (own, id) == 0 : i == 0;
      g_autofree char *name =
          own != NULL ? g_strndup (own + 1, strlen (own) - 2) : g_strdup (choices[i]);
      g_autofree char *label = g_strconcat (is_current ? "\342\234\223 " : "", name, NULL);
      g_autoptr (GMenuItem) item = g_menu_item_new (NULL, NULL);
      g_auto (GStrv) parts = g_strsplit (label, "_", 0);
      g_autofree char *escaped = g_strjoinv ("__", parts); /* no mnemonics */

      g_menu_item_set_label (item, escaped);
      g_menu_item_set_action_and_target (item, "win.choose-parameters", "s", choices[i]);
      g_menu_append_item (menu, item);
    }
  return G_MENU_MODEL (menu);
}

void
hir_parameter_menu_update (GtkWidget *menu, const HirRequest *request, const char *function)
{
  g_auto (GStrv) choices = NULL;
  g_autoptr (GMenuModel) model = NULL;
  g_autofree char *tooltip = NULL;
  const char *id = function != NULL ? strchr (function, '[') : NULL;

  if (request != NULL && function != NULL && !hir_program_is_dump (request->source))
    choices = dup_choices (request, function);
  gtk_widget_set_visible (menu, choices != NULL && g_strv_length (choices) > 1);
  if (!gtk_widget_get_visible (menu))
    return;
  model = create_model (choices, id);
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (menu), model);
  tooltip = id != NULL ? g_strdup_printf ("Parameters of the test: %.*s (Ctrl+Shift+M)",
                                          (int) strlen (id) - 2, id + 1)
                       : g_strdup ("Parameters of the test: the first ones (Ctrl+Shift+M)");
  gtk_widget_set_tooltip_text (menu, tooltip);
}
