#include "draw/report/html-head.h"

#include "config.h"
#include "draw/report/html-page.h"
#include "program/run-settings.h"
#include "trace/duration.h"
#include "trace/recording/recording.h"

/* Returns the range of the report from the start of the trace, or NULL if it shows everything. */
static char *
dup_range (const HirFigureOptions *figure)
{
  gint64 length_ns = figure->range_end_ns - figure->range_start_ns;
  g_autofree char *start = NULL, *end = NULL;

  if (figure->range_start_ns == figure->range_end_ns)
    return NULL;
  start = hir_format_range_end (figure->range_start_ns, length_ns);
  end = hir_format_range_end (figure->range_end_ns, length_ns);
  return g_strdup_printf ("%s to %s", start, end);
}

static void
write_sentence (HirTextOut *out,
                HirTrace *trace,
                const HirFigureOptions *figure,
                gboolean is_program,
                const char *range)
{
  gint64 start_ns, end_ns;
  g_autofree char *total = NULL, *length = NULL, *caveat = hir_trace_dup_caveat (trace);

  hir_trace_get_span (trace, &start_ns, &end_ns);
  total = hir_format_duration (end_ns - start_ns);
  length = hir_format_duration (figure->range_end_ns - figure->range_start_ns);
  hir_text_out_add (out, "<p class=\"sub\">");
  if (caveat != NULL)
    {
      hir_text_out_add (out, "<b>");
      hir_html_add_text (out, caveat);
      hir_text_out_add (out, ".</b> ");
    }
  if (range == NULL)
    hir_text_out_printf (out, "This report shows all of the recording, %s", total);
  else if (is_program)
    hir_text_out_printf (out,
                         "This report shows the program, the range %s (%s of %s); setup, warm-up "
                         "and checks are omitted",
                         range, length, total);
  else
    hir_text_out_printf (out,
                         "This report shows only the range %s (%s of %s), but lost time and gains "
                         "of whole repetitions",
                         range, length, total);
  if (figure->tracks != NULL)
    hir_text_out_printf (out, ", and only %u of %u tracks", figure->tracks->len,
                         hir_trace_get_n_tracks (trace));
  hir_text_out_printf (out, ". The recording has %" G_GUINT64_FORMAT " events on %u tracks.</p>\n",
                       hir_trace_get_n_events (trace), hir_trace_get_n_tracks (trace));
}

static void
add_fact (HirTextOut *out, const char *name, const char *value)
{
  if (value == NULL || *value == '\0')
    return;
  hir_text_out_printf (out, "<dt>%s</dt><dd>", name);
  hir_html_add_text (out, value);
  hir_text_out_add (out, "</dd>\n");
}

/* Returns the date in UTC, because reports are shared. */
static char *
dup_date (const char *created)
{
  g_autoptr (GDateTime) time =
      created != NULL ? g_date_time_new_from_iso8601 (created, NULL) : NULL;

  return time != NULL ? g_date_time_format (time, "%-d %B %Y, %H:%M UTC") : g_strdup (created);
}

static void
write_facts (HirTextOut *out, HirTrace *trace)
{
  const char *run = hir_trace_get_meta (trace, "run");
  const char *stopped = hir_trace_get_meta (trace, HIR_META_STOPPED);
  const char *clock = hir_trace_get_meta (trace, HIR_META_CLOCK);
  const char *version = hir_trace_get_meta (trace, HIR_META_VERSION);
  const char *device = hir_trace_get_meta (trace, "device");
  const char *verdict = hir_trace_get_verdict (trace);
  g_autofree char *words = run != NULL ? hir_run_settings_to_words (run) : NULL;
  g_autofree char *date = dup_date (hir_trace_get_meta (trace, HIR_META_CREATED));
  g_autofree char *recorder = version != NULL ? g_strdup_printf ("Hirscope %s", version) : NULL;

  hir_text_out_add (out, "<dl class=\"run\">\n");
  add_fact (out, "Script", hir_trace_get_meta (trace, HIR_META_SOURCE_PATH));
  add_fact (out, "Function", hir_trace_get_meta (trace, HIR_META_FUNCTION));
  add_fact (out, "Inputs", hir_trace_get_meta (trace, HIR_META_INPUTS));
  add_fact (out, "Run", words);
  add_fact (out, "End", stopped);
  add_fact (out, "Check", verdict);
  add_fact (out, "Command", hir_trace_get_meta (trace, HIR_META_COMMAND));
  add_fact (out, "Times", g_strcmp0 (clock, "model") == 0 ? "modelled, not measured" : NULL);
  add_fact (out, "Date", date);
  add_fact (out, "Machine", hir_trace_get_meta (trace, HIR_META_MACHINE));
  add_fact (out, "Device", device);
  add_fact (out, "Recorded by", recorder);
  add_fact (out, "Report by", "Hirscope " HIR_VERSION);
  hir_text_out_add (out, "</dl>\n");
}

void
hir_html_write_head (HirTextOut *out,
                     HirTrace *trace,
                     const HirHtmlOptions *options,
                     gboolean is_program,
                     const char *style)
{
  g_autofree char *range = dup_range (&options->figure);
  const char *name = options->title != NULL ? options->title : "A run";
  g_autofree char *title =
      range != NULL ? g_strdup_printf ("%s, %s", name, range) : g_strdup (name);

  hir_text_out_add (out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
  hir_html_add_text (out, title);
  hir_text_out_printf (out, "</title>\n<style>%s</style></head><body>\n<h1>", style);
  hir_html_add_text (out, title);
  hir_text_out_add (out, "</h1>\n");
  write_sentence (out, trace, &options->figure, is_program, range);
  write_facts (out, trace);
}
