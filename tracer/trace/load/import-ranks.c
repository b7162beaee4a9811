#include "trace/load/import-ranks.h"

#include <string.h>

#include "diagnostic.h"
#include "trace/align.h"
#include "trace/chrome/import-chrome.h"
#include "trace/comm-matching.h"
#include "trace/headroom.h"
#include "trace/load/foreign.h"
#include "trace/nsight/import-nsys.h"
#include "trace/nsight/nsys-collectives.h"
#include "trace/preview.h"
#include "trace/recording/recording.h"

#define MAX_THREADS 16
#define MAX_TIME_NS (G_GINT64_CONSTANT (1) << 61)
#define TELL_MS 50

/* One of several files during loading. */
typedef struct
{
  const char *path;
  HirTraceBuilder *builder; /* NULL if loading failed or the builder was moved */
  HirChromeHeader header;
  gint64 zero_ns;
  gboolean is_nsys;
  int rank, n_ranks; /* the file is shown as n_ranks ranks from rank */
  GError *error;
  guint64 done, total; /* in bytes; guarded by the mutex */
} Part;

typedef struct
{
  const HirImportOptions *options;
  GPtrArray *parts;
  HirPreview *preview; /* nullable */
  guint n_threads_a_part;
  GCancellable *cancellable; /* owned; a failed part cancels the others */
  GMutex mutex;
  GCond changed;
  guint n_begun, n_ended;
} Load;

static void
part_free (gpointer data)
{
  Part *part = data;

  hir_trace_builder_free (part->builder);
  g_clear_error (&part->error);
  g_free (part);
}

/* --- loading ---------------------------------------------------------------------------------- */

/* Reports the sum of all parts. Called in the calling thread. */
static void
tell_all (Load *load)
{
  guint64 done = 0, total = 0;
  gboolean is_known = TRUE;

  if (load->options->progress == NULL)
    return;
  g_mutex_lock (&load->mutex);
  for (guint i = 0; i < load->parts->len; i++)
    {
      const Part *part = g_ptr_array_index (load->parts, i);

      done += part->done;
      total += part->total;
      is_known = is_known && part->total > 0;
    }
  g_mutex_unlock (&load->mutex);
  load->options->progress (done, is_known ? total : 0, load->options->user_data);
}

typedef struct
{
  Load *load;
  Part *part;
  gboolean is_caller;
} Worker;

static void
on_progress (guint64 done, guint64 total, gpointer user_data)
{
  Worker *worker = user_data;

  g_mutex_lock (&worker->load->mutex);
  worker->part->done = done;
  worker->part->total = total;
  g_mutex_unlock (&worker->load->mutex);
  if (worker->is_caller)
    tell_all (worker->load);
}

/* Replaces the error of a file that is no JSON by one that names its format. */
static void
name_format (Part *part)
{
  g_autofree char *message = NULL;

  if (!g_error_matches (part->error, HIR_ERROR, HIR_ERROR_INPUT))
    return;
  message = hir_foreign_dup_message (part->path);
  if (message == NULL)
    return;
  g_clear_error (&part->error);
  hir_set_error (&part->error, HIR_ERROR_INPUT, NULL, "%s", message);
}

static gboolean
load_json (Load *load, guint index, Worker *worker)
{
  Part *part = worker->part;
  const HirChromeImport import = {
    .n_threads = load->n_threads_a_part,
    .block_bytes = load->options->block_bytes,
    .cancellable = load->cancellable,
    .progress = on_progress,
    .user_data = worker,
    .preview = load->preview,
    .preview_part = index,
    .enough = load->options->enough,
  };
  g_autoptr (HirTextStream) stream = hir_text_stream_open (part->path, &part->error);
  guint64 done, total;

  if (stream == NULL || !hir_import_chrome (part->builder, stream, &import, &part->header,
                                            &part->zero_ns, &part->error))
    {
      name_format (part);
      return FALSE;
    }
  hir_text_stream_get_progress (stream, &done, &total);
  on_progress (done, total, worker);
  return TRUE;
}

