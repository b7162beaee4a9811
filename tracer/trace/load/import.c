#include "trace/load/import.h"

#include <stdio.h>
#include <string.h>

#include "diagnostic.h"
#include "trace/json-scan.h"
#include "trace/load/import-ranks.h"
#include "trace/nsight/import-nsys.h"
#include "trace/recording/recording.h"
#include "trace/text/text-unpack.h"

static HirTrace *
open_parts (const char *const *paths, const HirImportOptions *options, GError **error)
{
  HirImportOptions all = *options;

  if (all.n_threads == 0)
    all.n_threads = g_get_num_processors ();
  return hir_import_ranks (paths, &all, error);
}

static HirTrace *
open_recording (const char *path, const HirImportOptions *options, GError **error)
{
  g_autoptr (HirRecording) recording = NULL;
  HirLoadProgress progress;

  hir_load_progress_init (&progress, path, options);
  recording = hir_recording_open_watched (path, &progress, NULL, NULL, error);
  hir_load_progress_clear (&progress);
  return recording != NULL ? hir_trace_ref (recording->trace) : NULL;
}

static HirTrace *
open_nsys (const char *path, const HirImportOptions *options, GError **error)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirLoadProgress progress;
  gboolean done;

  hir_load_progress_init (&progress, path, options);
  hir_trace_builder_set_rules (builder, options->rules);
  done = hir_import_nsys (builder, path, &progress, NULL, error);
  hir_load_progress_clear (&progress);
  if (done)
    return hir_trace_builder_try_finish (builder, error);
  hir_trace_builder_free (builder);
  return NULL;
}

/* Returns whether the file is a database, which contains all ranks. */
static gboolean
is_database (const char *path, gboolean *is_recording)
{
  *is_recording = FALSE;
  /* Peeking into a pipe would consume its first bytes. */
  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return FALSE;
  *is_recording = hir_recording_sniff (path) || g_str_has_suffix (path, ".hirs");
  return *is_recording || hir_import_nsys_sniff (path);
}

HirTrace *
hir_trace_open (const char *const *paths, const HirImportOptions *options, GError **error)
{
  const HirImportOptions none = { 0 };

  g_return_val_if_fail (paths != NULL && paths[0] != NULL, NULL);
  if (options == NULL)
    options = &none;
  for (guint i = 0; paths[i] != NULL; i++)
    {
      gboolean is_recording, is_only = i == 0 && paths[1] == NULL;

      if (!is_database (paths[i], &is_recording) || (!is_recording && !is_only))
        continue;
      if (is_only)
        return is_recording ? open_recording (paths[0], options, error)
                            : open_nsys (paths[0], options, error);
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "%s is a recording, which contains all its ranks; give it as the only file",
                     paths[i]);
      return NULL;
    }
  return open_parts (paths, options, error);
}

/* Returns whether the text starts with a bracket. A compressed file may be JSON. */
static gboolean
looks_like_json (const char *path)
{
  char head[64] = { 0 };
  FILE *file = fopen (path, "rbe");
  gsize n = file != NULL ? fread (head, 1, sizeof head, file) : 0;
  const char *p = head;

  if (file != NULL)
    fclose (file);
  if (n >= 2 && (guint8) head[0] == 0x1f && (guint8) head[1] == 0x8b)
    return TRUE;
  if (hir_text_unpack_sniff (head, n) != HIR_UNPACK_NONE)
    return TRUE;
  if (n >= 3 && memcmp (head, HIR_JSON_BOM, 3) == 0)
    p += 3;
  while (p < head + n && g_ascii_isspace (*p))
    p++;
  return p < head + n && (*p == '{' || *p == '[');
}

gboolean
hir_trace_is_recording (const char *path)
{
  gboolean is_recording;

  is_database (path, &is_recording);
  return is_recording;
}

gboolean
hir_trace_sniff (const char *path)
{
  gboolean is_recording;

  return g_file_test (path, G_FILE_TEST_IS_REGULAR) &&
         (is_database (path, &is_recording) || looks_like_json (path));
}

gboolean
hir_trace_sniff_part (const char *path)
{
  gboolean is_recording;

  return g_file_test (path, G_FILE_TEST_IS_REGULAR) &&
         (is_database (path, &is_recording) ? !is_recording : looks_like_json (path));
}
