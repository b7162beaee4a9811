/* Implements `hirscope compare`: compares two traces in a table and in a figure. */
#include "config.h"

#include <stdio.h>

#include "analysis/stats.h"
#include "command-output.h"
#include "command.h"
#include "program/program-compare.h"
#include "spec.h"
#include "trace-options.h"

#if HIR_HAVE_FIGURES
#include "draw/report/figure.h"
#endif

#define MAX_ROWS 30

static gboolean
draw_both (HirTrace *a, HirTrace *b, const char *const *names, const char *path, GError **error)
{
#if HIR_HAVE_FIGURES
  g_autoptr (HirTrace) both = NULL;
  HirFigureOptions options = { .legend = TRUE, .title = "Comparison of A and B, rank by rank" };

  if (!hir_figure_format_from_path (path, &options.format))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "-o %s: the name of a figure must end in .svg, .pdf or .png", path);
      return FALSE;
    }
  both = hir_comparison_merge (a, b, names, NULL, error);
  return both != NULL && hir_figure_write_timeline (both, &options, path, error);
#else
  hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                 "this build has no figures; rebuild with cairo, Pango and Graphviz");
  return FALSE;
#endif
}

static HirOpened *
open_file (const char *path, HirTraceRules *rules, GError **error)
{
  const char *const paths[] = { path, NULL };
  const HirImportOptions import = { .rules = rules };

  return hir_opened_new_from (paths, &import, NULL, error);
}

static int
compare (const char *path_a,
         const char *path_b,
         const HirTraceOptions *options,
         const char *output,
         gboolean json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTraceRules) rules = hir_trace_options_create_rules (options, &error);
  g_autoptr (HirOpened) a = rules != NULL ? open_file (path_a, rules, &error) : NULL;
  g_autoptr (HirOpened) b = a != NULL ? open_file (path_b, rules, &error) : NULL;
  g_autoptr (HirOpTable) ops = b != NULL ? hir_program_dup_ops (a->program, b->program) : NULL;
  g_autoptr (HirComparison) comparison = NULL;
  g_autofree char *name_a = g_path_get_basename (path_a), *name_b = g_path_get_basename (path_b);
  const char *const names[] = { name_a, name_b };
  HirTextOut out;

  if (b != NULL)
    comparison = hir_program_compare (a->program, a->trace, b, ops, NULL, &error);
  if (comparison == NULL ||
      (output != NULL && !draw_both (a->trace, b->trace, names, output, &error)))
    return hir_spec_report (error, NULL, NULL);
  hir_command_begin_output (&out);
  if (json)
    hir_comparison_write_json (comparison, &out);
  else
    hir_comparison_write_text (comparison, MAX_ROWS, &out);
  return hir_command_end_output (&out);
}

static int
run (const HirCommand *command, int argc, char **argv)
{
  g_autofree char *output = NULL;
  g_auto (GStrv) rest = NULL;
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "print one JSON object with all rows, in nanoseconds",
      NULL },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
      "draw both timelines on one scale (.svg, .pdf or .png)", "OUT" },
    { NULL },
  };
  g_auto (HirTraceOptions) trace = { 0 };
  GOptionEntry trace_entries[HIR_TRACE_OPTIONS_N_ENTRIES];
  const HirOptionSection sections[] = { { "Options", entries },
                                        { "Classification", trace_entries } };
  int code;

  hir_trace_options_init_entries (&trace, trace_entries);
  if (!hir_command_parse (command, sections, G_N_ELEMENTS (sections), argc, argv, &rest, &code))
    return code;
  if (g_strv_length (rest) != 2)
    return hir_command_fail ("hirscope compare takes two traces, not %u; see hirscope compare "
                             "--help",
                             g_strv_length (rest));
  return compare (rest[0], rest[1], &trace, output, json);
}

const HirCommand hir_command_compare = {
  .name = "compare",
  .group = "Analyze",
  .arguments = "A B",
  .summary = "compare two traces",
  .description =
      "Reports what takes more or less time in B than in A, per instruction if both are\n"
      "recordings of one program, per op of the script if they are recordings of both\n"
      "pipelines, otherwise per name. A and B may come from different profilers.",
  .examples = "hirscope compare in_loop.hirs separate.hirs\n"
              "hirscope compare before.json.gz after.json.gz -o both.svg",
  .run = run,
};
