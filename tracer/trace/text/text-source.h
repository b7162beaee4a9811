/* Rereads parts of a text that was loaded as a stream, so that rarely used data need not stay in
 * memory. Reads from an open file, from a gzip file by restart points, or from a temporary copy of
 * a pipe. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _HirTextSource HirTextSource;

/* Takes a reference. */
HirTextSource *hir_text_source_ref (HirTextSource *source);
/* Releases a reference. @source: (nullable). */
void hir_text_source_unref (HirTextSource *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTextSource, hir_text_source_unref)

/* Reads bytes [@offset, @offset + @size) of the decompressed text; fewer at its end. Returns FALSE
 * and sets HIR_ERROR_INPUT if the file changed since loading or cannot be read. Any thread; calls
 * are serialized. */
gboolean hir_text_source_read (
    HirTextSource *source, guint64 offset, char *buffer, gsize size, gsize *n_read, GError **error);
/* Computes line and column (from 1, in bytes) of @offset, for messages. Reads all text before it.
 * Sets both to 0 if the text cannot be read. */
void hir_text_source_get_position (HirTextSource *source,
                                   guint64 offset,
                                   guint64 *line,
                                   guint64 *column);
/* Returns the path of the file (borrowed). */
const char *hir_text_source_get_name (HirTextSource *source);
/* Returns the memory that @source uses. */
gsize hir_text_source_get_size_bytes (HirTextSource *source);

G_END_DECLS
