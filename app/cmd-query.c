/* Implements `hirscope query`: SQL on a trace. */
#include <stdio.h>
#include <string.h>

#include "command-output.h"
#include "command.h"
#include "interrupt.h"
#include "program/document-recording.h"
#include "query/query.h"
#include "spec.h"
#include "trace-options.h"

#define DEFAULT_TIMEOUT_S 60
/* More than queries may have, so that a longer text is rejected, not cut. */
#define MAX_READ_BYTES (1024 * 1024)

typedef struct
{
  gboolean csv, json, schema, list, print;
  char *file, *view;
  double timeout_s;
  HirTraceOptions trace;
} Options;

static void
options_clear (Options *options)
{
  g_free (options->file);
  g_free (options->view);
  hir_trace_options_clear (&options->trace);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

/* Returns the programs of @opened: those of its ranks, or the only one. Free with g_free(). */
static HirQueryProgram *
dup_programs (const HirOpened *opened, guint *n)
{
  const GPtrArray *programs = opened->ranks->programs;
  HirQueryProgram *all = g_new0 (HirQueryProgram, MAX (programs->len, 1));

  *n = MAX (programs->len, 1);
  all[0].views = opened->program->views;
  for (guint i = 0; i < programs->len; i++)
    {
      const HirRankProgram *program = hir_rank_programs_get (opened->ranks, i);

      all[i] = (HirQueryProgram){ program->program->views, program->ranks };
    }
  return all;
}

static int
query_trace (const char *const *paths, const HirSource *sql, const Options *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTraceRules) rules = hir_trace_options_create_rules (&options->trace, &error);
  g_autoptr (HirInterrupt) interrupt = NULL;
  const HirImportOptions import = { .rules = rules };
  g_autoptr (HirOpened) opened =
      rules != NULL ? hir_opened_new_from (paths, &import, NULL, &error) : NULL;
  g_autofree HirQueryProgram *programs = NULL;
  g_autoptr (HirQuery) query = NULL;
  HirQueryOptions run = { .timeout_s = options->timeout_s };
  HirTextOut out;
  guint n_programs;
  gboolean is_done;
  int code;

  if (opened == NULL)
    return hir_spec_report (error, NULL, NULL);
  programs = dup_programs (opened, &n_programs);
  query = hir_query_new (opened->trace, programs, n_programs, &error);
  if (query == NULL)
    return hir_spec_report (error, NULL, NULL);
  interrupt = hir_interrupt_new ();
  run.cancellable = hir_interrupt_get_cancellable (interrupt);
  run.format = options->json  ? HIR_QUERY_AS_JSON
               : options->csv ? HIR_QUERY_AS_CSV
                              : HIR_QUERY_AS_TABLE;
  hir_command_begin_output (&out);
  is_done = hir_query_run (query, sql->text, &run, &out, &error);
  if (!is_done)
    g_string_truncate (out.pending, 0);
  code = hir_command_end_output (&out);
  return is_done ? code : hir_spec_report (error, NULL, sql);
}

/* Reads standard input up to a limit. */
static HirSource *
read_standard_input (GError **error)
{
  g_autofree char *text = g_malloc (MAX_READ_BYTES + 1);
  gsize n = fread (text, 1, MAX_READ_BYTES + 1, stdin);

  if (ferror (stdin))
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "cannot read standard input");
  else if (n > MAX_READ_BYTES)
    hir_set_error (error, HIR_ERROR_LIMIT, NULL, "the SQL on standard input has more than %d bytes",
                   MAX_READ_BYTES);
  else if (memchr (text, '\0', n) != NULL)
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "the SQL on standard input contains a NUL byte");
  else
    return hir_source_new ("<standard input>", text, (gssize) n);
  return NULL;
}

/* Returns the SQL of --view or --file, or of the last of @rest, which it removes. */
static HirSource *
load_sql (const Options *options, char **rest, GError **error)
{
  const HirQueryView *view = options->view != NULL ? hir_query_lookup_view (options->view) : NULL;
  guint n = g_strv_length (rest);
  g_autofree char *last = NULL;

  if (options->view != NULL)
    {
      if (view != NULL)
        return hir_source_new (view->name, view->sql, -1);
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "there is no view '%s'; --list lists them",
                     options->view);
      return NULL;
    }
  if (options->file != NULL)
    return hir_source_load (options->file, error);
  if (n < 2)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "hirscope query requires a TRACE and one SELECT, or --view or --file; see "
                     "hirscope query --help");
      return NULL;
    }
  last = g_steal_pointer (&rest[n - 1]);
  return strcmp (last, "-") == 0 ? read_standard_input (error) : hir_source_new ("SQL", last, -1);
}

