/* Imports Chrome and Kineto JSON traces of all known dialects.
 *
 * The root is an object with "traceEvents" or a bare array. Accepts complete events, begin and end
 * events, asynchronous events, instants and counters, with the category names of all versions.
 * Tolerates missing ends and extra commas. */
#pragma once

#include <gio/gio.h>

#include "trace/json-scan.h"
#include "trace/preview.h"
#include "trace/text/text-stream.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Data outside the events. */
typedef struct
{
  gboolean has_base_time;
  gint64 base_time_ns; /* zero point of "ts", since 1970 */
  gboolean has_rank;
  int rank;
  gint64 world_size; /* 0 if unknown */
  gboolean is_own;   /* exported by Hirscope: times count from the zero of the trace */
} HirChromeHeader;

/* Reads the value of the root's member @key if it belongs to the header. Returns FALSE and reads
 * nothing for other keys. */
gboolean
hir_chrome_take_root_member (HirJson *json, const HirJsonText *key, HirChromeHeader *header);

/* Data that a HirPreviewPart of a Chrome trace has in addition to its builder. */
typedef struct
{
  HirChromeHeader header;
  gint64 zero_ns;
} HirChromeExtra;

typedef struct
{
  guint n_threads;   /* 0 means 1; the result does not depend on it */
  gsize block_bytes; /* bytes of text per block; 0 selects the default */
  GCancellable *cancellable;
  /* Optional. Called periodically in the calling thread with the numbers of bytes read and of bytes
   * in total (0 if unknown). */
  void (*progress) (guint64 done, guint64 total, gpointer user_data);
  gpointer user_data;
  HirPreview *preview; /* nullable; receives what was read, as part @preview_part */
  guint preview_part;
  GCancellable *enough; /* nullable; stops loading and keeps the events read so far */
} HirChromeImport;

/* Adds the events of @stream to @builder, and what was repaired or omitted to its account.
 *
 * If the text is truncated or invalid, the events before are kept, and the account has a line about
 * it. The tracks get rank -1 (see hir_trace_builder_set_rank()). The first event is at zero;
 * *@zero_ns is what was subtracted from "ts". Takes time linear in the length of the text, of which
 * only a few blocks are in memory.
 *
 * Errors: HIR_ERROR_INPUT with line and column if there is no event, HIR_ERROR_LIMIT,
 * HIR_ERROR_CANCELLED. */
gboolean hir_import_chrome (HirTraceBuilder *builder,
                            HirTextStream *stream,
                            const HirChromeImport *options,
                            HirChromeHeader *header,
                            gint64 *zero_ns,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
