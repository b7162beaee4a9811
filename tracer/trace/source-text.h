/* The bytes of a file in memory; those of a gzip file unpacked. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  const char *text; /* not NUL-terminated */
  gsize length;
  char *problem; /* nullable: why it is not whole ("the gzip file is cut off") */
  gpointer memory; /* by mmap: too large a file is an error, not an abort */
  gsize memory_size;
} HirSourceText;

/* Follows what is no regular file (a pipe) to its end. Errors: HIR_ERROR_INPUT (not there, may not
 * be read, empty), HIR_ERROR_LIMIT (no memory), HIR_ERROR_CANCELLED. */
gboolean hir_source_text_open (HirSourceText *source,
                               const char *path,
                               GCancellable *cancellable,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_source_text_clear (HirSourceText *source);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirSourceText, hir_source_text_clear)

G_END_DECLS
