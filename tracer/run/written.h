/* The elements of memory that the steps of an evaluator have written, for a debugger. Exact for
 * buffers that were allocated while it records; other memory counts as written. Used by the thread
 * of the evaluator, or while it pauses. */
#pragma once

#include "run/values/value.h"

G_BEGIN_DECLS

typedef struct _HirWritten HirWritten;

HirWritten *hir_written_new (void);
void hir_written_free (HirWritten *written);
/* Records that @buffer (not referenced) is new. */
void hir_written_add_fresh (HirWritten *written, const HirBuffer *buffer);
/* Records that step @step, counted from 0, writes @value. Forgets the writes of later steps, which
 * were undone. */
void hir_written_add (HirWritten *written, const HirValue *value, guint64 step);
/* Forgets all buffers, so that they count as written. */
void hir_written_forget (HirWritten *written);
/* Returns a contiguous bool tensor of the shape of @value that is true for each element that the
 * first @n_steps steps have not written, or NULL if there is none. Sets @error if memory is
 * short. */
HirValue *hir_written_dup_missing (const HirWritten *written,
                                   const HirValue *value,
                                   guint64 n_steps,
                                   GError **error);

G_END_DECLS
