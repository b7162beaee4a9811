/* Implements `hirscope lower`: prints or draws the program after each pass. */
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "graph-files.h"
#include "lowering-options.h"
#include "program/program-kernels.h"
#include "program/request-edit.h"
#include "script/script.h"
#include "spec.h"
#include "view/op-table.h"
#include "view/program-diff.h"

#define DIFF_CONTEXT 3

typedef struct
{
  char *print;
  char *svg;
  char *dot;
  char *png;
  gboolean diff;
  gboolean list;
  gboolean both; /* --pipeline both */
} Options;

static void
options_clear (Options *options)
{
  g_free (options->print);
  g_free (options->svg);
  g_free (options->dot);
  g_free (options->png);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static const HirProgramView *
get_view (const HirProgram *program, guint i)
{
  return g_ptr_array_index (program->views, i);
}

static void
print_view (const HirProgramView *view, gboolean heading)
{
  if (heading)
    hir_command_print ("=== %s%s ===\n", view->pass_name, view->changed ? "" : " (no change)");
  hir_command_print ("%s", view->text);
  if (heading)
    putchar ('\n');
}

static void
print_all (const HirProgram *program)
{
  for (guint i = 0; i < program->views->len; i++)
    print_view (get_view (program, i), TRUE);
}

static void
print_diffs (const HirProgram *program)
{
  for (guint i = 1; i < program->views->len; i++)
    {
      HirProgramView *before = g_ptr_array_index (program->views, i - 1);
      HirProgramView *after = g_ptr_array_index (program->views, i);
      g_autoptr (HirProgramDiff) both = hir_program_diff_new (before, after);
      g_autofree char *diff = hir_program_diff_to_unified (both, DIFF_CONTEXT);

      hir_command_print ("=== %s%s ===\n%s\n", after->pass_name,
                         after->changed ? "" : " (no change)", diff);
    }
}

/* Returns the index of the snapshot called @name. If there is none, lists all and returns -1. */
static int
find_view (const HirProgram *program, const char *name)
{
  int index = hir_program_find_view (program, name);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *all = NULL;

  if (index >= 0)
    return index;
  for (guint i = 0; i < program->views->len; i++)
    g_ptr_array_add (names, get_view (program, i)->pass_name);
  g_ptr_array_add (names, NULL);
  all = g_strjoinv (", ", (char **) names->pdata);
  hir_command_fail ("--print: there is no snapshot '%s'; choose %s, last, all or cuda", name, all);
  return -1;
}

/* Prints the kernels of all instructions. */
static int
print_cuda (HirProgram *program)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirProgram) executable = NULL;
  g_autoptr (GPtrArray) kernels = NULL;
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autoptr (GString) text = g_string_new (NULL);

  if (program->error != NULL)
    return HIR_EXIT_DONE; /* reported by the caller */
  executable = hir_program_ref_executable (program, NULL, &error);
  if (executable != NULL)
    kernels = hir_program_new_kernels (executable, NULL, &error);
  if (kernels == NULL)
    return hir_spec_report (error, NULL, program->request->source);
  hir_program_append_kernel_file (executable, kernels, all, text);
  hir_command_print ("%s", text->str);
  return HIR_EXIT_DONE;
}

static int
print_snapshots (HirProgram *program, const Options *options)
{
  gboolean drawn =
      options->svg != NULL || options->dot != NULL || options->png != NULL || options->diff;
  const char *what = options->print;

  if (what == NULL && !drawn)
    what = program->error != NULL ? "all" : "last";
  if (what != NULL && strcmp (what, "all") == 0)
    print_all (program);
  else if (what != NULL && strcmp (what, "cuda") == 0)
    return print_cuda (program);
  else if (what != NULL)
    {
      int index = find_view (program, what);

      if (index < 0)
        return HIR_EXIT_BAD;
      print_view (get_view (program, index), FALSE);
    }
  if (options->diff)
    print_diffs (program);
  return HIR_EXIT_DONE;
}

