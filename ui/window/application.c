#include "window/application.h"

#include <string.h>

#include "canvas/canvas.h"
#include "canvas/renderer.h"
#include "canvas/scaler.h"
#include "canvas/shared-pixels.h"
#include "config.h"
#include "hirscope-resources.h"
#include "trace/load/import.h"

typedef struct
{
  const HirWindowHost *host;
  const char *const *specs;
} Start;

static HirSettings *
get_settings (GApplication *application)
{
  HirSettings *settings = hir_settings_get_default ();

  if (settings == NULL)
    {
      settings = hir_settings_new (NULL);
      g_object_set_data_full (G_OBJECT (application), HIR_SETTINGS_KEY, settings, g_object_unref);
    }
  return settings;
}

/* Called by the menu. Changes the setting, which calls apply_appearance(). */
static void
set_style (GSimpleAction *action, GVariant *state, gpointer user_data)
{
  const char *style = g_variant_get_string (state, NULL);

  hir_settings_set (get_settings (user_data), HIR_SETTING_STYLE,
                    g_str_equal (style, "dark")    ? HIR_STYLE_DARK
                    : g_str_equal (style, "light") ? HIR_STYLE_LIGHT
                                                   : HIR_STYLE_SYSTEM);
  g_simple_action_set_state (action, state);
}

/* Returns the resolution set by the desktop. The first call must precede changes of
 * "gtk-xft-dpi". */
static int
get_desktop_dpi (GApplication *application, GtkSettings *settings)
{
  int dpi = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (application), "hir-dpi"));

  if (dpi != 0)
    return dpi;
  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  dpi = dpi > 0 ? dpi : 96 * 1024;
  g_object_set_data (G_OBJECT (application), "hir-dpi", GINT_TO_POINTER (dpi));
  return dpi;
}

static void
apply_appearance (GApplication *application)
{
  static const char *const names[] = { "default", "light", "dark" };
  static const AdwColorScheme schemes[] = { ADW_COLOR_SCHEME_DEFAULT, ADW_COLOR_SCHEME_FORCE_LIGHT,
                                            ADW_COLOR_SCHEME_FORCE_DARK };
  HirSettings *settings = get_settings (application);
  GtkSettings *toolkit = gtk_settings_get_default ();
  int style = hir_settings_get (settings, HIR_SETTING_STYLE);
  int size = hir_settings_get (settings, HIR_SETTING_TEXT_SIZE);
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (application), "style");

  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), schemes[style]);
  g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_string (names[style]));
  if (!hir_settings_get (settings, HIR_SETTING_ANIMATION))
    g_object_set (toolkit, "gtk-enable-animations", FALSE, NULL);
  else
    gtk_settings_reset_property (toolkit, "gtk-enable-animations");
  g_object_set (toolkit, "gtk-xft-dpi",
                (int) ((gint64) get_desktop_dpi (application, toolkit) * size / 100), NULL);
  hir_scaler_set_all (gdk_display_get_default (), size / 100.0);
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

/* Defines the colors of the style sheet that libadwaita does not name. Dim text of libadwaita has a
 * contrast of only 3.3:1 on a light background; text needs 4.5:1. */
static void
follow_style (AdwStyleManager *manager, GParamSpec *pspec, gpointer user_data)
{
  GtkCssProvider *colors = user_data;

  gtk_css_provider_load_from_data (colors,
                                   adw_style_manager_get_dark (manager)
                                       ? "@define-color hir_text_paper #1c1c1f;"
                                         "@define-color hir_side_paper #252529;"
                                         "window .dim-label { opacity: 0.62; }"
                                       : "@define-color hir_text_paper #fafafb;"
                                         "@define-color hir_side_paper #f0f0f2;"
                                         "window .dim-label { opacity: 0.72; }"
                                         "inspector link { color: #1a5fb4; }",
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
  hir_renderer_choose (gdk_display_get_default ());
  hir_shared_pixels_keep (gdk_display_get_default ());
  add_styles ();
  apply_appearance (application);
  g_signal_connect_object (get_settings (application), "changed", G_CALLBACK (apply_appearance),
                           application, G_CONNECT_SWAPPED);
  gtk_window_set_default_icon_name ("org.hirscope.Hirscope");
}

/* Returns the number of leading specs that are one document: traces of several ranks, one file per
 * rank. */
static guint
count_together (const char *const *specs)
{
  guint n = 0;

  while (specs[n] != NULL && hir_trace_sniff_part (specs[n]))
    n++;
  return MAX (n, 1);
}

static void
open_next (HirWindow *window, const char *const **spec)
{
  guint n;

  if (*spec == NULL || **spec == NULL)
    return;
  n = count_together (*spec);
  if (n == 1)
    {
      hir_window_open (window, **spec);
    }
  else
    {
      g_autofree const char **paths = g_new0 (const char *, n + 1);

      memcpy (paths, *spec, n * sizeof *paths);
      hir_window_open_ranks (window, paths);
    }
  *spec += n;
}

static HirWindow *create_window (GtkApplication *application, const Start *start);

static HirWindow *
on_new_window (HirWindow *window, gpointer user_data)
{
  const Start *start = user_data;

  return g_object_ref (create_window (gtk_window_get_application (GTK_WINDOW (window)), start));
}

static HirWindow *
create_window (GtkApplication *application, const Start *start)
{
  GtkWidget *window =
      hir_window_new (application, start->host, get_settings (G_APPLICATION (application)));

  g_signal_connect (window, "new-window", G_CALLBACK (on_new_window), (gpointer) start);
  gtk_window_present (GTK_WINDOW (window));
  return HIR_WINDOW (window);
}

static void
on_activate (GApplication *application, gpointer user_data)
{
  Start *start = user_data;
  const char *const *spec = start->specs;

  do
    {
      open_next (create_window (GTK_APPLICATION (application), start), &spec);
    }
  while (spec != NULL && *spec != NULL);
}

int
hir_application_run (const HirWindowHost *host, const char *const *specs)
{
  Start start = { host, specs };
  g_autoptr (AdwApplication) application = NULL;

  hir_canvas_keep_memory ();
  if (!gtk_init_check ())
    {
      g_printerr (
          "error: cannot open a window without a display; set DISPLAY, or use hirscope lower, run and "
          "export\n");
      return 2;
    }
  g_set_application_name ("Hirscope");
  /* One process per start: a crash or a huge trace must not affect other windows. */
  application = adw_application_new ("org.hirscope.Hirscope", G_APPLICATION_NON_UNIQUE);
  g_signal_connect (application, "startup", G_CALLBACK (on_startup), &start);
  g_signal_connect (application, "activate", G_CALLBACK (on_activate), &start);
  return g_application_run (G_APPLICATION (application), 0, NULL);
}
