#include "graph-files.h"

#include "config.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "trace/text-out.h"

#if HIR_HAVE_FIGURES
#include "draw/report/figure.h"
#endif

static gboolean
make_folder (const char *folder, GError **error)
{
  if (g_mkdir_with_parents (folder, 0777) == 0 && g_file_test (folder, G_FILE_TEST_IS_DIR))
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "cannot create the folder %s: %s", folder,
                 g_strerror (errno));
  return FALSE;
}

static char *
build_path (const char *folder, guint index, const char *pass_name, const char *ending)
{
  g_autofree char *name = g_strdup_printf ("%02u-%s.%s", index, pass_name, ending);

  return g_build_filename (folder, name, NULL);
}

gboolean
hir_graph_files_write_dot (const HirProgram *program, const char *folder, GError **error)
{
  if (!make_folder (folder, error))
    return FALSE;
  for (guint i = 0; i < program->views->len; i++)
    {
      const HirProgramView *view = g_ptr_array_index (program->views, i);
      g_autofree char *dot = hir_graph_to_dot (view->graph, view->pass_name);
      g_autofree char *path = build_path (folder, i, view->pass_name, "dot");

      if (!hir_text_out_write_bytes (path, dot, strlen (dot), NULL, error))
        return FALSE;
    }
  return TRUE;
}

#if HIR_HAVE_FIGURES

/* More than in the window, because a command may take longer. */
#define LAYOUT_BUDGET_MS 20000
#define PNG_DPI 120

/* Returns the changes of the nodes of @view since @before (nullable), which select their colors: id
 * -> HirChange. The keys belong to @view. */
static GHashTable *
collect_changes (const HirProgramView *before, const HirProgramView *view)
{
  GHashTable *changes = g_hash_table_new (g_int64_hash, g_int64_equal);
  GHashTableIter iter;
  gpointer key;

  if (before == NULL)
    return changes;
  g_hash_table_iter_init (&iter, view->nodes);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      guint64 id = (guint64) * (gint64 *) key;
      HirChange change = hir_program_view_get_change (before, view, id);

      if (change != HIR_CHANGE_NONE)
        g_hash_table_insert (changes, key, GUINT_TO_POINTER (change));
    }
  return changes;
}

gboolean
hir_graph_files_write_svg (const HirProgram *program, const char *folder, GError **error)
{
  g_autoptr (HirLayouter) layouter = hir_layouter_new (NULL, LAYOUT_BUDGET_MS);
  const HirFigureOptions options = { .format = HIR_FIGURE_SVG };
  const HirProgramView *before = NULL;

  if (!make_folder (folder, error))
    return FALSE;
  for (guint i = 0; i < program->views->len; i++)
    {
      const HirProgramView *view = g_ptr_array_index (program->views, i);
      g_autoptr (GHashTable) changes = collect_changes (before, view);
      g_autofree char *path = build_path (folder, i, view->pass_name, "svg");

      if (!hir_figure_write_graph (view->graph, changes, layouter, &options, path, error))
        return FALSE;
      before = view;
    }
  return TRUE;
}

gboolean
hir_graph_files_write_png (const HirProgram *program, guint index, const char *path, GError **error)
{
  g_autoptr (HirLayouter) layouter = hir_layouter_new (NULL, LAYOUT_BUDGET_MS);
  const HirFigureOptions options = { .format = HIR_FIGURE_PNG, .dpi = PNG_DPI };
  const HirProgramView *view = g_ptr_array_index (program->views, index);
  const HirProgramView *before = index > 0 ? g_ptr_array_index (program->views, index - 1) : NULL;
  g_autoptr (GHashTable) changes = collect_changes (before, view);

  return hir_figure_write_graph (view->graph, changes, layouter, &options, path, error);
}

#else

static gboolean
refuse (GError **error)
{
  hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                 "this build has no figures; rebuild with cairo, Pango and Graphviz, or use --dot");
  return FALSE;
}

gboolean
hir_graph_files_write_svg (const HirProgram *program, const char *folder, GError **error)
{
  return refuse (error);
}

gboolean
hir_graph_files_write_png (const HirProgram *program, guint index, const char *path, GError **error)
{
  return refuse (error);
}

#endif