/* Times of Nsight are relative to the start of the session, which it states. */
static gboolean
load_nsys (Load *load, Worker *worker)
{
  Part *part = worker->part;
  const HirImportOptions options = {
    .cancellable = load->cancellable,
    .progress = on_progress,
    .user_data = worker,
    .enough = load->options->enough,
  };
  HirLoadProgress progress;
  const char *base;
  gboolean done;

  hir_load_progress_init (&progress, part->path, &options);
  done =
      hir_import_nsys (part->builder, part->path, &progress, &part->header.has_rank, &part->error);
  hir_load_progress_clear (&progress);
  base = hir_trace_builder_get_meta (part->builder, HIR_META_BASE_TIME);
  if (base != NULL)
    part->header.has_base_time = g_ascii_string_to_signed (base, 10, G_MININT64, G_MAXINT64,
                                                           &part->header.base_time_ns, NULL);
  return done;
}

static void
load_part (Load *load, guint index, gboolean is_caller)
{
  Part *part = g_ptr_array_index (load->parts, index);
  Worker worker = { load, part, is_caller };
  HirChromeExtra extra;
  gboolean done = hir_has_headroom ();

  part->builder = hir_trace_builder_new ();
  hir_trace_builder_set_rules (part->builder, load->options->rules);
  if (!done)
    hir_set_error (&part->error, HIR_ERROR_LIMIT, NULL, "%s: out of memory before the first event",
                   part->path);
  else
    done = part->is_nsys ? load_nsys (load, &worker) : load_json (load, index, &worker);
  if (!done)
    {
      hir_preview_end (load->preview, index, NULL, NULL);
      g_clear_pointer (&part->builder, hir_trace_builder_free);
      g_cancellable_cancel (load->cancellable);
      return;
    }
  extra = (HirChromeExtra){ part->header, part->zero_ns };
  hir_preview_end (load->preview, index, part->builder, &extra);
}

static void
load_parts (Load *load, gboolean is_caller)
{
  g_mutex_lock (&load->mutex);
  while (load->n_begun < load->parts->len)
    {
      guint index = load->n_begun++;

      g_mutex_unlock (&load->mutex);
      load_part (load, index, is_caller);
      g_mutex_lock (&load->mutex);
      load->n_ended++;
      g_cond_broadcast (&load->changed);
    }
  while (is_caller && load->n_ended < load->parts->len)
    {
      g_cond_wait_until (&load->changed, &load->mutex,
                         g_get_monotonic_time () + TELL_MS * G_TIME_SPAN_MILLISECOND);
      g_mutex_unlock (&load->mutex);
      tell_all (load);
      g_mutex_lock (&load->mutex);
    }
  g_mutex_unlock (&load->mutex);
}

static gpointer
load_in_thread (gpointer load)
{
  load_parts (load, FALSE);
  return NULL;
}

/* Returns the error of the first file that failed for another reason than cancellation. */
static gboolean
check_parts (Load *load, GError **error)
{
  Part *failed = NULL;

  for (guint i = 0; i < load->parts->len; i++)
    {
      Part *part = g_ptr_array_index (load->parts, i);

      if (part->error != NULL &&
          (failed == NULL || (g_error_matches (failed->error, HIR_ERROR, HIR_ERROR_CANCELLED) &&
                              !g_error_matches (part->error, HIR_ERROR, HIR_ERROR_CANCELLED))))
        failed = part;
    }
  if (failed == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failed->error));
  return FALSE;
}

static void
on_cancelled (GCancellable *cancellable, gpointer ours)
{
  g_cancellable_cancel (ours);
}

/* Loads several files at a time. A single file gets all threads. */
static gboolean
load_all (Load *load, GError **error)
{
  GThread *threads[MAX_THREADS];
  guint n_threads = MIN (load->options->n_threads, MAX_THREADS), n = 0;
  guint n_wanted = MIN (n_threads, load->parts->len);
  gulong id = 0;

  load->n_threads_a_part = n_threads / n_wanted;
  if (load->options->cancellable != NULL)
    id = g_cancellable_connect (load->options->cancellable, G_CALLBACK (on_cancelled),
                                g_object_ref (load->cancellable), g_object_unref);
  while (n + 1 < n_wanted)
    {
      threads[n] = g_thread_try_new ("hir-import", load_in_thread, load, NULL);
      if (threads[n] == NULL)
        break;
      n++;
    }
  load_parts (load, TRUE);
  for (guint i = 0; i < n; i++)
    g_thread_join (threads[i]);
  if (id != 0)
    g_cancellable_disconnect (load->options->cancellable, id);
  return check_parts (load, error);
}

