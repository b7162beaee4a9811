/* Undo history. Each change of the script, passes or options is a request, so that one list undoes
 * all kinds of changes in order. Other changes, such as the deletion of a run, are functions. */
#pragma once

#include "program/request.h"

G_BEGIN_DECLS

typedef struct _HirEditHistory HirEditHistory;

/* Undoes a change that is not one of the request, or repeats it. @owner is that of
 * hir_edit_history_undo(). */
typedef void (*HirEditFunc) (gpointer owner, gpointer data, gboolean is_undone);

HirEditHistory *hir_edit_history_new (void);
void hir_edit_history_free (HirEditHistory *history);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirEditHistory, hir_edit_history_free)

/* Clears the history and starts with @request; NULL if nothing can be edited. */
void hir_edit_history_begin (HirEditHistory *history, HirRequest *request);
/* Adds a change. @what describes it in the undo text: "StreamParallelType off". Drops undone
 * changes, and the oldest one if the history is full. */
void hir_edit_history_add (HirEditHistory *history, HirRequest *request, const char *what);
/**
 * hir_edit_history_add_other:
 * @what: the change: "Deletion of Run 1"
 * @func: undoes and repeats the change
 * @data: (transfer full): the data of @func
 * @free: frees @data
 * @size_bytes: memory of @data; the oldest changes are dropped if they need more than 512 MiB
 *
 * Adds a change that leaves the request as it is. Drops undone changes like
 * hir_edit_history_add().
 */
void hir_edit_history_add_other (HirEditHistory *history,
                                 const char *what,
                                 HirEditFunc func,
                                 gpointer data,
                                 GDestroyNotify free,
                                 gsize size_bytes);
/* Removes the change with @data, which was undone in another way. */
void hir_edit_history_forget (HirEditHistory *history, gconstpointer data);
/* Replaces the current request without a new entry. */
void hir_edit_history_replace (HirEditHistory *history, HirRequest *request);
/* Gives all requests with the path of the current one the new @path, after saving under another
 * name. */
void hir_edit_history_rename (HirEditHistory *history, const char *path);

/* Returns the current request (borrowed), or NULL if there is none. */
HirRequest *hir_edit_history_get (const HirEditHistory *history);
/* Returns the change that undo would revert (nullable, borrowed). */
const char *hir_edit_history_get_undo (const HirEditHistory *history);
/* Returns the change that redo would apply (nullable, borrowed). */
const char *hir_edit_history_get_redo (const HirEditHistory *history);
/* Goes back by one change. @owner (nullable) is for the functions of other changes. Returns FALSE
 * if there is none. */
gboolean hir_edit_history_undo (HirEditHistory *history, gpointer owner);
/* Goes forward by one change, likewise. */
gboolean hir_edit_history_redo (HirEditHistory *history, gpointer owner);

G_END_DECLS
