#include "draw/timeline/timeline-arrange.h"
#include "draw/timeline/timeline-scene.h"
#include "draw/timeline/timeline-tools.h"

#include <string.h>

#define N_RANKS 3
#define N_STREAMS 4

/* Creates ranks of four streams; the last stream of each has events nested three deep. */
static HirTrace *
create_trace (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();

  for (int rank = 0; rank < N_RANKS; rank++)
    for (int stream = 0; stream < N_STREAMS; stream++)
      {
        g_autofree char *name = g_strdup_printf ("stream; %d", stream);
        HirTrack track = { HIR_TRACK_STREAM, rank, rank, stream, name };
        guint at = hir_trace_builder_add_track (builder, &track);

        for (int i = 0; i < (stream == N_STREAMS - 1 ? 3 : 1); i++)
          {
            HirEvent event = {
              .start_ns = 10 * i, .end_ns = 1000 - 100 * i, .iteration = -1, .track = (guint16) at
            };

            g_assert_true (hir_trace_builder_add (builder, &event, NULL));
          }
      }
  return hir_trace_builder_finish (builder);
}

/* Returns the displayed rows as "h0 0 1 2 3 h1 ..."; pinned rows have a star. */
static char *
dup_rows (const HirTimelineRows *rows)
{
  GString *text = g_string_new (NULL);
  double y = 0;

  for (guint i = 0; i < rows->rows->len; i++)
    {
      const HirTimelineRow *row = &g_array_index (rows->rows, HirTimelineRow, i);

      g_assert_cmpfloat (row->y, ==, y);
      y += row->height;
      if (row->is_header)
        g_string_append_printf (text, "h%d ", row->rank);
      else
        g_string_append_printf (text, "%u%s%s ", row->track, row->is_pinned ? "*" : "",
                                row->is_folded ? "-" : "");
    }
  g_assert_cmpfloat (rows->height, ==, y);
  return g_strchomp (g_string_free (text, FALSE));
}

static void
check (const HirTimelineRows *rows, const char *wanted)
{
  g_autofree char *found = dup_rows (rows);

  g_assert_cmpstr (found, ==, wanted);
}

static void
test_flags (void)
{
  g_autoptr (HirTrace) trace = create_trace ();
  g_autoptr (HirTimelineRows) rows = hir_timeline_rows_new (trace, NULL);
  const HirTimelineRow *deep;
  double height;

  check (rows, "h0 0 1 2 3 h1 4 5 6 7 h2 8 9 10 11");
  hir_timeline_rows_set_flag (rows, 6, HIR_TRACK_PINNED, TRUE);
  hir_timeline_rows_set_flag (rows, 1, HIR_TRACK_PINNED, TRUE);
  check (rows, "1* 6* h0 0 2 3 h1 4 5 7 h2 8 9 10 11");
  g_assert_cmpfloat (rows->pinned_height, ==, g_array_index (rows->rows, HirTimelineRow, 2).y);
  hir_timeline_rows_set_flag (rows, 5, HIR_TRACK_HIDDEN, TRUE);
  hir_timeline_rows_set_flag (rows, 6, HIR_TRACK_HIDDEN, TRUE);
  check (rows, "1* h0 0 2 3 h1 4 7 h2 8 9 10 11");
  g_assert_cmpuint (hir_timeline_rows_get_n_hidden (rows, 1), ==, 2);
  g_assert_cmpuint (hir_timeline_rows_get_n_hidden (rows, 0), ==, 0);
  /* A pinned row stays if its rank is folded. */
  hir_timeline_rows_set_collapsed (rows, 0, TRUE);
  check (rows, "1* h0 h1 4 7 h2 8 9 10 11");
  hir_timeline_rows_clear_flag (rows, HIR_TRACK_HIDDEN);
  check (rows, "1* 6* h0 h1 4 5 7 h2 8 9 10 11");
  deep = hir_timeline_rows_get_track (rows, 11);
  height = deep->height;
  g_assert_cmpuint (deep->n_lanes, ==, 3);
  g_assert_cmpuint (hir_timeline_rows_get_lane (rows, 11, 2), ==, 2);
  hir_timeline_rows_set_flag (rows, 11, HIR_TRACK_FOLDED, TRUE);
  deep = hir_timeline_rows_get_track (rows, 11);
  g_assert_cmpuint (deep->n_lanes, ==, 1);
  g_assert_cmpfloat (deep->height, <, height);
  g_assert_cmpuint (hir_timeline_rows_get_lane (rows, 11, 2), ==, 0);
}

