/* Generates recordings for tests: views and events that use all fields and kinds, and comparisons
 * of them. */
#pragma once

#include "trace/recording/recording.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "test-folder.h"

static inline void
fixture_add_graph (HirProgramView *view, guint seed)
{
  HirGraphGroup outer = { 500, g_strdup ("FOR StreamIdx in iS2{i0}"), -1, HIR_EXPR_FOR };
  HirGraphGroup inner = { 501, g_strdup (""), 0, HIR_EXPR_IF };

  g_array_append_val (view->graph->groups, outer);
  g_array_append_val (view->graph->groups, inner);
  for (guint i = 0; i < 4; i++)
    {
      HirGraphNode node = { 100 + i, G_MAXUINT64 - i - seed, (HirGraphNodeKind) i, NULL,
                            NULL,    (int) (i % 3) - 1,      { i, i * 2 } };
      HirGraphEdge edge = { i, (i + seed) % 4, (HirEdgeKind) i, i == 0 ? 0 : 100 + i };

      node.title = g_strdup_printf ("T%u \"{}\\", i);
      node.subtitle = g_strdup (i % 2 ? "[i0, i2] \xc3\xa9" : "");
      g_array_append_val (view->graph->nodes, node);
      g_array_append_val (view->graph->edges, edge);
    }
}

static inline HirProgramView *
fixture_new_view (guint seed, guint n_nodes)
{
  HirProgramView *view = hir_program_view_new_empty ();
  GString *text = g_string_new ("%HostIrContainer { (T0\xc3\xa9) -> (T1) :\n");

  g_assert_null (view->graph);
  view->graph = hir_graph_new_empty ();
  view->spans = g_array_new (FALSE, FALSE, sizeof (HirSpan));
  view->pass_name = g_strdup_printf ("Pass%u", seed);
  view->duration_ns = 1234567 + seed;
  view->changed = seed % 2;
  view->n_created = seed + 1;
  view->n_changed = seed + 2;
  view->n_removed = seed + 3;
  view->hash = 0x8000000000000000u + seed;
  view->is_host = seed > 0;
  for (guint i = 0; i < n_nodes; i++)
    {
      HirNodeInfo *info = hir_node_info_new (i * 0x9e3779b97f4a7c15u + 100, i % 2);
      HirSpan span = { (guint) text->len, 0, info->id, i % 2 };

      info->kind = g_strdup (i % 2 ? "MatmulOp" : "TensorView");
      info->label = g_strdup_printf ("T%u = matmul(T0, T1) '\n\t", i);
      info->pos = (HirPos){ i, i / 2 };
      info->content_hash = ~info->id;
      info->n_origins = i % 4;
      info->origins = info->n_origins > 0 ? g_new (guint64, info->n_origins) : NULL;
      for (guint k = 0; k < info->n_origins; k++)
        info->origins[k] = i * 10 + k;
      for (guint k = 0; k < i % 3; k++)
        hir_node_info_add_fact (info, k ? "size" : "output", k ? "" : "T1_g_float[iS0{i0}]",
                                k * info->id);
      hir_program_view_add_node (view, info);
      g_string_append_printf (text, "  T%u", i);
      span.end = (guint) text->len;
      g_array_append_val (view->spans, span);
    }
  view->text = g_string_free (text, FALSE);
  fixture_add_graph (view, seed);
  return view;
}

static inline void
fixture_assert_same_node (const HirNodeInfo *a, const HirNodeInfo *b)
{
  g_assert_nonnull (b);
  g_assert_cmpuint (a->id, ==, b->id);
  g_assert_cmpint (a->is_expr, ==, b->is_expr);
  g_assert_cmpstr (a->kind, ==, b->kind);
  g_assert_cmpstr (a->label, ==, b->label);
  g_assert_cmpmem (&a->pos, sizeof a->pos, &b->pos, sizeof b->pos);
  g_assert_cmpuint (a->content_hash, ==, b->content_hash);
  g_assert_cmpmem (a->origins, a->n_origins * sizeof (guint64), b->origins,
                   b->n_origins * sizeof (guint64));
  g_assert_cmpuint (a->facts->len, ==, b->facts->len);
  for (guint i = 0; i < a->facts->len; i++)
    {
      const HirFact *x = &g_array_index (a->facts, HirFact, i);
      const HirFact *y = &g_array_index (b->facts, HirFact, i);

      g_assert_cmpstr (x->name, ==, y->name);
      g_assert_cmpstr (x->value, ==, y->value);
      g_assert_cmpuint (x->id, ==, y->id);
    }
}

