#include "program/run-differences.h"

G_GNUC_PRINTF (2, 3)
static void
add (GString *out, const char *format, ...)
{
  va_list args;

  if (out->len > 0)
    g_string_append (out, ", ");
  va_start (args, format);
  g_string_append_vprintf (out, format, args);
  va_end (args);
}

static void
add_settings (GString *out, const HirRunSettings *a, const HirRunSettings *b)
{
  if (a->n_streams != b->n_streams)
    add (out, "%" G_GINT64_FORMAT " stream%s", a->n_streams, a->n_streams == 1 ? "" : "s");
  if (a->backend != b->backend)
    add (out, "%s", a->backend == HIR_BACKEND_CUDA ? "GPU" : "CPU");
  if (a->model_clock != b->model_clock)
    add (out, "%s clock", a->model_clock ? "modelled" : "wall");
  if (a->comm.way != b->comm.way)
    add (out, "%s transport", hir_comm_transport_get_name (a->comm.way));
  if (a->n_repeat != b->n_repeat)
    add (out, "%" G_GINT64_FORMAT " repetition%s", a->n_repeat, a->n_repeat == 1 ? "" : "s");
  if (a->seed != b->seed)
    add (out, "seed %" G_GUINT64_FORMAT, a->seed);
}

static gboolean
contains (char **list, const char *text)
{
  return list != NULL && g_strv_contains ((const char *const *) list, text);
}

/* Adds the words of @from that @in does not have, with @what. */
static void
add_words (GString *out, char **from, char **in, const char *what)
{
  for (guint i = 0; from != NULL && from[i] != NULL; i++)
    if (!contains (in, from[i]))
      add (out, "%s%s", from[i], what);
}

/* Options that only @b sets have their default in @a, unless @a sets them to another value. */
static void
add_defaults (GString *out, char **a, char **b)
{
  for (guint i = 0; b != NULL && b[i] != NULL; i++)
    {
      g_autofree char *option = g_strndup (b[i], strcspn (b[i], "="));
      gboolean is_set = FALSE;

      for (guint k = 0; a != NULL && a[k] != NULL; k++)
        is_set |= g_str_has_prefix (a[k], option) && a[k][strlen (option)] == '=';
      if (!is_set)
        add (out, "%s default", option);
    }
}

static gboolean
has_same_inputs (const HirRequest *a, const HirRequest *b)
{
  if (a->inputs == NULL || b->inputs == NULL)
    return a->inputs == b->inputs;
  return g_strv_equal ((const char *const *) a->inputs, (const char *const *) b->inputs);
}

static gboolean
has_same_path (const HirRequest *a, const HirRequest *b)
{
  return g_str_equal (a->source->path, b->source->path);
}

static gboolean
has_same_text (const HirRequest *a, const HirRequest *b)
{
  return a->source == b->source || g_str_equal (a->source->text, b->source->text);
}

/* Adds what identifies the program of @a if @b or @c (nullable both) has another one. */
static void
add_program (GString *out, const HirRequest *a, const HirRequest *b, const HirRequest *c)
{
  const HirRequest *others[] = { b, c };
  gboolean other_path = FALSE, other_function = FALSE, other_devices = FALSE;
  g_autofree char *file = g_path_get_basename (a->source->path);

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (others[i] != NULL)
      {
        other_path |= !has_same_path (a, others[i]);
        other_function |= g_strcmp0 (a->function, others[i]->function) != 0;
        other_devices |= a->n_devices != others[i]->n_devices;
      }
  if (other_path)
    add (out, "%s", file);
  else if (b != NULL && !has_same_text (a, b))
    add (out, "other script text");
  if (other_function && a->function != NULL)
    add (out, "%s", a->function);
  if (other_devices && a->n_devices > 0)
    add (out, "%" G_GINT64_FORMAT " device%s", a->n_devices, a->n_devices == 1 ? "" : "s");
  else if (other_devices)
    add (out, "default devices");
}

static void
add_options (GString *out, const HirRequest *a, const HirRequest *b)
{
  if (!has_same_inputs (a, b))
    {
      g_autofree char *inputs = a->inputs != NULL ? g_strjoinv (" ", a->inputs) : NULL;

      add (out, "%s%s", inputs != NULL ? "inputs " : "default inputs",
           inputs != NULL ? inputs : "");
    }
  if (a->pipeline != b->pipeline)
    add (out, "pipeline %s", hir_pipeline_kind_get_name (a->pipeline));
  add_words (out, a->enable, b->enable, " on");
  add_words (out, b->enable, a->enable, " off");
  add_words (out, a->disable, b->disable, " off");
  add_words (out, b->disable, a->disable, " on");
  add_words (out, a->set, b->set, "");
  add_defaults (out, a->set, b->set);
}

char *
hir_run_dup_differences_from (const HirRequest *request,
                              const HirRunSettings *settings,
                              const HirRequest *other,
                              const HirRunSettings *other_settings,
                              const HirRequest *open)
{
  GString *out = g_string_new (NULL);

  add_program (out, request, other, open);
  if (settings != NULL && other_settings != NULL)
    add_settings (out, settings, other_settings);
  if (other != NULL)
    add_options (out, request, other);
  return g_string_free (out, FALSE);
}

char *
hir_run_dup_differences (const HirRequest *request,
                         const HirRunSettings *settings,
                         const HirRequest *other,
                         const HirRunSettings *other_settings)
{
  return hir_run_dup_differences_from (request, settings, other, other_settings, NULL);
}
