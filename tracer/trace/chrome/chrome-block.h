/* A piece of the text of a Chrome trace: a run of elements of "traceEvents", as read, without what they
 * mean together. Blocks may be scanned in any order and by any thread; they are taken in order. */
#pragma once

#include "trace/chrome/chrome-event.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_CHROME_ALL, /* elements and commas to the last byte */
  HIR_CHROME_CUT, /* an element, or what must follow it, is not all in the text */
  HIR_CHROME_END, /* the array's bracket */
  HIR_CHROME_BAD, /* what is no JSON */
  HIR_CHROME_FULL, /* no memory for more events */
} HirChromeStop;

typedef struct
{
  char *text;
  gsize length, capacity;
  guint64 offset;   /* of the text in the source */
  gsize from;       /* where the first element may begin */
  gboolean is_last; /* the source ends with it */
  /* What hir_chrome_block_scan() found. */
  HirChromeEvent *events;
  guint n_events, n_room;
  HirChromeStop stop;
  gsize at;          /* where it stopped: the first element that is not in events; the bracket */
  const char *error; /* HIR_CHROME_BAD */
  gsize error_at;
} HirChromeBlock;

/* Room for @capacity bytes of text. FALSE where memory can't be had. */
gboolean hir_chrome_block_reserve (HirChromeBlock *block, gsize capacity);
void hir_chrome_block_clear (HirChromeBlock *block);
/* Reads the elements from @block->from on; the texts of its events point into @block->text. An
 * element counts once the comma or bracket behind it is there, in the last block also without. */
void hir_chrome_block_scan (HirChromeBlock *block);
/* Where in [@from, @length) of @text the last event seems to begin, so that the text is cut there: a
 * guess, as it may be inside of an event. @length where there is none. */
gsize hir_chrome_find_cut (const char *text, gsize from, gsize length);

G_END_DECLS
