/* Copies a request and changes one option. */
#include "program/request-edit.h"

#include "program/program-dump.h"

#include <string.h>

/* Removes @word from @list, and appends it if @add is TRUE. */
static void
set_word (char ***list, const char *word, gboolean add)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  char **words;

  for (char **at = *list; at != NULL && *at != NULL; at++)
    if (!g_str_equal (*at, word))
      g_strv_builder_add (builder, *at);
  if (add)
    g_strv_builder_add (builder, word);
  words = g_strv_builder_end (builder);
  g_strfreev (*list);
  *list = words;
  if (*words == NULL)
    g_clear_pointer (list, g_strfreev);
}

HirRequest *
hir_request_with_pass (const HirRequest *request, const char *pass_name, gboolean enabled)
{
  const HirPass *pass = hir_pass_lookup (request->pipeline, pass_name);
  HirRequest *copy = hir_request_dup (request);

  g_return_val_if_fail (pass != NULL, copy);

  set_word (&copy->enable, pass_name, enabled && !pass->default_on);
  set_word (&copy->disable, pass_name, !enabled && pass->default_on);
  return copy;
}

static const char *
find_default (HirPipelineKind pipeline, const char *pass_name, const char *option)
{
  const HirPass *pass = hir_pass_lookup (pipeline, pass_name);

  for (const HirPassOption *at = pass != NULL ? pass->options : NULL;
       at != NULL && at->name != NULL; at++)
    if (g_str_equal (at->name, option))
      return at->default_value;
  return NULL;
}

HirRequest *
hir_request_with_option (const HirRequest *request,
                         const char *pass_name,
                         const char *option,
                         const char *value,
                         GError **error)
{
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (request->pipeline);
  g_autofree char *prefix = g_strdup_printf ("%s.%s=", pass_name, option);
  g_autofree char *assignment = g_strconcat (prefix, value, NULL);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  HirRequest *copy;

  if (!hir_pipeline_set_option (pipeline, assignment, error))
    return NULL;
  copy = hir_request_dup (request);
  for (char **at = copy->set; at != NULL && *at != NULL; at++)
    if (!g_str_has_prefix (*at, prefix))
      g_strv_builder_add (builder, *at);
  if (g_strcmp0 (value, find_default (request->pipeline, pass_name, option)) != 0)
    g_strv_builder_add (builder, assignment);
  g_strfreev (copy->set);
  copy->set = g_strv_builder_end (builder);
  if (*copy->set == NULL)
    g_clear_pointer (&copy->set, g_strfreev);
  return copy;
}

HirRequest *
hir_request_with_default_passes (const HirRequest *request)
{
  HirRequest *copy = hir_request_dup (request);

  g_clear_pointer (&copy->enable, g_strfreev);
  g_clear_pointer (&copy->disable, g_strfreev);
  g_clear_pointer (&copy->set, g_strfreev);
  return copy;
}

/* Returns whether pipeline @kind has the pass @word, or accepts it as the value of an option. */
static gboolean
is_known (HirPipelineKind kind, const char *word)
{
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (kind);

  return hir_pass_lookup (kind, word) != NULL || hir_pipeline_set_option (pipeline, word, NULL);
}

/* Removes what only the other pipeline knows. What neither knows remains, so that it is reported.
 */
static void
keep_own (char ***list, HirPipelineKind kind)
{
  HirPipelineKind other = kind == HIR_PIPELINE_HOSTIR ? HIR_PIPELINE_EXECUTOR : HIR_PIPELINE_HOSTIR;
  g_autoptr (GStrvBuilder) kept = g_strv_builder_new ();

  if (*list == NULL)
    return;
  for (char **at = *list; *at != NULL; at++)
    if (is_known (kind, *at) || !is_known (other, *at))
      g_strv_builder_add (kept, *at);
  g_strfreev (*list);
  *list = g_strv_builder_end (kept);
}

HirRequest *
hir_request_with_pipeline (const HirRequest *request, HirPipelineKind kind)
{
  HirRequest *copy = hir_request_dup (request);

  if (copy->pipeline != kind)
    copy->format = kind == HIR_PIPELINE_HOSTIR ? HIR_FORMAT_2026 : HIR_FORMAT_2025;
  copy->pipeline = kind;
  copy->pipeline_given = TRUE;
  keep_own (&copy->enable, kind);
  keep_own (&copy->disable, kind);
  keep_own (&copy->set, kind);
  return copy;
}

HirRequest *
hir_request_with_function (const HirRequest *request, const char *function)
{
  HirRequest *changed = hir_request_dup (request);

  g_free (changed->function);
  changed->function = g_strdup (function);
  return changed;
}

