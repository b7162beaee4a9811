#include "application.h"

#include "config.h"
#include "hirscope-resources.h"

typedef struct
{
  const HirWindowHost *host;
  const char *const *specs;
} Start;

static void
set_style (GSimpleAction *action, GVariant *state, gpointer user_data)
{
  const char *style = g_variant_get_string (state, NULL);

  adw_style_manager_set_color_scheme (adw_style_manager_get_default (),
                                      g_str_equal (style, "dark")    ? ADW_COLOR_SCHEME_FORCE_DARK
                                      : g_str_equal (style, "light") ? ADW_COLOR_SCHEME_FORCE_LIGHT
                                                                     : ADW_COLOR_SCHEME_DEFAULT);
  g_simple_action_set_state (action, state);
}

static void
show_about (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  GtkApplication *application = user_data;

  adw_show_about_window (gtk_application_get_active_window (application), "application-name",
                         "Hirscope", "application-icon", "org.hirscope.Hirscope", "version",
                         HIR_VERSION, "comments",
                         "Step through the lowering of multi-GPU programs, run them, and see every "
                         "stream at work.",
                         "license-type", GTK_LICENSE_APACHE_2_0, NULL);
}

static void
quit (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  GList *windows = g_list_copy (gtk_application_get_windows (user_data));

  for (GList *l = windows; l != NULL; l = l->next)
    gtk_window_close (l->data);
  g_list_free (windows);
}

/* The colours that the style sheet names and libadwaita has no name for. */
static void
follow_style (AdwStyleManager *manager, GParamSpec *pspec, gpointer user_data)
{
  GtkCssProvider *colors = user_data;

  gtk_css_provider_load_from_data (colors,
                                   adw_style_manager_get_dark (manager)
                                       ? "@define-color hir_text_paper #1c1c1f;"
                                         "@define-color hir_side_paper #252529;"
                                       : "@define-color hir_text_paper #fafafb;"
                                         "@define-color hir_side_paper #f0f0f2;",
                                   -1);
}

static void
add_styles (void)
{
  g_autoptr (GtkCssProvider) css = gtk_css_provider_new ();
  g_autoptr (GtkCssProvider) colors = gtk_css_provider_new ();
  AdwStyleManager *manager = adw_style_manager_get_default ();
  GdkDisplay *display = gdk_display_get_default ();

  g_signal_connect_object (manager, "notify::dark", G_CALLBACK (follow_style), colors, 0);
  follow_style (manager, NULL, colors);
  gtk_style_context_add_provider_for_display (display, GTK_STYLE_PROVIDER (colors),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  gtk_css_provider_load_from_resource (css, "/org/hirscope/Hirscope/style.css");
  gtk_style_context_add_provider_for_display (display, GTK_STYLE_PROVIDER (css),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

static void
on_startup (GApplication *application, gpointer user_data)
{
  static const GActionEntry entries[] = {
    { "about", show_about, NULL, NULL, NULL, { 0 } },
    { "quit", quit, NULL, NULL, NULL, { 0 } },
    { "style", NULL, "s", "'default'", set_style, { 0 } },
  };

  g_resources_register (hir_ui_get_resource ());
  g_action_map_add_action_entries (G_ACTION_MAP (application), entries, G_N_ELEMENTS (entries),
                                   application);
  gtk_application_set_accels_for_action (GTK_APPLICATION (application), "app.quit",
                                         (const char *[]){ "<Control>q", NULL });
  add_styles ();
  gtk_window_set_default_icon_name ("org.hirscope.Hirscope");
}

static void
on_activate (GApplication *application, gpointer user_data)
{
  Start *start = user_data;
  const char *const *spec = start->specs;

  do
    {
      GtkWidget *window = hir_window_new (GTK_APPLICATION (application), start->host);

      gtk_window_present (GTK_WINDOW (window));
      if (spec != NULL && *spec != NULL)
        hir_window_open (HIR_WINDOW (window), *spec++);
    }
  while (spec != NULL && *spec != NULL);
}

int
hir_application_run (const HirWindowHost *host, const char *const *specs)
{
  Start start = { host, specs };
  g_autoptr (AdwApplication) application = NULL;

  if (!gtk_init_check ())
    {
      g_printerr (
          "error: there is no display to open a window on; use hirscope lower, run and export, "
          "or set DISPLAY\n");
      return 2;
    }
  g_set_application_name ("Hirscope");
  /* Each start is its own process: a run's crash or a huge trace must not take other windows along.
   */
  application = adw_application_new ("org.hirscope.Hirscope", G_APPLICATION_NON_UNIQUE);
  g_signal_connect (application, "startup", G_CALLBACK (on_startup), &start);
  g_signal_connect (application, "activate", G_CALLBACK (on_activate), &start);
  return g_application_run (G_APPLICATION (application), 0, NULL);
}
