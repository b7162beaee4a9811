/* Changes of debugged steps, oldest first, within a memory limit: the oldest entries are dropped to
 * make space for new ones. Used by one thread, except for the copies of overwritten memory, which
 * streams make. */
#pragma once

#include "run/values/value.h"

G_BEGIN_DECLS

typedef struct _HirUndoLog HirUndoLog;
typedef struct _HirUndoEntry HirUndoEntry;

/* Creates a log of at most @max_bytes. */
HirUndoLog *hir_undo_log_new (gsize max_bytes);
/* Frees @log. The evaluators of its entries must still exist. */
void hir_undo_log_free (HirUndoLog *log);
/* Drops all entries. Their evaluators must still exist. */
void hir_undo_log_clear (HirUndoLog *log);

/* Sets how much of the limit other data uses. Drops entries if necessary; peaks include it. */
void hir_undo_log_set_others (HirUndoLog *log, gsize n_bytes);
/* Sets the limit. Drops entries if necessary. */
void hir_undo_log_set_max_bytes (HirUndoLog *log, gsize max_bytes);
/* Returns the limit. */
gsize hir_undo_log_get_max_bytes (const HirUndoLog *log);
/* Returns the size of all entries. */
gsize hir_undo_log_get_bytes (const HirUndoLog *log);
/* Returns the largest size so far, including other data. */
gsize hir_undo_log_get_peak_bytes (const HirUndoLog *log);
guint hir_undo_log_get_n_entries (const HirUndoLog *log);
/* Returns entry @i counted from the newest (borrowed), or NULL past the oldest. */
HirUndoEntry *hir_undo_log_peek (const HirUndoLog *log, guint i);
/* Drops the newest entry, if any. */
void hir_undo_log_drop_newest (HirUndoLog *log);

/* Returns the rank of the step. */
int hir_undo_entry_get_rank (const HirUndoEntry *entry);
/* Returns FALSE if the entry is incomplete because it exceeded the limit or memory was short. */
gboolean hir_undo_entry_is_whole (const HirUndoEntry *entry);

G_END_DECLS
