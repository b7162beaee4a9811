#include "draw/report/html-report.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "analysis/program-span.h"
#include "analysis/stats.h"
#include "diagnostic.h"
#include "draw/graph/graph-picture.h"
#include "draw/report/html-explain.h"
#include "draw/report/html-head.h"
#include "draw/report/html-page.h"
#include "trace/text-out.h"
#include "trace/trace-header.h"

#define MAX_KERNELS 40
#define MAX_GRAPH_NODES 400 /* a larger graph is not readable on a page */
#define PATH_SHARE 0.5      /* of the range of a figure: then it shows the path well */

typedef struct
{
  HirTextOut *out;
  HirTrace *trace;
  const HirHtmlOptions *options; /* with the displayed range */
  gboolean is_program;           /* no range was selected, and the range is that of the program */
  const char *svg;
  const char *graph_svg; /* nullable */
  const char *path_svg;  /* nullable: the first repetition */
} Report;

static const char style[] =
    ":root{color-scheme:light dark;--edge:#8884;--dim:#666}"
    "@media(prefers-color-scheme:dark){:root{--dim:#a0a0a0}}"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:1200px;margin:2em auto;padding:0 1em}"
    "h1{font-size:1.5em;margin-bottom:0}h2{font-size:1.15em;margin:2em 0 .5em;break-after:avoid}"
    "p.sub{color:var(--dim);margin:.2em 0 1.5em}"
    "figure{margin:0;overflow-x:auto;background:#fff;border:1px solid "
    "var(--edge);border-radius:6px}"
    "figure svg{display:block;width:100%;height:auto}"
    "table{display:block;overflow-x:auto;border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:.2em .9em .2em 0;border-bottom:1px solid var(--edge);text-align:right}"
    "th{font-weight:600;color:var(--dim)}th.name,td.name{text-align:left;min-width:9em;overflow-wrap:anywhere}"
    "pre{overflow-x:auto;padding:1em;border:1px solid var(--edge);border-radius:6px;font-size:13px}"
    "pre details{margin:0}pre summary{list-style-position:outside}.fold{color:var(--dim)}"
    "tr.same td{color:var(--dim)}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2em "
    "1em}"
    "dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}details{margin:.4em 0}"
    "g.bars rect:hover{stroke:#000;stroke-width:1.5}"
    ".tip{position:fixed;z-index:1;max-width:34em;padding:.4em .7em;border:1px solid var(--edge);border-radius:6px;"
    "background:Canvas;color:CanvasText;box-shadow:0 2px 8px #0004;font-size:13px;white-space:pre-wrap;"
    "overflow-wrap:anywhere;pointer-events:none}.tip::first-line{font-weight:600}"
    /* Paper does not scroll. */
    "@media print{.tip{display:none}table{display:table;font-size:11px}pre{white-space:pre-wrap;font-size:10px}}";

/* Shows the tooltip of a bar immediately, because browsers delay theirs by 1 s. Without scripts,
 * the browser's tooltip remains. */
static const char tip_script[] =
    "(()=>{const tip=document.createElement('div');"
    "tip.className='tip';tip.hidden=true;document.body.append(tip);"
    "for(const title of document.querySelectorAll('figure rect>title')){const bar=title.parentNode;bar.tip=title.textContent;"
    "bar.setAttribute('aria-label',bar.tip);title.remove()}"
    "const show=e=>{tip.hidden=!e.target.tip;if(tip.hidden)return;tip.textContent=e.target.tip;"
    "const box=tip.getBoundingClientRect(),below=e.clientY+18;"
    "tip.style.left=Math.max(4,Math.min(e.clientX+14,innerWidth-box.width-24))+'px';"
    "tip.style.top=(below+box.height>innerHeight?Math.max(4,e.clientY-box.height-10):below)+'px'};"
    "for(const figure of document.querySelectorAll('figure')){"
    "figure.addEventListener('pointermove',show);figure.addEventListener('pointerdown',show);"
    "for(const end of ['pointerleave','pointercancel'])figure.addEventListener(end,()=>{tip.hidden=true})}"
    "addEventListener('scroll',()=>{tip.hidden=true},true)})()";

