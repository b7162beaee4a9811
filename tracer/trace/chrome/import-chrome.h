/* Chrome and Kineto JSON traces of every dialect that is in use: an object with "traceEvents" or a
 * bare array; complete events, begins and ends, asynchronous ones, instants; categories of all
 * years; ends that are missing, commas too many. */
#pragma once

#include <gio/gio.h>

#include "trace/json-scan.h"
#include "trace/preview.h"
#include "trace/text-stream.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* What stands beside the events. */
typedef struct
{
  gboolean has_base_time;
  gint64 base_time_ns; /* what "ts" counts from, since 1970 */
  gboolean has_rank;
  int rank;
  gint64 world_size; /* 0: unknown */
} HirChromeHeader;

/* Takes the value of the root's member @key where it is one of these; else FALSE, and nothing is read. */
gboolean
hir_chrome_take_root_member (HirJson *json, const HirJsonText *key, HirChromeHeader *header);

/* What a HirPreviewPart of one has with its builder. */
typedef struct
{
  HirChromeHeader header;
  gint64 zero_ns;
} HirChromeExtra;

typedef struct
{
  guint n_threads;   /* 0: one; what is imported is the same with any number */
  gsize block_bytes; /* of text that a thread takes at once; 0: what suits */
  GCancellable *cancellable;
  /* Nullable: told now and then, in the calling thread, how many bytes of the file were read, of how
   * many (0: not known). */
  void (*progress) (guint64 done, guint64 total, gpointer user_data);
  gpointer user_data;
  HirPreview *preview; /* nullable: is offered what was read, as its part @preview_part */
  guint preview_part;
  GCancellable *enough; /* nullable; once cancelled: what was read by then is all there is */
} HirChromeImport;

/* Adds the events of @stream to @builder, and what was repaired or left out to its account. Text that
 * is cut off, or breaks off into what is no JSON, gives what came before, and a line in the account.
 * Its tracks are of rank -1 (hir_trace_builder_set_rank()); its first event is at zero, and
 * *@zero_ns what was subtracted from "ts". Errors: HIR_ERROR_INPUT with line and column where there
 * is no event in it, HIR_ERROR_LIMIT, HIR_ERROR_CANCELLED. Linear in the length of the text, of which
 * only a few blocks are in memory. */
gboolean hir_import_chrome (HirTraceBuilder *builder,
                            HirTextStream *stream,
                            const HirChromeImport *options,
                            HirChromeHeader *header,
                            gint64 *zero_ns,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