HirRequest *
hir_request_with_devices (const HirRequest *request, gint64 n_devices)
{
  HirRequest *changed = hir_request_dup (request);

  changed->n_devices = n_devices;
  if (changed->rank >= n_devices)
    changed->rank = -1;
  return changed;
}

HirRequest *
hir_request_with_inputs (const HirRequest *request, const char *const *inputs)
{
  HirRequest *changed = hir_request_dup (request);

  g_strfreev (changed->inputs);
  changed->inputs = g_strdupv ((char **) inputs);
  return changed;
}

static char *
dup_sum (const char *text)
{
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
}

/* An edited text is of the document that it was edited from. */
static void
follow_edit (HirRequest *copy, const HirSource *before)
{
  g_autofree char *sum = NULL;

  if (copy->edited_from == NULL && !g_str_equal (copy->source->text, before->text))
    {
      copy->edited_from = dup_sum (before->text);
      return;
    }
  sum = dup_sum (copy->source->text);
  if (g_strcmp0 (copy->edited_from, sum) == 0)
    g_clear_pointer (&copy->edited_from, g_free);
}

HirRequest *
hir_request_with_text (const HirRequest *request, const char *path, const char *text)
{
  HirRequest *copy = hir_request_dup (request);

  hir_source_unref (copy->source);
  copy->source =
      hir_source_new (path != NULL ? path : request->source->path, text, (gssize) strlen (text));
  if (path == NULL)
    {
      follow_edit (copy, request->source);
      return copy;
    }
  copy->is_example = FALSE;
  g_clear_pointer (&copy->edited_from, g_free);
  return copy;
}

HirRequest *
hir_request_with_printed (const HirRequest *request, const char *pass_name, const char *text)
{
  const char *what = request->function != NULL ? request->function : "program";
  g_autofree char *path = g_strdup_printf ("%s-%s" HIR_PRINTED_SUFFIX, what, pass_name);
  HirRequest *copy = hir_request_with_text (request, path, text);
  HirRequest *plain = hir_request_with_default_passes (copy);

  hir_request_unref (copy);
  /* The text itself determines the function, devices and types. */
  g_clear_pointer (&plain->function, g_free);
  g_clear_pointer (&plain->args, g_strfreev);
  plain->n_devices = -1;
  plain->rank = -1;
  plain->dtype = HIR_DTYPE_NULL;
  return plain;
}

void
hir_append_shell_word (GString *line, const char *word)
{
  gboolean is_plain =
      *word != '\0' &&
      word[strspn (word, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_=.,:/+@%")] == '\0';
  g_autofree char *quoted = is_plain ? NULL : g_shell_quote (word);

  if (line->len > 0)
    g_string_append_c (line, ' ');
  g_string_append (line, is_plain ? word : quoted);
}

static void
append_words (GString *out, const char *option, char **words)
{
  for (char **at = words; at != NULL && *at != NULL; at++)
    {
      hir_append_shell_word (out, option);
      hir_append_shell_word (out, *at);
    }
}

static void
append_number (GString *out, const char *option, gint64 number)
{
  if (number >= 0)
    g_string_append_printf (out, " %s %" G_GINT64_FORMAT, option, number);
}

void
hir_request_append_options (const HirRequest *request, GString *out)
{
  append_number (out, "-d", request->n_devices);
  append_number (out, "--rank", request->rank);
  append_words (out, "--arg", request->args);
  append_words (out, "--input", request->inputs);
  if (request->dtype != HIR_DTYPE_NULL)
    g_string_append_printf (out, " --dtype %s", hir_dtype_get_short_name (request->dtype));
  /* A script that names the option may select the other pipeline. */
  if (request->pipeline != HIR_PIPELINE_EXECUTOR ||
      (request->pipeline_given && strstr (request->source->text, "host_ir_lowering") != NULL))
    g_string_append_printf (out, " --pipeline %s", hir_pipeline_kind_get_name (request->pipeline));
  append_words (out, "--enable", request->enable);
  append_words (out, "--disable", request->disable);
  append_words (out, "--set", request->set);
}

char *
hir_request_dup_words (const HirRequest *request)
{
  GString *out = g_string_new (NULL);
  const char *path = request->source->path, *function = request->function;
  g_autofree char *spec = hir_request_has_example_text (request)
                              ? g_strconcat ("example:", function != NULL ? function : path, NULL)
                              : g_strjoin ("::", path, function, NULL);

  hir_append_shell_word (out, spec);
  hir_request_append_options (request, out);
  return g_string_free (out, FALSE);
}