/* --- ranks ------------------------------------------------------------------------------------ */

/* Returns the number after "rank" in the file name, or -1. */
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

/* Returns whether one of the first @n parts has a rank of @part. */
static gboolean
rank_is_taken (GPtrArray *parts, guint n, const Part *part)
{
  for (guint i = 0; i < n; i++)
    {
      const Part *other = g_ptr_array_index (parts, i);

      if (other->rank < part->rank + part->n_ranks && part->rank < other->rank + other->n_ranks)
        return TRUE;
    }
  return FALSE;
}

/* Chooses the ranks of a part and assigns them to @of, what was read of it. */
static void
choose_rank (HirTraceBuilder *builder, HirTraceBuilder *of, GPtrArray *parts, guint index)
{
  Part *part = g_ptr_array_index (parts, index);
  int from_name = rank_of_name (part->path);
  gboolean is_stated = part->header.has_rank, is_named;
  int wanted, first = 0;

  part->n_ranks = 1;
  if (part->is_nsys)
    hir_trace_builder_get_ranks (of, &first, &part->n_ranks);
  is_named = !is_stated && part->n_ranks == 1 && from_name >= 0;
  wanted = is_named ? from_name : (int) index;
  if (is_stated)
    wanted = part->is_nsys ? first : part->header.rank;
  part->rank = part->n_ranks > 1 && !is_stated ? 0 : wanted;
  while (rank_is_taken (parts, index, part))
    part->rank++;
  if (part->n_ranks > 1)
    hir_trace_builder_add_account (builder, "%s has %d ranks, shown as ranks %d to %d", part->path,
                                   part->n_ranks, part->rank, part->rank + part->n_ranks - 1);
  else if (part->rank != wanted)
    hir_trace_builder_add_account (builder,
                                   "%s has rank %d, like an earlier file; it is shown as rank %d",
                                   part->path, wanted, part->rank);
  else if (parts->len > 1 && !is_stated && !is_named)
    hir_trace_builder_add_account (builder, "%s does not contain its rank; it is shown as rank %d",
                                   part->path, part->rank);
  if (part->is_nsys)
    hir_trace_builder_move_ranks (of, part->rank - first);
  else
    hir_trace_builder_set_rank (of, part->rank);
}

/* --- merging ---------------------------------------------------------------------------------- */

/* Returns the offset of this file's zero point from the first file's, by the clocks of the
 * machines. */
static gint64
get_shift (HirTraceBuilder *builder, const Part *first, const Part *part)
{
  gint64 shift_ns;
  gboolean has_both = part->header.has_base_time && first->header.has_base_time;
  gboolean is_far = __builtin_sub_overflow (part->zero_ns, first->zero_ns, &shift_ns);

  if (part->header.has_base_time != first->header.has_base_time)
    hir_trace_builder_add_account (builder,
                                   "%s and %s have different time origins, and one does not "
                                   "contain its origin: they may be shifted against each other",
                                   first->path, part->path);
  if (has_both)
    {
      gint64 base_ns;

      is_far = __builtin_sub_overflow (part->header.base_time_ns, first->header.base_time_ns,
                                       &base_ns) ||
               __builtin_add_overflow (shift_ns, base_ns, &shift_ns) || is_far;
    }
  if (!is_far && shift_ns > -MAX_TIME_NS && shift_ns < MAX_TIME_NS)
    return shift_ns;
  hir_trace_builder_add_account (builder,
                                 "%s has a time origin more than 73 years away from that of %s: "
                                 "both are shown from their first event",
                                 part->path, first->path);
  return 0;
}

/* Stores what to add to times of the trace to get those of the first file, so that traces of ranks
 * that are exported one by one can be aligned again. @shift_ns: subtracted from all times. */
