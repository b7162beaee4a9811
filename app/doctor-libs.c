#include "doctor-libs.h"

#include <dlfcn.h>
#include <link.h>

/* ISO C does not define a cast from void* to a function pointer; POSIX guarantees it for dlsym().
 */
#define LOOKUP(handle, name, type) ((type) (guintptr) dlsym ((handle), (name)))

typedef guint (*UintGetter) (void);
typedef const char *(*TextGetter) (void);

/* Calls PREFIX_get_major_version() and its counterparts for minor and micro. */
static char *
three_part_version (gpointer handle, const char *prefix)
{
  static const char *const parts[] = { "major", "minor", "micro" };
  guint value[3];

  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s_get_%s_version", prefix, parts[i]);
      UintGetter get = LOOKUP (handle, name, UintGetter);

      if (get == NULL)
        return NULL;
      value[i] = get ();
    }
  return g_strdup_printf ("%u.%u.%u", value[0], value[1], value[2]);
}

static char *
gtk_version (gpointer handle)
{
  return three_part_version (handle, "gtk");
}

static char *
adwaita_version (gpointer handle)
{
  return three_part_version (handle, "adw");
}

static char *
sourceview_version (gpointer handle)
{
  return three_part_version (handle, "gtk_source");
}

static char *
text_version (gpointer handle, const char *symbol)
{
  TextGetter get = LOOKUP (handle, symbol, TextGetter);

  return get != NULL ? g_strdup (get ()) : NULL;
}

static char *
openblas_version (gpointer handle)
{
  return text_version (handle, "openblas_get_config");
}

static char *
sqlite_version (gpointer handle)
{
  return text_version (handle, "sqlite3_libversion");
}

static char *
graphviz_version (gpointer handle)
{
  gpointer (*make) (void) = LOOKUP (handle, "gvContext", gpointer (*) (void));
  char *(*get) (gpointer) = LOOKUP (handle, "gvcVersion", char *(*) (gpointer));
  int (*drop) (gpointer) = LOOKUP (handle, "gvFreeContext", int (*) (gpointer));
  gpointer context;
  char *version;

  if (make == NULL || get == NULL || drop == NULL)
    return NULL;
  context = make ();
  version = g_strdup (get (context));
  drop (context);
  return version;
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const HirDoctorLib libs[] = {
  { "GTK", NAMES ("libgtk-4.so.1"), gtk_version, "the window (4.8 or newer)",
    "install libgtk-4-1 (Debian 12, Ubuntu 24.04 or newer)" },
  { "libadwaita", NAMES ("libadwaita-1.so.0"), adwaita_version, "the window (1.2 or newer)",
    "install libadwaita-1-0" },
  { "GtkSourceView", NAMES ("libgtksourceview-5.so.0"), sourceview_version, "text in the window",
    "install libgtksourceview-5-0" },
  { "Graphviz", NAMES ("libgvc.so.7", "libgvc.so.6"), graphviz_version, "layout of graphs",
    "install graphviz" },
  { "OpenBLAS", NAMES ("libopenblas.so.0"), openblas_version, "matmul on the CPU",
    "install libopenblas0" },
  { "SQLite", NAMES ("libsqlite3.so.0"), sqlite_version, "recordings", "install libsqlite3-0" },
  { NULL },
};

const HirDoctorLib *
hir_doctor_libs_get_table (void)
{
  return libs;
}

static gpointer
open_lib (const HirDoctorLib *lib)
{
  gpointer handle = NULL;

  for (guint i = 0; handle == NULL && lib->sonames[i] != NULL; i++)
    handle = dlopen (lib->sonames[i], RTLD_LAZY | RTLD_LOCAL);
  return handle;
}

char *
hir_doctor_lib_describe (const HirDoctorLib *lib, gboolean *found)
{
  gpointer handle = open_lib (lib);
  struct link_map *map = NULL;
  g_autofree char *version = NULL;
  const char *path = lib->sonames[0];

  *found = handle != NULL;
  if (handle == NULL)
    return g_strdup_printf ("not found (%s): %s", lib->purpose, lib->install);
  if (dlinfo (handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name != NULL)
    path = map->l_name;
  version = lib->version (handle);
  /* Never closed: some of these libraries crash when they are unloaded. */
  return g_strdup_printf ("%s (%s)", version != NULL ? g_strstrip (version) : "version unknown",
                          path);
}
