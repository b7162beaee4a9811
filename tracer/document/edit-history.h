/* What was asked for, one after the other, to go back and forth in: any change of script, passes or options is a
 * request of its own, so one list undoes them all in the order in which they were made. */
#pragma once

#include "program/request.h"

G_BEGIN_DECLS

typedef struct _HirEditHistory HirEditHistory;

HirEditHistory *hir_edit_history_new (void);
void hir_edit_history_free (HirEditHistory *history);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirEditHistory, hir_edit_history_free)

/* Forgets all and begins with @request (nullable: nothing can be changed). */
void hir_edit_history_begin (HirEditHistory *history, HirRequest *request);
/* @what: what was done, for the words of Undo: "StreamParallelType off". What had been undone is forgotten;
 * so are the oldest ones past a number that nobody goes back. */
void hir_edit_history_add (HirEditHistory *history, HirRequest *request, const char *what);
/* The request that is in force becomes @request, and counts as what it was: after a save under another name. */
void hir_edit_history_replace (HirEditHistory *history, HirRequest *request);

/* Borrowed; NULL before begin(). */
HirRequest *hir_edit_history_get (const HirEditHistory *history);
/* What undo, redo would change; NULL: there is nothing. Borrowed. */
const char *hir_edit_history_get_undo (const HirEditHistory *history);
const char *hir_edit_history_get_redo (const HirEditHistory *history);
/* The request that is in force then; NULL and nothing done where there is none. Borrowed. */
HirRequest *hir_edit_history_undo (HirEditHistory *history);
HirRequest *hir_edit_history_redo (HirEditHistory *history);

G_END_DECLS
