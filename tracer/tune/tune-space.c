#include "tune/tune-space.h"

#include <string.h>

#include "diagnostic.h"
#include "pipeline.h"
#include "program/request-edit.h"

#define SYNC_PASS "StreamParallelType"
#define SYNC_OPTION "initial_sync"
#define MAX_STREAMS 64
#define MAX_CHUNKS 1000000

static const char *const syncs[] = { "separate", "in_loop", NULL };
static const char *const priorities[] = { "normal", "high", NULL };

const char *
hir_tune_dimension_get_name (HirTuneDimension dimension)
{
  static const char *const names[] = {
    [HIR_TUNE_PIPELINE] = "pipeline", [HIR_TUNE_INITIAL_SYNC] = "initial_sync",
    [HIR_TUNE_CHUNKS] = "chunks",     [HIR_TUNE_STREAMS] = "streams",
    [HIR_TUNE_COMM] = "comm",         [HIR_TUNE_PRIORITY] = "priority",
  };

  return names[dimension];
}

char *
hir_tune_value_dup_text (HirTuneDimension dimension, gint64 value)
{
  if (value == HIR_TUNE_NONE)
    return NULL;
  switch (dimension)
    {
    case HIR_TUNE_PIPELINE:
      return g_strdup (hir_pipeline_kind_get_name ((HirPipelineKind) value));
    case HIR_TUNE_INITIAL_SYNC:
      return g_strdup (syncs[value]);
    case HIR_TUNE_COMM:
      return g_strdup (hir_comm_transport_get_name ((HirCommTransport) value));
    case HIR_TUNE_PRIORITY:
      return g_strdup (priorities[value]);
    case HIR_TUNE_CHUNKS:
    case HIR_TUNE_STREAMS:
    case HIR_N_TUNE_DIMENSIONS:
    default:
      return g_strdup_printf ("%" G_GINT64_FORMAT, value);
    }
}

char *
hir_tune_choice_dup_text (const HirTuneChoice *choice)
{
  static const char *const before[] = { "", "initial_sync ", "", "", "", "" };
  static const char *const after[] = { "", "", " chunk", " stream", "", " priority" };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < HIR_N_TUNE_DIMENSIONS; i++)
    {
      gint64 value = choice->values[i];
      g_autofree char *name = hir_tune_value_dup_text ((HirTuneDimension) i, value);
      gboolean is_plural = (i == HIR_TUNE_CHUNKS || i == HIR_TUNE_STREAMS) && value != 1;

      if (name != NULL)
        g_string_append_printf (text, "%s%s%s%s%s", text->len > 0 ? ", " : "", before[i], name,
                                after[i], is_plural ? "s" : "");
    }
  return g_string_free (text, FALSE);
}

/* Adds a value unless it is there. */
static void
add_value (HirTuneSpace *space, HirTuneDimension dimension, gint64 value)
{
  for (guint i = 0; i < space->values[dimension]->len; i++)
    if (g_array_index (space->values[dimension], gint64, i) == value)
      return;
  g_array_append_val (space->values[dimension], value);
}

static void
set_given (HirTuneSpace *space, HirTuneDimension dimension, gint64 value)
{
  space->given.values[dimension] = value;
  add_value (space, dimension, value);
}

/* Returns the index of the option that @request sets, or HIR_TUNE_NONE without that pass. */
static gint64
get_sync (const HirRequest *request)
{
  g_autoptr (HirPipeline) pipeline = hir_request_create_pipeline (request, NULL);
  const char *value = pipeline != NULL && hir_pipeline_get_enabled (pipeline, SYNC_PASS)
                          ? hir_pipeline_get_option (pipeline, SYNC_PASS, SYNC_OPTION)
                          : NULL;

  for (guint i = 0; value != NULL && syncs[i] != NULL; i++)
    if (g_str_equal (value, syncs[i]))
      return i;
  return HIR_TUNE_NONE;
}

static void
add_lowering (HirTuneSpace *space, const HirProgram *program)
{
  const HirRequest *request = program->request;
  g_autoptr (HirRequest) executor = hir_request_with_pipeline (request, HIR_PIPELINE_EXECUTOR);
  gboolean is_printed = program->printed != NULL;

  set_given (space, HIR_TUNE_PIPELINE, is_printed ? HIR_TUNE_NONE : (gint64) request->pipeline);
  set_given (space, HIR_TUNE_INITIAL_SYNC, is_printed ? HIR_TUNE_NONE : get_sync (request));
  if (is_printed)
    {
      g_ptr_array_add (space->notes, g_strdup ("pipelines and initial_sync are not tried: the "
                                               "program is printed, so it is not lowered"));
      return;
    }
  add_value (space, HIR_TUNE_PIPELINE, HIR_PIPELINE_EXECUTOR);
  add_value (space, HIR_TUNE_PIPELINE, HIR_PIPELINE_HOSTIR);
  if (get_sync (executor) == HIR_TUNE_NONE)
    return;
  for (guint i = 0; syncs[i] != NULL; i++)
    add_value (space, HIR_TUNE_INITIAL_SYNC, i);
}

