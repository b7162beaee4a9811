#include "window/parameter-menu.h"

#include <string.h>

#include "base/names.h"
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

/* Appends an entry that lowers @choice, "FUNCTION" or "FUNCTION[ID]", named @name. */
static void
append (GMenu *menu, const char *name, const char *choice, gboolean is_current)
{
  g_autofree char *text = g_strconcat (is_current ? "\342\234\223 " : "", name, NULL);
  g_autofree char *label = hir_names_dup_menu_label (text);
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, "win.choose-parameters", "s", choice);
  g_menu_append_item (menu, item);
}

/* @id (nullable) is the current choice; NULL means the first one. */
static GMenuModel *
create_parameters (char **choices, const char *id)
{
  GMenu *menu = g_menu_new ();

  for (guint i = 0; choices[i] != NULL && i < MAX_ITEMS; i++)
    {
      const char *own = strchr (choices[i], '[');
      g_autofree char *name =
          own != NULL ? g_strndup (own + 1, strlen (own) - 2) : g_strdup (choices[i]);

      append (menu, name, choices[i], id != NULL ? g_strcmp0 (own, id) == 0 : i == 0);
    }
  return G_MENU_MODEL (menu);
}

static GMenuModel *
create_functions (char **names, const char *current)
{
  GMenu *menu = g_menu_new ();

  for (guint i = 0; names[i] != NULL && i < MAX_ITEMS; i++)
    append (menu, names[i], names[i], g_strcmp0 (names[i], current) == 0);
  return G_MENU_MODEL (menu);
}

/* Returns NULL if @request (nullable) has no script. */
static HirScript *
parse (const HirRequest *request)
{
  return request != NULL && !hir_program_is_dump (request->source)
             ? hir_script_parse (request->source, NULL)
             : NULL;
}

static char **
dup_functions (HirScript *script)
{
  g_autoptr (GPtrArray) found = script != NULL ? hir_script_dup_candidates (script) : NULL;
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; found != NULL && i < found->len; i++)
    g_ptr_array_add (names, g_strdup (((HirScriptFunction *) found->pdata[i])->name));
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

char **
hir_parameter_menu_dup_functions (const HirRequest *request)
{
  g_autoptr (HirScript) script = parse (request);

  return dup_functions (script);
}

static void
show_texts (GtkWidget *menu, const char *function, gboolean has_parameters)
{
  const char *id = function != NULL ? strchr (function, '[') : NULL;
  g_autofree char *tooltip =
      !has_parameters ? g_strdup ("Function of the script to lower (Ctrl+Shift+M)")
      : id != NULL    ? g_strdup_printf ("Parameters of the test: %.*s (Ctrl+Shift+M)",
                                         (int) strlen (id) - 2, id + 1)
                      : g_strdup ("Parameters of the test: the first ones (Ctrl+Shift+M)");

  gtk_menu_button_set_label (GTK_MENU_BUTTON (menu), has_parameters ? "Parameters" : "Function");
  gtk_widget_set_tooltip_text (menu, tooltip);
}

void
hir_parameter_menu_update (GtkWidget *menu, const HirRequest *request, const char *function)
{
  g_autofree char *plain = function != NULL ? g_strndup (function, strcspn (function, "[")) : NULL;
  g_autoptr (HirScript) script = parse (request);
  g_auto (GStrv) functions = dup_functions (script);
  g_auto (GStrv) choices =
      script != NULL && plain != NULL ? hir_script_dup_choices (script, plain, NULL) : NULL;
  gboolean has_parameters = choices != NULL && g_strv_length (choices) > 1;
  gboolean has_functions = g_strv_length (functions) > 1;
  g_autoptr (GMenu) model = g_menu_new ();

  /* The header bar has no room for more; the palette lists the functions, too. */
  gtk_widget_set_visible (menu, has_parameters || (has_functions && function == NULL));
  if (has_parameters)
    {
      g_autoptr (GMenuModel) section = create_parameters (choices, strchr (function, '['));

      g_menu_append_section (model, has_functions ? "Parameters" : NULL, section);
    }
  if (has_functions)
    {
      g_autoptr (GMenuModel) section = create_functions (functions, plain);

      g_menu_append_section (model, has_parameters ? "Function" : NULL, section);
    }
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (menu), G_MENU_MODEL (model));
  show_texts (menu, function, has_parameters);
}
