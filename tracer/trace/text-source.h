/* A text that was read once, to be read again from any place: a file that is kept open, a gzip file
 * by the states that its unpacking passed through, or what came through a pipe in a file of ours. So
 * that what is seldom asked for need not stay in memory. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _HirTextSource HirTextSource;

HirTextSource *hir_text_source_ref (HirTextSource *source);
void hir_text_source_unref (HirTextSource *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTextSource, hir_text_source_unref)

/* Bytes [@offset, @offset + @size) of the unpacked text, fewer at its end: *@n_read. FALSE and
 * HIR_ERROR_INPUT where the file changed since it was loaded, or can't be read. Any thread; one waits
 * for the other. */
gboolean hir_text_source_read (HirTextSource *source,
                               guint64 offset,
                               char *buffer,
                               gsize size,
                               gsize *n_read,
                               GError **error);
/* Line and column, from 1, of a place; columns count bytes. Reads all before it: for messages. 0 and
 * 0 where it can't be read. */
void hir_text_source_get_position (HirTextSource *source,
                                   guint64 offset,
                                   guint64 *line,
                                   guint64 *column);
const char *hir_text_source_get_name (HirTextSource *source);
/* Memory that it takes. */
gsize hir_text_source_get_size_bytes (HirTextSource *source);

G_END_DECLS
