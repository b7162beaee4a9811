/* Undo history. Each change of the script, passes or options is a request, so that one list undoes
 * all kinds of changes in order. */
#pragma once

#include "program/request.h"

G_BEGIN_DECLS

typedef struct _HirEditHistory HirEditHistory;

HirEditHistory *hir_edit_history_new (void);
void hir_edit_history_free (HirEditHistory *history);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirEditHistory, hir_edit_history_free)

/* Clears the history and starts with @request; NULL if nothing can be edited. */
void hir_edit_history_begin (HirEditHistory *history, HirRequest *request);
/* Adds a change. @what describes it in the undo text: "StreamParallelType off". Drops undone
 * changes, and the oldest one if the history is full. */
void hir_edit_history_add (HirEditHistory *history, HirRequest *request, const char *what);
/* Replaces the current request without a new entry, after saving under another name. */
void hir_edit_history_replace (HirEditHistory *history, HirRequest *request);

/* Returns the current request (borrowed), or NULL if there is none. */
HirRequest *hir_edit_history_get (const HirEditHistory *history);
/* Returns the change that undo would revert (nullable, borrowed). */
const char *hir_edit_history_get_undo (const HirEditHistory *history);
/* Returns the change that redo would apply (nullable, borrowed). */
const char *hir_edit_history_get_redo (const HirEditHistory *history);
/* Goes back by one change. Returns the new current request (borrowed), or NULL if there is none. */
HirRequest *hir_edit_history_undo (HirEditHistory *history);
/* Goes forward by one change. Returns the new current request (borrowed), or NULL if there is
 * none. */
HirRequest *hir_edit_history_redo (HirEditHistory *history);

G_END_DECLS
