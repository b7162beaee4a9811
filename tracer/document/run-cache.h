/* A folder in the user's cache for the recordings of one run history. The folder is locked while it
 * is in use. Later sessions list the recordings in it by document. Recordings are deleted after 30
 * days, and beyond 4 GiB, the oldest first. Recordings that a crashed process has left without
 * the facts of run-kept.h are deleted, too. */
#pragma once

#include "document/run-entry.h"

G_BEGIN_DECLS

typedef struct _HirRunCache HirRunCache;

/* Creates a cache inside of @folder (nullable: "hirscope/runs" in g_get_user_cache_dir()). Does not
 * access the disk. */
HirRunCache *hir_run_cache_new (const char *folder);
HirRunCache *hir_run_cache_ref (HirRunCache *self);
/* Deletes the folder, if it is empty, with the last reference. */
void hir_run_cache_unref (HirRunCache *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRunCache, hir_run_cache_unref)

/* Returns the runs of ended sessions of the document with @key: HirRunEntry*, oldest first, the
 * newest 100 (transfer full). Blocks; any thread. */
GPtrArray *hir_run_cache_list (HirRunCache *self, const char *key);
/* Deletes the runs of all ended sessions. Blocks; any thread. */
void hir_run_cache_delete_ended (HirRunCache *self);

/* Returns the path of the recording of run @number (transfer full). Creates the folder first, and
 * enforces the limits of ended sessions. Blocks; any thread. NULL with HIR_ERROR_INPUT if the
 * folder cannot be created. */
char *hir_run_cache_dup_path (HirRunCache *self, guint number, GError **error);

G_END_DECLS
