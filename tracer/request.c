#include "request.h"

#include <string.h>

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

  copy->n_devices = request->n_devices;
  copy->rank = request->rank;
  copy->dtype = request->dtype;
  copy->format = request->format;
  copy->args = g_strdupv (request->args);
  copy->inputs = g_strdupv (request->inputs);
  copy->enable = g_strdupv (request->enable);
  copy->disable = g_strdupv (request->disable);
  copy->set = g_strdupv (request->set);
  return copy;
}

static void
insert_list (GVariantDict *dict, const char *key, char **list)
{
  if (list != NULL)
    g_variant_dict_insert_value (dict, key, g_variant_new_strv ((const char *const *) list, -1));
}

GVariant *
hir_request_to_variant (const HirRequest *request)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);

  g_variant_dict_insert (&dict, "path", "s", request->source->path);
  g_variant_dict_insert (&dict, "text", "s", request->source->text);
  if (request->function != NULL)
    g_variant_dict_insert (&dict, "function", "s", request->function);
  g_variant_dict_insert (&dict, "devices", "x", request->n_devices);
  g_variant_dict_insert (&dict, "rank", "x", request->rank);
  g_variant_dict_insert (&dict, "dtype", "s", hir_dtype_get_short_name (request->dtype));
  g_variant_dict_insert (&dict, "format", "i", (gint32) request->format);
  insert_list (&dict, "args", request->args);
  insert_list (&dict, "inputs", request->inputs);
  insert_list (&dict, "enable", request->enable);
  insert_list (&dict, "disable", request->disable);
  insert_list (&dict, "set", request->set);
  return g_variant_dict_end (&dict);
}

static void
read_list (GVariantDict *dict, const char *key, char ***list)
{
  g_autoptr (GVariant) value = g_variant_dict_lookup_value (dict, key, G_VARIANT_TYPE_STRING_ARRAY);

  if (value != NULL)
    *list = g_variant_dup_strv (value, NULL);
}

HirRequest *
hir_request_new_from_variant (GVariant *variant, GError **error)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);
  g_autoptr (HirSource) source = NULL;
  g_autoptr (HirRequest) request = NULL;
  const char *path = NULL, *text = NULL, *function = NULL, *dtype = NULL;
  gint32 format = HIR_FORMAT_2025;

  if (!g_variant_is_of_type (variant, G_VARIANT_TYPE_VARDICT))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the request is not a dictionary");
      return NULL;
    }
  g_variant_dict_clear (&dict);
  g_variant_dict_init (&dict, variant);
  if (!g_variant_dict_lookup (&dict, "path", "&s", &path) ||
      !g_variant_dict_lookup (&dict, "text", "&s", &text))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the request has no source text");
      return NULL;
    }
  g_variant_dict_lookup (&dict, "function", "&s", &function);

  source = hir_source_new (path, text, -1);
  request = hir_request_new (source, function);
  g_variant_dict_lookup (&dict, "devices", "x", &request->n_devices);
  g_variant_dict_lookup (&dict, "rank", "x", &request->rank);
  if (g_variant_dict_lookup (&dict, "dtype", "&s", &dtype) &&
      !hir_dtype_lookup_short_name (dtype, &request->dtype))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the request names an unknown type '%s'", dtype);
      return NULL;
    }
  g_variant_dict_lookup (&dict, "format", "i", &format);
  if (format < HIR_FORMAT_2025 || format > HIR_FORMAT_2026)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the request names an unknown format %d",
                     format);
      return NULL;
    }
  request->format = (HirFormat) format;
  read_list (&dict, "args", &request->args);
  read_list (&dict, "inputs", &request->inputs);
  read_list (&dict, "enable", &request->enable);
  read_list (&dict, "disable", &request->disable);
  read_list (&dict, "set", &request->set);
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

HirPipeline *
hir_request_create_pipeline (const HirRequest *request, GError **error)
{
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new ();

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

void
hir_request_split_spec (const char *spec, char **path, char **function)
{
  const char *separator = g_strrstr (spec, "::");

  if (separator == NULL)
    {
      *path = g_strdup (spec);
      *function = NULL;
      return;
    }
  *path = g_strndup (spec, (gsize) (separator - spec));
  *function = g_strdup (separator + 2);
}