static void
add_chunks (HirTuneSpace *space, const HirProgram *program)
{
  g_autoptr (GError) error = NULL;
  gint64 size;

  space->chunks = hir_tune_chunks_new (program, &error);
  if (space->chunks == NULL)
    {
      set_given (space, HIR_TUNE_CHUNKS, HIR_TUNE_NONE);
      g_ptr_array_add (space->notes, g_strdup_printf ("chunks are not tried: %s", error->message));
      return;
    }
  size = hir_tune_chunks_get_size (space->chunks);
  set_given (space, HIR_TUNE_CHUNKS, size);
  for (gint64 factor = 2; factor <= 4; factor *= 2)
    {
      if (size % factor == 0 && hir_tune_chunks_allow (space->chunks, size / factor))
        add_value (space, HIR_TUNE_CHUNKS, size / factor);
      if (hir_tune_chunks_allow (space->chunks, size * factor))
        add_value (space, HIR_TUNE_CHUNKS, size * factor);
    }
}

static void
add_communication (HirTuneSpace *space, const HirProgram *program, const HirRunSettings *settings)
{
  HirCommTransport way = settings->comm.way;
  gboolean has_choice = settings->backend == HIR_BACKEND_CUDA && program->request->n_devices > 1;

  /* The defaults of the back end. */
  if (way == HIR_COMM_TRANSPORT_DEFAULT)
    way = settings->share_gpus ? HIR_COMM_TRANSPORT_COPY : HIR_COMM_TRANSPORT_NCCL;
  set_given (space, HIR_TUNE_COMM, has_choice ? (gint64) way : HIR_TUNE_NONE);
  set_given (space, HIR_TUNE_PRIORITY,
             has_choice ? (gint64) (settings->comm.high_priority != FALSE) : HIR_TUNE_NONE);
  if (!has_choice)
    return;
  for (guint i = HIR_COMM_TRANSPORT_NCCL; i < HIR_N_COMM_TRANSPORTS; i++)
    add_value (space, HIR_TUNE_COMM, i);
  add_value (space, HIR_TUNE_PRIORITY, 0);
  add_value (space, HIR_TUNE_PRIORITY, 1);
}

HirTuneSpace *
hir_tune_space_new (HirProgram *program, const HirRunSettings *settings)
{
  HirTuneSpace *space = g_new0 (HirTuneSpace, 1);

  for (guint i = 0; i < HIR_N_TUNE_DIMENSIONS; i++)
    space->values[i] = g_array_new (FALSE, FALSE, sizeof (gint64));
  space->notes = g_ptr_array_new_with_free_func (g_free);
  add_lowering (space, program);
  add_chunks (space, program);
  set_given (space, HIR_TUNE_STREAMS, settings->n_streams);
  for (gint64 n = 1; n <= 8; n *= 2)
    add_value (space, HIR_TUNE_STREAMS, n);
  add_communication (space, program, settings);
  return space;
}

void
hir_tune_space_free (HirTuneSpace *space)
{
  for (guint i = 0; i < HIR_N_TUNE_DIMENSIONS; i++)
    g_array_unref (space->values[i]);
  g_clear_pointer (&space->chunks, hir_tune_chunks_free);
  g_ptr_array_unref (space->notes);
  g_free (space);
}

/* Returns whether a value that is a number or a size is allowed. */
static gboolean
allows (const HirTuneSpace *space, HirTuneDimension dimension, gint64 value)
{
  if (dimension == HIR_TUNE_STREAMS)
    return value >= 1 && value <= MAX_STREAMS;
  return hir_tune_chunks_allow (space->chunks, value);
}

/* Parses a value: a number, or the name of one that the dimension has. */
static gboolean
parse_value (const HirTuneSpace *space,
             HirTuneDimension dimension,
             const char *text,
             gint64 *value,
             GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  if (dimension == HIR_TUNE_STREAMS || dimension == HIR_TUNE_CHUNKS)
    {
      if (g_ascii_string_to_signed (text, 10, 1, MAX_CHUNKS, value, NULL) &&
          allows (space, dimension, *value))
        return TRUE;
      if (dimension == HIR_TUNE_STREAMS)
        hir_set_error (error, HIR_ERROR_INPUT, NULL,
                       "--try streams takes numbers from 1 to %d, not '%s'", MAX_STREAMS, text);
      else
        hir_set_error (error, HIR_ERROR_INPUT, NULL,
                       "--try chunks takes numbers that divide the work, not '%s'", text);
      return FALSE;
    }
  for (guint i = 0; i < space->values[dimension]->len; i++)
    {
      gint64 known = g_array_index (space->values[dimension], gint64, i);
      g_autofree char *name = hir_tune_value_dup_text (dimension, known);

      *value = known;
      if (g_strcmp0 (name, text) == 0)
        return TRUE;
      if (name != NULL)
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", name);
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "--try %s takes %s, not '%s'",
                 hir_tune_dimension_get_name (dimension), names->str, text);
  return FALSE;
}