static void
write_devices (Report *self, const HirStats *stats)
{
  hir_html_begin_table (
      self->out, "Devices",
      "device|total|busy|idle|computation|communication|exposed communication|exposed "
      "copies|overlap");
  for (guint i = 0; i < stats->gpus->len; i++)
    {
      const HirGpuStats *gpu = &g_array_index (stats->gpus, HirGpuStats, i);
      g_autofree char *name = g_strdup_printf ("rank %d, device %d", gpu->rank, gpu->device);
      g_autofree char *overlap = isnan (gpu->comm_overlap_percent)
                                     ? g_strdup ("\u2013")
                                     : g_strdup_printf ("%.1f\u202f%%", gpu->comm_overlap_percent);

      hir_text_out_add (self->out, "<tr>");
      hir_html_add_cell (self->out, TRUE, name);
      hir_html_add_time_cell (self->out, (double) gpu->total_ns);
      hir_html_add_time_cell (self->out, (double) gpu->busy_ns);
      hir_html_add_time_cell (self->out, (double) gpu->idle_ns);
      hir_html_add_time_cell (self->out, (double) gpu->computation_ns);
      hir_html_add_time_cell (self->out, (double) gpu->total_comm_ns);
      hir_html_add_time_cell (self->out, (double) gpu->exposed_comm_ns);
      hir_html_add_time_cell (self->out, (double) gpu->exposed_memcpy_ns);
      hir_html_add_cell (self->out, FALSE, overlap);
      hir_text_out_add (self->out, "</tr>\n");
    }
  hir_html_end_table (self->out);
}

static void
write_kernels (Report *self, const HirStats *stats)
{
  guint n = MIN (stats->kernels->len, MAX_KERNELS);

  hir_html_begin_table (self->out, "Kernels, copies, communications: " HIR_STATS_KERNELS_NOTE,
                        "name|count|sum|mean|median|99 %|longest");
  for (guint i = 0; i < n; i++)
    {
      const HirKernelStats *kernel = &g_array_index (stats->kernels, HirKernelStats, i);
      g_autofree char *count = g_strdup_printf ("%" G_GUINT64_FORMAT, kernel->count);

      hir_text_out_add (self->out, "<tr>");
      hir_html_add_cell (self->out, TRUE, kernel->name);
      hir_html_add_cell (self->out, FALSE, count);
      hir_html_add_time_cell (self->out, (double) kernel->sum_ns);
      hir_html_add_time_cell (self->out, kernel->mean_ns);
      hir_html_add_time_cell (self->out, (double) kernel->p50_ns);
      hir_html_add_time_cell (self->out, (double) kernel->p99_ns);
      hir_html_add_time_cell (self->out, (double) kernel->max_ns);
      hir_text_out_add (self->out, "</tr>\n");
    }
  hir_html_end_table (self->out);
  if (n < stats->kernels->len)
    hir_text_out_printf (self->out, "<p class=\"sub\">and %u more names</p>\n",
                         stats->kernels->len - n);
}

/* Returns "" for messages and teams of unknown size. */
static char *
dup_bandwidth (const HirCollectiveStats *row, double gb_per_s)
{
  return row->algbw > 0 ? g_strdup_printf ("%.2f", gb_per_s) : g_strdup ("\u2013");
}

static void
write_collectives (Report *self, const HirStats *stats)
{
  if (stats->collectives->len == 0)
    return;
  hir_html_begin_table (self->out, "Collectives and messages",
                        "op|team|count|sum|mean|size|algbw GB/s|busbw GB/s|busbw range GB/s|"
                        "mean end skew");
  for (guint i = 0; i < stats->collectives->len; i++)
    {
      const HirCollectiveStats *row = &g_array_index (stats->collectives, HirCollectiveStats, i);
      g_autofree char *count = g_strdup_printf ("%" G_GUINT64_FORMAT, row->count);
      g_autofree char *sizes = hir_collective_stats_dup_sizes (row);
      g_autofree char *range = hir_collective_stats_dup_busbw_range (row);
      g_autofree char *algbw = dup_bandwidth (row, row->algbw);
      g_autofree char *busbw = dup_bandwidth (row, row->busbw);

      hir_text_out_add (self->out, "<tr>");
      hir_html_add_cell (self->out, TRUE, row->op);
      hir_html_add_cell (self->out, FALSE, row->team);
      hir_html_add_cell (self->out, FALSE, count);
      hir_html_add_time_cell (self->out, (double) row->sum_ns);
      hir_html_add_time_cell (self->out, row->mean_ns);
      hir_html_add_cell (self->out, FALSE, sizes != NULL ? sizes : "\u2013");
      hir_html_add_cell (self->out, FALSE, algbw);
      hir_html_add_cell (self->out, FALSE, busbw);
      hir_html_add_cell (self->out, FALSE, range != NULL ? range : "\u2013");
      hir_html_add_time_cell (self->out, row->mean_end_skew_ns);
      hir_text_out_add (self->out, "</tr>\n");
    }
  hir_html_end_table (self->out);
  hir_text_out_add (self->out, "<p class=\"sub\">" HIR_STATS_BANDWIDTH_NOTE "</p>\n");
}

