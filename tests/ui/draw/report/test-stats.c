#include "draw/paint-pixels.h"
#include "draw/report/stats-scene.h"
#include "sample.h"

#include <math.h>
#include <string.h>

typedef struct
{
  HirTrace *trace;
  HirStats *stats;
  HirMeasure *measure;
  HirDisplayList *list;
  GArray *order;
  char **notes;
  HirStatsScene scene;
} Fixture;

static void
set_up (Fixture *f, HirTrace *trace)
{
  f->trace = trace;
  f->stats = hir_stats_new (trace, NULL);
  f->measure = hir_measure_new ();
  f->list = hir_display_list_new ();
  f->order = hir_stats_scene_dup_order (f->stats, 2, TRUE);
  f->notes = hir_stats_scene_dup_notes (f->stats, trace);
  f->scene = (HirStatsScene){
    .trace = trace,
    .stats = f->stats,
    .notes = (const char *const *) f->notes,
    .order = f->order,
    .sort_column = 2,
    .is_descending = TRUE,
    .hovered_kernel = -1,
    .selected_kernel = -1,
    .theme = hir_theme_get (TRUE),
    .measure = f->measure,
    .width = 600,
    .height = 400,
  };
}

static void
tear_down (Fixture *f)
{
  g_strfreev (f->notes);
  g_array_unref (f->order);
  hir_display_list_free (f->list);
  hir_measure_free (f->measure);
  hir_stats_free (f->stats);
  hir_trace_unref (f->trace);
}

/* Creates @n different names; the i-th event takes i + 1 µs. */
static HirTrace *
create_names (guint n)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirTrack track = { HIR_TRACK_STREAM, 0, 0, 7, (char *) "stream 7" };
  guint at = hir_trace_builder_add_track (builder, &track);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("kernel_%05u", n - i);
      HirEvent event = { .start_ns = (gint64) i * 10000000,
                         .end_ns = (gint64) i * 10000000 + (i + 1) * 1000,
                         .name = hir_trace_builder_intern (builder, name),
                         .iteration = -1,
                         .track = (guint16) at };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  return hir_trace_builder_finish (builder);
}

static const HirDrawItem *
find_text (const HirDisplayList *list, const char *text)
{
  for (guint i = 0; i < list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (list, i);

      if (item->kind == HIR_DRAW_TEXT && strcmp (hir_display_list_get_text (list, item), text) == 0)
        return item;
    }
  return NULL;
}

static void
test_order (void)
{
  Fixture f;

  set_up (&f, create_names (100));
  for (guint column = 0; column < 7; column++)
    for (int is_descending = 0; is_descending < 2; is_descending++)
      {
        g_autoptr (GArray) order = hir_stats_scene_dup_order (f.stats, column, is_descending);
        g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

        g_assert_cmpuint (order->len, ==, 100);
        for (guint i = 0; i < order->len; i++)
          {
            guint at = g_array_index (order, guint, i);
            guint before = g_array_index (order, guint, MAX (i, 1) - 1);
            const HirKernelStats *x = &g_array_index (f.stats->kernels, HirKernelStats, before);
            const HirKernelStats *y = &g_array_index (f.stats->kernels, HirKernelStats, at);

            g_assert_true (g_hash_table_add (seen, GUINT_TO_POINTER (at + 1)));
            if (column == 0 && i > 0)
              g_assert_true (is_descending ? strcmp (x->name, y->name) > 0
                                           : strcmp (x->name, y->name) < 0);
            else if (column >= 2)
              g_assert_true (is_descending ? x->sum_ns >= y->sum_ns : x->sum_ns <= y->sum_ns);
          }
      }
  tear_down (&f);
}

