/* Internal declarations of the undo log and of the evaluator, which fills it. */
#pragma once

#include "run/evaluator-position.h"
#include "run/undo-log.h"

G_BEGIN_DECLS

/* Elements as they were before a task overwrote them. */
typedef struct
{
  gatomicrefcount ref_count; /* references of the entry and of the task */
  const HirBackendClass *klass;
  HirValue *value; /* location of the elements */
  HirValue *copy;  /* NULL if not taken; set on the stream's thread */
  gint is_dropped; /* atomic: no longer needed */
  gint has_failed; /* atomic: out of memory */
} HirUndoSave;

struct _HirUndoEntry
{
  int rank;
  HirUndoLog *log;         /* borrowed */
  HirEvaluator *evaluator; /* borrowed; outlives the entry */
  gsize size_bytes;
  gboolean is_whole;
  HirEvaluatorPosition position; /* before the step */
  /* changes of the step */
  GArray *bindings;         /* HirEnvChange */
  guint n_taken;            /* number of saves that a task of the step takes */
  GPtrArray *saves;         /* HirUndoSave*, in the order of the writes */
  GPtrArray *counted_posts; /* char*: keys of n_met, each incremented once */
  GHashTable *fresh;        /* const HirBuffer*: created by the step */
};

/* Releases a HirUndoSave. */
void hir_undo_save_unref (gpointer save);
/* Appends @entry (takes ownership). */
void hir_undo_log_append (HirUndoLog *log, HirUndoEntry *entry);
/* Reserves @n_bytes for @entry, the newest. If the limit does not allow it, marks the entry as
 * incomplete and returns FALSE. */
gboolean hir_undo_log_reserve (HirUndoLog *log, HirUndoEntry *entry, gsize n_bytes);

G_END_DECLS