/* Prints FILE::FUNCTION or FILE::FUNCTION[ID] for everything that can be lowered. */
static int
list (const char *spec)
{
  g_autofree char *path = NULL;
  g_autofree char *function = NULL;
  g_autoptr (HirSource) source = NULL;
  g_autoptr (HirScript) script = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) choices = NULL;

  hir_request_split_spec (spec, &path, &function);
  source = hir_script_load (path, &error);
  if (source == NULL)
    return hir_spec_report (error, NULL, NULL);
  script = hir_script_parse (source, NULL);
  choices = hir_script_dup_choices (script, function, &error);
  if (choices == NULL)
    return hir_spec_report (error, NULL, source);
  for (guint i = 0; choices[i] != NULL; i++)
    hir_command_print ("%s::%s\n", path, choices[i]);
  return HIR_EXIT_DONE;
}

static char *
dup_heading (const HirProgram *program)
{
  const char *name = hir_pipeline_kind_get_name (program->request->pipeline);

  return program->failed_pass != NULL
             ? g_strdup_printf ("%s, before %s", name, program->failed_pass)
             : g_strdup (name);
}

/* Prints what both pipelines make of each op of the script. */
static int
print_both (const HirProgram *a, const HirProgram *b)
{
  g_autoptr (HirOpTable) table = hir_op_table_new (a->views, b->views);
  g_autofree char *left = dup_heading (a);
  g_autofree char *right = dup_heading (b);
  g_autofree char *text =
      hir_op_table_to_text (table, a->request->source->path, (const char *const[]){ left, right });

  hir_command_print ("%s", text);
  fflush (stdout); /* the programs must appear before the errors */
  if (a->error != NULL)
    hir_spec_report (a->error, NULL, a->request->source);
  if (b->error != NULL)
    hir_spec_report (b->error, NULL, b->request->source);
  return a->error != NULL || b->error != NULL ? HIR_EXIT_BAD : HIR_EXIT_DONE;
}

static int
lower_both (const char *spec, const HirLoweringOptions *lowering)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRequest) request = hir_spec_load_or_report (spec, lowering);
  g_autoptr (HirRequest) executor = NULL, hostir = NULL;
  g_autoptr (HirProgram) a = NULL, b = NULL;

  if (request == NULL)
    return HIR_EXIT_BAD;
  executor = hir_request_with_pipeline (request, HIR_PIPELINE_EXECUTOR);
  hostir = hir_request_with_pipeline (request, HIR_PIPELINE_HOSTIR);
  a = hir_spec_open_request (executor, lowering);
  if (a == NULL)
    return HIR_EXIT_BAD;
  if (a->lowering == NULL)
    return hir_command_fail ("%s is a printed program; --pipeline both requires a script", spec);
  /* The notes of the reader are the same. */
  b = hir_program_new (hostir, NULL, NULL, &error);
  return b != NULL ? print_both (a, b) : hir_spec_report (error, NULL, request->source);
}

/* Draws the snapshot of --print, by default the last one, instead of printing it. */
static int
draw_png (const HirProgram *program, const Options *options)
{
  g_autoptr (GError) error = NULL;
  int index = find_view (program, options->print != NULL ? options->print : "last");

  if (index < 0)
    return HIR_EXIT_BAD;
  return hir_graph_files_write_png (program, (guint) index, options->png, &error)
             ? HIR_EXIT_DONE
             : hir_spec_report (error, NULL, NULL);
}

static int
lower (const char *spec, const HirLoweringOptions *lowering, const Options *options)
{
  g_autoptr (HirProgram) program = hir_spec_open_program (spec, lowering);
  g_autoptr (GError) error = NULL;
  int code;

  if (program == NULL)
    return HIR_EXIT_BAD;
  code = options->png != NULL ? draw_png (program, options) : print_snapshots (program, options);
  if (code != HIR_EXIT_DONE && options->png != NULL)
    return code;
  if (options->dot != NULL && !hir_graph_files_write_dot (program, options->dot, &error))
    return hir_spec_report (error, NULL, NULL);
  if (options->svg != NULL && !hir_graph_files_write_svg (program, options->svg, &error))
    return hir_spec_report (error, NULL, NULL);
  if (program->error != NULL)
    {
      fflush (stdout); /* the snapshots must appear before the error of the failing pass */
      return hir_spec_report (program->error, NULL, program->request->source);
    }
  return code;
}

