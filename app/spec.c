#include "spec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dump/read-dump.h"
#include "examples.h"
#include "file-error.h"
#include "program/document-recording.h"
#include "script/script.h"
#include "suggest.h"

#define EXAMPLE_PREFIX "example:"
#define HEAD_BYTES 4096

/* Searches the whole file if necessary: a log may have much text before its first dump. */
static gboolean
holds_dump (const char *path, const char *head)
{
  g_autoptr (HirSource) source = NULL;

  if (hir_dump_sniff (head, -1))
    return TRUE;
  source = hir_source_load (path, NULL);
  return source != NULL && hir_dump_sniff (source->text, (gssize) source->length);
}

gboolean
hir_spec_get_file_kind (const char *path, HirFileKind *kind, GError **error)
{
  char head[HEAD_BYTES + 1] = { 0 };
  FILE *file;
  gsize n;
  int saved;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s is a folder; specify a file", path);
      return FALSE;
    }
  file = fopen (path, "rbe");
  if (file == NULL)
    {
      if (strstr (path, ".py:") != NULL)
        hir_set_error (error, HIR_ERROR_INPUT, NULL,
                       "cannot open %s: %s; write FILE.py::FUNCTION to select a function", path,
                       g_strerror (errno));
      else
        hir_set_file_error (error, "open", path, errno);
      return FALSE;
    }
  n = fread (head, 1, HEAD_BYTES, file);
  saved = ferror (file) ? errno : 0;
  fclose (file);
  if (saved != 0)
    {
      hir_set_file_error (error, "read", path, saved);
      return FALSE;
    }
  /* An empty .hirs, or one cut off in its first page, is a broken recording, not a script. */
  if ((n >= 16 && memcmp (head, "SQLite format 3", 16) == 0) || g_str_has_suffix (path, ".hirs") ||
      g_str_has_suffix (path, ".hirs.partial"))
    *kind = HIR_FILE_RECORDING;
  else if (!g_str_has_suffix (path, ".py") && holds_dump (path, head))
    *kind = HIR_FILE_DUMP;
  else
    *kind = HIR_FILE_SCRIPT;
  return TRUE;
}

/* Returns the fusion of the examples that is nearest to @name (newly allocated), or NULL if none is
 * near. */
static char *
suggest_example (const char *name)
{
  g_autofree char *best = NULL;
  guint distance = G_MAXUINT;

  for (const HirExample *e = hir_examples_get_table (); e->name != NULL; e++)
    {
      g_auto (GStrv) names = hir_examples_dup_functions (e);
      HirSuggestion suggestion = { NULL, 0 };

      for (guint i = 0; names[i] != NULL; i++)
        hir_suggestion_offer (&suggestion, name, names[i]);
      if (suggestion.best != NULL && suggestion.distance < distance)
        {
          g_free (best);
          best = g_strdup (suggestion.best);
          distance = suggestion.distance;
        }
    }
  return g_steal_pointer (&best);
}

/* Loads FILE, FILE::FUNCTION or FUNCTION of the built-in examples. */
static HirRequest *
load_example (const char *name, GError **error)
{
  g_autofree char *file = NULL;
  g_autofree char *function = NULL;
  g_autoptr (HirSource) source = NULL;
  const HirExample *example;
  HirRequest *request;

  hir_request_split_spec (name, &file, &function);
  example = hir_examples_lookup (file);
  if (example == NULL && function == NULL)
    {
      example = hir_examples_lookup_function (file);
      function = g_steal_pointer (&file);
    }
  if (example == NULL)
    {
      g_autofree char *near = function != NULL ? suggest_example (function) : NULL;

      if (near != NULL)
        hir_set_error (error, HIR_ERROR_INPUT, NULL,
                       "there is no example '%s'; did you mean example:%s?", name, near);
      else
        hir_set_error (error, HIR_ERROR_INPUT, NULL,
                       "there is no example '%s'; hirscope lower --help lists them", name);
      return NULL;
    }
  source = hir_source_new (example->name, example->text, example->length);
  request = hir_request_new (source, function);
  request->is_example = TRUE;
  return request;
}

