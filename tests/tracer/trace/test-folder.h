/* A temporary folder for a test. */
#pragma once

#include <gio/gio.h>
#include <glib/gstdio.h>

static inline char *
test_folder_new (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("hir-test-XXXXXX", &error);

  g_assert_no_error (error);
  return folder;
}

/* Deletes the folder with all its files. */
static inline void
test_folder_remove (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (g_unlink (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Writes @length bytes of @text (-1: all) to a file of this name and returns its path. */
static inline char *
test_folder_write (const char *folder, const char *name, const char *text, gssize length)
{
  char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, text, length, &error);
  g_assert_no_error (error);
  return path;
}

/* A fixture for tests that need only a folder. */
typedef struct
{
  char *folder;
} TestFolder;

static inline void
test_folder_set_up (TestFolder *fixture, gconstpointer data)
{
  fixture->folder = test_folder_new ();
}

static inline void
test_folder_tear_down (TestFolder *fixture, gconstpointer data)
{
  test_folder_remove (fixture->folder);
  g_free (fixture->folder);
}

#define TEST_FOLDER_ADD(path, func, data)                                                          \
  g_test_add (path, TestFolder, data, test_folder_set_up, func, test_folder_tear_down)
