#include "sample.h"

guint
sample_add_node (HirGraph *graph,
                 guint64 id,
                 HirGraphNodeKind kind,
                 int group,
                 const char *title,
                 const char *subtitle)
{
  HirGraphNode node = { .id = id,
                        .key = id,
                        .kind = kind,
                        .title = g_strdup (title),
                        .subtitle = g_strdup (subtitle),
                        .group = group };

  g_array_append_val (graph->nodes, node);
  return graph->nodes->len - 1;
}

guint
sample_add_group (HirGraph *graph, guint64 id, int parent, const char *title)
{
  HirGraphGroup group = {
    .id = id, .title = g_strdup (title), .parent = parent, .kind = HIR_EXPR_FOR
  };

  g_array_append_val (graph->groups, group);
  return graph->groups->len - 1;
}

void
sample_add_edge (HirGraph *graph, guint from, guint to, HirEdgeKind kind)
{
  HirGraphEdge edge = { .from = from, .to = to, .kind = kind };

  g_array_append_val (graph->edges, edge);
}

HirGraph *
sample_graph_ag_matmul (void)
{
  HirGraph *g = hir_graph_new_empty ();
  guint t0 = sample_add_node (g, 1, HIR_GRAPH_TENSOR, -1, "T0", "[i0, mesh_x i2, i3, i4]");
  guint t1 = sample_add_node (g, 2, HIR_GRAPH_TENSOR, -1, "T1", "[i5, i6]");
  guint a3 = sample_add_node (g, 3, HIR_GRAPH_MEMORY, -1, "ALLOCATE T3", "i0·i2·i3·i4");
  guint a2 = sample_add_node (g, 4, HIR_GRAPH_MEMORY, -1, "ALLOCATE T2", "i0·i2·i3·i6");
  guint get = sample_add_node (g, 5, HIR_GRAPH_STREAM, -1, "GetCurrentStream", "→ Default stream");
  guint loop = sample_add_group (g, 10, -1, "FOR StreamIdx in iStreamIdx11{i0}");
  guint set1 = sample_add_node (g, 6, HIR_GRAPH_STREAM, (int) loop, "SetCurrentStream",
                                "Stream StreamIdx % 4");
  guint sel4 =
      sample_add_node (g, 7, HIR_GRAPH_MEMORY, (int) loop, "HirAliasSelect T4", "T0 · axis 0");
  guint sel5 =
      sample_add_node (g, 8, HIR_GRAPH_MEMORY, (int) loop, "HirAliasSelect T5", "T3 · axis 0");
  guint ag = sample_add_node (g, 59, HIR_GRAPH_COMM, (int) loop, "Allgather", "team 0 1 · NCCL");
  guint wait = sample_add_node (g, 60, HIR_GRAPH_COMM, (int) loop, "Wait", "Communication 59");
  guint sel6 =
      sample_add_node (g, 61, HIR_GRAPH_MEMORY, (int) loop, "HirAliasSelect T6", "T2 · axis 0");
  guint mm = sample_add_node (g, SAMPLE_MATMUL, HIR_GRAPH_OP, (int) loop, "matmul", "T5 × T1 → T6");
  guint set0 =
      sample_add_node (g, 63, HIR_GRAPH_STREAM, (int) loop, "SetCurrentStream", "Default stream");
  guint sync =
      sample_add_node (g, 64, HIR_GRAPH_STREAM, (int) loop, "Synchronize", "Stream StreamIdx % 4");

  sample_add_edge (g, t0, sel4, HIR_EDGE_ALIAS);
  sample_add_edge (g, a3, sel5, HIR_EDGE_ALIAS);
  sample_add_edge (g, a2, sel6, HIR_EDGE_ALIAS);
  sample_add_edge (g, sel4, ag, HIR_EDGE_DATA);
  sample_add_edge (g, sel5, ag, HIR_EDGE_DATA);
  sample_add_edge (g, ag, wait, HIR_EDGE_SYNC);
  sample_add_edge (g, wait, mm, HIR_EDGE_DATA);
  sample_add_edge (g, sel6, mm, HIR_EDGE_DATA);
  sample_add_edge (g, t1, mm, HIR_EDGE_DATA);
  sample_add_edge (g, get, set1, HIR_EDGE_ORDER);
  sample_add_edge (g, set1, ag, HIR_EDGE_ORDER);
  sample_add_edge (g, mm, set0, HIR_EDGE_ORDER);
  sample_add_edge (g, set0, sync, HIR_EDGE_ORDER);
  sample_add_edge (g, mm, sync, HIR_EDGE_SYNC);
  return g;
}

