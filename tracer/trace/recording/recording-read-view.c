#include "diagnostic.h"
#include "trace/recording/recording-read-private.h"

#include <string.h>

/* Numbers of rows that a snapshot declares and that were found. */
typedef enum
{
  COUNT_NODES,
  COUNT_ORIGINS,
  COUNT_FACTS,
  COUNT_SPANS,
  COUNT_GRAPH_NODES,
  COUNT_GRAPH_GROUPS,
  COUNT_GRAPH_EDGES,
  N_COUNTS,
} Count;

typedef struct
{
  gint64 expected[N_COUNTS], found[N_COUNTS];
} Counts;

typedef struct _Job Job;

typedef struct
{
  const char *table;
  gboolean (*read) (Job *job, HirRow *row); /* returns FALSE if the row contradicts earlier rows */
} Table;

struct _Job
{
  GPtrArray *views;
  GArray *counts; /* Counts */
  guint n_texts;
  const Table *table; /* the current table */
};

static gboolean
read_pass (Job *job, HirRow *row)
{
  HirProgramView *view = hir_program_view_new_empty ();
  Counts counts = { 0 };

  row->is_bad |= hir_row_get_int (row, 0, HIR_RECORDING_MAX_VIEWS) != job->views->len;
  g_free (view->pass_name);
  view->pass_name = g_strdup (hir_row_get_text (row));
  view->duration_ns = hir_row_get_int (row, G_MININT64, G_MAXINT64);
  view->changed = (gboolean) hir_row_get_int (row, 0, 1);
  view->n_created = (guint) hir_row_get_int (row, 0, G_MAXUINT32);
  view->n_changed = (guint) hir_row_get_int (row, 0, G_MAXUINT32);
  view->n_removed = (guint) hir_row_get_int (row, 0, G_MAXUINT32);
  view->hash = hir_row_get_id (row);
  view->is_host = (gboolean) hir_row_get_int (row, 0, 1);
  for (guint c = 0; c < N_COUNTS; c++)
    counts.expected[c] = hir_row_get_int (row, 0, G_MAXINT64);
  if (view->spans == NULL)
    view->spans = g_array_new (FALSE, FALSE, sizeof (HirSpan));
  if (view->graph == NULL)
    view->graph = hir_graph_new_empty ();
  g_ptr_array_add (job->views, view);
  g_array_append_val (job->counts, counts);
  return TRUE;
}

/* Returns the snapshot of the row. If there is none, returns NULL and marks the row as bad. */
static HirProgramView *
get_view (Job *job, HirRow *row, int count)
{
  gint64 index = hir_row_get_int (row, 0, HIR_RECORDING_MAX_VIEWS);

  if (index >= job->views->len)
    {
      row->is_bad = TRUE;
      return NULL;
    }
  if (count >= 0)
    g_array_index (job->counts, Counts, index).found[count]++;
  return g_ptr_array_index (job->views, index);
}

static gboolean
read_text (Job *job, HirRow *row)
{
  HirProgramView *view = get_view (job, row, -1);
  const char *text = hir_row_get_text (row);

  if (view == NULL)
    return FALSE;
  g_free (view->text);
  view->text = g_strdup (text);
  job->n_texts++;
  return TRUE;
}

static gboolean
read_node (Job *job, HirRow *row)
{
  guint64 id = hir_row_get_id (row);
  HirProgramView *view = get_view (job, row, COUNT_NODES);
  HirNodeInfo *info;

  if (view == NULL || hir_program_view_lookup (view, id) != NULL)
    return FALSE;
  info = hir_node_info_new (id, FALSE);
  g_free (info->kind);
  info->kind = g_strdup (hir_row_get_text (row));
  g_free (info->label);
  info->label = g_strdup (hir_row_get_text (row));
  hir_row_get_text (row); /* skips the file, which is also in meta */
  info->pos.line = (guint) hir_row_get_int (row, 0, G_MAXINT32);
  info->pos.column = (guint) hir_row_get_int (row, 0, G_MAXINT32);
  info->is_expr = (gboolean) hir_row_get_int (row, 0, 1);
  info->content_hash = hir_row_get_id (row);
  hir_program_view_add_node (view, info);
  return TRUE;
}

static gboolean
read_origin (Job *job, HirRow *row)
{
  guint64 id = hir_row_get_id (row), from = hir_row_get_id (row);
  HirProgramView *view = get_view (job, row, COUNT_ORIGINS);
  HirNodeInfo *info = view != NULL ? (HirNodeInfo *) hir_program_view_lookup (view, id) : NULL;

  if (info == NULL || info->n_origins == G_MAXUINT32)
    return FALSE;
  /* The capacity is the next power of two: the array is full when n_origins is one. */
  if ((info->n_origins & (info->n_origins - 1)) == 0)
    info->origins = g_renew (guint64, info->origins, MAX (1, (gsize) info->n_origins * 2));
  info->origins[info->n_origins++] = from;
  return TRUE;
}

static gboolean
read_fact (Job *job, HirRow *row)
{
  guint64 id = hir_row_get_id (row);
  HirProgramView *view = get_view (job, row, COUNT_FACTS);
  HirNodeInfo *info = view != NULL ? (HirNodeInfo *) hir_program_view_lookup (view, id) : NULL;
  g_autofree char *name = g_strdup (hir_row_get_some_text (row));
  g_autofree char *value = g_strdup (hir_row_get_some_text (row));
  guint64 value_id = hir_row_get_id (row);

  if (info == NULL || row->is_bad)
    return FALSE;
  hir_node_info_add_fact (info, name, value, value_id);
  return TRUE;
}

