#include "draw/report/figure-hover.h"

#include <string.h>

#define MAX_BARS 4000
#define EVENTS_A_LOOK 65536
#define MIN_WIDTH_PX 0.5 /* narrower bars are too small for the pointer */

typedef struct
{
  guint track, index;
  HirRect rect;
} Bar;

static int
compare_widths (gconstpointer a, gconstpointer b)
{
  const Bar *x = a, *y = b;

  return (x->rect.width < y->rect.width) - (x->rect.width > y->rect.width);
}

/* Compares by drawing order: a bar on top of another one comes later. */
static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Bar *x = a, *y = b;

  if (x->track != y->track)
    return x->track < y->track ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

static GArray *
collect (const HirTimelineScene *scene)
{
  const HirTrace *trace = scene->rows->trace;
  GArray *bars = g_array_new (FALSE, FALSE, sizeof (Bar));

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = hir_trace_find_first (trace, t, scene->start_ns);
         i < hir_trace_get_track_n_events (trace, t); i++)
      {
        Bar bar = { t, i, { 0 } };
        gint64 start_ns, end_ns;

        if (i % EVENTS_A_LOOK == 0 && !hir_export_progress_should_continue (scene->progress, NULL))
          return bars;
        hir_trace_get_interval (trace, t, i, &start_ns, &end_ns);
        if (start_ns >= scene->end_ns)
          break;
        if (!hir_timeline_scene_get_rect (scene, t, i, &bar.rect))
          break;
        if (bar.rect.width >= MIN_WIDTH_PX)
          g_array_append_val (bars, bar);
      }
  if (bars->len > MAX_BARS)
    {
      g_array_sort (bars, compare_widths);
      g_array_set_size (bars, MAX_BARS);
      g_array_sort (bars, compare_places);
    }
  return bars;
}

static void
append_number (GString *s, const char *name, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (s, " %s=\"%s\"", name,
                          g_ascii_formatd (buffer, sizeof buffer, "%.2f", value));
}

static void
append_bar (GString *s, const HirTrace *trace, const Bar *bar, gint64 zero_ns)
{
  const HirTrack *track = hir_trace_get_track (trace, bar->track);
  g_autofree char *text = NULL, *escaped = NULL;
  HirEvent event;

  hir_trace_get_event (trace, bar->track, bar->index, &event);
  text = g_strdup_printf ("%s\nrank %d, %s\nstarts %.3f µs, takes %.3f µs",
                          hir_trace_get_string (trace, event.name), track->rank, track->name,
                          (double) (event.start_ns - zero_ns) / 1e3,
                          (double) (event.end_ns - event.start_ns) / 1e3);
  escaped = hir_text_dup_xml (text);
  g_string_append (s, "<rect");
  append_number (s, "x", bar->rect.x);
  append_number (s, "y", bar->rect.y);
  append_number (s, "width", bar->rect.width);
  append_number (s, "height", bar->rect.height);
  g_string_append_printf (s, "><title>%s", escaped);
  if (event.iteration >= 0)
    g_string_append_printf (s, "\niteration %d", event.iteration);
  if (event.bytes > 0)
    g_string_append_printf (s, "\n%" G_GINT64_FORMAT " bytes", event.bytes);
  g_string_append (s, "</title></rect>\n");
}

char *
hir_figure_add_hover (char *svg, const HirTimelineScene *scene)
{
  g_autoptr (GArray) bars = collect (scene);
  const char *end = g_strrstr (svg, "</svg>");
  GString *s = g_string_new_len (svg, end != NULL ? end - svg : (gssize) strlen (svg));
  gint64 zero_ns, last_ns;

  hir_trace_get_span (scene->rows->trace, &zero_ns, &last_ns);
  g_string_append (s, "<g class=\"bars\" fill=\"none\" pointer-events=\"all\">\n");
  for (guint i = 0; i < bars->len; i++)
    append_bar (s, scene->rows->trace, &g_array_index (bars, Bar, i), zero_ns);
  g_string_append (s, "</g>\n</svg>\n");
  g_free (svg);
  return g_string_free (s, FALSE);
}
