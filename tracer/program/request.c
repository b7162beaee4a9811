/* Requests, their serialization, and the pipeline that they select. */
#include "program/request.h"

#include <string.h>

/* More than any machine has, and within the range of int, which other code uses. */
#define MAX_DEVICES 1000000

HirRequest *
hir_request_new (HirSource *source, const char *function)
{
  HirRequest *request = g_new0 (HirRequest, 1);

  g_atomic_ref_count_init (&request->ref_count);
  request->source = hir_source_ref (source);
  request->function = g_strdup (function);
  request->n_devices = -1;
  request->rank = -1;
  request->dtype = HIR_DTYPE_NULL;
  request->format = HIR_FORMAT_2025;
  return request;
}

HirRequest *
hir_request_ref (HirRequest *request)
{
  g_atomic_ref_count_inc (&request->ref_count);
  return request;
}

void
hir_request_unref (HirRequest *request)
{
  if (request == NULL || !g_atomic_ref_count_dec (&request->ref_count))
    return;

  hir_source_unref (request->source);
  g_free (request->edited_from);
  g_free (request->function);
  g_strfreev (request->args);
  g_strfreev (request->inputs);
  g_strfreev (request->enable);
  g_strfreev (request->disable);
  g_strfreev (request->set);
  g_free (request);
}

HirRequest *
hir_request_dup (const HirRequest *request)
{
  HirRequest *copy = hir_request_new (request->source, request->function);

  copy->is_example = request->is_example;
  copy->edited_from = g_strdup (request->edited_from);
  copy->n_devices = request->n_devices;
  copy->rank = request->rank;
  copy->dtype = request->dtype;
  copy->format = request->format;
  copy->pipeline = request->pipeline;
  copy->format_given = request->format_given;
  copy->pipeline_given = request->pipeline_given;
  copy->args = g_strdupv (request->args);
  copy->inputs = g_strdupv (request->inputs);
  copy->enable = g_strdupv (request->enable);
  copy->disable = g_strdupv (request->disable);
  copy->set = g_strdupv (request->set);
  return copy;
}

gboolean
hir_request_has_example_text (const HirRequest *request)
{
  return request->is_example && request->edited_from == NULL;
}

/* File names and command lines are arbitrary bytes, but a GVariant requires UTF-8. */
static void
insert_text (GVariantDict *dict, const char *key, const char *text)
{
  if (text != NULL)
    g_variant_dict_insert_value (dict, key,
                                 g_variant_new_take_string (g_utf8_make_valid (text, -1)));
}

static void
insert_list (GVariantDict *dict, const char *key, char **list)
{
  GVariantBuilder builder;

  if (list == NULL)
    return;
  g_variant_builder_init (&builder, G_VARIANT_TYPE_STRING_ARRAY);
  for (char **text = list; *text != NULL; text++)
    g_variant_builder_add_value (&builder,
                                 g_variant_new_take_string (g_utf8_make_valid (*text, -1)));
  g_variant_dict_insert_value (dict, key, g_variant_builder_end (&builder));
}

GVariant *
hir_request_to_variant (const HirRequest *request)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);

  insert_text (&dict, "path", request->source->path);
  insert_text (&dict, "text", request->source->text);
  insert_text (&dict, "function", request->function);
  if (request->is_example)
    g_variant_dict_insert (&dict, "example", "b", TRUE);
  insert_text (&dict, "edited-from", request->edited_from);
  g_variant_dict_insert (&dict, "devices", "x", request->n_devices);
  g_variant_dict_insert (&dict, "rank", "x", request->rank);
  insert_text (&dict, "dtype", hir_dtype_get_short_name (request->dtype));
  g_variant_dict_insert (&dict, "format", "i", (gint32) request->format);
  insert_text (&dict, "pipeline", hir_pipeline_kind_get_name (request->pipeline));
  insert_list (&dict, "args", request->args);
  insert_list (&dict, "inputs", request->inputs);
  insert_list (&dict, "enable", request->enable);
  insert_list (&dict, "disable", request->disable);
  insert_list (&dict, "set", request->set);
  return g_variant_dict_end (&dict);
}

