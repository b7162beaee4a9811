/* A folder in the user's cache for the recordings of one run history. The folder is locked while it
 * is in use and deleted afterwards. Folders that a crashed process has left are deleted, too. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _HirRunCache HirRunCache;

/* Creates a cache inside of @folder (nullable: "hirscope/runs" in g_get_user_cache_dir()). Does not
 * access the disk. */
HirRunCache *hir_run_cache_new (const char *folder);
HirRunCache *hir_run_cache_ref (HirRunCache *self);
/* Deletes the folder, if it is empty, with the last reference. */
void hir_run_cache_unref (HirRunCache *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRunCache, hir_run_cache_unref)

/* Returns the path of the recording of run @number (transfer full). Creates the folder first, and
 * deletes the folders of ended processes. Blocks; any thread. NULL with HIR_ERROR_INPUT if the
 * folder cannot be created. */
char *hir_run_cache_dup_path (HirRunCache *self, guint number, GError **error);

G_END_DECLS