HirGraph *
sample_graph_random (guint n, guint32 seed)
{
  HirGraph *graph = hir_graph_new_empty ();
  GRand *rand = g_rand_new_with_seed (seed);
  guint n_groups = n / 12;

  for (guint i = 0; i < n_groups; i++)
    sample_add_group (graph, 1000000 + i, i % 3 == 2 ? (int) i - 1 : -1, "FOR i in iStreamIdx{i0}");
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *title = g_strdup_printf ("op %u", i);
      int group = n_groups > 0 && i % 12 > 6 ? (int) MIN (i / 12, n_groups - 1) : -1;

      sample_add_node (graph, i + 1, (HirGraphNodeKind) (i % 5), group, title,
                       i % 4 ? "T5 × T1 → T6" : "");
    }
  for (guint i = 1; i < n; i++)
    {
      sample_add_edge (graph,
                       (guint) g_rand_int_range (rand, (gint32) MAX ((int) i - 20, 0), (gint32) i),
                       i, (HirEdgeKind) (i % 4));
      if (i % 2 == 0)
        sample_add_edge (graph,
                         (guint) g_rand_int_range (rand, (gint32) MAX ((int) i - 9, 0), (gint32) i),
                         i, HIR_EDGE_DATA);
    }
  g_rand_free (rand);
  return graph;
}

static void
add_event (HirTraceBuilder *builder,
           guint track,
           HirEventKind kind,
           const char *name,
           gint64 start_us,
           gint64 length_us,
           guint64 instruction,
           int iteration,
           guint32 correlation)
{
  HirEvent event = {
    .start_ns = start_us * 1000,
    .end_ns = (start_us + length_us) * 1000,
    .instruction = instruction,
    .name = hir_trace_builder_intern (builder, name),
    .correlation = correlation,
    .iteration = iteration,
    .track = (guint16) track,
    .kind = (guint8) kind,
  };

  g_assert_true (hir_trace_builder_add (builder, &event, NULL));
}

static void
add_rank (HirTraceBuilder *builder, int rank)
{
  guint tracks[6];

  for (guint i = 0; i < 6; i++)
    {
      g_autofree char *name = i == 0   ? g_strdup ("host")
                              : i == 5 ? g_strdup ("NCCL")
                                       : g_strdup_printf ("Stream %u", i - 1);
      HirTrack track = { i == 0   ? HIR_TRACK_HOST
                         : i == 5 ? HIR_TRACK_LINK
                                  : HIR_TRACK_STREAM,
                         rank, rank, i == 0 ? -1 : 17 + (gint64) i, name };

      tracks[i] = hir_trace_builder_add_track (builder, &track);
    }
  for (int i = 0; i < 8; i++)
    {
      gint64 at = 20 + i * 400;
      guint32 correlation = (guint32) i + 1; /* each rank has its own */

      add_event (builder, tracks[0], HIR_EVENT_ISSUE, "Communication", 6 + i * 30, 7, 59, i, 0);
      add_event (builder, tracks[0], HIR_EVENT_ISSUE, "matmul", 16 + i * 30, 9, SAMPLE_MATMUL, i,
                 correlation);
      add_event (builder, tracks[5], HIR_EVENT_COMMUNICATION, "Allgather", at, 105, 59, i, 0);
      add_event (builder, tracks[1 + i % 4], HIR_EVENT_KERNEL, "matmul", at + 110 + rank * 5, 380,
                 SAMPLE_MATMUL, i, correlation);
    }
}