/* Gets @key, or NULL if there is none. Returns FALSE and sets @error if it has another type. */
static gboolean
lookup (
    GVariantDict *dict, const char *key, const GVariantType *type, GVariant **value, GError **error)
{
  *value = g_variant_dict_lookup_value (dict, key, NULL);
  if (*value == NULL || g_variant_is_of_type (*value, type))
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "the request's %s is of type %s, not %.*s", key,
                 g_variant_get_type_string (*value), (int) g_variant_type_get_string_length (type),
                 g_variant_type_peek_string (type));
  g_clear_pointer (value, g_variant_unref);
  return FALSE;
}

static gboolean
read_text (GVariantDict *dict, const char *key, char **text, GError **error)
{
  g_autoptr (GVariant) value = NULL;

  if (!lookup (dict, key, G_VARIANT_TYPE_STRING, &value, error))
    return FALSE;
  if (value != NULL)
    *text = g_variant_dup_string (value, NULL);
  return TRUE;
}

static gboolean
read_list (GVariantDict *dict, const char *key, char ***list, GError **error)
{
  g_autoptr (GVariant) value = NULL;

  if (!lookup (dict, key, G_VARIANT_TYPE_STRING_ARRAY, &value, error))
    return FALSE;
  if (value != NULL)
    *list = g_variant_dup_strv (value, NULL);
  return TRUE;
}

/* Reads a number that may be -1 for "not given". */
static gboolean
read_count (GVariantDict *dict, const char *key, gint64 min, gint64 *count, GError **error)
{
  g_autoptr (GVariant) value = NULL;

  if (!lookup (dict, key, G_VARIANT_TYPE_INT64, &value, error))
    return FALSE;
  if (value == NULL)
    return TRUE;
  *count = g_variant_get_int64 (value);
  if (*count == -1 || (*count >= min && *count <= MAX_DEVICES))
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "the request's %s is %" G_GINT64_FORMAT "; it must be from %" G_GINT64_FORMAT
                 " to %d",
                 key, *count, min, MAX_DEVICES);
  return FALSE;
}

static gboolean
read_dtype_and_format (GVariantDict *dict, HirRequest *request, GError **error)
{
  g_autofree char *dtype = NULL;
  g_autoptr (GVariant) value = NULL;
  gint32 format;

  if (!read_text (dict, "dtype", &dtype, error) ||
      !lookup (dict, "format", G_VARIANT_TYPE_INT32, &value, error))
    return FALSE;
  if (dtype != NULL && !hir_dtype_lookup_short_name (dtype, &request->dtype))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the request names an unknown type '%s'", dtype);
      return FALSE;
    }
  format = value != NULL ? g_variant_get_int32 (value) : (gint32) request->format;
  if (format < HIR_FORMAT_2025 || format > HIR_FORMAT_2026)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the request names an unknown format %d",
                     format);
      return FALSE;
    }
  request->format = (HirFormat) format;
  return TRUE;
}

/* Recordings of older versions have no pipeline. The format and the pipeline of a recording stay,
 * whatever its script selects. */
static gboolean
read_pipeline (GVariantDict *dict, HirRequest *request, GError **error)
{
  g_autofree char *name = NULL;

  request->format_given = request->pipeline_given = TRUE;
  if (!read_text (dict, "pipeline", &name, error))
    return FALSE;
  if (name == NULL)
    return TRUE;
  for (int kind = HIR_PIPELINE_EXECUTOR; kind <= HIR_PIPELINE_HOSTIR; kind++)
    {
      request->pipeline = (HirPipelineKind) kind;
      if (strcmp (name, hir_pipeline_kind_get_name (request->pipeline)) == 0)
        return TRUE;
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "the request names an unknown pipeline '%s'", name);
  return FALSE;
}

static HirSource *
read_source (GVariantDict *dict, GError **error)
{
  g_autofree char *path = NULL;
  g_autofree char *text = NULL;

  if (!read_text (dict, "path", &path, error) || !read_text (dict, "text", &text, error))
    return NULL;
  if (path != NULL && text != NULL)
    return hir_source_new (path, text, -1);
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "the request has no source text");
  return NULL;
}

