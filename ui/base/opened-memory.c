#include "base/opened-memory.h"

#include <string.h>

#include "program/program-dump.h"
#include "script/script.h"

#define KEY_FUNCTION "function"
#define KEY_DEVICES "devices"
#define KEY_PIPELINE "pipeline"

HirDocumentMemory *
hir_opened_memory_new (void)
{
  return hir_document_memory_new ("opened.ini");
}

/* Sets @key to @value, or removes it if @value is NULL. Returns whether this is a change. */
static gboolean
set (GKeyFile *file, const char *group, const char *key, const char *value)
{
  g_autofree char *old = g_key_file_get_string (file, group, key, NULL);

  if (g_strcmp0 (old, value) == 0)
    return FALSE;
  if (value != NULL)
    g_key_file_set_string (file, group, key, value);
  else
    g_key_file_remove_key (file, group, key, NULL);
  return TRUE;
}

void
hir_opened_memory_keep (HirDocumentMemory *memory, const char *path, const HirRequest *request)
{
  GKeyFile *file = hir_document_memory_get_file (memory);
  g_autofree char *group = hir_document_memory_dup_group (path);
  g_autofree char *devices =
      request->n_devices >= 1 ? g_strdup_printf ("%" G_GINT64_FORMAT, request->n_devices) : NULL;
  const char *pipeline =
      request->pipeline_given ? hir_pipeline_kind_get_name (request->pipeline) : NULL;
  gboolean changed;

  changed = set (file, group, KEY_FUNCTION, request->function);
  changed |= set (file, group, KEY_DEVICES, devices);
  changed |= set (file, group, KEY_PIPELINE, pipeline);
  if (changed)
    hir_document_memory_keep (memory, path);
}

static gboolean
has_function (HirSource *source, const char *function)
{
  g_autoptr (HirScript) script = hir_script_parse (source, NULL);
  g_autoptr (GPtrArray) functions = hir_script_dup_functions (script);
  g_autofree char *plain = g_strndup (function, strcspn (function, "["));

  for (guint i = 0; i < functions->len; i++)
    if (g_str_equal (((HirScriptFunction *) functions->pdata[i])->qualified_name, plain))
      return TRUE;
  return FALSE;
}

void
hir_opened_memory_restore (HirDocumentMemory *memory, const char *path, HirRequest *request)
{
  GKeyFile *file = hir_document_memory_get_file (memory);
  g_autofree char *group = hir_document_memory_dup_group (path);
  g_autofree char *function = g_key_file_get_string (file, group, KEY_FUNCTION, NULL);
  g_autofree char *pipeline = g_key_file_get_string (file, group, KEY_PIPELINE, NULL);
  gint64 n_devices = g_key_file_get_int64 (file, group, KEY_DEVICES, NULL);

  if (hir_program_is_dump (request->source))
    return;
  if (request->function == NULL && function != NULL && has_function (request->source, function))
    request->function = g_steal_pointer (&function);
  if (request->n_devices < 0 && n_devices >= 1)
    request->n_devices = n_devices;
  if (!request->pipeline_given && pipeline != NULL)
    {
      gboolean is_hostir = g_str_equal (pipeline, hir_pipeline_kind_get_name (HIR_PIPELINE_HOSTIR));

      hir_request_select (request, is_hostir ? HIR_PIPELINE_HOSTIR : HIR_PIPELINE_EXECUTOR, FALSE);
      request->pipeline_given = TRUE;
    }
}
