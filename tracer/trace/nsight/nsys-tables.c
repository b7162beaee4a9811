#include "trace/nsight/nsys-tables.h"

#include <string.h>

#define MAX_SOURCES 32
#define MAX_IGNORED 64

/* Names of Nsight's documentation, "SQLite Schema Reference". */
static const HirNsysTable tables[] = {
  { "CUPTI_ACTIVITY_KIND_KERNEL", "kernel", HIR_EVENT_KERNEL, HIR_NSYS_STREAM, TRUE },
  { "CUPTI_ACTIVITY_KIND_MEMCPY", "copy", HIR_EVENT_MEMCPY, HIR_NSYS_STREAM, TRUE },
  { "CUPTI_ACTIVITY_KIND_MEMSET", "Memset", HIR_EVENT_MEMSET, HIR_NSYS_STREAM, TRUE },
  { "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUDA graph", HIR_EVENT_KERNEL, HIR_NSYS_STREAM, TRUE },
  { "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "synchronize", HIR_EVENT_SYNC, HIR_NSYS_STREAM, FALSE },
  { "CUPTI_ACTIVITY_KIND_RUNTIME", "CUDA call", HIR_EVENT_ISSUE, HIR_NSYS_CALLS, FALSE },
  { "NVTX_EVENTS", "range", HIR_EVENT_HOST, HIR_NSYS_RANGES, FALSE },
  { "MPI_COLLECTIVES_EVENTS", "MPI collective", HIR_EVENT_HOST, HIR_NSYS_MPI, FALSE },
  { "MPI_P2P_EVENTS", "MPI message", HIR_EVENT_HOST, HIR_NSYS_MPI, FALSE },
  { "MPI_START_WAIT_EVENTS", "MPI wait", HIR_EVENT_HOST, HIR_NSYS_MPI, FALSE },
  { "MPI_OTHER_EVENTS", "MPI call", HIR_EVENT_HOST, HIR_NSYS_MPI, FALSE },
  { "CUPTI_ACTIVITY_KIND_OVERHEAD", "overhead", HIR_EVENT_HOST, HIR_NSYS_OVERHEAD, FALSE },
};

/* Tables that are read otherwise, and the start of names of those that describe the capture. */
static const char *const other_tables[] = { "StringIds", "ThreadNames", "PROCESSES", "MPI_RANKS",
                                            "ANALYSIS_FILE" };
static const char *const descriptions[] = { "ENUM_", "TARGET_INFO_", "META_DATA_", "EXPORT_",
                                            "sqlite_" };

/* Returns whether @name is @base or a version of it: "_V2". */
static gboolean
is_version_of (const char *name, const char *base)
{
  gsize n = strlen (base);

  if (strncmp (name, base, n) != 0)
    return FALSE;
  name += n;
  if (*name == '\0')
    return TRUE;
  return name[0] == '_' && name[1] == 'V' && name[2] != '\0' &&
         strspn (name + 2, "0123456789") == strlen (name + 2);
}

static void
source_clear (gpointer data)
{
  g_free (((HirNsysSource *) data)->name);
}

GArray *
hir_nsys_tables_find (HirNsysDb *db)
{
  g_autoptr (GPtrArray) names = hir_nsys_db_dup_tables (db);
  GArray *sources = g_array_new (FALSE, FALSE, sizeof (HirNsysSource));

  g_array_set_clear_func (sources, source_clear);
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    for (guint k = 0; k < names->len && sources->len < MAX_SOURCES; k++)
      if (is_version_of (names->pdata[k], tables[i].name))
        {
          const HirNsysSource source = { g_strdup (names->pdata[k]), &tables[i] };

          g_array_append_val (sources, source);
        }
  return sources;
}

static gboolean
is_ignored (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    if (is_version_of (name, tables[i].name))
      return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (other_tables); i++)
    if (g_str_equal (name, other_tables[i]))
      return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (descriptions); i++)
    if (g_str_has_prefix (name, descriptions[i]))
      return FALSE;
  return TRUE;
}

void
hir_nsys_tables_write_ignored (HirNsysDb *db, HirTraceBuilder *builder)
{
  g_autoptr (GPtrArray) names = hir_nsys_db_dup_tables (db);
  g_autoptr (GString) list = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = names->pdata[i];

      if (!is_ignored (name) || ++n > MAX_IGNORED)
        continue;
      g_string_append_printf (list, "%s%s (%" G_GUINT64_FORMAT " rows)", n > 1 ? ", " : "", name,
                              hir_nsys_db_guess_n_rows (db, name));
    }
  if (n > MAX_IGNORED)
    g_string_append_printf (list, " and %u more", n - MAX_IGNORED);
  if (n > 0)
    hir_trace_builder_add_account (builder, "%s: tables that are not read: %s", db->path,
                                   list->str);
}
