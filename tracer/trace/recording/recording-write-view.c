#include "trace/recording/recording-write-private.h"

/* Statements for the tables of a snapshot, one per table. */
typedef struct
{
  sqlite3 *db;
  const char *path;
  guint index;
  const HirProgramView *view;
  const char *file;
  GPtrArray *nodes; /* HirNodeInfo*, sorted by id, so that the same program gives the same file */
} Job;

typedef gboolean (*Rows) (Job *job, HirRow *row, GError **error);

static gboolean
write_table (Job *job, const char *table, Rows rows, GError **error)
{
  sqlite3_stmt *stmt = hir_db_prepare_insert (job->db, job->path, table, error);
  gboolean done;
  HirRow row;

  if (stmt == NULL)
    return FALSE;
  hir_row_begin (&row, stmt, job->path, table);
  done = rows (job, &row, error);
  sqlite3_finalize (stmt);
  return done;
}

static int
compare_nodes (gconstpointer a, gconstpointer b)
{
  const HirNodeInfo *x = *(HirNodeInfo *const *) a, *y = *(HirNodeInfo *const *) b;

  return x->id < y->id ? -1 : x->id > y->id;
}

static gboolean
write_pass (Job *job, HirRow *row, GError **error)
{
  const HirProgramView *view = job->view;
  guint64 n_origins = 0, n_facts = 0;

  for (guint i = 0; i < job->nodes->len; i++)
    {
      const HirNodeInfo *info = g_ptr_array_index (job->nodes, i);

      n_origins += info->n_origins;
      n_facts += info->facts != NULL ? info->facts->len : 0;
    }
  hir_row_put_int (row, job->index);
  hir_row_put_text (row, view->pass_name);
  hir_row_put_int (row, view->duration_ns);
  hir_row_put_int (row, view->changed != FALSE);
  hir_row_put_int (row, view->n_created);
  hir_row_put_int (row, view->n_changed);
  hir_row_put_int (row, view->n_removed);
  hir_row_put_id (row, view->hash);
  hir_row_put_int (row, view->is_host != FALSE);
  hir_row_put_int (row, job->nodes->len);
  hir_row_put_int (row, (gint64) n_origins);
  hir_row_put_int (row, (gint64) n_facts);
  hir_row_put_int (row, view->spans != NULL ? view->spans->len : 0);
  hir_row_put_int (row, view->graph != NULL ? view->graph->nodes->len : 0);
  hir_row_put_int (row, view->graph != NULL ? view->graph->groups->len : 0);
  hir_row_put_int (row, view->graph != NULL ? view->graph->edges->len : 0);
  return hir_row_insert (row, error);
}

static gboolean
write_text (Job *job, HirRow *row, GError **error)
{
  hir_row_put_int (row, job->index);
  hir_row_put_text (row, job->view->text);
  return hir_row_insert (row, error);
}