static void
set_base_time (HirTraceBuilder *builder, const Part *first, gint64 shift_ns)
{
  gint64 base_ns = first->header.has_base_time ? first->header.base_time_ns : 0;
  g_autofree char *base = NULL;

  if ((!first->header.has_base_time && first->header.is_own) ||
      __builtin_add_overflow (base_ns, first->zero_ns, &base_ns) ||
      __builtin_add_overflow (base_ns, shift_ns, &base_ns))
    return;
  base = g_strdup_printf ("%" G_GINT64_FORMAT, base_ns);
  hir_trace_builder_set_meta (builder, HIR_META_BASE_TIME, base);
}

/* Merges the parts. The clocks of the machines give the offsets of the files. The first event is at
 * zero, except in what Hirscope or Nsight exported. */
static HirTrace *
put_together (GPtrArray *parts, GError **error)
{
  Part *first = g_ptr_array_index (parts, 0);
  HirTraceBuilder *builder = g_steal_pointer (&first->builder);
  HirTrace *trace;
  gint64 shift_ns = 0;

  choose_rank (builder, builder, parts, 0);
  if (first->is_nsys && parts->len > 1)
    hir_nsys_add_collectives (builder);
  for (guint i = 1; i < parts->len; i++)
    {
      Part *part = g_ptr_array_index (parts, i);
      gint64 offset_ns = get_shift (builder, first, part);

      choose_rank (builder, part->builder, parts, i);
      if (part->is_nsys)
        hir_nsys_add_collectives (part->builder);
      if (!hir_trace_builder_absorb (builder, g_steal_pointer (&part->builder), offset_ns, error))
        {
          hir_trace_builder_free (builder);
          return NULL;
        }
    }
  if (!first->is_nsys && !first->header.is_own)
    shift_ns = hir_trace_builder_start_at_zero (builder);
  set_base_time (builder, first, shift_ns);
  trace = hir_trace_builder_try_finish (builder, error);
  if (trace != NULL && parts->len > 1)
    {
      hir_trace_number_comm_records (trace);
      g_array_unref (hir_trace_align_ranks (trace, first->rank));
    }
  return trace;
}

/* Builds a preview of what was read so far. Returns NULL if nothing of the first file, which
 * defines zero, was read. */
static HirTrace *
make_picture (HirPreviewPart *read, gpointer user_data)
{
  const Load *load = user_data;
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (part_free);
  const HirChromeExtra *first = read[0].extra;

  for (guint i = 0; i < load->parts->len; i++)
    {
      const Part *of = g_ptr_array_index (load->parts, i);
      const HirChromeExtra *extra = read[i].extra != NULL ? read[i].extra : first;
      Part *part = g_new0 (Part, 1);

      part->path = of->path;
      part->is_nsys = of->is_nsys;
      part->builder = read[i].builder != NULL ? read[i].builder : hir_trace_builder_new ();
      g_ptr_array_add (parts, part);
      if (extra == NULL)
        continue;
      part->header = extra->header;
      part->zero_ns = extra->zero_ns;
      part->header.has_rank = extra == read[i].extra && extra->header.has_rank;
    }
  return first != NULL ? put_together (parts, NULL) : NULL;
}

static void
show_picture (HirTrace *trace, gpointer user_data)
{
  const Load *load = user_data;

  load->options->picture (trace, load->options->user_data);
}

HirTrace *
hir_import_ranks (const char *const *paths, const HirImportOptions *options, GError **error)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (part_free);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Load load = { .options = options, .parts = parts, .cancellable = cancellable };
  HirTrace *trace = NULL;
  gboolean done;

  for (guint i = 0; paths[i] != NULL; i++)
    {
      Part *part = g_new0 (Part, 1);

      part->path = paths[i];
      part->is_nsys =
          g_file_test (paths[i], G_FILE_TEST_IS_REGULAR) && hir_import_nsys_sniff (paths[i]);
      g_ptr_array_add (parts, part);
    }
  g_mutex_init (&load.mutex);
  g_cond_init (&load.changed);
  if (options->picture != NULL)
    load.preview =
        hir_preview_new (&(const HirPreviewClass){ .n_parts = parts->len,
                                                   .extra_bytes = sizeof (HirChromeExtra),
                                                   .make = make_picture,
                                                   .show = show_picture,
                                                   .user_data = &load });
  done = load_all (&load, error);
  hir_preview_free (load.preview);
  if (done)
    trace = put_together (parts, error);
  g_mutex_clear (&load.mutex);
  g_cond_clear (&load.changed);
  return trace;
}
