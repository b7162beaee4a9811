/* The runs of a document, oldest first. The traces of recent runs are in memory; older ones are
 * written to the user's cache folder, and the oldest are dropped. A pinned run is never dropped.
 *
 * Use it on the thread that created it; recordings are written and read on worker threads.
 *
 * Signals:
 *   changed   another list, or another state of a run
 *   lost (const char *text)   a run was dropped because of an error; @text says which, and why */
#pragma once

#include "document/run-entry.h"

G_BEGIN_DECLS

#define HIR_TYPE_RUN_HISTORY (hir_run_history_get_type ())
G_DECLARE_FINAL_TYPE (HirRunHistory, hir_run_history, HIR, RUN_HISTORY, GObject)

typedef struct
{
  gsize memory_bytes; /* of runs that are not displayed */
  guint64 disk_bytes; /* of recordings in the cache folder, without pinned runs */
  guint n_runs;       /* without pinned runs */
} HirRunLimits;

/* 512 MiB, 4 GiB, 200. */
HirRunLimits hir_run_limits_get_default (void);

/* Keeps runs of up to 64 MiB for later sessions: each is written to the cache soon after its end.
 */
void hir_run_history_set_keeps (HirRunHistory *self);
/* Adds the runs of earlier sessions of the document of @request, before all others, when they have
 * been read. Call once per document. */
void hir_run_history_list_kept (HirRunHistory *self, const HirRequest *request);
/* Deletes the runs of all earlier sessions, of all documents. */
void hir_run_history_delete_kept (HirRunHistory *self);

/* Creates an empty history. @folder: (nullable): see hir_run_cache_new() */
HirRunHistory *hir_run_history_new (const char *folder, HirRunLimits limits);

/* Adds @entry (taken) as the newest one and sets its number. */
void hir_run_history_add (HirRunHistory *self, HirRunEntry *entry);
/* Removes @entry; the recording in the cache is deleted with the last reference. */
void hir_run_history_remove (HirRunHistory *self, HirRunEntry *entry);
/* Adds a removed entry at its former place. If its recording was deleted, emits lost instead. */
void hir_run_history_restore (HirRunHistory *self, HirRunEntry *entry);
/* Pins @entry under @name, or unpins it if @name is NULL or empty. */
void hir_run_history_rename (HirRunHistory *self, HirRunEntry *entry, const char *name);
/* Emits changed and enforces the limits, after a change of an entry. */
void hir_run_history_update (HirRunHistory *self);
/* Excludes the run of @trace (nullable) from the limit of memory, because it is displayed. */
void hir_run_history_set_shown (HirRunHistory *self, HirTrace *trace);

/* Returns the number of entries. */
guint hir_run_history_get_n (HirRunHistory *self);
/* Returns entry @i (borrowed). */
HirRunEntry *hir_run_history_get (HirRunHistory *self, guint i);
/* Returns the entry with @number (borrowed), or NULL. */
HirRunEntry *hir_run_history_find (HirRunHistory *self, guint number);
/* Returns the entry whose trace is @trace (borrowed), or NULL. */
HirRunEntry *hir_run_history_find_trace (HirRunHistory *self, HirTrace *trace);
/* Returns the entry with events of a program with @end_hash that was displayed last, otherwise the
 * newest one (borrowed), or NULL. One of an earlier session must have been displayed in this one.
 */
HirRunEntry *hir_run_history_find_program (HirRunHistory *self, guint64 end_hash);
/* Returns whether @a is listed before @b: runs of earlier sessions come first. */
gboolean hir_run_entry_is_before (const HirRunEntry *a, const HirRunEntry *b);
/* Returns TRUE if @entry is pinned and not saved under a path of the user. */
gboolean hir_run_entry_is_unsaved (const HirRunEntry *entry);
/* Returns the first entry with hir_run_entry_is_unsaved() (borrowed), or NULL. */
HirRunEntry *hir_run_history_find_unsaved (HirRunHistory *self);

/* Reads program and trace of @entry if they are only on disk. If the recording cannot be read, the
 * entry is removed. */
void hir_run_history_load_async (HirRunHistory *self,
                                 HirRunEntry *entry,
                                 GAsyncReadyCallback callback,
                                 gpointer user_data);
/* Writes @entry to @path as a recording on a worker thread. */
void hir_run_history_save_async (HirRunHistory *self,
                                 HirRunEntry *entry,
                                 const char *path,
                                 GAsyncReadyCallback callback,
                                 gpointer user_data);
/* Finishes hir_run_history_save_async(). */
gboolean hir_run_history_save_finish (HirRunHistory *self,
                                      GAsyncResult *result,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns FALSE with the error of hir_opened_new(), which names the run. */
gboolean hir_run_history_load_finish (HirRunHistory *self,
                                      GAsyncResult *result,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
