/* The bytes of a file, one after the other: of a gzip file unpacked, of a pipe as they come. What was
 * read can be read again, from any place, as long as the file stays as it was: by HirTextSource. */
#pragma once

#include <gio/gio.h>

#include "trace/text-source.h"

G_BEGIN_DECLS

typedef struct _HirTextStream HirTextStream;

/* Errors: HIR_ERROR_INPUT (not there, may not be read, a folder, empty), HIR_ERROR_LIMIT. */
HirTextStream *hir_text_stream_open (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Borrows @text; its source is of use as long as that stays. */
HirTextStream *hir_text_stream_new_for_memory (const char *name, const char *text, gsize length);
void hir_text_stream_free (HirTextStream *stream);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTextStream, hir_text_stream_free)

/* Fills @buffer but for the last time; *@n_read is 0 at the end. FALSE: an error, HIR_ERROR_INPUT or
 * HIR_ERROR_LIMIT. One thread at a time. */
gboolean
hir_text_stream_read (HirTextStream *stream, char *buffer, gsize size, gsize *n_read, GError **error);
/* Nothing more is wanted: as if the text ended here. No thread may read meanwhile. */
void hir_text_stream_end (HirTextStream *stream);
/* Bytes of the file read so far, packed as they lie there, and in all; 0 in all where that is not
 * known. Any thread. */
void hir_text_stream_get_progress (HirTextStream *stream, guint64 *done, guint64 *total);
/* Known at the end; nullable, borrowed: why it is not whole ("the gzip file is damaged ..."). */
const char *hir_text_stream_get_problem (HirTextStream *stream);
/* What was read, to be read again. Borrowed; complete once the end was read. */
HirTextSource *hir_text_stream_get_source (HirTextStream *stream);

G_END_DECLS