static inline void
fixture_assert_same_graph (const HirGraph *a, const HirGraph *b)
{
  g_assert_cmpuint (a->nodes->len, ==, b->nodes->len);
  for (guint i = 0; i < a->nodes->len; i++)
    {
      const HirGraphNode *x = &g_array_index (a->nodes, HirGraphNode, i);
      const HirGraphNode *y = &g_array_index (b->nodes, HirGraphNode, i);

      g_assert_cmpuint (x->id, ==, y->id);
      g_assert_cmpuint (x->key, ==, y->key);
      g_assert_cmpint (x->kind, ==, y->kind);
      g_assert_cmpstr (x->title, ==, y->title);
      g_assert_cmpstr (x->subtitle, ==, y->subtitle);
      g_assert_cmpint (x->group, ==, y->group);
      g_assert_cmpmem (&x->pos, sizeof x->pos, &y->pos, sizeof y->pos);
    }
  g_assert_cmpuint (a->groups->len, ==, b->groups->len);
  for (guint i = 0; i < a->groups->len; i++)
    {
      const HirGraphGroup *x = &g_array_index (a->groups, HirGraphGroup, i);
      const HirGraphGroup *y = &g_array_index (b->groups, HirGraphGroup, i);

      g_assert_cmpuint (x->id, ==, y->id);
      g_assert_cmpstr (x->title, ==, y->title);
      g_assert_cmpint (x->parent, ==, y->parent);
      g_assert_cmpint (x->kind, ==, y->kind);
    }
  g_assert_cmpuint (a->edges->len, ==, b->edges->len);
  for (guint i = 0; i < a->edges->len; i++)
    {
      const HirGraphEdge *x = &g_array_index (a->edges, HirGraphEdge, i);
      const HirGraphEdge *y = &g_array_index (b->edges, HirGraphEdge, i);

      g_assert_cmpuint (x->from, ==, y->from);
      g_assert_cmpuint (x->to, ==, y->to);
      g_assert_cmpint (x->kind, ==, y->kind);
      g_assert_cmpuint (x->id, ==, y->id);
    }
}

static inline void
fixture_assert_same_view (const HirProgramView *a, const HirProgramView *b)
{
  GHashTableIter iter;
  gpointer info;

  g_assert_cmpstr (a->pass_name, ==, b->pass_name);
  g_assert_cmpint (a->duration_ns, ==, b->duration_ns);
  g_assert_cmpint (a->changed, ==, b->changed);
  g_assert_cmpuint (a->n_created, ==, b->n_created);
  g_assert_cmpuint (a->n_changed, ==, b->n_changed);
  g_assert_cmpuint (a->n_removed, ==, b->n_removed);
  g_assert_cmpuint (a->hash, ==, b->hash);
  g_assert_cmpint (a->is_host, ==, b->is_host);
  g_assert_cmpstr (a->text, ==, b->text);
  g_assert_cmpuint (a->spans->len, ==, b->spans->len);
  for (guint i = 0; i < a->spans->len; i++)
    {
      const HirSpan *x = &g_array_index (a->spans, HirSpan, i);
      const HirSpan *y = &g_array_index (b->spans, HirSpan, i);

      g_assert_cmpuint (x->start, ==, y->start);
      g_assert_cmpuint (x->end, ==, y->end);
      g_assert_cmpuint (x->id, ==, y->id);
      g_assert_cmpint (x->is_expr, ==, y->is_expr);
    }
  g_assert_cmpuint (g_hash_table_size (a->nodes), ==, g_hash_table_size (b->nodes));
  g_hash_table_iter_init (&iter, a->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &info))
    {
      const HirNodeInfo *node = info;

      fixture_assert_same_node (node, hir_program_view_lookup (b, node->id));
    }
  fixture_assert_same_graph (a->graph, b->graph);
}

