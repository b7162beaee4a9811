/* Implements `hirscope export`: writes a trace in the format of another tool, or as a figure. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "command-output.h"
#include "command.h"
#include "interrupt.h"
#include "lowering-options.h"
#include "predict/explain-run.h"
#include "program/document-recording.h"
#include "spec.h"
#include "time-range.h"
#include "trace-options.h"
#include "trace/export/export-chrome.h"
#include "trace/export/export-csv.h"
#include "trace/export/export-nsight.h"
#include "trace/export/export-perfetto.h"
#include "trace/recording/recording.h"
#include "trace/track-set.h"

#if HIR_HAVE_FIGURES
#include "draw/report/html-report.h"
#endif

#define MIN_MM 20
#define MAX_MM 5000
#define MIN_PT 3
#define MAX_PT 72

typedef struct
{
  const char *const *inputs; /* borrowed, NULL-terminated */
  char *to;
  char *output;
  char *range;
  char **tracks;
  char *width;
  char *height;
  char *font;
  char *background;
  gboolean legend, path;
  HirTraceOptions trace;
  HirExportProgress watch;
} Options;

static void
options_clear (Options *options)
{
  g_free (options->to);
  g_free (options->output);
  g_free (options->range);
  g_strfreev (options->tracks);
  g_free (options->width);
  g_free (options->height);
  g_free (options->font);
  g_free (options->background);
  hir_trace_options_clear (&options->trace);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

/* Output formats, in the order of `forms`. All from FORM_SVG on are figures. */
typedef enum
{
  FORM_CHROME,
  FORM_CSV,
  FORM_PERFETTO,
  FORM_NSIGHT,
  FORM_HIRS,
  FORM_SVG,
  FORM_PDF,
  FORM_PNG,
  FORM_HTML,
} Form;

static const char *const forms[] = { "chrome", "csv", "perfetto", "nsight", "hirs",
                                     "svg",    "pdf", "png",      "html",   NULL };

#if HIR_HAVE_FIGURES

/* Parses @text, the value of @option. Keeps the default in @value if @text is NULL. */
static gboolean
parse_length (
    const char *option, const char *text, double min, double max, double *value, GError **error)
{
  char *end;

  if (text == NULL)
    return TRUE;
  *value = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0' && *value >= min && *value <= max)
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s takes a number from %g to %g, not '%s'", option,
                 min, max, text);
  return FALSE;
}

/* If the first input is a recording, the report also contains its passes and its program, and what
 * would help. */
static gboolean
write_html (HirTrace *trace, const HirFigureOptions *figure, Options *options, GError **error)
{
  gboolean is_recording = hir_recording_sniff (options->inputs[0]);
  g_autoptr (HirOpened) opened = is_recording ? hir_opened_new (options->inputs[0], error) : NULL;
  guint n_more = g_strv_length ((char **) options->inputs) - 1;
  g_autofree char *name = g_path_get_basename (options->inputs[0]);
  g_autofree char *title =
      n_more > 0 ? g_strdup_printf ("%s and %u more", name, n_more) : g_strdup (name);
  g_autoptr (HirLayouter) layouter = hir_layouter_new (NULL, 0);
  HirHtmlOptions html = { .figure = *figure, .title = title, .layouter = layouter };
  g_autoptr (HirExplain) explain = NULL;

  if (opened == NULL && is_recording)
    return FALSE;
  explain = hir_explain_run (trace, opened != NULL ? opened->program : NULL,
                             hir_export_progress_get_cancellable (figure->progress), NULL, NULL);
  html.views = opened != NULL ? opened->program->views : NULL;
  html.figure.explain = explain;
  return hir_html_report_write (trace, &html, options->output, error);
}

static gboolean
write_figure (HirTrace *trace, Form form, Options *options, GError **error)
{
  static const HirFigureFormat formats[] = {
    [FORM_SVG] = HIR_FIGURE_SVG,
    [FORM_PDF] = HIR_FIGURE_PDF,
    [FORM_PNG] = HIR_FIGURE_PNG,
    [FORM_HTML] = HIR_FIGURE_SVG,
  };
  static const char *const backgrounds[] = { "white", "dark", "transparent", NULL };
  HirFigureOptions figure = {
    .format = formats[form],
    .legend = options->legend || form == FORM_HTML,
    .progress = &options->watch,
  };
  g_autoptr (HirExplain) explain = NULL;
  g_autoptr (GArray) tracks = NULL;
  gint64 start_ns, end_ns;

  hir_trace_get_span (trace, &start_ns, &end_ns);
  if (!hir_track_set_find (trace, (const char *const *) options->tracks, &tracks, error))
    return FALSE;
  figure.tracks = tracks;
  if (options->range != NULL &&
      !hir_time_range_parse (options->range, end_ns - start_ns, &figure.range_start_ns,
                             &figure.range_end_ns, error))
    return FALSE;
  if (!parse_length ("--width", options->width, MIN_MM, MAX_MM, &figure.width_mm, error) ||
      !parse_length ("--height", options->height, MIN_MM, MAX_MM, &figure.height_mm, error) ||
      !parse_length ("--font", options->font, MIN_PT, MAX_PT, &figure.font_pt, error))
    return FALSE;
  if (options->background != NULL)
    {
      int background =
          hir_option_parse_choice ("--background", options->background, backgrounds, error);

      if (background < 0)
        return FALSE;
      figure.dark = background == 1;
      figure.transparent = background == 2;
    }
  if (form == FORM_HTML)
    return write_html (trace, &figure, options, error);
  if (options->path)
    {
      explain =
          hir_explain_new_with_progress (trace,
                                         hir_export_progress_get_cancellable (&options->watch),
                                         NULL, error);
      if (explain == NULL)
        return FALSE;
      figure.explain = explain;
    }
  return hir_figure_write_timeline (trace, &figure, options->output, error);
}

