/* Implements `hirscope doctor`: reports what this machine has and what to install. Always exits
 * with 0, because a missing feature is a result, not an error. */
#include "config.h"

#include <gio/gio.h>
#include <gio/gunixsocketaddress.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "command.h"
#include "doctor-libs.h"
#include "program/run-engine.h"
#include "run/mpi/mpi-module.h"

#if HIR_HAVE_FIGURES
#include <pango/pangocairo.h>
#endif

static void
print_line (gboolean ok, const char *name, const char *value)
{
  printf ("  %s %-14s %s\n", ok ? "ok" : "--", name, value);
}

static char *
dup_os_name (void)
{
  g_autofree char *name = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
  struct utsname kernel;

  if (uname (&kernel) != 0)
    return g_steal_pointer (&name);
  return g_strdup_printf ("%s, %s %s, %s", name != NULL ? name : "unknown distribution",
                          kernel.sysname, kernel.release, kernel.machine);
}

static void
report_system (void)
{
  g_autofree char *os = dup_os_name ();
  g_autofree char *cores = g_strdup_printf ("%u", g_get_num_processors ());
  gint64 bytes = (gint64) sysconf (_SC_PHYS_PAGES) * sysconf (_SC_PAGESIZE);
  g_autofree char *memory = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);

  printf ("Machine\n");
  print_line (TRUE, "system", os != NULL ? os : "unknown");
  print_line (TRUE, "cores", cores);
  print_line (bytes > 0, "memory", bytes > 0 ? memory : "unknown");
}

static void
report_build (void)
{
  printf ("Build\n");
  print_line (TRUE, "hirscope", HIR_VERSION);
  print_line (HIR_HAVE_UI, "window",
              HIR_HAVE_UI ? "yes" : "no: rebuild with GTK 4.8, libadwaita and GtkSourceView 5");
  print_line (HIR_HAVE_FIGURES, "figures",
              HIR_HAVE_FIGURES ? "yes" : "no: rebuild with cairo, Pango and Graphviz");
  print_line (HIR_HAVE_MCP, "mcp", HIR_HAVE_MCP ? "yes" : "no: rebuild with json-glib 1.6");
  print_line (TRUE, "back ends", "cpu, cuda");
}

static gboolean
socket_opens (GSocketConnectable *where)
{
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GSocketConnection) connection = NULL;

  g_socket_client_set_timeout (client, 2);
  connection = g_socket_client_connect (client, where, NULL, NULL);
  return connection != NULL;
}

/* Returns whether a server listens on the X display: on a socket in the file system, on an abstract
 * socket, or, if @display has a host, on a TCP port. */
static gboolean
x_display_opens (const char *display)
{
  const char *colon = strrchr (display, ':');
  gint64 number = colon != NULL ? g_ascii_strtoll (colon + 1, NULL, 10) : -1;
  g_autofree char *path = g_strdup_printf ("/tmp/.X11-unix/X%" G_GINT64_FORMAT, number);
  g_autoptr (GSocketAddress) file = g_unix_socket_address_new (path);
  g_autoptr (GSocketAddress) abstract =
      g_unix_socket_address_new_with_type (path, -1, G_UNIX_SOCKET_ADDRESS_ABSTRACT);

  if (number < 0 || number > G_MAXUINT16 - 6000)
    return FALSE;
  if (colon != display && !g_str_has_prefix (display, "unix:"))
    {
      g_autofree char *host = g_strndup (display, colon - display);
      g_autoptr (GSocketConnectable) port = g_network_address_new (host, 6000 + number);

      return socket_opens (port);
    }
  return socket_opens (G_SOCKET_CONNECTABLE (file)) ||
         socket_opens (G_SOCKET_CONNECTABLE (abstract));
}

