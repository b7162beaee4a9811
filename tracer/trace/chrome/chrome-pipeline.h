/* Reads the elements of "traceEvents" in parallel, with a few blocks of text in memory.
 *
 * One thread reads the next block, others scan their blocks, and one takes the scanned blocks in
 * the order of the text. Each thread picks the next task, so a single thread can do all of them.
 * The result does not depend on the number of threads or on where the text is cut: an incorrect cut
 * is detected, and the element is scanned again. */
#pragma once

#include "trace/chrome/chrome-block.h"
#include "trace/text/text-stream.h"

G_BEGIN_DECLS

typedef struct
{
  guint n_threads;   /* including the calling thread; 0 means 1 */
  gsize block_bytes; /* 0 selects the default */
  /* Takes the events of @block. Called in order, by one thread at a time. FALSE stops the
   * pipeline. */
  gboolean (*take) (const HirChromeBlock *block, gpointer user_data);
  /* Called periodically in the calling thread. FALSE stops the pipeline. */
  gboolean (*report_progress) (gpointer user_data);
  gpointer user_data;
} HirChromePipeline;

/* Why the pipeline ended. */
typedef struct
{
  gboolean is_ended;    /* stopped by take() or report_progress() */
  HirChromeStop stop;   /* HIR_CHROME_END, HIR_CHROME_BAD or HIR_CHROME_FULL */
  const char *error;    /* static text, for HIR_CHROME_BAD */
  guint64 error_offset; /* in the source */
} HirChromeEnding;

/* Runs the pipeline. @first is the text read so far, with elements from first->from on. If the
 * ending is HIR_CHROME_END, @first receives all text that was read from the closing bracket on.
 * Returns FALSE if the source cannot be read or memory is short. */
gboolean hir_chrome_pipeline_run (const HirChromePipeline *pipeline,
                                  HirTextStream *stream,
                                  HirChromeBlock *first,
                                  HirChromeEnding *ending,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Appends up to @size bytes of @stream to the text, and sets is_last at the end of the source.
 * Returns FALSE and sets @error on failure. */
gboolean hir_chrome_block_fill (HirChromeBlock *block,
                                HirTextStream *stream,
                                gsize size,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