HirRequest *
hir_request_new_from_variant (GVariant *variant, GError **error)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);
  g_autoptr (HirSource) source = NULL;
  g_autoptr (HirRequest) request = NULL;

  if (!g_variant_is_of_type (variant, G_VARIANT_TYPE_VARDICT))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the request is not a dictionary");
      return NULL;
    }
  g_variant_dict_clear (&dict);
  g_variant_dict_init (&dict, variant);
  source = read_source (&dict, error);
  if (source == NULL)
    return NULL;
  request = hir_request_new (source, NULL);
  if (!read_text (&dict, "function", &request->function, error) ||
      !read_text (&dict, "edited-from", &request->edited_from, error) ||
      !read_count (&dict, "devices", 1, &request->n_devices, error) ||
      !read_count (&dict, "rank", 0, &request->rank, error) ||
      !read_dtype_and_format (&dict, request, error) || !read_pipeline (&dict, request, error) ||
      !read_list (&dict, "args", &request->args, error) ||
      !read_list (&dict, "inputs", &request->inputs, error) ||
      !read_list (&dict, "enable", &request->enable, error) ||
      !read_list (&dict, "disable", &request->disable, error) ||
      !read_list (&dict, "set", &request->set, error))
    return NULL;
  (void) g_variant_dict_lookup (&dict, "example", "b", &request->is_example);
  return g_steal_pointer (&request);
}

static gboolean
switch_passes (HirPipeline *pipeline, char **names, gboolean enabled, GError **error)
{
  for (char **name = names; name != NULL && *name != NULL; name++)
    {
      if (!hir_pipeline_set_enabled (pipeline, *name, enabled, error))
        return FALSE;
    }
  return TRUE;
}

static HirPipeline *
create_pipeline (const HirRequest *request, HirPipelineKind kind, GError **error)
{
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (kind);

  if (!switch_passes (pipeline, request->enable, TRUE, error) ||
      !switch_passes (pipeline, request->disable, FALSE, error))
    return NULL;
  for (char **assignment = request->set; assignment != NULL && *assignment != NULL; assignment++)
    {
      if (!hir_pipeline_set_option (pipeline, *assignment, error))
        return NULL;
    }
  return g_steal_pointer (&pipeline);
}

HirPipeline *
hir_request_create_pipeline (const HirRequest *request, GError **error)
{
  return create_pipeline (request, request->pipeline, error);
}

gboolean
hir_request_check (const HirRequest *request, GError **error)
{
  g_autoptr (HirPipeline) pipeline =
      request->pipeline_given ? NULL : create_pipeline (request, HIR_PIPELINE_HOSTIR, NULL);

  if (pipeline == NULL)
    pipeline = hir_request_create_pipeline (request, error);
  return pipeline != NULL;
}

void
hir_request_select (HirRequest *request, HirPipelineKind pipeline, gboolean resharding_after)
{
  static const char *const after[] = { "DecomposeReshardings.insert_resharding_after=on", NULL };
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (request->pipeline_given)
    return;
  request->pipeline = pipeline;
  if (!request->format_given)
    request->format = pipeline == HIR_PIPELINE_HOSTIR ? HIR_FORMAT_2026 : HIR_FORMAT_2025;
  if (pipeline != HIR_PIPELINE_HOSTIR || !resharding_after)
    return;
  /* The options that are given win. */
  g_strv_builder_addv (builder, (const char **) after);
  if (request->set != NULL)
    g_strv_builder_addv (builder, (const char **) request->set);
  g_strfreev (request->set);
  request->set = g_strv_builder_end (builder);
}

void
hir_request_split_spec (const char *spec, char **path, char **function)
{
  const char *separator, *name = strstr (spec, ".py::");

  /* FILE.py::CLASS::FUNCTION[ID]; the name of another file may contain colons. */
  if (name != NULL)
    separator = name + strlen (".py");
  else
    separator = g_strrstr (spec, "::");

  if (separator == NULL)
    {
      *path = g_strdup (spec);
      *function = NULL;
      return;
    }
  *path = g_strndup (spec, (gsize) (separator - spec));
  *function = g_strdup (separator + 2);
}