#else

static gboolean
write_figure (HirTrace *trace, Form form, Options *options, GError **error)
{
  hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                 "this build has no figures; rebuild with cairo, Pango and Graphviz, or use --to "
                 "chrome");
  return FALSE;
}

#endif

/* Rejects options that have no effect on @form, instead of ignoring them silently. */
static gboolean
check_figure_options (Form form, const Options *options, GError **error)
{
  const char *const given[] = { options->range,
                                options->tracks != NULL ? "" : NULL,
                                options->width,
                                options->height,
                                options->font,
                                options->background,
                                options->legend ? "" : NULL,
                                options->path ? "" : NULL };
  static const char *const names[] = { "--range", "--tracks",     "--width",  "--height",
                                       "--font",  "--background", "--legend", "--path" };

  for (guint i = 0; form < FORM_SVG && i < G_N_ELEMENTS (given); i++)
    if (given[i] != NULL)
      {
        hir_set_error (error, HIR_ERROR_INPUT, NULL,
                       "%s applies only to figures (--to svg, pdf, png or html); --to %s always "
                       "writes the whole trace",
                       names[i], forms[form]);
        return FALSE;
      }
  return TRUE;
}

/* If the first input is a recording, copies its passes and programs, too. */
static gboolean
write_recording (HirTrace *trace, Options *options, GError **error)
{
  g_autoptr (HirOpened) opened = NULL;

  if (!hir_recording_sniff (options->inputs[0]))
    {
      HirRecordingWriter *writer = hir_recording_writer_new_beside (options->output, error);
      gboolean done;

      if (writer == NULL)
        return FALSE;
      done = hir_recording_writer_add_trace (writer, trace, &options->watch, error) &&
             hir_recording_writer_close (writer, error);
      if (!done)
        hir_recording_writer_discard (writer);
      hir_recording_writer_free (writer);
      return done;
    }
  opened = hir_opened_new (options->inputs[0], error);
  return opened != NULL && hir_program_save (opened->program, opened->ranks, opened->trace,
                                             options->output, &options->watch, error);
}

static gboolean
write_form (HirTrace *trace, Form form, Options *options, GError **error)
{
  switch (form)
    {
    case FORM_CHROME:
      return hir_export_chrome_file (trace, options->output, &options->watch, error);

    case FORM_CSV:
      return hir_export_csv_file (trace, options->output, &options->watch, error);

    case FORM_PERFETTO:
      return hir_export_perfetto_file (trace, options->output, &options->watch, error);

    case FORM_NSIGHT:
      return hir_export_nsight_file (trace, options->output, &options->watch, error);

    case FORM_HIRS:
      return write_recording (trace, options, error);

    case FORM_SVG:
    case FORM_PDF:
    case FORM_PNG:
    case FORM_HTML:
      return write_figure (trace, form, options, error);

    default:
      g_return_val_if_reached (FALSE);
    }
}