static void
test_height (void)
{
  g_autoptr (HirTrace) trace = create_trace ();
  g_autoptr (HirTimelineRows) rows = hir_timeline_rows_new (trace, NULL);
  g_autoptr (HirTimelineRows) again = hir_timeline_rows_new (trace, NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  double full = hir_timeline_rows_get_full_height (rows, 11);

  g_assert_cmpfloat (hir_timeline_rows_get_track (rows, 11)->height, ==, full);
  hir_timeline_rows_set_height (rows, 11, 30);
  g_assert_cmpfloat (hir_timeline_rows_get_track (rows, 11)->height, ==, 30);
  g_assert_cmpuint (hir_timeline_rows_get_track (rows, 11)->n_lanes, ==, 3);
  hir_timeline_rows_save_arrangement (rows, file, "group");
  g_assert_true (hir_timeline_rows_load_arrangement (again, file, "group"));
  g_assert_cmpfloat (hir_timeline_rows_get_track (again, 11)->height, ==, 30);
  hir_timeline_rows_set_height (rows, 11, 10 * full);
  g_assert_cmpfloat (hir_timeline_rows_get_track (rows, 11)->height, ==, full);
  /* A track without a stack keeps its height. */
  hir_timeline_rows_set_height (rows, 0, 90);
  g_assert_cmpfloat (hir_timeline_rows_get_track (rows, 0)->height, <, 90);
}

static void
test_move (void)
{
  g_autoptr (HirTrace) trace = create_trace ();
  g_autoptr (HirTimelineRows) rows = hir_timeline_rows_new (trace, NULL);

  g_assert_true (hir_timeline_rows_move_track (rows, 2, -1));
  check (rows, "h0 0 2 1 3 h1 4 5 6 7 h2 8 9 10 11");
  /* A move skips hidden rows and stays within the rank. */
  hir_timeline_rows_set_flag (rows, 0, HIR_TRACK_HIDDEN, TRUE);
  g_assert_false (hir_timeline_rows_move_track (rows, 2, -1));
  hir_timeline_rows_set_flag (rows, 1, HIR_TRACK_HIDDEN, TRUE);
  g_assert_true (hir_timeline_rows_move_track (rows, 2, 1));
  check (rows, "h0 3 2 h1 4 5 6 7 h2 8 9 10 11");
  g_assert_false (hir_timeline_rows_move_track (rows, 2, 1));
  g_assert_true (hir_timeline_rows_move_rank (rows, 1, -1));
  check (rows, "h1 4 5 6 7 h0 3 2 h2 8 9 10 11");
  g_assert_false (hir_timeline_rows_move_rank (rows, 1, -1));
  g_assert_true (hir_timeline_rows_move_rank (rows, 0, 1));
  check (rows, "h1 4 5 6 7 h2 8 9 10 11 h0 3 2");
  g_assert_false (hir_timeline_rows_move_rank (rows, 0, 1));
}

static void
test_saved (void)
{
  g_autoptr (HirTrace) trace = create_trace (), again = create_trace ();
  g_autoptr (HirTimelineRows) rows = hir_timeline_rows_new (trace, NULL);
  g_autoptr (HirTimelineRows) others = hir_timeline_rows_new (again, NULL);
  static const guint three[] = { 1, 3 };
  g_autoptr (GArray) tracks =
      g_array_append_vals (g_array_new (FALSE, FALSE, sizeof (guint)), three, G_N_ELEMENTS (three));
  g_autoptr (HirTimelineRows) some = hir_timeline_rows_new (again, tracks);
  g_autoptr (GKeyFile) file = g_key_file_new (), read = g_key_file_new ();
  g_autofree char *wanted = NULL, *text = NULL;

  hir_timeline_rows_set_flag (rows, 6, HIR_TRACK_PINNED, TRUE);
  hir_timeline_rows_set_flag (rows, 5, HIR_TRACK_HIDDEN, TRUE);
  hir_timeline_rows_set_flag (rows, 3, HIR_TRACK_FOLDED, TRUE);
  hir_timeline_rows_move_track (rows, 10, -1);
  hir_timeline_rows_move_rank (rows, 2, -1);
  hir_timeline_rows_set_collapsed (rows, 1, TRUE);
  wanted = dup_rows (rows);
  hir_timeline_rows_save_arrangement (rows, file, "a trace");
  text = g_key_file_to_data (file, NULL, NULL);
  g_assert_true (g_key_file_load_from_data (read, text, strlen (text), G_KEY_FILE_NONE, NULL));
  g_assert_false (hir_timeline_rows_load_arrangement (others, read, "another"));
  g_assert_true (hir_timeline_rows_load_arrangement (others, read, "a trace"));
  check (others, wanted);
  /* Unknown tracks and invalid entries are ignored. */
  g_key_file_set_string (read, "a trace", "order",
                         "0/0/1/1/stream\\; 1;nonsense;;0/0/1/1/stream\\; 1");
  g_key_file_set_string (read, "a trace", "folded-ranks", "7;x;");
  g_assert_true (hir_timeline_rows_load_arrangement (some, read, "a trace"));
}

/* Pinned rows do not scroll, except if there are too many of them. */
static void
test_positions (void)
{
  g_autoptr (HirTrace) trace = create_trace ();
  g_autoptr (HirTimelineRows) rows = hir_timeline_rows_new (trace, NULL);
  HirTimelineScene scene = { .rows = rows,
                             .theme = hir_theme_get (TRUE),
                             .start_ns = 0,
                             .end_ns = 1000,
                             .width = 600,
                             .height = 200,
                             .header_width = 100,
                             .scroll_y = 50 };
  double y;

  hir_timeline_rows_set_flag (rows, 9, HIR_TRACK_PINNED, TRUE);
  y = hir_timeline_scene_get_row_y (&scene, hir_timeline_rows_get_track (rows, 9));
  g_assert_cmpfloat (y, ==, HIR_TIMELINE_RULER_HEIGHT);
  for (int at = 0; at < 200; at++)
    {
      const HirTimelineRow *row = hir_timeline_scene_get_row_at (&scene, at);

      if (row == NULL)
        continue;
      y = hir_timeline_scene_get_row_y (&scene, row);
      g_assert_true (at >= y && at < y + row->height);
      g_assert_true (row->is_pinned == (at < HIR_TIMELINE_RULER_HEIGHT + rows->pinned_height));
    }
  for (guint i = 0; i < 11; i++)
    hir_timeline_rows_set_flag (rows, i, HIR_TRACK_PINNED, TRUE);
  g_assert_cmpfloat (hir_timeline_scene_get_pinned_height (&scene), ==, 0);
  g_assert_cmpfloat (hir_timeline_scene_get_row_y (&scene, hir_timeline_rows_get_track (rows, 0)),
                     ==, HIR_TIMELINE_RULER_HEIGHT - 50);
}

/* The header of the topmost visible rank stays until its last track pushes it away. */
static void
test_sticky_header (void)
{
  g_autoptr (HirTrace) trace = create_trace ();
  g_autoptr (HirTimelineRows) rows = hir_timeline_rows_new (trace, NULL);
  const HirTimelineRow *first = hir_timeline_rows_get_header (rows, 0);
  const HirTimelineRow *second = hir_timeline_rows_get_header (rows, 1);
  HirTimelineScene scene = { .rows = rows,
                             .theme = hir_theme_get (TRUE),
                             .end_ns = 1000,
                             .width = 600,
                             .height = 200,
                             .header_width = 100 };
  const double top = HIR_TIMELINE_RULER_HEIGHT;

  g_assert_null (hir_timeline_scene_get_sticky (&scene));
  scene.scroll_y = 30;
  g_assert_cmpfloat (hir_timeline_scene_get_row_y (&scene, first), ==, top);
  g_assert_true (hir_timeline_scene_get_row_at (&scene, top + 1) == first);
  g_assert_true (hir_timeline_scene_get_sticky (&scene) == first);
  scene.scroll_y = second->y - 5;
  g_assert_cmpfloat (hir_timeline_scene_get_row_y (&scene, first), ==, top + 5 - first->height);
  g_assert_true (hir_timeline_scene_get_row_at (&scene, top + 4) == first);
  g_assert_true (hir_timeline_scene_get_row_at (&scene, top + 5) == second);
  scene.scroll_y = second->y + 5;
  g_assert_cmpfloat (hir_timeline_scene_get_row_y (&scene, second), ==, top);
  g_assert_true (hir_timeline_scene_get_row_at (&scene, top + 1) == second);
  scene.exact = TRUE;
  g_assert_cmpfloat (hir_timeline_scene_get_row_y (&scene, second), ==, top - 5);
}

/* Pin and menu react where they are drawn, on the hovered label. */
static void
test_tools (void)
{
  g_autoptr (HirTrace) trace = create_trace ();
  g_autoptr (HirTimelineRows) rows = hir_timeline_rows_new (trace, NULL);
  const HirTimelineRow *header = hir_timeline_rows_get_header (rows, 0);
  const HirTimelineRow *row = hir_timeline_rows_get_track (rows, 1);
  HirTimelineScene scene = {
    .rows = rows, .width = 600, .height = 200, .end_ns = 1, .header_width = 100
  };

  g_assert_cmpfloat (hir_timeline_tools_get_width (&scene, row), ==, 0);
  scene.has_hovered_label = TRUE;
  scene.hovered_label_track = 1;
  g_assert_cmpfloat (hir_timeline_tools_get_width (&scene, row), >, 0);
  g_assert_cmpfloat (hir_timeline_tools_get_width (&scene, header), ==, 0);
  g_assert_cmpint (hir_timeline_tools_get_at (&scene, row, 90), ==, HIR_TIMELINE_MENU_TOOL);
  g_assert_cmpint (hir_timeline_tools_get_at (&scene, row, 65), ==, HIR_TIMELINE_PIN_TOOL);
  g_assert_cmpint (hir_timeline_tools_get_at (&scene, row, 40), ==, HIR_TIMELINE_NO_TOOL);
  g_assert_cmpint (hir_timeline_tools_get_at (&scene, row, 101), ==, HIR_TIMELINE_NO_TOOL);
  g_assert_cmpint (hir_timeline_tools_get_at (&scene, header, 90), ==, HIR_TIMELINE_MENU_TOOL);
  g_assert_cmpint (hir_timeline_tools_get_at (&scene, header, 65), ==, HIR_TIMELINE_NO_TOOL);
}

/* In a comparison, both traces are visible: the streams of the first rank of each. */
static void
test_show_both (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  g_autoptr (HirTrace) trace = NULL, one = create_trace ();
  g_autoptr (HirTimelineRows) rows = NULL, rows_of_one = hir_timeline_rows_new (one, NULL);

  /* A and B have ranks 0 and 1; those of B are numbered after those of A. */
  for (int i = 0; i < 8; i++)
    {
      const int ranks[] = { 0, 1, 2, 3 };
      HirTrack track = { i % 2 == 0 ? HIR_TRACK_HOST : HIR_TRACK_STREAM, ranks[i / 2], 0, 1,
                         (char *) "t" };
      HirEvent event = { .end_ns = 10, .iteration = -1 };

      event.track = (guint16) hir_trace_builder_add_track (builder, &track);
      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  hir_trace_builder_set_meta (builder, "ranks_of_a", "2");
  trace = hir_trace_builder_finish (builder);
  rows = hir_timeline_rows_new (trace, NULL);
  g_assert_true (hir_timeline_rows_show_both (rows));
  check (rows, "h0 1 h2 5 h1 h3"); /* rank 0 of A and B, then rank 1 */
  g_assert_false (hir_timeline_rows_show_both (rows_of_one));
  g_assert_cmpuint (hir_timeline_rows_get_n_hidden (rows_of_one, HIR_TIMELINE_ANY_RANK), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/timeline-arrange/flags", test_flags);
  g_test_add_func ("/timeline-arrange/height", test_height);
  g_test_add_func ("/timeline-arrange/move", test_move);
  g_test_add_func ("/timeline-arrange/saved", test_saved);
  g_test_add_func ("/timeline-arrange/positions", test_positions);
  g_test_add_func ("/timeline-arrange/sticky-header", test_sticky_header);
  g_test_add_func ("/timeline-arrange/tools", test_tools);
  g_test_add_func ("/timeline-arrange/show-both", test_show_both);
  return g_test_run ();
}