/* Writes the text of the program, with its folds. */
static void
write_text (Report *self, const char *text)
{
  const GArray *folds = self->options->folds;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint next = 0;

  hir_text_out_add (self->out, "<pre>");
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const HirHtmlFold *fold =
          folds != NULL && next < folds->len ? &g_array_index (folds, HirHtmlFold, next) : NULL;

      if (fold != NULL && i == fold->head)
        hir_text_out_add (self->out, "<details><summary>");
      hir_html_add_text (self->out, lines[i]);
      /* A box ends its line. */
      if (fold != NULL && i == fold->head)
        hir_text_out_printf (self->out, "<span class=\"fold\"> \u2026 %u line%s</span></summary>",
                             fold->last - fold->head, fold->last - fold->head == 1 ? "" : "s");
      else if (fold != NULL && i == fold->last)
        hir_text_out_add (self->out, "</details>");
      else if (lines[i + 1] != NULL)
        hir_text_out_add (self->out, "\n");
      next += fold != NULL && i == fold->last;
    }
  hir_text_out_add (self->out, "</pre>\n");
}

static void
write_passes (Report *self)
{
  const GPtrArray *views = self->options->views;
  const HirProgramView *last;

  if (views == NULL || views->len == 0)
    return;
  hir_html_begin_table (self->out, "Passes", "pass|created|changed|removed|time");
  for (guint i = 0; i < views->len; i++)
    {
      const HirProgramView *view = views->pdata[i];
      g_autofree char *created = g_strdup_printf ("%u", view->n_created);
      g_autofree char *changed = g_strdup_printf ("%u", view->n_changed);
      g_autofree char *removed = g_strdup_printf ("%u", view->n_removed);

      hir_text_out_add (self->out, view->changed ? "<tr>" : "<tr class=\"same\">");
      hir_html_add_cell (self->out, TRUE, view->pass_name);
      hir_html_add_cell (self->out, FALSE, created);
      hir_html_add_cell (self->out, FALSE, changed);
      hir_html_add_cell (self->out, FALSE, removed);
      hir_html_add_time_cell (self->out, (double) view->duration_ns);
      hir_text_out_add (self->out, "</tr>\n");
    }
  hir_html_end_table (self->out);
  last = views->pdata[views->len - 1];
  hir_text_out_add (self->out, "<h2>Program</h2>\n<p class=\"sub\">after ");
  hir_html_add_text (self->out, last->pass_name);
  hir_text_out_add (self->out, "</p>\n");
  if (self->graph_svg != NULL)
    hir_html_add_figure (self->out, self->graph_svg);
  else
    hir_text_out_printf (
        self->out,
        "<p class=\"sub\">The graph has more than %d nodes and is omitted; hirscope "
        "lower --svg draws it.</p>\n",
        MAX_GRAPH_NODES);
  write_text (self, last->text != NULL ? last->text : "");
}

/* Returns TRUE for data in the head, for the script, which follows below, for the options, which
 * the command contains, and for data of other programs. */
static gboolean
is_elsewhere (const char *key)
{
  static const char *const keys[] = { HIR_META_SOURCE_PATH,
                                      HIR_META_SOURCE_TEXT,
                                      HIR_META_FUNCTION,
                                      HIR_META_COMMAND,
                                      HIR_META_INPUTS,
                                      HIR_META_CREATED,
                                      HIR_META_STOPPED,
                                      HIR_META_CHECK,
                                      HIR_META_MACHINE,
                                      HIR_META_VERSION,
                                      HIR_META_OPTIONS,
                                      HIR_META_HEADER,
                                      "run",
                                      "device",
                                      NULL };

  return g_strv_contains (keys, key);
}