static int
export_trace (Form form, Options *options, GCancellable *cancellable)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTraceRules) rules = hir_trace_options_create_rules (&options->trace, &error);
  const HirImportOptions import = { .cancellable = cancellable, .rules = rules };
  g_autoptr (HirTrace) trace = NULL;
  g_autofree char *note = NULL;
  const char *const *account;

  hir_export_progress_init (&options->watch, cancellable);
  if (rules == NULL || !check_figure_options (form, options, &error))
    return hir_spec_report (error, NULL, NULL);
  for (guint i = 0; options->inputs[i] != NULL; i++)
    if (hir_command_is_same_file (options->inputs[i], options->output))
      return hir_command_fail ("-o %s would overwrite the input trace; choose another name",
                               options->output);
  trace = hir_trace_open (options->inputs, &import, &error);
  if (trace == NULL)
    return hir_spec_report (error, NULL, NULL);
  /* A cancelled load returns the part that was read so far. */
  if (g_cancellable_is_cancelled (cancellable))
    return hir_command_fail ("%s was not written: the export was cancelled", options->output);
  account = hir_trace_get_account (trace);
  for (guint i = 0; account[i] != NULL; i++)
    hir_command_print_to (stderr, "note: %s\n", account[i]);
  /* The output is valid but useless, which must not look like success. */
  if (hir_trace_get_n_events (trace) == 0)
    hir_command_print_to (stderr,
                          "note: %s has no events: nothing was run, or --trace off was given; "
                          "record a run with --trace kernels or full\n",
                          options->inputs[0]);
  if (!write_form (trace, form, options, &error))
    {
      if (g_cancellable_is_cancelled (cancellable))
        return hir_command_fail ("%s was not written: the export was cancelled", options->output);
      return hir_spec_report (error, NULL, NULL);
    }
  note = form == FORM_NSIGHT ? hir_export_nsight_dup_note (trace) : NULL;
  if (note != NULL)
    hir_command_print_to (stderr, "note: %s\n", note);
  return HIR_EXIT_DONE;
}

static int
run (const HirCommand *command, int argc, char **argv)
{
  g_auto (Options) options = { 0 };
  g_auto (GStrv) rest = NULL;
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = {
    { "to", 0, 0, G_OPTION_ARG_STRING, &options.to,
      "output format: chrome (any viewer), perfetto, nsight, hirs,\ncsv, svg, pdf, png, html",
      "FORMAT" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "file to write", "OUT" },
    { NULL },
  };
  const GOptionEntry figure_entries[] = {
    { "range", 0, 0, G_OPTION_ARG_STRING, &options.range,
      "only this range of time, such as 10us:2.5ms", "A:B" },
    { "tracks", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.tracks,
      "only tracks whose names match; can be given several times", "GLOB" },
    { "width", 0, 0, G_OPTION_ARG_STRING, &options.width, "width on paper (default 180)", "MM" },
    { "height", 0, 0, G_OPTION_ARG_STRING, &options.height, "height on paper (default: as needed)",
      "MM" },
    { "font", 0, 0, G_OPTION_ARG_STRING, &options.font, "font size (default 8)", "PT" },
    { "background", 0, 0, G_OPTION_ARG_STRING, &options.background,
      "white (default), dark or transparent", "COLOR" },
    { "legend", 0, 0, G_OPTION_ARG_NONE, &options.legend,
      "add a legend that explains the colors (html: always)", NULL },
    { "path", 0, 0, G_OPTION_ARG_NONE, &options.path,
      "draw the critical path (html: always), see explain", NULL },
    { NULL },
  };
  GOptionEntry trace_entries[HIR_TRACE_OPTIONS_N_ENTRIES];
  const HirOptionSection sections[] = { { "Options", entries },
                                        { "Figures", figure_entries },
                                        { "Classification", trace_entries } };
  g_autoptr (HirInterrupt) interrupt = NULL;
  int form, code;

  hir_trace_options_init_entries (&options.trace, trace_entries);
  if (!hir_command_parse (command, sections, G_N_ELEMENTS (sections), argc, argv, &rest, &code))
    return code;
  if (g_strv_length (rest) == 0)
    return hir_command_fail (
        "hirscope export requires a TRACE: a recording (.hirs), an Nsight Systems export, or "
        "Chrome or Kineto JSON with one file per rank; see hirscope export --help");
  if (options.to == NULL || options.output == NULL)
    return hir_command_fail (
        "hirscope export requires --to FORMAT and -o OUT; see hirscope export --help");
  form = hir_option_parse_choice ("--to", options.to, forms, &error);
  if (form < 0)
    return hir_spec_report (error, NULL, NULL);
  options.inputs = (const char *const *) rest;
  interrupt = hir_interrupt_new ();
  return export_trace (form, &options, hir_interrupt_get_cancellable (interrupt));
}

const HirCommand hir_command_export = {
  .name = "export",
  .group = "Analyze",
  .arguments = "TRACE... --to FORMAT -o OUT",
  .summary = "convert a trace, or draw it as a figure",
  .description =
      "Writes a trace in the format of another tool, or as a figure of its timeline. --to hirs\n"
      "converts the trace of another profiler to a recording, which opens faster and stores all\n"
      "arguments of each event.",
  .examples = "hirscope export m.hirs --to chrome -o m.json\n"
              "hirscope export m.hirs --to pdf --width 86 --font 7 --legend -o m.pdf\n"
              "hirscope export rank0.json.gz rank1.json.gz --to hirs -o both.hirs\n"
              "hirscope export m.hirs --to svg --range 10us:2.5ms --tracks 'Stream*' -o part.svg",
  .run = run,
};