/* Returns whether @position is between two characters of @text or at its end. */
static gboolean
is_boundary (const char *text, gint64 position)
{
  return (text[position] & 0xc0) != 0x80;
}

static gboolean
read_span (Job *job, HirRow *row)
{
  HirProgramView *view = get_view (job, row, COUNT_SPANS);
  gsize length = view != NULL && view->text != NULL ? strlen (view->text) : 0;
  HirSpan span;

  span.start = (guint) hir_row_get_int (row, 0, (gint64) length);
  span.end = (guint) hir_row_get_int (row, span.start, (gint64) length);
  span.id = hir_row_get_id (row);
  span.is_expr = (gboolean) hir_row_get_int (row, 0, 1);
  if (view == NULL || row->is_bad ||
      (length > 0 &&
       (!is_boundary (view->text, span.start) || !is_boundary (view->text, span.end))))
    return FALSE;
  g_array_append_val (view->spans, span);
  return TRUE;
}

static gboolean
read_group (Job *job, HirRow *row)
{
  HirProgramView *view = get_view (job, row, COUNT_GRAPH_GROUPS);
  HirGraphGroup group = { 0 };

  group.id = hir_row_get_id (row);
  group.title = (char *) hir_row_get_some_text (row);
  group.parent =
      (int) hir_row_get_int (row, -1, view != NULL ? (gint64) view->graph->groups->len - 1 : -1);
  group.kind = (HirExprKind) hir_row_get_int (row, 0, HIR_N_EXPR_KINDS - 1);
  if (view == NULL || row->is_bad)
    return FALSE;
  group.title = g_strdup (group.title);
  g_array_append_val (view->graph->groups, group);
  return TRUE;
}

static gboolean
read_graph_node (Job *job, HirRow *row)
{
  HirProgramView *view = get_view (job, row, COUNT_GRAPH_NODES);
  HirGraphNode node = { 0 };

  node.id = hir_row_get_id (row);
  node.key = hir_row_get_id (row);
  node.kind = (HirGraphNodeKind) hir_row_get_int (row, 0, HIR_GRAPH_COMM);
  node.title = (char *) hir_row_get_some_text (row);
  node.subtitle = (char *) hir_row_get_some_text (row);
  node.group =
      (int) hir_row_get_int (row, -1, view != NULL ? (gint64) view->graph->groups->len - 1 : -1);
  node.pos.line = (guint) hir_row_get_int (row, 0, G_MAXINT32);
  node.pos.column = (guint) hir_row_get_int (row, 0, G_MAXINT32);
  if (view == NULL || row->is_bad)
    return FALSE;
  node.title = g_strdup (node.title);
  node.subtitle = g_strdup (node.subtitle);
  g_array_append_val (view->graph->nodes, node);
  return TRUE;
}

static gboolean
read_edge (Job *job, HirRow *row)
{
  HirProgramView *view = get_view (job, row, COUNT_GRAPH_EDGES);
  gint64 last = view != NULL ? (gint64) view->graph->nodes->len - 1 : -1;
  HirGraphEdge edge = { 0 };

  edge.from = (guint) hir_row_get_int (row, 0, last);
  edge.to = (guint) hir_row_get_int (row, 0, last);
  edge.kind = (HirEdgeKind) hir_row_get_int (row, 0, HIR_EDGE_COMM);
  edge.id = hir_row_get_id (row);
  if (view == NULL || row->is_bad)
    return FALSE;
  g_array_append_val (view->graph->edges, edge);
  return TRUE;
}

/* Ordered so that rows refer only to rows of earlier tables. */
static const Table tables[] = {
  { "passes", read_pass },        { "snapshots", read_text },
  { "nodes", read_node },         { "origins", read_origin },
  { "facts", read_fact },         { "spans", read_span },
  { "graph_groups", read_group }, { "graph_nodes", read_graph_node },
  { "graph_edges", read_edge },
};

static gboolean
read_row (HirRow *row, gpointer user_data, GError **error)
{
  Job *job = user_data;

  if (!job->table->read (job, row))
    row->is_bad = TRUE;
  return hir_row_check (row, error);
}

/* Removes the empty line before a program, which earlier versions printed, so that its lines have
 * the numbers of the program that is printed today. */
static void
drop_empty_line (HirProgramView *view)
{
  if (view->text == NULL || !g_str_has_prefix (view->text, "\n%HostIrContainer {"))
    return;
  memmove (view->text, view->text + 1, strlen (view->text));
  for (guint i = 0; view->spans != NULL && i < view->spans->len; i++)
    {
      HirSpan *span = &g_array_index (view->spans, HirSpan, i);

      span->start -= span->start > 0;
      span->end -= span->end > 0;
    }
}

gboolean
hir_recording_read_views (HirRecordingReader *reader, GError **error)
{
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (Counts));
  Job job = { reader->recording->views, counts, 0, NULL };
  gboolean all = TRUE;

  for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
    {
      job.table = &tables[t];
      if (!hir_db_each_row (reader->db, reader->path, tables[t].table, reader->ignore_digests,
                            read_row, &job, error))
        return FALSE;
    }
  for (guint i = 0; i < counts->len; i++)
    all = all && memcmp (g_array_index (counts, Counts, i).expected,
                         g_array_index (counts, Counts, i).found, sizeof (gint64) * N_COUNTS) == 0;
  if (all && job.n_texts == job.views->len)
    {
      for (guint i = 0; i < job.views->len; i++)
        drop_empty_line (g_ptr_array_index (job.views, i));
      return TRUE;
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "%s: the recording is damaged (rows of a snapshot are missing); record the run "
                 "again",
                 reader->path);
  return FALSE;
}
