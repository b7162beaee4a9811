#include "doctor-libs.h"

#include <dlfcn.h>
#include <link.h>

/* Symbols come as void*; ISO C has no cast from that to a function, POSIX promises that it works.
 */
#define LOOKUP(handle, name, type) ((type) (guintptr) dlsym ((handle), (name)))

typedef guint (*UintGetter) (void);
typedef int (*StatusOfInt) (int *);
typedef int (*StatusOfTwoInts) (int *, int *);
typedef int (*StatusOfUint32) (guint32 *);
typedef gsize (*SizeGetter) (void);
typedef const char *(*TextGetter) (void);

/* gtk_get_major_version() and its likes. */
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

/* 12040 is 12.4. */
static char *
cuda_number (int number)
{
  return g_strdup_printf ("%d.%d", number / 1000, number % 1000 / 10);
}

static char *
cuda_version (gpointer handle)
{
  StatusOfInt get = LOOKUP (handle, "cuDriverGetVersion", StatusOfInt);
  int (*init) (guint) = LOOKUP (handle, "cuInit", int (*) (guint));
  StatusOfInt count = LOOKUP (handle, "cuDeviceGetCount", StatusOfInt);
  g_autofree char *number = NULL;
  int version = 0;
  int n_devices = 0;

  if (get == NULL || get (&version) != 0)
    return NULL;
  number = cuda_number (version);
  if (init == NULL || count == NULL || init (0) != 0 || count (&n_devices) != 0)
    return g_strdup_printf ("CUDA %s, no usable device", number);
  return g_strdup_printf ("CUDA %s, %d device%s", number, n_devices, n_devices == 1 ? "" : "s");
}

static char *
cupti_version (gpointer handle)
{
  StatusOfUint32 get = LOOKUP (handle, "cuptiGetVersion", StatusOfUint32);
  guint32 version = 0;

  return get != NULL && get (&version) == 0 ? g_strdup_printf ("API %u", version) : NULL;
}

static char *
nvrtc_version (gpointer handle)
{
  StatusOfTwoInts get = LOOKUP (handle, "nvrtcVersion", StatusOfTwoInts);
  int major = 0;
  int minor = 0;

  return get != NULL && get (&major, &minor) == 0 ? g_strdup_printf ("%d.%d", major, minor) : NULL;
}

static char *
cublaslt_version (gpointer handle)
{
  SizeGetter get = LOOKUP (handle, "cublasLtGetVersion", SizeGetter);
  gsize version = get != NULL ? get () : 0;

  return version != 0 ? g_strdup_printf ("%" G_GSIZE_FORMAT, version) : NULL;
}

static char *
nccl_version (gpointer handle)
{
  StatusOfInt get = LOOKUP (handle, "ncclGetVersion", StatusOfInt);
  int v = 0;

  /* 22105 is 2.21.5; before 2.9 the major number had a weight of 1,000. */
  if (get == NULL || get (&v) != 0)
    return NULL;
  return v < 10000 ? g_strdup_printf ("%d.%d.%d", v / 1000, v % 1000 / 100, v % 100)
                   : g_strdup_printf ("%d.%d.%d", v / 10000, v % 10000 / 100, v % 100);
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const HirDoctorLib libs[] = {
  { "GTK", NAMES ("libgtk-4.so.1"), gtk_version, "the window (4.8 or newer)",
    "install libgtk-4-1 (Debian 12, Ubuntu 24.04 or newer)", FALSE },
  { "libadwaita", NAMES ("libadwaita-1.so.0"), adwaita_version, "the window (1.2 or newer)",
    "install libadwaita-1-0", FALSE },
  { "GtkSourceView", NAMES ("libgtksourceview-5.so.0"), sourceview_version, "the window's text",
    "install libgtksourceview-5-0", FALSE },
  { "Graphviz", NAMES ("libgvc.so.7", "libgvc.so.6"), graphviz_version, "places of a graph's nodes",
    "install graphviz", FALSE },
  { "OpenBLAS", NAMES ("libopenblas.so.0"), openblas_version, "matmul on the CPU",
    "install libopenblas0", FALSE },
  { "SQLite", NAMES ("libsqlite3.so.0"), sqlite_version, "recordings", "install libsqlite3-0",
    FALSE },
  { "CUDA driver", NAMES ("libcuda.so.1"), cuda_version, "the CUDA back end",
    "install NVIDIA's driver (on Debian: nvidia-driver)", TRUE },
  { "CUPTI", NAMES ("libcupti.so.13", "libcupti.so.12", "libcupti.so.11"), cupti_version,
    "traces of GPU work", "install cuda-cupti of NVIDIA's packages, or set CUDA_HOME", TRUE },
  { "NVRTC", NAMES ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"), nvrtc_version,
    "compiling kernels", "install cuda-nvrtc of NVIDIA's packages, or set CUDA_HOME", TRUE },
  { "cuBLASLt", NAMES ("libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"),
    cublaslt_version, "matmul on a GPU", "install libcublas of NVIDIA's packages, or set CUDA_HOME",
    TRUE },
  { "NCCL", NAMES ("libnccl.so.2"), nccl_version, "collectives between GPUs",
    "install libnccl2 of NVIDIA's packages", TRUE },
  { NULL },
};

const HirDoctorLib *
hir_doctor_libs_get_table (void)
{
  return libs;
}

static gpointer
open_in (const char *folder, const char *soname)
{
  g_autofree char *path =
      folder != NULL ? g_build_filename (folder, soname, NULL) : g_strdup (soname);

  return dlopen (path, RTLD_LAZY | RTLD_LOCAL);
}

static gpointer
open_lib (const HirDoctorLib *lib)
{
  static const char *const toolkit[] = { "lib64", "lib", "extras/CUPTI/lib64" };
  const char *homes[] = { g_getenv ("CUDA_HOME"), g_getenv ("CUDA_PATH"), "/usr/local/cuda" };
  gpointer handle = NULL;

  for (guint i = 0; handle == NULL && lib->sonames[i] != NULL; i++)
    handle = open_in (NULL, lib->sonames[i]);
  for (guint h = 0; lib->cuda && handle == NULL && h < G_N_ELEMENTS (homes); h++)
    for (guint f = 0; homes[h] != NULL && handle == NULL && f < G_N_ELEMENTS (toolkit); f++)
      {
        g_autofree char *folder = g_build_filename (homes[h], toolkit[f], NULL);

        for (guint i = 0; handle == NULL && lib->sonames[i] != NULL; i++)
          handle = open_in (folder, lib->sonames[i]);
      }
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
  /* Left open: some of these do not survive being closed. */
  return g_strdup_printf ("%s (%s)", version != NULL ? g_strstrip (version) : "version unknown",
                          path);
}
