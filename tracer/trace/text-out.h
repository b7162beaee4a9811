/* Text that goes out in large pieces: for exporters. */
#pragma once

#include "trace/export-progress.h"
#include "trace/json-out.h"

G_BEGIN_DECLS

/* What fails first is kept; what comes after it does nothing. */
typedef struct
{
  GOutputStream *stream; /* borrowed */
  HirExportProgress *watch; /* nullable, borrowed */
  GString *pending;
  HirJsonOut json; /* writes to pending, which hir_text_out_step() and _finish() write out */
  GError *error;
} HirTextOut;

/* Borrows @stream and @watch (nullable) until finish; the first error is kept until then. */
void hir_text_out_init (HirTextOut *out, GOutputStream *stream, HirExportProgress *watch);
void hir_text_out_add (HirTextOut *out, const char *text);
void hir_text_out_printf (HirTextOut *out, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Adds @text with spaces before it, @width characters in all. */
void hir_text_out_add_padded (HirTextOut *out, const char *text, int width);
/* A CSV field, in quotes where it needs them. */
void hir_text_out_add_csv_field (HirTextOut *out, const char *text);
/* @ns as microseconds with three decimals. */
void hir_text_out_add_us (HirTextOut *out, gint64 ns);
/* A step that the watch was told of is done; cancelling fails like anything else. */
void hir_text_out_step (HirTextOut *out);
/* Takes @error: what was to be written can't be had. */
void hir_text_out_fail (HirTextOut *out, GError *error);
/* Writes the rest and clears @out. FALSE and @error where anything failed. */
gboolean hir_text_out_finish (HirTextOut *out, GError **error);

/* Lets @write fill a file that takes the place of @path when it is done (out-file.h); where that ends in ".gz",
 * what it writes is packed by gzip. Not done: what was at @path still is, or nothing. Errors: HIR_ERROR_RUN and
 * HIR_ERROR_CANCELLED, naming @path; HIR_ERROR_INPUT as they are: then it is what is read that fails. */
typedef gboolean (*HirTextWriter) (gconstpointer data,
                                   GOutputStream *stream,
                                   HirExportProgress *watch,
                                   GError **error);
gboolean hir_text_out_write_file (const char *path,
                                  HirTextWriter write,
                                  gconstpointer data,
                                  HirExportProgress *watch,
                                  GError **error);

G_END_DECLS
