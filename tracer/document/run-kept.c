#include "document/run-kept.h"

#include <stdio.h>
#include <string.h>

char *
hir_run_kept_dup_key (const HirRequest *request)
{
  const HirSource *source = request->source;
  gboolean is_file = !request->is_example && g_file_test (source->path, G_FILE_TEST_EXISTS);
  g_autofree char *path =
      is_file ? g_canonicalize_filename (source->path, NULL) : g_strdup (source->path);
  GChecksum *sum = g_checksum_new (G_CHECKSUM_SHA256);
  char *key;

  g_checksum_update (sum, (const guchar *) path, (gssize) strlen (path) + 1);
  /* Names of other texts, such as copies of programs, are not unique. */
  if (!is_file && !request->is_example)
    {
      g_autofree char *text =
          request->edited_from != NULL
              ? g_strdup (request->edited_from)
              : g_compute_checksum_for_string (G_CHECKSUM_SHA256, source->text, -1);

      g_checksum_update (sum, (const guchar *) text, (gssize) strlen (text));
    }
  key = g_strdup (g_checksum_get_string (sum));
  g_checksum_free (sum);
  return key;
}

/* The first line is the key, so that files of other documents need not be parsed. */
char *
hir_run_kept_dup_text (const HirRunEntry *entry)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);
  g_autoptr (GVariant) variant = NULL;
  g_autofree char *key = hir_run_kept_dup_key (entry->request);
  g_autofree char *text = NULL;

  g_variant_dict_insert_value (&dict, "request", hir_request_to_variant (entry->request));
  if (entry->has_settings)
    g_variant_dict_insert_value (&dict, "settings", hir_run_settings_to_variant (&entry->settings));
  g_variant_dict_insert (&dict, "kind", "i", (int) entry->kind);
  g_variant_dict_insert (&dict, "verdict", "i", (int) entry->verdict);
  g_variant_dict_insert (&dict, "ordinal", "u", entry->ordinal);
  g_variant_dict_insert (&dict, "end-hash", "t", entry->end_hash);
  g_variant_dict_insert (&dict, "start-us", "x", entry->start_us);
  g_variant_dict_insert (&dict, "total-ns", "x", entry->total_ns);
  variant = g_variant_ref_sink (g_variant_dict_end (&dict));
  text = g_variant_print (variant, TRUE);
  return g_strconcat (key, "\n", text, NULL);
}

static gboolean
read_facts (HirRunEntry *entry, GVariantDict *dict)
{
  g_autoptr (GVariant) request =
      g_variant_dict_lookup_value (dict, "request", G_VARIANT_TYPE_VARDICT);
  g_autoptr (GVariant) settings =
      g_variant_dict_lookup_value (dict, "settings", G_VARIANT_TYPE_VARDICT);
  int kind, verdict;

  hir_run_settings_init (&entry->settings);
  if (request == NULL || !g_variant_dict_lookup (dict, "kind", "i", &kind) ||
      !g_variant_dict_lookup (dict, "verdict", "i", &verdict) ||
      !g_variant_dict_lookup (dict, "ordinal", "u", &entry->ordinal) ||
      !g_variant_dict_lookup (dict, "end-hash", "t", &entry->end_hash) ||
      !g_variant_dict_lookup (dict, "start-us", "x", &entry->start_us) ||
      !g_variant_dict_lookup (dict, "total-ns", "x", &entry->total_ns) ||
      (kind != HIR_RUN_KIND_RUN && kind != HIR_RUN_KIND_DEBUG) || verdict <= HIR_RUN_RUNNING ||
      verdict > HIR_RUN_FAILED)
    return FALSE;
  entry->kind = (HirRunKind) kind;
  entry->verdict = (HirRunVerdict) verdict;
  entry->request = hir_request_new_from_variant (request, NULL);
  if (settings != NULL)
    {
      hir_run_settings_clear (&entry->settings);
      entry->has_settings = hir_run_settings_read (&entry->settings, settings, NULL);
    }
  return entry->request != NULL;
}

/* Most files are of other documents: only their first line is read. */
static char *
read_text (const char *path, const char *key)
{
  gsize n = strlen (key);
  g_autofree char *start = g_malloc0 (n + 2);
  FILE *file = fopen (path, "re");
  gboolean is_of_document;
  char *text = NULL;

  if (file == NULL)
    return NULL;
  is_of_document =
      fread (start, 1, n + 1, file) == n + 1 && strncmp (start, key, n) == 0 && start[n] == '\n';
  fclose (file);
  return is_of_document && g_file_get_contents (path, &text, NULL, NULL) ? text : NULL;
}

HirRunEntry *
hir_run_kept_read (const char *path, const char *key)
{
  g_autofree char *text = read_text (path, key);
  g_autoptr (GVariant) variant = NULL;
  g_autoptr (HirRunEntry) entry = NULL;

  if (text == NULL || strlen (text) < strlen (key) + 1)
    return NULL;
  variant = g_variant_parse (G_VARIANT_TYPE_VARDICT, text + strlen (key) + 1, NULL, NULL, NULL);
  if (variant == NULL)
    return NULL;
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (variant);

  entry = hir_run_entry_new_empty ();
  if (!read_facts (entry, &dict))
    return NULL;
  entry->path = g_strndup (path, strlen (path) - strlen (HIR_RUN_KEPT_SUFFIX));
  entry->owns_path = entry->stays = entry->is_kept = TRUE;
  return g_steal_pointer (&entry);
}
