/* The elements of "traceEvents", however long, through few blocks of text: one thread reads the next
 * block, others scan theirs, and one takes what was scanned, in the order of the text. Each thread
 * does what is to be done next, so one alone does it all. What is taken does not depend on how many
 * there are, nor on where the text is cut: a guess that was wrong is found and read again. */
#pragma once

#include "trace/chrome/chrome-block.h"
#include "trace/text-stream.h"

G_BEGIN_DECLS

typedef struct
{
  guint n_threads;  /* with the calling one; 0: 1 */
  gsize block_bytes; /* 0: what suits */
  /* The events of @block, in order, one call at a time, in any of the threads. FALSE ends it. */
  gboolean (*take) (const HirChromeBlock *block, gpointer user_data);
  /* Now and then, in the calling thread. FALSE ends it. */
  gboolean (*tell) (gpointer user_data);
  gpointer user_data;
} HirChromePipeline;

/* How it ended. */
typedef struct
{
  gboolean is_ended;    /* by take() or tell() */
  HirChromeStop stop;   /* HIR_CHROME_END, _BAD or _FULL */
  const char *error;    /* HIR_CHROME_BAD: static text */
  guint64 error_offset; /* in the source */
} HirChromeEnding;

/* @first: the text that was read so far; its elements begin at first->from. Gets the text from the
 * array's bracket on, all there is, where the ending is HIR_CHROME_END. FALSE: the source can't be
 * read, or there is no memory for its text. */
gboolean hir_chrome_pipeline_run (const HirChromePipeline *pipeline,
                                  HirTextStream *stream,
                                  HirChromeBlock *first,
                                  HirChromeEnding *ending,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Appends up to @size bytes of @stream to the text, and notes its end. FALSE: an error. */
gboolean hir_chrome_block_fill (HirChromeBlock *block, HirTextStream *stream, gsize size, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
