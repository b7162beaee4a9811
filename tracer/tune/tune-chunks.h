/* The stream axis of the inputs of a fusion: its size is the number of chunks in which the work is
 * done. Another size keeps the work if another axis of the same tensors takes the rest. */
#pragma once

#include "program/program.h"

G_BEGIN_DECLS

typedef struct _HirTuneChunks HirTuneChunks;

/* Finds the stream axis of the inputs of @program, which must outlive the result, and an axis that
 * can take the rest. Returns NULL and sets HIR_ERROR_INPUT with the reason if there is none. */
HirTuneChunks *hir_tune_chunks_new (const HirProgram *program, GError **error);
void hir_tune_chunks_free (HirTuneChunks *chunks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTuneChunks, hir_tune_chunks_free)
/* Returns the number of chunks of the program. */
gint64 hir_tune_chunks_get_size (const HirTuneChunks *chunks);
/* Returns whether the work can be done in @size chunks of equal size. */
gboolean hir_tune_chunks_allow (const HirTuneChunks *chunks, gint64 size);
/* Returns the shapes of all inputs with @size chunks, as for --input. Free with g_strfreev(). */
char **hir_tune_chunks_dup_inputs (const HirTuneChunks *chunks, gint64 size);

G_END_DECLS
