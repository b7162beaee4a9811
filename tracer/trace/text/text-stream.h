/* Reads the text of a file sequentially: decompresses gzip files, accepts pipes. Text that was read
 * can be reread at any position through HirTextSource as long as the file is unchanged. */
#pragma once

#include <gio/gio.h>

#include "trace/text/text-source.h"

G_BEGIN_DECLS

typedef struct _HirTextStream HirTextStream;

/* Opens @path. Errors: HIR_ERROR_INPUT (missing, unreadable, a folder, empty), HIR_ERROR_LIMIT. */
HirTextStream *hir_text_stream_open (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Reads @text, which is borrowed and must outlive the stream and its source. */
HirTextStream *hir_text_stream_new_for_memory (const char *name, const char *text, gsize length);
/* Closes the stream. @stream: (nullable). */
void hir_text_stream_free (HirTextStream *stream);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTextStream, hir_text_stream_free)

/* Fills @buffer; at the end of the text only a part of it. @n_read is 0 at the end. Returns FALSE
 * and sets HIR_ERROR_INPUT or HIR_ERROR_LIMIT on failure. Call on one thread at a time. */
gboolean hir_text_stream_read (
    HirTextStream *stream, char *buffer, gsize size, gsize *n_read, GError **error);
/* Ends the text here. No other thread may read at the same time. */
void hir_text_stream_end (HirTextStream *stream);
/* Returns the number of (compressed) bytes read from the file, and its size; 0 if unknown. Any
 * thread. */
void hir_text_stream_get_progress (HirTextStream *stream, guint64 *done, guint64 *total);
/* Returns why the text is incomplete ("the gzip file is damaged ..."), or NULL. Borrowed; known at
 * the end. */
const char *hir_text_stream_get_problem (HirTextStream *stream);
/* Returns the source to reread from (borrowed); complete at the end. */
HirTextSource *hir_text_stream_get_source (HirTextStream *stream);

G_END_DECLS