/* Returns a deterministic event with all fields set; the events are on 3 tracks in start order. */
static inline HirEvent
fixture_event (guint i)
{
  HirEvent event = { .start_ns = (gint64) i * 1000 + 7,
                     .end_ns = (gint64) i * 1000 + 7 + (i % 500),
                     .bytes = i % 7 ? (gint64) i << 20 : 0,
                     .flops = (gint64) i * i,
                     .instruction = i % 5 ? 0xabcdef0123456789u + i % 5 : 0,
                     .correlation = i,
                     .iteration = (gint32) (i % 4) - 1,
                     .track = (guint16) (i % 3),
                     .kind = (guint8) (i % HIR_EVENT_COUNTER),
                     .phase = (guint8) (i % HIR_PHASE_BASELINE) };

  return event;
}

static inline const char *
fixture_name (guint i)
{
  static const char *const names[] = { "matmul", "Set", "", "a \"quoted\"\n\xc3\xa9",
                                       "0123456789abcdef" };

  return names[i % G_N_ELEMENTS (names)];
}

static inline void
fixture_add_tracks (HirRecorder *recorder)
{
  for (guint t = 0; t < 3; t++)
    {
      HirTrack track = { (HirTrackKind) t, (int) t, (int) t + 1, (gint64) t - 1,
                         (char *) "Stream \xc3\xa9" };

      g_assert_cmpuint (hir_recorder_add_track (recorder, &track), ==, t);
    }
}

/* Adds events [from, to) through a recorder, as a run does. */
static inline void
fixture_add_events (HirRecorder *recorder, guint from, guint to)
{
  for (guint i = from; i < to; i++)
    {
      HirEvent event = fixture_event (i);

      event.name = hir_recorder_intern (recorder, fixture_name (i));
      hir_recorder_add (recorder, &event);
    }
}

/* Adds events of baseline repetitions, which become rows of the table `baseline`. */
static inline void
fixture_add_samples (HirRecorder *recorder)
{
  for (guint i = 0; i < 4; i++)
    {
      HirEvent event = { .start_ns = 1000 * i,
                         .end_ns = 1000 * i + 500,
                         .instruction = 5 + i,
                         .iteration = (gint32) i - 1,
                         .phase = HIR_PHASE_BASELINE };

      event.name = hir_recorder_intern (recorder, fixture_name (i));
      hir_recorder_add (recorder, &event);
    }
}

/* Asserts that @trace has exactly events [0, n). */
static inline void
fixture_assert_trace (const HirTrace *trace, guint n)
{
  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, n);
  for (guint i = 0; i < n; i++)
    {
      HirEvent expected = fixture_event (i), event;

      hir_trace_get_event (trace, expected.track, i / 3, &event);
      g_assert_cmpstr (hir_trace_get_string (trace, event.name), ==, fixture_name (i));
      event.name = 0;
      g_assert_cmpmem (&event, sizeof event, &expected, sizeof expected);
    }
}

/* Writes a closed recording with @n_views views of @n_nodes nodes and @n_events events. */
static inline void
fixture_record (const char *path, guint n_views, guint n_nodes, guint n_events)
{
  g_autoptr (GError) error = NULL;
  HirRecordingWriter *writer = hir_recording_writer_new (path, &error);
  HirRecorder *recorder = hir_recorder_new ();
  HirRecorderSink sink;

  g_assert_no_error (error);
  g_assert_true (hir_recording_writer_set_meta (writer, HIR_META_SOURCE_PATH, "fusion.py", &error));
  g_assert_true (
      hir_recording_writer_set_meta (writer, HIR_META_SOURCE_TEXT, "def f():\n  pass\n", &error));
  for (guint i = 0; i < n_views; i++)
    {
      g_autoptr (HirProgramView) view = fixture_new_view (i, n_nodes);

      g_assert_true (hir_recording_writer_add_view (writer, i, view, &error));
      g_assert_no_error (error);
    }
  hir_recording_writer_init_sink (writer, &sink);
  hir_recorder_add_sink (recorder, &sink);
  fixture_add_tracks (recorder);
  fixture_add_events (recorder, 0, n_events);
  fixture_add_samples (recorder);
  hir_recorder_flush (recorder);
  g_assert_null (hir_recorder_get_error (recorder));
  hir_recorder_free (recorder);
  g_assert_true (
      hir_recording_writer_add_account (writer, "3 records dropped by the device", &error));
  g_assert_true (hir_recording_writer_close (writer, &error));
  g_assert_no_error (error);
  hir_recording_writer_free (writer);
}