static void
write_meta (Report *self)
{
  g_autofree const char **keys = hir_trace_dup_meta_keys (self->trace);
  const char *const *account = hir_trace_get_account (self->trace);
  const char *script = hir_trace_get_meta (self->trace, HIR_META_SOURCE_TEXT);

  hir_text_out_add (self->out, "<h2>Recording</h2>\n<dl>\n");
  for (guint i = 0; keys[i] != NULL; i++)
    {
      if (is_elsewhere (keys[i]))
        continue;
      hir_text_out_add (self->out, "<dt>");
      hir_html_add_text (self->out, keys[i]);
      hir_text_out_add (self->out, "</dt><dd>");
      hir_html_add_text (self->out, hir_trace_get_meta (self->trace, keys[i]));
      hir_text_out_add (self->out, "</dd>\n");
    }
  hir_text_out_add (self->out, "</dl>\n");
  for (guint i = 0; account[i] != NULL; i++)
    hir_html_add_note (self->out, account[i]);
  if (script != NULL)
    {
      hir_text_out_add (self->out, "<details><summary>Script</summary><pre>");
      hir_html_add_text (self->out, script);
      hir_text_out_add (self->out, "</pre></details>\n");
    }
}

static void
write_body (Report *self, const HirStats *stats)
{
  hir_html_write_head (self->out, self->trace, self->options, self->is_program, style);
  hir_html_add_figure (self->out, self->svg);
  if (self->options->figure.explain != NULL)
    hir_html_write_explanation (self->out, self->options->figure.explain, self->path_svg);
  write_devices (self, stats);
  if (stats->has_range)
    hir_html_add_note (self->out, "All tables: " HIR_STATS_RANGE_NOTE);
  write_collectives (self, stats);
  write_kernels (self, stats);
  write_passes (self);
  write_meta (self);
  hir_text_out_printf (self->out, "<script>%s</script>\n</body></html>\n", tip_script);
}

static gboolean
write_report (gconstpointer data,
              GOutputStream *stream,
              HirExportProgress *progress,
              GError **error)
{
  Report self = *(const Report *) data;
  HirStatsOptions range = {
    .has_range =
        !self.is_program && self.options->figure.range_end_ns > self.options->figure.range_start_ns,
    .tracks = self.options->figure.tracks,
  };
  g_autoptr (HirStats) stats = NULL;
  gint64 start_ns, end_ns;
  HirTextOut out;

  hir_trace_get_span (self.trace, &start_ns, &end_ns);
  range.range_start_ns = start_ns + self.options->figure.range_start_ns;
  range.range_end_ns = start_ns + self.options->figure.range_end_ns;
  range.cancellable = hir_export_progress_get_cancellable (progress);
  if (!hir_stats_check_room (self.trace, error))
    return FALSE;
  stats = hir_stats_new (self.trace, &range);
  if (stats == NULL)
    return hir_export_progress_should_continue (progress, error);
  hir_text_out_init (&out, stream, progress);
  self.out = &out;
  write_body (&self, stats);
  return hir_text_out_finish (&out, error);
}

/* Draws the timeline, or @graph if it is not NULL, through a file, because figures are written only
 * to files. */
static char *
draw_svg (HirTrace *trace,
          const HirGraph *graph,
          HirLayouter *layouter,
          HirFigureOptions figure,
          GError **error)
{
  gboolean is_written;
  g_autofree char *path = NULL;
  char *svg = NULL;
  int fd = g_file_open_tmp ("hirscope-XXXXXX.svg", &path, error);

  if (fd < 0)
    return NULL;
  g_close (fd, NULL);
  figure.format = HIR_FIGURE_SVG;
  figure.hover = TRUE;
  is_written = graph != NULL ? hir_figure_write_graph (graph, NULL, layouter, &figure, path, error)
                             : hir_figure_write_timeline (trace, &figure, path, error);
  if (is_written)
    g_file_get_contents (path, &svg, NULL, error);
  g_unlink (path);
  return svg;
}