HirTrace *
sample_trace_ag_matmul (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();

  add_rank (builder, 0);
  add_rank (builder, 1);
  hir_trace_builder_set_meta (builder, "clock", "model");
  hir_trace_builder_set_meta (builder, "backend", "cpu");
  return hir_trace_builder_finish (builder);
}

HirTrace *
sample_trace_regular (guint n, gint64 period_ns, gint64 length_ns)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  char name[] = "Stream 0";
  HirTrack track = { HIR_TRACK_STREAM, 0, 0, 0, name };
  guint index = hir_trace_builder_add_track (builder, &track);
  guint32 kernel = hir_trace_builder_intern (builder, "matmul");

  for (guint i = 0; i < n; i++)
    {
      HirEvent event = { .start_ns = i * period_ns,
                         .end_ns = i * period_ns + length_ns,
                         .instruction = i + 1,
                         .name = kernel,
                         .iteration = -1,
                         .track = (guint16) index,
                         .kind = HIR_EVENT_KERNEL };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  return hir_trace_builder_finish (builder);
}

static void
assert_inside (const HirRect *inner, const HirRect *outer)
{
  const float e = 0.5f;

  g_assert_cmpfloat (inner->x, >=, outer->x - e);
  g_assert_cmpfloat (inner->y, >=, outer->y - e);
  g_assert_cmpfloat (inner->x + inner->width, <=, outer->x + outer->width + e);
  g_assert_cmpfloat (inner->y + inner->height, <=, outer->y + outer->height + e);
}

void
sample_check_layout (const HirLayout *layout, const HirSizes *sizes)
{
  HirRect all = { 0, 0, layout->width, layout->height };

  g_assert_cmpuint (layout->nodes->len, ==, sizes->nodes->len);
  g_assert_cmpuint (layout->edges->len, ==, sizes->edges->len);
  g_assert_cmpuint (layout->groups->len, ==, sizes->groups->len);
  for (guint i = 0; i < layout->nodes->len; i++)
    {
      HirRect a = g_array_index (layout->nodes, HirRect, i);
      int group = g_array_index (sizes->nodes, HirSizesNode, i).group;

      assert_inside (&a, &all);
      if (group >= 0)
        assert_inside (&a, &g_array_index (layout->groups, HirRect, group));
      a = hir_rect (a.x + 0.5, a.y + 0.5, a.width - 1, a.height - 1);
      for (guint k = i + 1; k < layout->nodes->len; k++)
        g_assert_false (hir_rect_overlaps (&a, &g_array_index (layout->nodes, HirRect, k)));
    }
  for (guint i = 0; i < layout->groups->len; i++)
    {
      const HirRect *rect = &g_array_index (layout->groups, HirRect, i);
      int parent = g_array_index (sizes->groups, HirSizesGroup, i).parent;

      if (rect->width > 0 && parent >= 0)
        assert_inside (rect, &g_array_index (layout->groups, HirRect, parent));
    }
  for (guint i = 0; i < layout->edges->len; i++)
    g_assert_cmpuint (g_array_index (layout->edges, HirLayoutEdge, i).n_points % 3, ==, 1);
}

void
sample_check_layouts_equal (const HirLayout *a, const HirLayout *b)
{
  g_assert_cmpmem (a->nodes->data, a->nodes->len * sizeof (HirRect), b->nodes->data,
                   b->nodes->len * sizeof (HirRect));
  g_assert_cmpmem (a->groups->data, a->groups->len * sizeof (HirRect), b->groups->data,
                   b->groups->len * sizeof (HirRect));
  g_assert_cmpmem (a->points->data, a->points->len * sizeof (HirPoint), b->points->data,
                   b->points->len * sizeof (HirPoint));
}
