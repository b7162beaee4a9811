#include "scenario.h"

#include <string.h>

#include "fixture-devices.h"
#include "run-fixture.h"
#include "script/script.h"

GHashTable *
scenario_names (void)
{
  static gsize once;

  if (g_once_init_enter (&once))
    g_once_init_leave (&once, (gsize) g_hash_table_new (g_str_hash, g_str_equal));
  return (GHashTable *) once;
}

HirContainer *
scenario_read_fusion (const char *script_path, const char *function, guint n_devices)
{
  g_autofree char *path = g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), script_path, NULL);
  const HirScriptOptions options = { .n_devices = n_devices };
  GError *error = NULL;
  HirSource *source = hir_script_load (path, &error);
  g_autoptr (HirScript) script = NULL;
  HirContainer *fusion;

  g_assert_no_error (error);
  script = hir_script_parse (source, NULL);
  hir_source_unref (source);
  fusion = hir_script_run (script, function, &options, NULL, &error);
  g_assert_no_error (error);
  return fusion;
}

static HirContainer *
read_fusion (const Scenario *scenario)
{
  return scenario_read_fusion (scenario->script,
                               scenario->function != NULL ? scenario->function
                                                          : strrchr (scenario->name, '/') + 1,
                               scenario->n_devices);
}

static void
check_refused (const Scenario *scenario, HirContainer *fusion)
{
  g_auto (GStrv) words = g_strsplit (scenario->refusal, "|", -1);
  g_autoptr (GError) error = fix_refusal_of (fusion, scenario->passes, 0, words[0]);

  g_assert_error (error, HIR_ERROR, HIR_ERROR_REFUSED);
  g_assert_cmpuint (hir_error_get_pos (error).line, >, 0);
  for (guint i = 1; words[i] != NULL; i++)
    g_assert_nonnull (strstr (error->message, words[i]));
}

/* Removes the tensors, and replaces each team of all devices. */
static char *
dup_kinds (const char *brief, guint n_devices)
{
  g_autoptr (GRegex) tensors = g_regex_new ("\\(T\\d+\\)", 0, 0, NULL);
  g_autofree char *kinds = g_regex_replace_literal (tensors, brief, -1, 0, "", 0, NULL);
  g_autoptr (GString) team = g_string_new ("(");
  g_auto (GStrv) parts = NULL;

  for (guint i = 0; i < n_devices; i++)
    g_string_append_printf (team, "%s%u", i > 0 ? " " : "", i);
  g_string_append_c (team, ')');
  parts = g_strsplit (kinds, team->str, -1);
  return g_strjoinv ("", parts);
}

static void
check_structure (const Scenario *scenario, HirContainer *program, guint rank)
{
  g_autofree char *top = fix_kinds (&program->top);
  g_autofree char *brief = fix_brief (&program->top);

  if (scenario->top != NULL && program->top.exprs.len > 0)
    g_assert_cmpstr (top, ==, scenario->top);
  if (scenario->brief != NULL && rank == scenario->rank)
    g_assert_cmpstr (brief, ==, scenario->brief);
  if (scenario->body != NULL)
    {
      g_autofree char *loop = fix_brief_loop (program);
      g_autofree char *body = dup_kinds (loop, scenario->n_devices);

      g_assert_cmpstr (body, ==, scenario->body);
    }
}

static guint64
count_compared (HirSession *session)
{
  const HirCheckReport *report = hir_session_get_report (session);
  guint64 n = 0;

  for (guint i = 0; i < report->outputs->len; i++)
    n += g_array_index (report->outputs, HirCheckOutput, i).n_elements;
  return n;
}

/* Runs on all devices with poisoned results and delayed tasks. At least one element must be
 * compared. */
static void
check_numbers (const Scenario *scenario, HirContainer *fusion, GPtrArray *programs)
{
  g_auto (GStrv) inputs = scenario->inputs != NULL ? g_strsplit (scenario->inputs, " ", -1) : NULL;
  HirRunOptions options = run_options ();
  g_autoptr (HirSession) session = NULL;
  GError *error = NULL;

  options.inputs = (const char *const *) inputs;
  options.n_repeats = 2;
  options.max_delay_us = 100;
  session = hir_session_new_ranks (fusion, (HirContainer *const *) programs->pdata, programs->len,
                                   &options, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (hir_session_run (session, &error));
  g_assert_no_error (error);
  if (!hir_check_report_passed (hir_session_get_report (session)))
    {
      g_autofree char *text = hir_check_report_format (hir_session_get_report (session));
      g_test_message ("%s", text);
    }
  g_assert_true (hir_check_report_passed (hir_session_get_report (session)));
  g_assert_cmpuint (count_compared (session), >, 0);
}

static void
test_scenario (gconstpointer data)
{
  const Scenario *scenario = data;
  g_autoptr (HirContainer) fusion = read_fusion (scenario);
  g_autoptr (GPtrArray) programs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_container_unref);

  if (scenario->refusal != NULL)
    {
      check_refused (scenario, fusion);
      return;
    }
  for (guint rank = 0; rank < scenario->n_devices; rank++)
    {
      g_ptr_array_add (programs, fix_program (fusion, scenario->passes, rank));
      check_structure (scenario, programs->pdata[rank], rank);
    }
  check_numbers (scenario, fusion, programs);
}

void
scenario_add (const Scenario *scenarios, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_assert_true (g_hash_table_add (scenario_names (), (gpointer) scenarios[i].name));
      g_test_add_data_func (scenarios[i].name, &scenarios[i], test_scenario);
    }
}

void
scenario_add_data_func (const char *name, gconstpointer data, GTestDataFunc test)
{
  g_assert_true (g_hash_table_add (scenario_names (), (gpointer) name));
  g_test_add_data_func (name, data, test);
}

void
scenario_add_func (const char *name, void (*test) (void))
{
  g_assert_true (g_hash_table_add (scenario_names (), (gpointer) name));
  g_test_add_func (name, test);
}