/* Returns a request for the last snapshot as a printed program, or NULL if it is not a host
 * program. Used for recordings without a script. */
static HirRequest *
dup_printed (const char *path, const HirProgram *program)
{
  const HirProgramView *last =
      program->views->len > 0 ? g_ptr_array_index (program->views, program->views->len - 1) : NULL;
  g_autoptr (HirSource) source = NULL;

  if (last == NULL || !last->is_host || !hir_dump_sniff (last->text, -1))
    return NULL;
  source = hir_source_new (path, last->text, -1);
  return hir_request_new (source, NULL);
}

static HirRequest *
load_recording (const char *path, GError **error)
{
  g_autoptr (HirOpened) opened = hir_opened_new (path, error);

  if (opened == NULL)
    return NULL;
  if (opened->program->request == NULL)
    {
      HirRequest *printed = dup_printed (path, opened->program);

      if (printed != NULL)
        return printed;
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "%s contains neither a script nor a host program; hirscope %s shows it", path,
                     path);
      return NULL;
    }
  return hir_request_dup (opened->program->request);
}

static HirRequest *
load_dump (const char *path, const char *function, GError **error)
{
  g_autoptr (HirSource) source = NULL;

  if (function != NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "%s is a printed program, which has no functions; leave out ::%s", path,
                     function);
      return NULL;
    }
  source = hir_source_load (path, error);
  return source != NULL ? hir_request_new (source, NULL) : NULL;
}

static HirRequest *
load_file (const char *spec, GError **error)
{
  g_autofree char *path = NULL;
  g_autofree char *function = NULL;
  g_autoptr (HirSource) source = NULL;
  HirFileKind kind;

  hir_request_split_spec (spec, &path, &function);
  if (!hir_spec_get_file_kind (path, &kind, error))
    return NULL;
  switch (kind)
    {
    case HIR_FILE_RECORDING:
      return load_recording (path, error);

    case HIR_FILE_DUMP:
      return load_dump (path, function, error);

    case HIR_FILE_SCRIPT:
    default:
      source = hir_script_load (path, error);
      return source != NULL ? hir_request_new (source, function) : NULL;
    }
}

static void
replace_list (char ***list, char *const *given)
{
  if (given == NULL)
    return;
  g_strfreev (*list);
  *list = g_strdupv ((char **) given);
}

HirRequest *
hir_spec_load (const char *spec, const HirLoweringOptions *options, GError **error)
{
  HirRequest *request;

  if (g_str_has_prefix (spec, EXAMPLE_PREFIX))
    request = load_example (spec + strlen (EXAMPLE_PREFIX), error);
  else
    request = load_file (spec, error);
  if (request == NULL)
    return NULL;

  if (options->n_devices >= 0)
    request->n_devices = options->n_devices;
  if (options->rank >= 0)
    request->rank = options->rank;
  if (options->dtype != HIR_DTYPE_NULL)
    request->dtype = options->dtype;
  if (options->pipeline_given)
    {
      request->pipeline = options->pipeline;
      request->pipeline_given = TRUE;
      request->format =
          options->pipeline == HIR_PIPELINE_HOSTIR ? HIR_FORMAT_2026 : HIR_FORMAT_2025;
    }
  if (options->format_given)
    {
      request->format = options->format;
      request->format_given = TRUE;
    }
  replace_list (&request->args, options->args);
  replace_list (&request->inputs, options->inputs);
  replace_list (&request->enable, options->enable);
  replace_list (&request->disable, options->disable);
  replace_list (&request->set, options->set);
  return request;
}

gboolean
hir_spec_exists (const char *spec, GError **error)
{
  g_autofree char *path = NULL;
  g_autofree char *function = NULL;
  HirFileKind kind;

  if (g_str_has_prefix (spec, EXAMPLE_PREFIX))
    {
      g_autoptr (HirRequest) request = load_example (spec + strlen (EXAMPLE_PREFIX), error);

      return request != NULL;
    }
  hir_request_split_spec (spec, &path, &function);
  return hir_spec_get_file_kind (path, &kind, error);
}

