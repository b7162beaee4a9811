/* Tests the cache folder of compiled kernels: size limit, least-recently-used eviction, concurrent
 * processes. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include "cuda/driver/cubin-store.h"

#define FILE_BYTES 1000

static GBytes *
new_cubin (guint i)
{
  char *data = g_malloc0 (FILE_BYTES);

  memcpy (data, "\177ELF", 4);
  g_snprintf (data + 64, 16, "%u", i);
  return g_bytes_new_take (data, FILE_BYTES);
}

static char *
path_of (const char *folder, guint i)
{
  g_autofree char *name = g_strdup_printf ("%03u.cubin", i);

  return g_build_filename (folder, name, NULL);
}

static void
write_one (const char *folder, guint i, guint64 max_bytes)
{
  g_autofree char *path = path_of (folder, i);
  g_autoptr (GBytes) cubin = new_cubin (i);

  hir_cubin_store_write (path, cubin, max_bytes);
}

/* Sets the last use of file @i to @age seconds ago. */
static void
set_age (const char *folder, guint i, guint age)
{
  g_autofree char *path = path_of (folder, i);
  struct utimbuf times = { .modtime = (time_t) (g_get_real_time () / G_USEC_PER_SEC) - age };

  times.actime = times.modtime;
  g_assert_cmpint (utime (path, &times), ==, 0);
}

static gboolean
has (const char *folder, guint i)
{
  g_autofree char *path = path_of (folder, i);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* Reads file @i. Returns FALSE if it does not exist; fails if its content is incomplete. */
static gboolean
use (const char *folder, guint i)
{
  g_autofree char *path = path_of (folder, i);
  g_autoptr (GBytes) cubin = hir_cubin_store_read (path);
  g_autoptr (GBytes) expected = new_cubin (i);

  g_assert_true (cubin == NULL || g_bytes_equal (cubin, expected));
  return cubin != NULL;
}

static guint
empty (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (g_remove (path), ==, 0);
      n++;
    }
  return n;
}

static void
test_least_used_go (void)
{
  g_autofree char *folder = g_dir_make_tmp ("cubins-XXXXXX", NULL);

  for (guint i = 0; i < 16; i++)
    {
      write_one (folder, i, 16 * FILE_BYTES);
      set_age (folder, i, 1000 - i);
    }
  for (guint i = 0; i < 16; i++)
    g_assert_true (has (folder, i));
  /* Using the two oldest files protects them from removal. */
  g_assert_true (use (folder, 0));
  g_assert_true (use (folder, 1));
  write_one (folder, 16, 16 * FILE_BYTES);
  for (guint i = 0; i < 17; i++)
    g_assert_cmpint (has (folder, i), ==, i < 2 || i >= 5);
  /* A file larger than the limit is kept and all others are removed. */
  write_one (folder, 17, FILE_BYTES / 2);
  g_assert_true (use (folder, 17));
  g_assert_cmpuint (empty (folder), ==, 1);
  g_rmdir (folder);
}

static void
test_no_machine_code (void)
{
  g_autofree char *folder = g_dir_make_tmp ("cubins-XXXXXX", NULL);
  g_autofree char *path = path_of (folder, 1);

  g_assert_null (hir_cubin_store_read (path));
  g_assert_true (g_file_set_contents (path, "\177ELF", 4, NULL));
  g_assert_null (hir_cubin_store_read (path));
  g_assert_cmpuint (empty (folder), ==, 1);
  g_rmdir (folder);
  /* Writing to a missing folder has no effect. */
  write_one (folder, 1, 10 * FILE_BYTES);
}

static void
work (const char *folder, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  for (guint k = 0; k < 400; k++)
    {
      guint i = (guint) g_rand_int_range (rand, 0, 40);

      if (!use (folder, i))
        write_one (folder, i, 10 * FILE_BYTES);
    }
}

static void
test_several_processes (void)
{
  g_autofree char *folder = g_dir_make_tmp ("cubins-XXXXXX", NULL);
  pid_t children[4];

  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    {
      children[i] = fork ();
      g_assert_cmpint (children[i], >=, 0);
      if (children[i] == 0)
        {
          work (folder, i);
          _exit (0);
        }
    }
  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    {
      int status;

      g_assert_cmpint (waitpid (children[i], &status, 0), ==, children[i]);
      g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 0);
    }
  write_one (folder, 50, 10 * FILE_BYTES);
  g_assert_cmpuint (empty (folder), <=, 10);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/cubin-store/least-used", test_least_used_go);
  g_test_add_func ("/cuda/cubin-store/no-machine-code", test_no_machine_code);
  g_test_add_func ("/cuda/cubin-store/processes", test_several_processes);
  return g_test_run ();
}