static gboolean
find_dimension (const char *name, HirTuneDimension *dimension, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < HIR_N_TUNE_DIMENSIONS; i++)
    {
      *dimension = (HirTuneDimension) i;
      if (g_str_equal (name, hir_tune_dimension_get_name (*dimension)))
        return TRUE;
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "",
                              hir_tune_dimension_get_name (*dimension));
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "--try knows no '%s'; it takes one of %s", name,
                 names->str);
  return FALSE;
}

gboolean
hir_tune_space_restrict (HirTuneSpace *space, const char *text, GError **error)
{
  const char *equals = strchr (text, '=');
  g_autofree char *name = equals != NULL ? g_strndup (text, (gsize) (equals - text)) : NULL;
  g_auto (GStrv) words = equals != NULL ? g_strsplit (equals + 1, ",", -1) : NULL;
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  HirTuneDimension dimension;

  if (equals == NULL || equals[1] == '\0')
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "--try takes NAME=VALUES, such as streams=1,2,4, not '%s'", text);
      return FALSE;
    }
  if (!find_dimension (name, &dimension, error))
    return FALSE;
  if (space->given.values[dimension] == HIR_TUNE_NONE && space->values[dimension]->len < 2)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "--try %s cannot be tried for this program and back end; leave it out", name);
      return FALSE;
    }
  for (guint i = 0; words[i] != NULL; i++)
    {
      gint64 value;

      if (!parse_value (space, dimension, words[i], &value, error))
        return FALSE;
      g_array_append_val (values, value);
    }
  g_array_set_size (space->values[dimension], 0);
  add_value (space, dimension, space->given.values[dimension]);
  for (guint i = 0; i < values->len; i++)
    add_value (space, dimension, g_array_index (values, gint64, i));
  return TRUE;
}

/* Sets an option of a pass, also to its default: SRC may be a recording with another one. */
static HirRequest *
dup_with_sync (const HirRequest *request, gint64 sync)
{
  g_autofree char *assignment = g_strdup_printf ("%s.%s=%s", SYNC_PASS, SYNC_OPTION, syncs[sync]);
  g_autoptr (GStrvBuilder) set = g_strv_builder_new ();
  HirRequest *copy = hir_request_dup (request);

  for (guint i = 0; copy->set != NULL && copy->set[i] != NULL; i++)
    if (!g_str_has_prefix (copy->set[i], SYNC_PASS "." SYNC_OPTION "="))
      g_strv_builder_add (set, copy->set[i]);
  g_strv_builder_add (set, assignment);
  g_strfreev (copy->set);
  copy->set = g_strv_builder_end (set);
  return copy;
}

HirRequest *
hir_tune_space_dup_request (const HirTuneSpace *space,
                            const HirRequest *request,
                            const HirTuneChoice *choice)
{
  const gint64 *values = choice->values, *given = space->given.values;
  HirRequest *copy =
      values[HIR_TUNE_PIPELINE] != given[HIR_TUNE_PIPELINE]
          ? hir_request_with_pipeline (request, (HirPipelineKind) values[HIR_TUNE_PIPELINE])
          : hir_request_dup (request);

  if (values[HIR_TUNE_INITIAL_SYNC] != HIR_TUNE_NONE &&
      values[HIR_TUNE_INITIAL_SYNC] != given[HIR_TUNE_INITIAL_SYNC])
    {
      HirRequest *changed = dup_with_sync (copy, values[HIR_TUNE_INITIAL_SYNC]);

      hir_request_unref (copy);
      copy = changed;
    }
  if (space->chunks != NULL && values[HIR_TUNE_CHUNKS] != given[HIR_TUNE_CHUNKS])
    {
      g_strfreev (copy->inputs);
      copy->inputs = hir_tune_chunks_dup_inputs (space->chunks, values[HIR_TUNE_CHUNKS]);
    }
  return copy;
}

void
hir_tune_choice_apply (const HirTuneChoice *choice, HirRunSettings *settings)
{
  settings->n_streams = choice->values[HIR_TUNE_STREAMS];
  if (choice->values[HIR_TUNE_COMM] == HIR_TUNE_NONE)
    return;
  settings->comm.way = (HirCommTransport) choice->values[HIR_TUNE_COMM];
  settings->comm.high_priority = choice->values[HIR_TUNE_PRIORITY] == 1;
}
