#include "document/run-history.h"

#include <glib/gstdio.h>

#include "document/run-cache.h"
#include "document/run-kept.h"

#define KEEP_DELAY_MS 500
#define KEEP_MAX_BYTES ((gsize) 64 << 20) /* of a run in memory */

struct _HirRunHistory
{
  GObject parent_instance;

  GPtrArray *entries; /* HirRunEntry*, oldest first */
  HirRunCache *cache;
  HirRunLimits limits;
  HirTrace *shown; /* nullable */
  guint last_number;
  GCancellable *writing; /* of the recording that is being written; NULL: none */
  guint last_ordinal;
  guint last_shown; /* see shown_order */
  gboolean keeps;
  guint keeping; /* timeout that writes a run for later sessions; 0: none */
};

enum
{
  CHANGED,
  LOST,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (HirRunHistory, hir_run_history, G_TYPE_OBJECT)

/* Data of a worker thread. */
typedef struct
{
  HirRunEntry *entry;
  HirRunCache *cache;
  HirProgram *program; /* not changed by the main thread, unlike those of the entry */
  HirRankPrograms *ranks;
  HirTrace *trace;
  HirExportProgress progress;
  char *facts;        /* nullable: for later sessions */
  gboolean is_needed; /* to free memory */
  char *key;          /* of the runs to list; NULL: delete them */
  GPtrArray *kept;    /* result: HirRunEntry */
  char *path;         /* result of writing */
  guint64 n_bytes;    /* likewise */
  HirOpened *opened;  /* result of reading */
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  g_clear_pointer (&job->program, hir_program_unref_async);
  g_clear_pointer (&job->ranks, hir_rank_programs_unref);
  g_clear_pointer (&job->trace, hir_trace_unref);
  g_clear_pointer (&job->opened, hir_opened_free);
  g_clear_pointer (&job->kept, g_ptr_array_unref);
  g_free (job->path);
  g_free (job->facts);
  g_free (job->key);
  g_clear_pointer (&job->entry, hir_run_entry_unref);
  hir_run_cache_unref (job->cache);
  g_free (job);
}

static Job *
job_new (HirRunHistory *self, HirRunEntry *entry)
{
  Job *job = g_new0 (Job, 1);

  job->entry = entry != NULL ? hir_run_entry_ref (entry) : NULL;
  job->cache = hir_run_cache_ref (self->cache);
  return job;
}

HirRunLimits
hir_run_limits_get_default (void)
{
  return (HirRunLimits){ (gsize) 512 << 20, G_GUINT64_CONSTANT (4) << 30, 200 };
}

static void
hir_run_history_dispose (GObject *object)
{
  HirRunHistory *self = HIR_RUN_HISTORY (object);

  if (self->writing != NULL)
    g_cancellable_cancel (self->writing);
  g_clear_object (&self->writing);
  g_clear_handle_id (&self->keeping, g_source_remove);
  g_ptr_array_set_size (self->entries, 0);
  g_clear_pointer (&self->shown, hir_trace_unref);
  G_OBJECT_CLASS (hir_run_history_parent_class)->dispose (object);
}

static void
hir_run_history_finalize (GObject *object)
{
  HirRunHistory *self = HIR_RUN_HISTORY (object);

  g_ptr_array_unref (self->entries);
  hir_run_cache_unref (self->cache);
  G_OBJECT_CLASS (hir_run_history_parent_class)->finalize (object);
}

static void
hir_run_history_class_init (HirRunHistoryClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_run_history_dispose;
  G_OBJECT_CLASS (klass)->finalize = hir_run_history_finalize;
  signals[CHANGED] = g_signal_new ("changed", HIR_TYPE_RUN_HISTORY, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  signals[LOST] = g_signal_new ("lost", HIR_TYPE_RUN_HISTORY, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
hir_run_history_init (HirRunHistory *self)
{
  self->entries = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_run_entry_unref);
}

HirRunHistory *
hir_run_history_new (const char *folder, HirRunLimits limits)
{
  HirRunHistory *self = g_object_new (HIR_TYPE_RUN_HISTORY, NULL);

  self->cache = hir_run_cache_new (folder);
  self->limits = limits;
  return self;
}

guint
hir_run_history_get_n (HirRunHistory *self)
{
  return self->entries->len;
}

HirRunEntry *
hir_run_history_get (HirRunHistory *self, guint i)
{
  return g_ptr_array_index (self->entries, i);
}

HirRunEntry *
hir_run_history_find (HirRunHistory *self, guint number)
{
  for (guint i = 0; i < self->entries->len; i++)
    if (hir_run_history_get (self, i)->number == number)
      return hir_run_history_get (self, i);
  return NULL;
}

HirRunEntry *
hir_run_history_find_trace (HirRunHistory *self, HirTrace *trace)
{
  for (guint i = self->entries->len; trace != NULL && i-- > 0;)
    if (hir_run_history_get (self, i)->trace == trace)
      return hir_run_history_get (self, i);
  return NULL;
}

HirRunEntry *
hir_run_history_find_program (HirRunHistory *self, guint64 end_hash)
{
  HirRunEntry *found = NULL;

  for (guint i = self->entries->len; i-- > 0;)
    {
      HirRunEntry *entry = hir_run_history_get (self, i);

      if (entry->end_hash == end_hash && hir_run_entry_has_events (entry) &&
          (!entry->is_kept || entry->shown_order > 0) &&
          (found == NULL || entry->shown_order > found->shown_order))
        found = entry;
    }
  return found;
}

gboolean
hir_run_entry_is_unsaved (const HirRunEntry *entry)
{
  return entry->name != NULL && !entry->is_saved && hir_run_entry_has_events (entry) &&
         (entry->path == NULL || entry->owns_path);
}

HirRunEntry *
hir_run_history_find_unsaved (HirRunHistory *self)
{
  for (guint i = 0; i < self->entries->len; i++)
    if (hir_run_entry_is_unsaved (hir_run_history_get (self, i)))
      return hir_run_history_get (self, i);
  return NULL;
}

static gboolean
is_in_memory (HirRunHistory *self, const HirRunEntry *entry)
{
  return entry->trace != NULL && entry->trace != self->shown && entry->verdict != HIR_RUN_RUNNING;
}

/* Returns the memory of all runs that are not displayed. */
static gsize
get_memory_bytes (HirRunHistory *self)
{
  gsize sum = 0;

  for (guint i = 0; i < self->entries->len; i++)
    if (is_in_memory (self, hir_run_history_get (self, i)))
      sum += hir_run_entry_get_size_bytes (hir_run_history_get (self, i));
  return sum;
}

/* The recording at its path has the same content. */
static void
forget_content (HirRunEntry *entry)
{
  hir_run_entry_set_trace (entry, NULL);
  g_clear_pointer (&entry->program, hir_program_unref_async);
  g_clear_pointer (&entry->ranks, hir_rank_programs_unref);
}

/* Refers to the content of the entry in memory. */
static Job *
job_new_with_content (HirRunHistory *self, HirRunEntry *entry)
{
  Job *job = job_new (self, entry);

  job->program = hir_program_ref (entry->program);
  job->ranks = entry->ranks != NULL ? hir_rank_programs_ref (entry->ranks) : NULL;
  job->trace = hir_trace_ref (entry->trace);
  return job;
}

/* The recording comes first: facts without a recording are not listed. */
static gboolean
write_facts (const Job *job, const char *path, GError **error)
{
  g_autofree char *name = g_strconcat (path, HIR_RUN_KEPT_SUFFIX, NULL);

  if (job->facts == NULL || g_file_set_contents (name, job->facts, -1, error))
    return TRUE;
  g_unlink (path);
  return FALSE;
}

static void
write_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Job *job = task_data;
  GError *error = NULL;
  GStatBuf status;
  g_autofree char *path = hir_run_cache_dup_path (job->cache, job->entry->number, &error);

  hir_export_progress_init (&job->progress, cancellable);
  if (path != NULL &&
      hir_program_save (job->program, job->ranks, job->trace, path, &job->progress, &error) &&
      write_facts (job, path, &error))
    {
      job->n_bytes = g_stat (path, &status) == 0 ? (guint64) status.st_size : 0;
      job->path = g_steal_pointer (&path);
    }
  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

static void
lose (HirRunHistory *self, HirRunEntry *entry, const char *what, const GError *error)
{
  g_autofree char *title = hir_run_entry_dup_title (entry);
  g_autofree char *text = g_strdup_printf ("%s %s: %s", title, what, error->message);

  entry->stays = FALSE;
  g_ptr_array_remove (self->entries, entry);
  g_signal_emit (self, signals[LOST], 0, text);
}

static void trim (HirRunHistory *self);

static void
on_written (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirRunHistory *self = HIR_RUN_HISTORY (source);
  Job *job = g_task_get_task_data (G_TASK (result));
  HirRunEntry *entry = job->entry;
  g_autoptr (GError) error = NULL;
  gboolean done = g_task_propagate_boolean (G_TASK (result), &error);

  entry->is_writing = FALSE;
  if (done)
    {
      entry->path = g_strdup (job->path);
      entry->owns_path = TRUE;
      entry->file_bytes = job->n_bytes;
      if (job->is_needed && is_in_memory (self, entry))
        forget_content (entry);
    }
  if (self->writing == NULL) /* disposed */
    return;
  g_clear_object (&self->writing);
  if (!done && (entry->name != NULL || !job->is_needed))
    entry->cannot_write = TRUE;
  else if (!done && g_ptr_array_find (self->entries, entry, NULL))
    lose (self, entry, "was dropped, because it could not be written to the cache", error);
  trim (self);
  if (job->is_needed) /* otherwise nothing that is displayed has changed */
    g_signal_emit (self, signals[CHANGED], 0);
}

/* Only runs and debug sessions of a script can be listed by its document. */
static gboolean
can_keep (HirRunHistory *self, const HirRunEntry *entry)
{
  return self->keeps && entry->verdict != HIR_RUN_RUNNING &&
         (entry->kind == HIR_RUN_KIND_RUN || entry->kind == HIR_RUN_KIND_DEBUG);
}

/* @is_needed: to free memory; otherwise for later sessions. */
static void
write_entry (HirRunHistory *self, HirRunEntry *entry, gboolean is_needed)
{
  g_autoptr (GTask) task = NULL;
  Job *job = job_new_with_content (self, entry);

  job->is_needed = is_needed;
  job->facts = can_keep (self, entry) ? hir_run_kept_dup_text (entry) : NULL;
  entry->stays = job->facts != NULL; /* unless it is deleted meanwhile */
  self->writing = g_cancellable_new ();
  task = g_task_new (self, self->writing, on_written, NULL);
  entry->is_writing = TRUE;
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, write_in_thread);
}

/* Removes a run from the list; one of this session is deleted. */
static void
drop (HirRunHistory *self, guint i)
{
  HirRunEntry *entry = hir_run_history_get (self, i);

  entry->stays &= entry->is_kept;
  g_ptr_array_remove_index (self->entries, i);
}

/* Drops the oldest runs until those that are not pinned are within the limits of disk and
 * number. */
static void
drop_oldest (HirRunHistory *self)
{
  guint64 n_bytes = 0;
  guint n = 0;

  for (guint i = self->entries->len; i-- > 0;)
    {
      const HirRunEntry *entry = hir_run_history_get (self, i);

      if (entry->name != NULL || entry->verdict == HIR_RUN_RUNNING)
        continue;
      n++;
      n_bytes += entry->file_bytes;
      if ((n > self->limits.n_runs ||
           (entry->file_bytes > 0 && n_bytes > self->limits.disk_bytes)) &&
          (entry->trace == NULL || entry->trace != self->shown))
        drop (self, i);
    }
}

/* Returns whether a run is to be written for later sessions. */
static gboolean
is_waiting (HirRunHistory *self, const HirRunEntry *entry)
{
  return can_keep (self, entry) && entry->path == NULL && entry->trace != NULL &&
         !entry->is_writing && !entry->cannot_write && hir_run_entry_has_events (entry) &&
         hir_run_entry_get_size_bytes (entry) <= KEEP_MAX_BYTES;
}

static gboolean
keep_next (gpointer user_data)
{
  HirRunHistory *self = user_data;

  self->keeping = 0;
  for (guint i = 0; i < self->entries->len && self->writing == NULL; i++)
    if (is_waiting (self, hir_run_history_get (self, i)))
      write_entry (self, hir_run_history_get (self, i), FALSE);
  return G_SOURCE_REMOVE;
}

/* Later: the views of a run that has just ended come first. */
static void
queue_keep (HirRunHistory *self)
{
  for (guint i = 0; i < self->entries->len && self->keeping == 0 && self->writing == NULL; i++)
    if (is_waiting (self, hir_run_history_get (self, i)))
      self->keeping = g_timeout_add (KEEP_DELAY_MS, keep_next, self);
}

/* Moves the oldest runs to disk, one after the other. */
static void
trim (HirRunHistory *self)
{
  gsize n_bytes = get_memory_bytes (self);

  drop_oldest (self);
  for (guint i = 0; i < self->entries->len && n_bytes > self->limits.memory_bytes; i++)
    {
      HirRunEntry *entry = hir_run_history_get (self, i);

      if (!is_in_memory (self, entry) || entry->is_writing ||
          (entry->cannot_write && entry->name != NULL))
        continue;
      n_bytes -= MIN (hir_run_entry_get_size_bytes (entry), n_bytes);
      if (entry->path != NULL)
        forget_content (entry);
      else if (self->writing == NULL)
        write_entry (self, entry, TRUE);
    }
  queue_keep (self);
}

void
hir_run_history_update (HirRunHistory *self)
{
  trim (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

void
hir_run_history_add (HirRunHistory *self, HirRunEntry *entry)
{
  entry->number = ++self->last_number;
  entry->ordinal = ++self->last_ordinal;
  g_ptr_array_add (self->entries, entry);
  hir_run_history_update (self);
}

void
hir_run_history_remove (HirRunHistory *self, HirRunEntry *entry)
{
  entry->stays = FALSE;
  if (entry->path != NULL && is_in_memory (self, entry))
    forget_content (entry);
  if (g_ptr_array_remove (self->entries, entry))
    hir_run_history_update (self);
}

gboolean
hir_run_entry_is_before (const HirRunEntry *a, const HirRunEntry *b)
{
  return a->is_kept != b->is_kept ? a->is_kept : a->number < b->number;
}

void
hir_run_history_restore (HirRunHistory *self, HirRunEntry *entry)
{
  guint i = 0;

  if (hir_run_history_find (self, entry->number) != NULL)
    return;
  if (entry->trace == NULL && entry->path != NULL && !g_file_test (entry->path, G_FILE_TEST_EXISTS))
    {
      g_autofree char *title = hir_run_entry_dup_title (entry);
      g_autofree char *text =
          g_strdup_printf ("%s cannot be restored: its recording was deleted", title);

      g_signal_emit (self, signals[LOST], 0, text);
      return;
    }
  while (i < self->entries->len && hir_run_entry_is_before (hir_run_history_get (self, i), entry))
    i++;
  entry->stays = can_keep (self, entry);
  g_ptr_array_insert (self->entries, (int) i, hir_run_entry_ref (entry));
  hir_run_history_update (self);
}

void
hir_run_history_rename (HirRunHistory *self, HirRunEntry *entry, const char *name)
{
  char *copy = name != NULL && *name != '\0' ? g_strdup (name) : NULL;

  g_free (entry->name);
  entry->name = copy;
  hir_run_history_update (self);
}

void
hir_run_history_set_shown (HirRunHistory *self, HirTrace *trace)
{
  HirRunEntry *entry;

  if (trace == self->shown)
    return;
  if (trace != NULL)
    hir_trace_ref (trace);
  g_clear_pointer (&self->shown, hir_trace_unref);
  self->shown = trace;
  entry = hir_run_history_find_trace (self, trace);
  if (entry != NULL)
    entry->shown_order = ++self->last_shown;
  hir_run_history_update (self);
}

static void
read_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Job *job = task_data;
  GError *error = NULL;

  job->opened = hir_opened_new (job->path, &error);
  if (job->opened != NULL)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
hir_run_history_load_async (HirRunHistory *self,
                            HirRunEntry *entry,
                            GAsyncReadyCallback callback,
                            gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, callback, user_data);
  Job *job = job_new (self, entry);

  g_task_set_task_data (task, job, job_free);
  if (entry->trace != NULL || entry->path == NULL)
    {
      g_task_return_boolean (task, TRUE);
      return;
    }
  job->path = g_strdup (entry->path);
  g_task_run_in_thread (task, read_in_thread);
}

gboolean
hir_run_history_load_finish (HirRunHistory *self, GAsyncResult *result, GError **error)
{
  Job *job = g_task_get_task_data (G_TASK (result));
  HirRunEntry *entry = job->entry;
  g_autoptr (GError) reason = NULL;

  if (!g_task_propagate_boolean (G_TASK (result), &reason))
    {
      if (g_ptr_array_find (self->entries, entry, NULL))
        lose (self, entry, "was removed from the list, because it could not be read", reason);
      hir_run_history_update (self);
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  if (job->opened != NULL && entry->trace == NULL)
    {
      entry->program = hir_program_ref (job->opened->program);
      entry->ranks = hir_rank_programs_ref (job->opened->ranks);
      hir_run_entry_set_trace (entry, job->opened->trace);
    }
  return TRUE;
}

static void
save_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Job *job = task_data;
  GError *error = NULL;

  gboolean done;

  if (job->trace != NULL)
    {
      done = hir_program_save (job->program, job->ranks, job->trace, job->path, NULL, &error);
    }
  else
    {
      g_autoptr (GFile) from = g_file_new_for_path (job->entry->path);
      g_autoptr (GFile) to = g_file_new_for_path (job->path);

      done = g_file_copy (from, to, G_FILE_COPY_NONE, NULL, NULL, NULL, &error);
    }
  if (done)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
hir_run_history_save_async (HirRunHistory *self,
                            HirRunEntry *entry,
                            const char *path,
                            GAsyncReadyCallback callback,
                            gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, callback, user_data);
  Job *job = entry->trace != NULL ? job_new_with_content (self, entry) : job_new (self, entry);

  job->path = g_strdup (path);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, save_in_thread);
}

gboolean
hir_run_history_save_finish (HirRunHistory *self, GAsyncResult *result, GError **error)
{
  Job *job = g_task_get_task_data (G_TASK (result));

  if (!g_task_propagate_boolean (G_TASK (result), error))
    return FALSE;
  job->entry->is_saved = TRUE;
  return TRUE;
}

void
hir_run_history_set_keeps (HirRunHistory *self)
{
  self->keeps = TRUE;
}

static void
list_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Job *job = task_data;

  if (job->key != NULL)
    job->kept = hir_run_cache_list (job->cache, job->key);
  else
    hir_run_cache_delete_ended (job->cache);
  g_task_return_boolean (task, TRUE);
}

static gboolean
has_path (HirRunHistory *self, const char *path)
{
  for (guint i = 0; i < self->entries->len; i++)
    if (g_strcmp0 (hir_run_history_get (self, i)->path, path) == 0)
      return TRUE;
  return FALSE;
}

static void
on_listed (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirRunHistory *self = HIR_RUN_HISTORY (source);
  Job *job = g_task_get_task_data (G_TASK (result));
  guint at = 0;

  for (guint i = 0; job->kept != NULL && i < job->kept->len; i++)
    {
      HirRunEntry *entry = g_ptr_array_index (job->kept, i);

      if (has_path (self, entry->path))
        continue;
      entry->number = ++self->last_number;
      while (at < self->entries->len && hir_run_history_get (self, at)->is_kept)
        at++;
      g_ptr_array_insert (self->entries, (int) at, hir_run_entry_ref (entry));
    }
  hir_run_history_update (self);
}

static void
start_list (HirRunHistory *self, char *key)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, on_listed, NULL);
  Job *job = job_new (self, NULL);

  job->key = key;
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, list_in_thread);
}

void
hir_run_history_list_kept (HirRunHistory *self, const HirRequest *request)
{
  start_list (self, hir_run_kept_dup_key (request));
}

void
hir_run_history_delete_kept (HirRunHistory *self)
{
  for (guint i = self->entries->len; i-- > 0;)
    if (hir_run_history_get (self, i)->is_kept)
      {
        hir_run_history_get (self, i)->stays = FALSE;
        g_ptr_array_remove_index (self->entries, i);
      }
  start_list (self, NULL);
  hir_run_history_update (self);
}