/* Takes `both` out of the pipelines, which other commands do not accept. Returns FALSE after
 * printing an error. */
static gboolean
take_both (HirLoweringOptions *lowering, Options *options)
{
  options->both = g_strcmp0 (lowering->pipeline_text, "both") == 0;
  if (!options->both)
    return TRUE;
  if (!options->diff || options->print != NULL || options->svg != NULL || options->dot != NULL ||
      options->png != NULL)
    {
      hir_command_fail ("--pipeline both compares two programs; use it with --diff, without "
                        "--print, --svg, --dot and --png");
      return FALSE;
    }
  g_clear_pointer (&lowering->pipeline_text, g_free);
  return TRUE;
}

static int
run (const HirCommand *command, int argc, char **argv)
{
  g_auto (HirLoweringOptions) lowering = { 0 };
  g_auto (Options) options = { 0 };
  g_auto (GStrv) rest = NULL;
  g_autoptr (GError) error = NULL;
  int code;
  const GOptionEntry entries[] = {
    { "print", 0, 0, G_OPTION_ARG_STRING, &options.print,
      "print the snapshot after PASS (Fusion is the input),\nthe last one (default), or all; "
      "cuda: CUDA C of the kernels\nthat GPUs run",
      "PASS|last|all|cuda" },
    { "diff", 0, 0, G_OPTION_ARG_NONE, &options.diff,
      "print the changes of each pass; with --pipeline both,\nboth programs side by side, by op of the "
      "script",
      NULL },
    { "list", 0, 0, G_OPTION_ARG_NONE, &options.list,
      "print what FILE.py or FILE.py::FUNCTION offers: functions\nand their pytest parameters",
      NULL },
    { "svg", 0, 0, G_OPTION_ARG_FILENAME, &options.svg,
      "write the graph after each pass to NN-PassName.svg", "DIR" },
    { "dot", 0, 0, G_OPTION_ARG_FILENAME, &options.dot,
      "write the graph after each pass to NN-PassName.dot", "DIR" },
    { "png", 0, 0, G_OPTION_ARG_FILENAME, &options.png,
      "draw the snapshot of --print (default: the last one)\nto this file", "FILE" },
    { NULL },
  };
  const HirOptionSection sections[] = {
    { "Options", entries },
    { "Lowering", hir_lowering_options_get_entries (&lowering) },
  };

  if (!hir_command_parse (command, sections, G_N_ELEMENTS (sections), argc, argv, &rest, &code))
    return code;
  if (!take_both (&lowering, &options))
    return HIR_EXIT_BAD;
  if (!hir_lowering_options_check (&lowering, &error))
    return hir_spec_report (error, NULL, NULL);
  if (g_strv_length (rest) != 1)
    return hir_command_fail ("hirscope lower takes one SRC (FILE.py::FUNCTION or example:NAME), "
                             "not %u; "
                             "see hirscope lower --help",
                             g_strv_length (rest));
  if (options.list)
    return list (rest[0]);
  if (options.png != NULL && (options.diff || g_strcmp0 (options.print, "all") == 0))
    return hir_command_fail ("--png draws one snapshot; use it without --diff and --print all, or "
                             "use --svg, which draws all");
  return options.both ? lower_both (rest[0], &lowering) : lower (rest[0], &lowering, &options);
}

const HirCommand hir_command_lower = {
  .name = "lower",
  .group = "View",
  .arguments = "SRC",
  .summary = "print or draw the program after each pass",
  .description =
      "Reads the script, lowers the fusion that FUNCTION defines, and prints the program in\n"
      "nvFuser's text format. If a pass fails, prints the snapshots before it, and then the error\n"
      "with its line in the script.",
  .examples =
      "hirscope lower example:two_set_ops\n"
      "hirscope lower example:two_set_ops --print all\n"
      "hirscope lower mine.py::layer -d 8 --arg num_chunks=4 --diff\n"
      "hirscope lower mine.py::layer -d 8 --pipeline both --diff\n"
      "hirscope lower example:matmul_m --set StreamParallelType.initial_sync=in_loop --svg passes",
  .takes_src = TRUE,
  .run = run,
};
