/* Finds libraries in the usual locations of CUDA installations. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

#include "cuda/driver/libs-private.h"

#define PATH_VARIABLE "HIRSCOPE_CUDA_LIBRARY_PATH"

typedef struct
{
  const HirLibInfo *info;
  gpointer handle;
  GString *tried;   /* searched folders, and why existing files could not be loaded */
  GHashTable *seen; /* set of char*: searched folders with symbolic links resolved */
} Search;

/* Returns FALSE if @folder was already searched. CUDA_HOME is often /usr/local/cuda, and its lib64
 * is often a symbolic link to another searched folder. */
static gboolean
is_new_folder (Search *search, const char *folder)
{
  char *real = realpath (folder, NULL);
  g_autofree char *key = g_strdup (real != NULL ? real : folder);

  free (real);
  return g_hash_table_add (search->seen, g_steal_pointer (&key));
}

/* Searches @folder; if NULL, the folders of the dynamic loader. If a file exists but cannot be
 * loaded, the message contains dlerror(), the only source of the reason. */
static void
try_folder (Search *search, const char *folder)
{
  if (search->handle != NULL || (folder != NULL && !is_new_folder (search, folder)))
    return;
  for (guint i = 0; search->handle == NULL && search->info->sonames[i] != NULL; i++)
    {
      const char *soname = search->info->sonames[i];
      g_autofree char *path =
          folder != NULL ? g_build_filename (folder, soname, NULL) : g_strdup (soname);

      search->handle = dlopen (path, RTLD_LAZY | RTLD_LOCAL);
      if (search->handle == NULL && folder != NULL && g_file_test (path, G_FILE_TEST_EXISTS))
        {
          const char *why = dlerror ();
          g_string_append_printf (search->tried, "%s%s: %s", search->tried->len > 0 ? "; " : "",
                                  path, why != NULL ? why : "cannot be loaded");
          return;
        }
    }
  if (search->handle == NULL)
    g_string_append_printf (search->tried, "%s%s", search->tried->len > 0 ? ", " : "",
                            folder != NULL ? folder : "the folders of the dynamic loader");
}

static void
try_toolkit (Search *search, const char *home)
{
  static const char *const folders[] = { "lib64", "lib", "extras/CUPTI/lib64",
                                         "targets/x86_64-linux/lib", "targets/sbsa-linux/lib" };

  for (guint i = 0; home != NULL && *home != '\0' && i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *folder = g_build_filename (home, folders[i], NULL);

      if (g_file_test (folder, G_FILE_TEST_IS_DIR))
        try_folder (search, folder);
    }
}

/* Searches the nvidia packages below @root, for example "/usr/lib/python3.11". */
static void
try_site (Search *search, const char *root, const char *site)
{
  for (guint i = 0; search->info->pip_folders[i] != NULL; i++)
    {
      g_autofree char *folder =
          g_build_filename (root, site, "nvidia", search->info->pip_folders[i], "lib", NULL);

      if (g_file_test (folder, G_FILE_TEST_IS_DIR))
        try_folder (search, folder);
    }
}

/* Searches the packages of the python3 in PATH, without running it. */
static void
try_pip (Search *search)
{
  g_autofree char *python = search->handle == NULL ? g_find_program_in_path ("python3") : NULL;
  g_autofree char *bin = python != NULL ? g_path_get_dirname (python) : NULL;
  g_autofree char *prefix = bin != NULL ? g_path_get_dirname (bin) : NULL;
  const char *const roots[] = { prefix, "/usr", "/usr/local" };

  for (guint i = 0; i < G_N_ELEMENTS (roots) && search->handle == NULL; i++)
    {
      g_autofree char *lib = roots[i] != NULL ? g_build_filename (roots[i], "lib", NULL) : NULL;
      g_autoptr (GDir) dir = lib != NULL ? g_dir_open (lib, 0, NULL) : NULL;
      const char *name;

      while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
        if (g_str_has_prefix (name, "python3"))
          {
            g_autofree char *root = g_build_filename (lib, name, NULL);

            try_site (search, root, "site-packages");
            try_site (search, root, "dist-packages");
          }
    }
}

gpointer
hir_lib_find (const HirLibInfo *info, char **path, char **tried)
{
  Search search = { info, NULL, g_string_new (NULL),
                    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  const char *own = g_getenv (PATH_VARIABLE);
  struct link_map *map = NULL;

  if (own != NULL && *own != '\0')
    {
      g_auto (GStrv) folders = g_strsplit (own, ":", -1);

      for (guint i = 0; folders[i] != NULL; i++)
        if (*folders[i] != '\0')
          try_folder (&search, folders[i]);
      g_string_append (search.tried, " (" PATH_VARIABLE " is set)");
    }
  else
    {
      try_folder (&search, NULL);
      try_toolkit (&search, g_getenv ("CUDA_HOME"));
      try_toolkit (&search, g_getenv ("CUDA_PATH"));
      try_toolkit (&search, "/usr/local/cuda");
      try_pip (&search);
    }
  g_hash_table_unref (search.seen);
  *tried = g_string_free (search.tried, FALSE);
  *path = NULL;
  if (search.handle == NULL)
    return NULL;
  if (dlinfo (search.handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name != NULL)
    *path = g_strdup (map->l_name);
  else
    *path = g_strdup (info->sonames[0]);
  return search.handle;
}