int
hir_spec_report (const GError *error, const GPtrArray *diagnostics, const HirSource *source)
{
  if (diagnostics == NULL || diagnostics->len == 0)
    {
      g_autofree char *text = hir_error_format (error, source);

      fputs (text, stderr);
      return HIR_EXIT_BAD;
    }
  for (guint i = 0; i < diagnostics->len; i++)
    {
      g_autofree char *text = hir_diagnostic_format (g_ptr_array_index (diagnostics, i), source);

      fputs (text, stderr);
    }
  return HIR_EXIT_BAD;
}

static void
print_notes (const GPtrArray *notes, const HirSource *source)
{
  for (guint i = 0; notes != NULL && i < notes->len; i++)
    {
      const HirDiagnostic *note = g_ptr_array_index (notes, i);

      if (note->pos.line > 0 && source != NULL)
        hir_command_print_to (stderr, "%s:%u:%u: %s: %s\n", source->path, note->pos.line,
                              note->pos.column, note->code == HIR_WARNING ? "warning" : "note",
                              note->message);
      else
        hir_command_print_to (stderr, "note: %s\n", note->message);
    }
}

/* Rejects a rank that the program does not have: it would be displayed as an idle device. */
static gboolean
check_rank (const HirLoweringOptions *options, const HirProgram *program, GError **error)
{
  gint64 n_devices = program->request->n_devices;

  if (options->rank < MAX (n_devices, 1))
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "--rank %" G_GINT64_FORMAT " is out of range: the program has %" G_GINT64_FORMAT
                 " device%s, counted from 0; see -d",
                 options->rank, n_devices, n_devices == 1 ? "" : "s");
  return FALSE;
}

HirProgram *
hir_spec_open_request (const HirRequest *request, const HirLoweringOptions *options)
{
  g_autoptr (GPtrArray) diagnostics =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirProgram) program = NULL;

  /* Report errors of the command line before errors of the script. */
  if (!hir_request_check (request, &error))
    {
      hir_spec_report (error, NULL, NULL);
      return NULL;
    }
  program = hir_program_new (request, diagnostics, NULL, &error);
  if (program == NULL)
    {
      hir_spec_report (error, diagnostics, request->source);
      return NULL;
    }
  if (!check_rank (options, program, &error))
    {
      hir_spec_report (error, NULL, NULL);
      return NULL;
    }
  print_notes (program->notes, request->source);
  return g_steal_pointer (&program);
}

HirRequest *
hir_spec_load_or_report (const char *spec, const HirLoweringOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  g_autofree char *function = NULL;
  g_autoptr (HirSource) unread = NULL;
  HirRequest *request = hir_spec_load (spec, options, &error);

  if (request != NULL)
    return request;
  hir_request_split_spec (spec, &path, &function);
  unread = hir_source_new (path, "", 0);
  hir_spec_report (error, NULL, hir_error_get_pos (error).line > 0 ? unread : NULL);
  return NULL;
}

HirProgram *
hir_spec_open_program (const char *spec, const HirLoweringOptions *options)
{
  g_autoptr (HirRequest) request = hir_spec_load_or_report (spec, options);

  return request != NULL ? hir_spec_open_request (request, options) : NULL;
}

gboolean
hir_spec_open_against (const char *spec,
                       HirLoweringOptions *options,
                       const HirProgram *program,
                       HirProgram **against,
                       HirContainer **fusion)
{
  *against = NULL;
  *fusion = NULL;
  if (spec == NULL)
    return TRUE;
  if (options->n_devices < 0)
    options->n_devices = program->request->n_devices;
  *against = hir_spec_open_program (spec, options);
  if (*against == NULL)
    return FALSE;
  *fusion = hir_program_lookup_fusion (*against);
  if (*fusion == NULL)
    hir_command_fail ("--against %s is not a fusion; specify FILE.py::FUNCTION or a printed fusion",
                      spec);
  return *fusion != NULL;
}