static void
report_display (void)
{
  const char *wayland = g_getenv ("WAYLAND_DISPLAY");
  const char *x11 = g_getenv ("DISPLAY");
  g_autofree char *text = NULL;
  gboolean ok = FALSE;

  printf ("Display\n");
  if (wayland != NULL && *wayland != '\0')
    {
      g_autofree char *path = g_path_is_absolute (wayland)
                                  ? g_strdup (wayland)
                                  : g_build_filename (g_get_user_runtime_dir (), wayland, NULL);
      struct stat st;

      ok = stat (path, &st) == 0 && S_ISSOCK (st.st_mode);
      text = g_strdup_printf ("%s%s", wayland, ok ? "" : ": no such socket");
      print_line (ok, "Wayland", text);
      g_clear_pointer (&text, g_free);
    }
  if (x11 != NULL && *x11 != '\0')
    {
      gboolean opens = x_display_opens (x11);

      text = g_strdup_printf ("%s%s", x11, opens ? "" : ": no server answers");
      print_line (opens, "X11", text);
      ok = ok || opens;
    }
  if (!ok)
    print_line (FALSE, "none",
                "the window needs a display; without one, use hirscope lower, run and export, or "
                "xvfb-run hirscope");
}

#if HIR_HAVE_FIGURES
static void
report_font (const char *role, const char *family, const char *install)
{
  PangoFontMap *map = pango_cairo_font_map_get_default ();
  PangoContext *context = pango_font_map_create_context (map);
  g_autoptr (PangoFontDescription) wanted = pango_font_description_from_string (family);
  g_autoptr (PangoFont) font = pango_font_map_load_font (map, context, wanted);
  g_autoptr (PangoFontDescription) got = font != NULL ? pango_font_describe (font) : NULL;
  const char *name = got != NULL ? pango_font_description_get_family (got) : NULL;
  g_autofree char *text = NULL;

  if (name == NULL)
    text = g_strdup_printf ("none: %s", install);
  else
    text = g_strdup_printf ("%s (for %s)", name, family);
  print_line (name != NULL, role, text);
  g_object_unref (context);
}
#endif

static void
report_fonts (void)
{
#if HIR_HAVE_FIGURES
  printf ("Fonts\n");
  report_font ("text", "Cantarell", "install fonts-cantarell or any other font");
  report_font ("code", "monospace", "install fonts-dejavu-core or any other fixed-width font");
#endif
}

static void
report_libs (void)
{
  printf ("Libraries\n");
  for (const HirDoctorLib *lib = hir_doctor_libs_get_table (); lib->label != NULL; lib++)
    {
      gboolean found = FALSE;
      g_autofree char *text = hir_doctor_lib_describe (lib, &found);

      print_line (found, lib->label, text);
    }
}

static void
report_gpu_libs (void)
{
  const char *label;
  char *text;
  gboolean found;

  printf ("GPU libraries (loaded when needed)\n");
  for (guint i = 0; hir_run_engine_describe_library (i, &label, &text, &found); i++)
    {
      print_line (found, label, text);
      g_free (text);
    }
}

static void
report_mpi (void)
{
  static const char *const launchers[] = { "mpirun", "mpiexec", "srun" };
  g_autofree char *module = NULL;
  gboolean found = FALSE;

  printf ("MPI\n");
  for (guint i = 0; i < G_N_ELEMENTS (launchers); i++)
    {
      g_autofree char *path = g_find_program_in_path (launchers[i]);

      if (path == NULL)
        continue;
      print_line (TRUE, launchers[i], path);
      found = TRUE;
    }
  module = hir_mpi_module_dup_path ();
  print_line (module != NULL, "module",
              module != NULL ? module
                             : "not built: install libopenmpi-dev, then rebuild (-Dmpi=enabled)");
  if (!found)
    print_line (FALSE, "launcher", "not found (runs on several nodes): install openmpi-bin");
}

static int
run (const HirCommand *command, int argc, char **argv)
{
  g_auto (GStrv) rest = NULL;
  int exit_code;

  if (!hir_command_parse (command, NULL, 0, argc, argv, &rest, &exit_code))
    return exit_code;
  report_build ();
  report_system ();
  report_display ();
  report_fonts ();
  report_libs ();
  report_gpu_libs ();
  report_mpi ();
  return HIR_EXIT_DONE;
}

const HirCommand hir_command_doctor = {
  .name = "doctor",
  .group = "This machine",
  .arguments = "",
  .summary = "report features, hardware and what to install",
  .description =
      "Reports the features of this build, the hardware and libraries of this machine, and what\n"
      "to install for missing features. The exit status is always 0.",
  .run = run,
};