/* Hit tests match the drawing. */
static void
test_hit (void)
{
  Fixture f;
  guint n_found = 0;

  set_up (&f, sample_trace_ag_matmul ());
  f.scene.height = hir_stats_scene_get_height (&f.scene);
  hir_stats_scene_draw (&f.scene, f.list);
  for (guint i = 0; i < f.list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (f.list, i);
      g_autofree char *cell = NULL;
      HirStatsHit hit;

      if (item->kind != HIR_DRAW_TEXT ||
          !hir_stats_scene_hit (&f.scene, item->rect.x + 2, item->rect.y + 2, &hit))
        continue;
      cell = hir_stats_scene_dup_cell (&f.scene, hit.section, hit.row, hit.column);
      g_assert_true (g_str_has_prefix (hir_display_list_get_text (f.list, item), cell));
      n_found++;
    }
  g_assert_cmpuint (n_found, >, 40);
  /* Nothing is drawn outside. */
  g_assert_nonnull (find_text (f.list, "Devices"));
  g_assert_nonnull (find_text (f.list, "Account"));
  tear_down (&f);
}

/* Returns the first text that starts with @prefix (borrowed), or NULL. */
static const char *
find_prefix (const HirDisplayList *list, const char *prefix)
{
  for (guint i = 0; i < list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (list, i);
      const char *text =
          item->kind == HIR_DRAW_TEXT ? hir_display_list_get_text (list, item) : NULL;

      if (text != NULL && g_str_has_prefix (text, prefix))
        return text;
    }
  return NULL;
}

/* At any width, a number is complete or omitted, and essential columns stay. */
static void
test_narrow (void)
{
  Fixture f;
  const char *note;
  guint n_hidden = 0;

  set_up (&f, sample_trace_ag_matmul ());
  for (f.scene.width = 420; f.scene.width < 1200; f.scene.width += 17)
    {
      f.scene.height = hir_stats_scene_get_height (&f.scene);
      hir_display_list_clear (f.list);
      hir_stats_scene_draw (&f.scene, f.list);
      for (guint i = 0; i < f.list->items->len; i++)
        {
          const HirDrawItem *item = hir_display_list_get_item (f.list, i);

          if (item->kind == HIR_DRAW_TEXT && item->font == HIR_FONT_MONO)
            g_assert_cmpfloat (hir_measure_get_width (f.measure, HIR_FONT_MONO, item->radius,
                                                      hir_display_list_get_text (f.list, item)),
                               <=, item->rect.width);
        }
      g_assert_nonnull (find_text (f.list, "exposed"));
      g_assert_nonnull (find_text (f.list, "overlap"));
      /* A hidden column is named. */
      if (find_text (f.list, "exp. copy") == NULL)
        {
          note = find_prefix (f.list, "Ctrl+M also shows ");
          g_assert_nonnull (note);
          g_assert_nonnull (strstr (note, "exp. copy"));
          n_hidden++;
        }
    }
  g_assert_cmpuint (n_hidden, >, 0);
  g_assert_nonnull (find_text (f.list, "exp. copy"));
  g_assert_null (find_prefix (f.list, "Ctrl+M also shows "));
  tear_down (&f);
}

/* Names of streams were cut where columns can be omitted. */
static void
test_stream_names (void)
{
  Fixture f;

  set_up (&f, sample_trace_ag_matmul ());
  for (f.scene.width = 300; f.scene.width < 1200; f.scene.width += 17)
    {
      g_autofree char *name = hir_stats_scene_dup_cell (&f.scene, HIR_STATS_STREAMS, 0, 0);
      const HirDrawItem *item;

      f.scene.height = hir_stats_scene_get_height (&f.scene);
      hir_display_list_clear (f.list);
      hir_stats_scene_draw (&f.scene, f.list);
      item = find_text (f.list, name);
      g_assert_nonnull (item);
      g_assert_cmpfloat (hir_measure_get_width (f.measure, HIR_FONT_SANS, item->radius,
                                                "rank 7: comm {0 1 2 3 4 5 6 7}"),
                         <=, item->rect.width);
      g_assert_nonnull (find_text (f.list, "occupancy"));
      g_assert_nonnull (find_text (f.list, "overlap"));
      for (guint i = 0; i < f.list->items->len; i++)
        {
          item = hir_display_list_get_item (f.list, i);
          if (item->kind == HIR_DRAW_TEXT)
            g_assert_cmpfloat (item->rect.x + item->rect.width, <=, f.scene.width);
        }
    }
  tear_down (&f);
}

