#include "trace/import.h"

#include <stdio.h>
#include <string.h>

#include "diagnostic.h"
#include "trace/import-chrome.h"
#include "trace/import-nsys.h"
#include "trace/recording.h"
#include "trace/source-text.h"

/* A file of several, while they are loaded. */
typedef struct
{
  const char *path;
  HirSourceText source;
  HirChromeHeader header;
  int rank;
} Part;

typedef struct
{
  const HirImportOptions *options;
  guint n_parts, n_done;
} Progress;

static void
part_clear (gpointer data)
{
  hir_source_text_clear (&((Part *) data)->source);
}

static void
tell_progress (double done, gpointer user_data)
{
  Progress *progress = user_data;

  if (progress->options->progress != NULL)
    progress->options->progress ((progress->n_done + done) / progress->n_parts,
                                 progress->options->user_data);
}

/* The number behind "rank" in a file's name; -1: it has none. */
static int
rank_of_name (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *lower = g_ascii_strdown (name, -1);

  for (const char *p = strstr (lower, "rank"); p != NULL; p = strstr (p, "rank"))
    {
      p += strlen ("rank");
      if (*p == '_' || *p == '-' || *p == '.')
        p++;
      if (g_ascii_isdigit (*p))
        return (int) MIN (g_ascii_strtoull (p, NULL, 10), G_MAXINT / 2);
    }
  return -1;
}

static gboolean
rank_is_taken (GArray *parts, guint n, int rank)
{
  for (guint i = 0; i < n; i++)
    if (g_array_index (parts, Part, i).rank == rank)
      return TRUE;
  return FALSE;
}

static void
choose_rank (HirTraceBuilder *builder, GArray *parts, guint index)
{
  Part *part = &g_array_index (parts, Part, index);
  int from_name = rank_of_name (part->path);
  int wanted = part->header.has_rank ? part->header.rank : from_name >= 0 ? from_name : (int) index;

  part->rank = wanted;
  while (rank_is_taken (parts, index, part->rank))
    part->rank++;
  if (part->rank != wanted)
    hir_trace_builder_add_account (builder,
                                   "%s says that it is rank %d, as a file before it; it is "
                                   "shown as rank %d",
                                   part->path, wanted, part->rank);
  else if (parts->len > 1 && !part->header.has_rank && from_name < 0)
    hir_trace_builder_add_account (builder, "%s does not say its rank; it is shown as rank %d",
                                   part->path, part->rank);
}

static gboolean
load_part (HirTraceBuilder *builder,
           Part *part,
           Progress *progress,
           gboolean has_zero,
           gint64 *zero_ns,
           GError **error)
{
  const HirChromeImport import = {
    .name = part->path,
    .rank = part->rank,
    .has_zero = has_zero,
    .zero_ns = *zero_ns,
    .cancellable = progress->options->cancellable,
    .progress = tell_progress,
    .user_data = progress,
  };

  if (part->source.problem != NULL)
    hir_trace_builder_add_account (builder, "%s: %s; what could be unpacked is shown", part->path,
                                   part->source.problem);
  if (!hir_import_chrome (builder, part->source.text, part->source.length, &import, zero_ns, error))
    return FALSE;
  progress->n_done++;
  hir_source_text_clear (&part->source);
  return TRUE;
}

/* Zero is the first event of the first file. The others count from it by the machines' clocks. */
static gboolean
load_parts (HirTraceBuilder *builder,
            GArray *parts,
            const HirImportOptions *options,
            GError **error)
{
  Progress progress = { .options = options, .n_parts = parts->len };
  const HirChromeHeader *first = &g_array_index (parts, Part, 0).header;
  gint64 zero_ns = 0, first_zero_ns = 0;

  for (guint i = 0; i < parts->len; i++)
    {
      Part *part = &g_array_index (parts, Part, i);
      gint64 shift_ns = 0;

      if (i > 0 && part->header.has_base_time && first->has_base_time)
        shift_ns = part->header.base_time_ns - first->base_time_ns;
      else if (i > 0 && part->header.has_base_time != first->has_base_time)
        hir_trace_builder_add_account (builder,
                                       "%s and %s count time from different zeros, and one does "
                                       "not "
                                       "say from which: they may be shifted",
                                       g_array_index (parts, Part, 0).path, part->path);
      zero_ns = first_zero_ns - shift_ns;
      if (!load_part (builder, part, &progress, i > 0, &zero_ns, error))
        return FALSE;
      if (i == 0)
        first_zero_ns = zero_ns;
    }
  if (first->has_base_time)
    {
      g_autofree char *base =
          g_strdup_printf ("%" G_GINT64_FORMAT, first->base_time_ns + first_zero_ns);

      hir_trace_builder_set_meta (builder, HIR_META_BASE_TIME, base);
    }
  return TRUE;
}

static gboolean
open_part (Part *part, gboolean needs_header, GCancellable *cancellable, GError **error)
{
  if (!hir_source_text_open (&part->source, part->path, cancellable, error))
    return FALSE;
  hir_import_chrome_peek (part->source.text, part->source.length, FALSE, &part->header);
  /* Kineto writes it at one end of the file; others may not. It costs a look at every byte. */
  if (needs_header && !(part->header.has_base_time && part->header.has_rank))
    hir_import_chrome_peek (part->source.text, part->source.length, TRUE, &part->header);
  return TRUE;
}

static HirTrace *
open_json (const char *const *paths, const HirImportOptions *options, GError **error)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, TRUE, sizeof (Part));
  HirTraceBuilder *builder = hir_trace_builder_new ();
  guint n = g_strv_length ((char **) paths);
  gboolean done = TRUE;

  g_array_set_clear_func (parts, part_clear);
  g_array_set_size (parts, n);
  for (guint i = 0; done && i < n; i++)
    {
      Part *part = &g_array_index (parts, Part, i);

      part->path = paths[i];
      done = open_part (part, n > 1, options->cancellable, error);
      if (done)
        choose_rank (builder, parts, i);
    }
  if (done)
    done = load_parts (builder, parts, options, error);
  if (done)
    return hir_trace_builder_try_finish (builder, error);
  hir_trace_builder_free (builder);
  return NULL;
}

static HirTrace *
open_recording (const char *path, GError **error)
{
  g_autoptr (HirRecording) recording = hir_recording_open (path, error);

  return recording != NULL ? hir_trace_ref (recording->trace) : NULL;
}

static HirTrace *
open_nsys (const char *path, const HirImportOptions *options, GError **error)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();

  if (hir_import_nsys (builder, path, options->cancellable, error))
    return hir_trace_builder_try_finish (builder, error);
  hir_trace_builder_free (builder);
  return NULL;
}

/* A file that holds all ranks by itself. */
static gboolean
is_database (const char *path, gboolean *is_recording)
{
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
      gboolean is_recording;

      if (!is_database (paths[i], &is_recording))
        continue;
      if (paths[1] == NULL)
        return is_recording ? open_recording (paths[0], error)
                            : open_nsys (paths[0], options, error);
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "%s is a %s, which holds all its ranks: give it alone", paths[i],
                     is_recording ? "recording" : "database of Nsight Systems");
      return NULL;
    }
  return open_json (paths, options, error);
}

/* Text that begins with a bracket; packed, it is taken for one by its name. */
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
  while (p < head + n && g_ascii_isspace (*p))
    p++;
  return p < head + n && (*p == '{' || *p == '[');
}

gboolean
hir_trace_sniff (const char *path)
{
  gboolean is_recording;

  return g_file_test (path, G_FILE_TEST_IS_REGULAR) &&
         (is_database (path, &is_recording) || looks_like_json (path));
}
