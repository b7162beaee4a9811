/* Fixtures of the tracer tests. */
#include "tracer-fixture.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "identity.h"
#include "script/script.h"

#define WAIT_S 60

HirRequest *
fix_request (const char *file, const char *function)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "app", "examples", file, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSource) source = hir_script_load (path, &error);

  g_assert_no_error (error);
  return hir_request_new (source, function);
}

HirRequest *
fix_request_of_text (const char *text, const char *function)
{
  g_autoptr (HirSource) source = hir_source_new ("script.py", text, -1);

  return hir_request_new (source, function);
}

static HirProgram *
lower (HirRequest *request)
{
  g_autoptr (GError) error = NULL;
  HirProgram *program = hir_program_new (request, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (program);
  g_assert_no_error (program->error);
  return program;
}

HirProgram *
fix_program (const char *function)
{
  g_autoptr (HirRequest) request = fix_request ("single_device.py", function);

  return lower (request);
}

HirProgram *
fix_program_with_inputs (const char *function, const char *inputs)
{
  g_autoptr (HirRequest) request = fix_request ("single_device.py", function);

  request->inputs = g_strsplit (inputs, " ", -1);
  return lower (request);
}

static int
compare_infos (gconstpointer a, gconstpointer b)
{
  const HirNodeInfo *x = *(HirNodeInfo *const *) a, *y = *(HirNodeInfo *const *) b;

  return x->id < y->id ? -1 : x->id > y->id;
}

char *
fix_dup_ids (const HirProgram *program)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < program->views->len; i++)
    {
      const HirProgramView *view = program->views->pdata[i];
      g_autoptr (GPtrArray) infos = g_ptr_array_new ();
      GHashTableIter iter;
      gpointer info;

      g_hash_table_iter_init (&iter, view->nodes);
      while (g_hash_table_iter_next (&iter, NULL, &info))
        g_ptr_array_add (infos, info);
      g_ptr_array_sort (infos, compare_infos);
      for (guint k = 0; k < infos->len; k++)
        {
          const HirNodeInfo *node = infos->pdata[k];
          char hex[17];

          hir_id_to_hex (node->id, hex);
          g_string_append_printf (text, "%u %s %s\n", i, hex, node->kind);
        }
    }
  return g_string_free (text, FALSE);
}

char *
fix_dup_hirscope (void)
{
  return g_build_filename (g_getenv ("HIR_TEST_BUILDDIR"), "app", "hirscope", NULL);
}

void
fix_act_as_hirscope (int argc, char **argv)
{
  g_autofree char *hirscope = NULL;

  if (argc != 4 || !g_str_equal (argv[1], "run") || !g_str_equal (argv[2], "--control"))
    return;
  hirscope = fix_dup_hirscope ();
  execv (hirscope, argv);
  _exit (3);
}

static gboolean
set_flag (gpointer user_data)
{
  *(gboolean *) user_data = TRUE;
  return G_SOURCE_REMOVE;
}

static GSource *
start_timeout (guint ms, gboolean *flag)
{
  GSource *source = g_timeout_source_new (ms);

  g_source_set_callback (source, set_flag, flag, NULL);
  g_source_attach (source, g_main_context_get_thread_default ());
  return source;
}

void
fix_wait (const gboolean *flag)
{
  gboolean is_late = FALSE;
  GSource *timeout = start_timeout (WAIT_S * 1000, &is_late);

  while (!*flag && !is_late)
    g_main_context_iteration (g_main_context_get_thread_default (), TRUE);
  g_source_destroy (timeout);
  g_source_unref (timeout);
  g_assert_true (*flag);
}

void
fix_iterate (guint ms)
{
  gboolean is_over = FALSE;
  GSource *timeout = start_timeout (ms, &is_over);

  while (!is_over)
    g_main_context_iteration (g_main_context_get_thread_default (), TRUE);
  g_source_unref (timeout);
}

char *
fix_make_folder (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("hir-test-XXXXXX", &error);

  g_assert_no_error (error);
  return folder;
}

void
fix_remove_folder (char *folder)
{
  GDir *dir;
  const char *name;

  g_chmod (folder, 0700);
  dir = g_dir_open (folder, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (g_unlink (path), ==, 0);
    }
  g_clear_pointer (&dir, g_dir_close);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (folder);
}

char *
fix_make_script (const char *folder, const char *name, const char *text)
{
  char *path = g_build_filename (folder, name, NULL);
  g_autofree char *script = g_strconcat ("#!/bin/sh\n", text, "\n", NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents_full (path, script, -1, G_FILE_SET_CONTENTS_NONE, 0700, &error);
  g_assert_no_error (error);
  return path;
}