/* The bar below a number has the length of its share: 3, 2 and 1 of 6 µs. */
static void
test_shares (void)
{
  Fixture f;
  double sum = 0, height, y;
  guint n_bars = 0;

  set_up (&f, create_names (3));
  for (int row = 0; row < 3; row++)
    {
      double share = hir_stats_scene_get_share (&f.scene, HIR_STATS_KERNELS, row, 2);

      g_assert_cmpfloat_with_epsilon (share, (3 - row) / 6.0, 1e-9);
      sum += share;
    }
  g_assert_cmpfloat_with_epsilon (sum, 1, 1e-9);
  g_assert_cmpfloat (hir_stats_scene_get_share (&f.scene, HIR_STATS_KERNELS, 0, 3), <, 0);
  g_assert_cmpfloat (hir_stats_scene_get_share (&f.scene, HIR_STATS_KERNELS, 3, 2), <, 0);
  g_assert_cmpfloat (hir_stats_scene_get_share (&f.scene, HIR_STATS_KERNELS, -1, 2), <, 0);
  g_assert_cmpfloat (hir_stats_scene_get_share (&f.scene, HIR_STATS_DEVICES, 0, 8), <, 0);
  f.scene.height = hir_stats_scene_get_height (&f.scene);
  hir_stats_scene_draw (&f.scene, f.list);
  y = hir_stats_scene_get_kernel_y (&f.scene, 0, &height);
  for (guint i = 0; i + 1 < f.list->items->len; i++)
    {
      const HirDrawItem *groove = hir_display_list_get_item (f.list, i);
      const HirDrawItem *bar = hir_display_list_get_item (f.list, i + 1);
      int row = (int) floor ((groove->rect.y - y) / height);

      if (groove->kind != HIR_DRAW_RECT || bar->kind != HIR_DRAW_RECT || row < 0 || row >= 3 ||
          groove->rect.y < y)
        continue;
      g_assert_cmpfloat_with_epsilon (bar->rect.width, groove->rect.width * (3 - row) / 6.0, 0.01);
      n_bars++;
    }
  g_assert_cmpuint (n_bars, ==, 3);
  tear_down (&f);
}

static void
test_numbers_end_in_line (void)
{
  Fixture f;
  const HirDrawItem *head, *cell;

  set_up (&f, create_names (3));
  hir_stats_scene_draw (&f.scene, f.list);
  head = find_text (f.list, "sum \u25be");
  cell = find_text (f.list, "3.00 \u00b5s");
  g_assert_true (head != NULL && cell != NULL);
  g_assert_cmpint (head->align, ==, HIR_ALIGN_END);
  g_assert_cmpint (cell->align, ==, HIR_ALIGN_END);
  g_assert_cmpint (cell->font, ==, HIR_FONT_MONO);
  g_assert_cmpfloat_with_epsilon (head->rect.x + head->rect.width, cell->rect.x + cell->rect.width,
                                  0.01);
  tear_down (&f);
}

/* The cost depends on the visible rows. */
static void
test_many_rows (void)
{
  Fixture f;
  double height;

  set_up (&f, create_names (50000));
  for (int part = 0; part < 4; part++)
    {
      g_autofree char *name = g_strdup_printf ("kernel_%05u", part * 12500 + 1);

      hir_display_list_clear (f.list);
      f.scene.scroll_y =
          hir_stats_scene_get_kernel_y (&f.scene, (guint) part * 12500, &height) - 30;
      hir_stats_scene_draw (&f.scene, f.list);
      g_assert_cmpuint (f.list->items->len, <, 400);
      g_assert_nonnull (find_text (f.list, name));
    }
  tear_down (&f);
}

