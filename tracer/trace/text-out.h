/* Buffered text output for exporters. Text goes to the stream in large pieces. */
#pragma once

#include "trace/export-progress.h"
#include "trace/json-out.h"

G_BEGIN_DECLS

/* Stores the first error. Later calls then do nothing. */
typedef struct
{
  GOutputStream *stream;       /* borrowed */
  HirExportProgress *progress; /* nullable, borrowed */
  GString *pending;
  HirJsonOut json; /* appends to pending, which hir_text_out_step() and hir_text_out_finish() write
                    * out */
  GError *error;
} HirTextOut;

/* Initializes @out. Borrows @stream and @progress (nullable) until hir_text_out_finish(). */
void hir_text_out_init (HirTextOut *out, GOutputStream *stream, HirExportProgress *progress);
void hir_text_out_add (HirTextOut *out, const char *text);
void hir_text_out_printf (HirTextOut *out, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Adds @text with spaces before it, @width characters in all. */
void hir_text_out_add_padded (HirTextOut *out, const char *text, int width);
/* Appends @text as a CSV field, quoted if necessary. */
void hir_text_out_add_csv_field (HirTextOut *out, const char *text);
/* Appends @ns in microseconds with three decimals. */
void hir_text_out_add_us (HirTextOut *out, gint64 ns);
/* Counts one step of the export's progress and writes out a full buffer. Cancellation is stored as
 * an error. */
void hir_text_out_step (HirTextOut *out);
/* Stores @error, which is taken, as the failure of the output. */
void hir_text_out_fail (HirTextOut *out, GError *error);
/* Writes the rest and clears @out. Returns FALSE and sets @error if anything failed. */
gboolean hir_text_out_finish (HirTextOut *out, GError **error);

/* Writes to @stream. Called by hir_text_out_write_file(). */
typedef gboolean (*HirTextWriter) (gconstpointer data,
                                   GOutputStream *stream,
                                   HirExportProgress *progress,
                                   GError **error);
/* Replaces the file at @path by what @write produces (out-file.h), compressed with gzip if @path
 * ends in ".gz". On failure, the old file stays.
 *
 * @progress: (nullable)
 * Errors: HIR_ERROR_RUN and HIR_ERROR_CANCELLED, with @path in the message. HIR_ERROR_INPUT is
 * passed on unchanged, because it concerns the data that is read. */
gboolean hir_text_out_write_file (const char *path,
                                  HirTextWriter write,
                                  gconstpointer data,
                                  HirExportProgress *progress,
                                  GError **error);
/* Replaces the file at @path by @data (@size bytes), like hir_text_out_write_file(). A device, a
 * pipe or the target of a link is written, not replaced, unlike with g_file_set_contents(). */
gboolean hir_text_out_write_bytes (
    const char *path, const char *data, gsize size, HirExportProgress *progress, GError **error);

G_END_DECLS
