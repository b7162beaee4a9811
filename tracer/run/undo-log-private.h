/* Shared by the undo log and the evaluator that fills it. */
#pragma once

#include "run/evaluator-position.h"
#include "run/undo-log.h"

G_BEGIN_DECLS

/* Elements as they were before a task wrote them. */
typedef struct
{
  gatomicrefcount ref_count; /* the entry's and the task's */
  const HirBackendClass *klass;
  HirValue *value;           /* where they are */
  HirValue *copy;            /* NULL: not taken. Set on the stream's thread */
  gint is_dropped;           /* atomic: nobody needs it */
  gint has_failed;           /* atomic: no memory */
} HirUndoSave;

struct _HirUndoEntry
{
  int rank;
  HirUndoLog *log;         /* borrowed */
  HirEvaluator *evaluator; /* borrowed: outlives the entry */
  gsize size_bytes;
  gboolean is_whole;
  HirEvaluatorPosition position; /* before the step */
  /* what the step did */
  GArray *bindings; /* HirEnvChange */
  GPtrArray *saves; /* HirUndoSave*, in the order of the writes */
  GPtrArray *met; /* char*: counters of n_met, each raised by one */
  GHashTable *fresh; /* const HirBuffer*: made by the step */
};

void hir_undo_save_unref (gpointer save);
/* Takes @entry. */
void hir_undo_log_append (HirUndoLog *log, HirUndoEntry *entry);
/* Room for @n_bytes more of @entry, the newest. FALSE: there can be none, and the entry is no longer
 * whole. */
gboolean hir_undo_log_reserve (HirUndoLog *log, HirUndoEntry *entry, gsize n_bytes);

G_END_DECLS