/* Long names of kernels fit and differ. */
static void
test_long_names (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirTrack track = { HIR_TRACK_STREAM, 0, 0, 7, (char *) "stream 7" };
  guint at = hir_trace_builder_add_track (builder, &track);
  g_autofree char *filler = g_strnfill (200, 'x');
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  Fixture f;

  for (guint i = 0; i < 5; i++)
    {
      g_autofree char *name = g_strdup_printf ("void ns::kernel<%s, Functor%u>(int)", filler, i);
      HirEvent event = { .start_ns = i * 100,
                         .end_ns = i * 100 + 50,
                         .name = hir_trace_builder_intern (builder, name),
                         .iteration = -1,
                         .track = (guint16) at };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  set_up (&f, hir_trace_builder_finish (builder));
  f.scene.names = hir_stats_dup_kernel_names (f.stats, hir_stats_scene_get_name_chars (&f.scene));
  hir_stats_scene_draw (&f.scene, f.list);
  for (guint i = 0; i < f.list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (f.list, i);
      const char *text =
          item->kind == HIR_DRAW_TEXT ? hir_display_list_get_text (f.list, item) : "";

      if (!g_str_has_prefix (text, "kernel"))
        continue;
      g_assert_true (g_hash_table_add (seen, (gpointer) text));
      g_assert_nonnull (strstr (text, "Functor"));
      g_assert_cmpfloat (hir_measure_get_width (f.measure, item->font, 11.5, text), <=,
                         item->rect.width);
    }
  g_assert_cmpuint (g_hash_table_size (seen), ==, 5);
  g_hash_table_unref (f.scene.names);
  tear_down (&f);
}

static void
test_notes (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  Fixture f;

  hir_trace_builder_add_account (builder, "two events were mended");
  set_up (&f, hir_trace_builder_finish (builder));
  g_assert_cmpuint (g_strv_length (f.notes), ==, 2);
  g_assert_nonnull (strstr (f.notes[0], "No device work"));
  g_assert_cmpstr (f.notes[1], ==, "two events were mended");
  hir_stats_scene_draw (&f.scene, f.list);
  g_assert_null (find_text (f.list, "Kernels by name"));
  g_assert_nonnull (find_text (f.list, "two events were mended"));
  tear_down (&f);
}

/* The key of the delays names the largest one, except if there is none. */
static void
test_delays (void)
{
  Fixture f;
  const HirRankStats rank = { .rank = 0 };
  const HirIterationStats column = { .iteration = 0, .n = 1, .late_ns = g_new0 (gint64, 1) };

  set_up (&f, create_names (1));
  g_array_set_size (f.stats->ranks, 0);
  g_array_append_val (f.stats->ranks, rank);
  g_array_append_val (f.stats->iterations, column);
  f.scene.height = hir_stats_scene_get_height (&f.scene);
  hir_stats_scene_draw (&f.scene, f.list);
  g_assert_nonnull (find_text (f.list, "1 column; no rank is late"));
  column.late_ns[0] = 2000;
  hir_stats_scene_draw (&f.scene, f.list);
  g_assert_nonnull (find_text (f.list, "1 column; red: 2.00 \u00b5s late"));
  tear_down (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stats-scene/order", test_order);
  g_test_add_func ("/stats-scene/hit", test_hit);
  g_test_add_func ("/stats-scene/narrow", test_narrow);
  g_test_add_func ("/stats-scene/stream-names", test_stream_names);
  g_test_add_func ("/stats-scene/shares", test_shares);
  g_test_add_func ("/stats-scene/numbers-end-in-line", test_numbers_end_in_line);
  g_test_add_func ("/stats-scene/many-rows", test_many_rows);
  g_test_add_func ("/stats-scene/long-names", test_long_names);
  g_test_add_func ("/stats-scene/notes", test_notes);
  g_test_add_func ("/stats-scene/delays", test_delays);
  return g_test_run ();
}
