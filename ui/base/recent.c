#include "base/recent.h"

#include <gtk/gtk.h>

static void
recent_free (gpointer data)
{
  HirRecent *recent = data;

  g_free (recent->name);
  g_free (recent->path);
  g_free (recent);
}

static gint
compare_visits (gconstpointer a, gconstpointer b)
{
  GtkRecentInfo *left = (gpointer) a, *right = (gpointer) b;

  return g_date_time_compare (gtk_recent_info_get_modified (right),
                              gtk_recent_info_get_modified (left));
}

/* Returns whether @uri is a file that Hirscope writes but cannot open. GTK adds each file that is
 * chosen in a dialog, also in that of an export. */
static gboolean
is_output (const char *uri)
{
  static const char *const suffixes[] = { ".html", ".svg", ".pdf", ".png", ".csv", ".pftrace" };

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_has_suffix (uri, suffixes[i]))
      return TRUE;
  return FALSE;
}

GPtrArray *
hir_recent_dup (guint max)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (recent_free);
  GList *items = gtk_recent_manager_get_items (gtk_recent_manager_get_default ());

  items = g_list_sort (items, compare_visits);
  for (GList *l = items; l != NULL && list->len < max; l = l->next)
    {
      char *path = NULL;
      HirRecent *recent;

      if (gtk_recent_info_has_application (l->data, g_get_application_name ()) &&
          gtk_recent_info_exists (l->data) && !is_output (gtk_recent_info_get_uri (l->data)))
        path = g_filename_from_uri (gtk_recent_info_get_uri (l->data), NULL, NULL);
      if (path == NULL)
        continue;
      recent = g_new (HirRecent, 1);
      recent->name = g_strdup (gtk_recent_info_get_display_name (l->data));
      recent->path = path;
      g_ptr_array_add (list, recent);
    }
  g_list_free_full (items, (GDestroyNotify) gtk_recent_info_unref);
  return list;
}

void
hir_recent_add (const char *path)
{
  g_autoptr (GFile) file = NULL;
  g_autofree char *uri = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return;
  file = g_file_new_for_path (path);
  uri = g_file_get_uri (file);
  gtk_recent_manager_add_item (gtk_recent_manager_get_default (), uri);
}