static gboolean
write_nodes (Job *job, HirRow *row, GError **error)
{
  for (guint i = 0; i < job->nodes->len; i++)
    {
      const HirNodeInfo *info = g_ptr_array_index (job->nodes, i);

      hir_row_put_id (row, info->id);
      hir_row_put_int (row, job->index);
      hir_row_put_text (row, info->kind);
      hir_row_put_text (row, info->label);
      hir_row_put_text (row, info->pos.line > 0 ? job->file : NULL);
      hir_row_put_int (row, info->pos.line);
      hir_row_put_int (row, info->pos.column);
      hir_row_put_int (row, info->is_expr != FALSE);
      hir_row_put_id (row, info->content_hash);
      if (!hir_row_insert (row, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_origins (Job *job, HirRow *row, GError **error)
{
  for (guint i = 0; i < job->nodes->len; i++)
    {
      const HirNodeInfo *info = g_ptr_array_index (job->nodes, i);

      for (guint k = 0; k < info->n_origins; k++)
        {
          hir_row_put_id (row, info->id);
          hir_row_put_id (row, info->origins[k]);
          hir_row_put_int (row, job->index);
          if (!hir_row_insert (row, error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
write_facts (Job *job, HirRow *row, GError **error)
{
  for (guint i = 0; i < job->nodes->len; i++)
    {
      const HirNodeInfo *info = g_ptr_array_index (job->nodes, i);

      for (guint k = 0; info->facts != NULL && k < info->facts->len; k++)
        {
          const HirFact *fact = &g_array_index (info->facts, HirFact, k);

          hir_row_put_id (row, info->id);
          hir_row_put_int (row, job->index);
          hir_row_put_text (row, fact->name != NULL ? fact->name : "");
          hir_row_put_text (row, fact->value != NULL ? fact->value : "");
          hir_row_put_id (row, fact->id);
          if (!hir_row_insert (row, error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
write_spans (Job *job, HirRow *row, GError **error)
{
  for (guint i = 0; job->view->spans != NULL && i < job->view->spans->len; i++)
    {
      const HirSpan *span = &g_array_index (job->view->spans, HirSpan, i);

      hir_row_put_int (row, job->index);
      hir_row_put_int (row, span->start);
      hir_row_put_int (row, span->end);
      hir_row_put_id (row, span->id);
      hir_row_put_int (row, span->is_expr != FALSE);
      if (!hir_row_insert (row, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_graph_nodes (Job *job, HirRow *row, GError **error)
{
  for (guint i = 0; i < job->view->graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (job->view->graph->nodes, HirGraphNode, i);

      hir_row_put_int (row, job->index);
      hir_row_put_id (row, node->id);
      hir_row_put_id (row, node->key);
      hir_row_put_int (row, node->kind);
      hir_row_put_text (row, node->title != NULL ? node->title : "");
      hir_row_put_text (row, node->subtitle != NULL ? node->subtitle : "");
      hir_row_put_int (row, node->group);
      hir_row_put_int (row, node->pos.line);
      hir_row_put_int (row, node->pos.column);
      if (!hir_row_insert (row, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_graph_groups (Job *job, HirRow *row, GError **error)
{
  for (guint i = 0; i < job->view->graph->groups->len; i++)
    {
      const HirGraphGroup *group = &g_array_index (job->view->graph->groups, HirGraphGroup, i);

      hir_row_put_int (row, job->index);
      hir_row_put_id (row, group->id);
      hir_row_put_text (row, group->title != NULL ? group->title : "");
      hir_row_put_int (row, group->parent);
      hir_row_put_int (row, group->kind);
      if (!hir_row_insert (row, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_graph_edges (Job *job, HirRow *row, GError **error)
{
  for (guint i = 0; i < job->view->graph->edges->len; i++)
    {
      const HirGraphEdge *edge = &g_array_index (job->view->graph->edges, HirGraphEdge, i);

      hir_row_put_int (row, job->index);
      hir_row_put_int (row, edge->from);
      hir_row_put_int (row, edge->to);
      hir_row_put_int (row, edge->kind);
      hir_row_put_id (row, edge->id);
      if (!hir_row_insert (row, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hir_recording_write_view (sqlite3 *db,
                          const char *path,
                          guint index,
                          const HirProgramView *view,
                          const char *file,
                          GError **error)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  Job job = { db, path, index, view, file, nodes };
  GHashTableIter iter;
  gpointer info;

  g_hash_table_iter_init (&iter, view->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &info))
    g_ptr_array_add (nodes, info);
  g_ptr_array_sort (nodes, compare_nodes);
  return write_table (&job, "passes", write_pass, error) &&
         write_table (&job, "snapshots", write_text, error) &&
         write_table (&job, "nodes", write_nodes, error) &&
         write_table (&job, "origins", write_origins, error) &&
         write_table (&job, "facts", write_facts, error) &&
         write_table (&job, "spans", write_spans, error) &&
         (view->graph == NULL || (write_table (&job, "graph_nodes", write_graph_nodes, error) &&
                                  write_table (&job, "graph_groups", write_graph_groups, error) &&
                                  write_table (&job, "graph_edges", write_graph_edges, error)));
}