/* Sets the range of @figure to the first repetition. Returns FALSE if the figure shows it already:
 * it is most of its range. */
static gboolean
set_range_of_path (HirTrace *trace, HirFigureOptions *figure)
{
  const HirExplain *explain = figure->explain;
  const HirRepetition *repetition = explain != NULL && explain->repetitions->len > 0
                                        ? &g_array_index (explain->repetitions, HirRepetition, 0)
                                        : NULL;
  gint64 first_ns, last_ns, start_ns, end_ns;

  if (repetition == NULL)
    return FALSE;
  hir_trace_get_span (trace, &first_ns, &last_ns);
  start_ns = figure->range_start_ns;
  end_ns = start_ns == figure->range_end_ns ? last_ns - first_ns : figure->range_end_ns;
  if (repetition->start_ns - first_ns >= start_ns && repetition->end_ns - first_ns <= end_ns &&
      (double) (repetition->end_ns - repetition->start_ns) >=
          PATH_SHARE * (double) (end_ns - start_ns))
    return FALSE;
  figure->range_start_ns = repetition->start_ns - first_ns;
  figure->range_end_ns = MAX (repetition->end_ns, repetition->start_ns + 1) - first_ns;
  return TRUE;
}

/* Sets the range of @figure to that of the program if no range is selected and setup, warm-up and
 * checks take longer than the program. */
static gboolean
set_range_of_program (HirTrace *trace, HirFigureOptions *figure)
{
  gint64 first_ns, last_ns, start_ns, end_ns;

  if (figure->range_start_ns != figure->range_end_ns ||
      !hir_trace_find_short_program (trace, &start_ns, &end_ns))
    return FALSE;
  hir_trace_get_span (trace, &first_ns, &last_ns);
  figure->range_start_ns = start_ns - first_ns;
  figure->range_end_ns = MAX (end_ns, start_ns + 1) - first_ns;
  return TRUE;
}

/* Returns FALSE only if drawing fails; a large graph is omitted. */
static gboolean
draw_graph (const HirHtmlOptions *options, char **svg, GError **error)
{
  const GPtrArray *views = options->views;
  const HirProgramView *last =
      views != NULL && views->len > 0 ? views->pdata[views->len - 1] : NULL;
  HirFigureOptions figure = { .progress = options->figure.progress };
  g_autoptr (HirGraphChoice) choice = NULL;
  g_autoptr (HirPicture) picture = NULL;
  GHashTableIter iter;
  gpointer key;

  if (last == NULL)
    return TRUE;
  choice = hir_graph_choice_new ((HirProgramView *) last, NULL, NULL);
  if (options->folded != NULL)
    g_hash_table_iter_init (&iter, options->folded);
  while (options->folded != NULL && g_hash_table_iter_next (&iter, &key, NULL))
    g_hash_table_add (choice->folded, g_memdup2 (key, sizeof (gint64)));
  picture = hir_picture_new (choice);
  if (picture->graph->nodes->len > MAX_GRAPH_NODES)
    return TRUE;
  *svg = draw_svg (NULL, picture->graph, options->layouter, figure, error);
  return *svg != NULL;
}

gboolean
hir_html_report_write (HirTrace *trace,
                       const HirHtmlOptions *options,
                       const char *path,
                       GError **error)
{
  HirHtmlOptions shown = *options;
  gboolean is_program = set_range_of_program (trace, &shown.figure);
  HirFigureOptions figure = shown.figure;
  g_autofree char *svg = draw_svg (trace, NULL, NULL, figure, error);
  g_autofree char *path_svg = NULL, *graph_svg = NULL;
  Report report = { .trace = trace, .options = &shown, .is_program = is_program, .svg = svg };

  if (svg == NULL || !draw_graph (options, &graph_svg, error))
    return FALSE;
  report.graph_svg = graph_svg;
  if (set_range_of_path (trace, &figure))
    {
      path_svg = draw_svg (trace, NULL, NULL, figure, error);
      if (path_svg == NULL)
        return FALSE;
      report.path_svg = path_svg;
    }
  return hir_text_out_write_file (path, write_report, &report, options->figure.progress, error);
}