static int
print_list (void)
{
  for (const HirQueryView *view = hir_query_get_views (); view->name != NULL; view++)
    printf ("%-12s %s\n", view->name, view->summary);
  return HIR_EXIT_DONE;
}

static int
print_schema (void)
{
  HirTextOut out;

  hir_command_begin_output (&out);
  hir_query_write_schema (&out);
  return hir_command_end_output (&out);
}

static int
run_with (const Options *options, char **rest)
{
  g_autoptr (HirSource) sql = NULL;
  g_autoptr (GError) error = NULL;

  if (options->list)
    return print_list ();
  if (options->schema)
    return print_schema ();
  if (options->csv && options->json)
    return hir_command_fail ("--csv and --json exclude each other");
  if (options->view != NULL && options->file != NULL)
    return hir_command_fail ("--view and --file exclude each other");
  if (!(options->timeout_s >= 0))
    return hir_command_fail ("--timeout %g is out of range: at least 0", options->timeout_s);
  sql = load_sql (options, rest, &error);
  if (sql == NULL)
    return hir_spec_report (error, NULL, NULL);
  if (options->print)
    {
      hir_command_print ("%s", sql->text);
      return HIR_EXIT_DONE;
    }
  if (rest[0] == NULL)
    return hir_command_fail ("hirscope query requires a TRACE: a recording (.hirs), an Nsight "
                             "Systems export, or Chrome or Kineto JSON with one file per rank; see "
                             "hirscope query --help");
  return query_trace ((const char *const *) rest, sql, options);
}

static int
run (const HirCommand *command, int argc, char **argv)
{
  g_auto (Options) options = { .timeout_s = DEFAULT_TIMEOUT_S };
  g_auto (GStrv) rest = NULL;
  const GOptionEntry entries[] = {
    { "csv", 0, 0, G_OPTION_ARG_NONE, &options.csv, "print CSV with a header", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object with columns and rows",
      NULL },
    { "file", 0, 0, G_OPTION_ARG_FILENAME, &options.file, "read the SQL from a file", "FILE" },
    { "view", 0, 0, G_OPTION_ARG_STRING, &options.view, "run a query of --list", "NAME" },
    { "list", 0, 0, G_OPTION_ARG_NONE, &options.list, "print the views and exit", NULL },
    { "schema", 0, 0, G_OPTION_ARG_NONE, &options.schema,
      "print the tables, columns and functions and exit", NULL },
    { "print", 0, 0, G_OPTION_ARG_NONE, &options.print, "print the SQL and exit", NULL },
    { "timeout", 0, 0, G_OPTION_ARG_DOUBLE, &options.timeout_s,
      "cancel the query after this time; 0: never (default: 60)", "SECONDS" },
    { NULL },
  };
  GOptionEntry trace_entries[HIR_TRACE_OPTIONS_N_ENTRIES];
  const HirOptionSection sections[] = { { "Options", entries },
                                        { "Classification", trace_entries } };
  int code;

  hir_trace_options_init_entries (&options.trace, trace_entries);
  if (!hir_command_parse (command, sections, G_N_ELEMENTS (sections), argc, argv, &rest, &code))
    return code;
  return run_with (&options, rest);
}

const HirCommand hir_command_query = {
  .name = "query",
  .group = "Analyze",
  .arguments = "TRACE... SQL",
  .summary = "answer a question by SQL on events, instructions and programs",
  .description =
      "Runs one SELECT on a trace. The tables are events, kernels, copies, host_ops, collectives,\n"
      "counters, comm_records, flows, tracks, ranks, instructions, passes and nodes; --schema\n"
      "prints their columns. SQL - is read from standard input. The trace is read where it is,\n"
      "not copied. A query only reads: anything else is refused.",
  .examples = "hirscope query m.hirs \"SELECT name, sum(dur_ns) FROM kernels GROUP BY name\"\n"
              "hirscope query m.hirs --view kernels --json\n"
              "hirscope query rank0.json.gz rank1.json.gz --file question.sql --csv\n"
              "hirscope query --schema",
  .run = run,
};
