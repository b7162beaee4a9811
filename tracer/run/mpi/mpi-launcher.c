/* Detection of the launcher, and loading of the shared module with MPI. */
#include <dlfcn.h>
#include <stdlib.h>

#include "config.h"
#include "run/mpi/mpi-private.h"

/* Environment variables that launchers set in the processes that they start. */
static const struct
{
  const char *size, *rank, *needs;
} launchers[] = {
  { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", NULL },
  { "PMI_SIZE", "PMI_RANK", NULL },
  { "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", NULL },
  /* Slurm batch scripts have a number of tasks too; only processes started by srun have a step. */
  { "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_STEP_ID" },
};

static int
get_number (const char *name, int otherwise)
{
  const char *text = g_getenv (name);
  gint64 number;

  return text != NULL && g_ascii_string_to_signed (text, 10, 0, G_MAXINT, &number, NULL)
             ? (int) number
             : otherwise;
}

int
hir_mpi_launcher_get_size (int *rank)
{
  if (rank != NULL)
    *rank = -1;
  for (guint i = 0; i < G_N_ELEMENTS (launchers); i++)
    {
      int size = get_number (launchers[i].size, 0);

      if (size == 0 || (launchers[i].needs != NULL && g_getenv (launchers[i].needs) == NULL) ||
          (launchers[i].needs != NULL && size == 1))
        continue;
      if (rank != NULL)
        *rank = get_number (launchers[i].rank, -1);
      return size;
    }
  /* PMIx sets the rank, but not the number of ranks. */
  if (g_getenv ("PMIX_RANK") == NULL)
    return 0;
  if (rank != NULL)
    *rank = get_number ("PMIX_RANK", -1);
  return MAX (get_number ("PMIX_SIZE", 1), 1);
}

/* Searches next to the program, then in the library folder relative to the program, so that an
 * installation can be moved. */
char *
hir_mpi_module_dup_path (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = self != NULL ? g_path_get_dirname (self) : g_strdup (".");
  char *beside = g_build_filename (folder, HIR_MPI_MODULE_FILE, NULL);
  char *installed;

  if (g_file_test (beside, G_FILE_TEST_EXISTS))
    return beside;
  g_free (beside);
  installed = g_build_filename (HIR_LIBDIR_FROM_BINDIR[0] == '/' ? "" : folder,
                                HIR_LIBDIR_FROM_BINDIR, "hirscope", HIR_MPI_MODULE_FILE, NULL);
  if (g_file_test (installed, G_FILE_TEST_EXISTS))
    return installed;
  g_free (installed);
  return NULL;
}

HirMpiWire *
hir_mpi_wire_load (int n_launched, GError **error)
{
  g_autofree char *path = hir_mpi_module_dup_path ();
  HirMpiWireGetFunc get;
  HirMpiWire *wire;
  void *handle;

  if (path == NULL)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "a launcher started %d processes, but %s, the MPI module, is not "
                     "next to the program; install Open MPI or MPICH with headers "
                     "(libopenmpi-dev) and rebuild, or run without the launcher: -d %d creates "
                     "%d devices in one process",
                     n_launched, HIR_MPI_MODULE_FILE, n_launched, n_launched);
      return NULL;
    }
  /* MPI plug-ins need its symbols to be global. The module is never unloaded. */
  handle = dlopen (path, RTLD_NOW | RTLD_GLOBAL);
  if (handle == NULL)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL, "cannot load %s: %s", path, dlerror ());
      return NULL;
    }
  *(void **) &get = dlsym (handle, HIR_MPI_WIRE_SYMBOL);
  wire = get != NULL ? get () : NULL;
  if (wire == NULL || wire->version != HIR_MPI_WIRE_VERSION)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "%s belongs to another version of Hirscope; install both together", path);
      return NULL;
    }
  return wire;
}
