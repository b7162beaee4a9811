/* Parses one block of the text of a Chrome trace into elements of "traceEvents", without
 * interpreting them.
 *
 * Threads may scan blocks in any order. Only the importer, which takes blocks in order, relates
 * their events to each other. */
#pragma once

#include "trace/chrome/chrome-event.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_CHROME_ALL,  /* all elements up to the last byte were read */
  HIR_CHROME_CUT,  /* an element, or the comma after it, is incomplete */
  HIR_CHROME_END,  /* the closing bracket was reached */
  HIR_CHROME_BAD,  /* invalid JSON */
  HIR_CHROME_FULL, /* no memory for more events */
} HirChromeStop;

/* Invalid text that was skipped. */
typedef struct
{
  guint64 n_places, n_bytes, n_events;
  const char *error; /* of the first place */
  gsize error_at;
} HirChromeLoss;

typedef struct
{
  char *text;
  gsize length, capacity;
  guint64 offset;   /* of the text, in the source */
  gsize from;       /* where the first element may start */
  gboolean is_last; /* the source ends with this block */
  /* Results of hir_chrome_block_scan(). */
  HirChromeEvent *events;
  guint n_events, n_room;
  HirChromeStop stop;
  gsize at;          /* where the scan stopped: at the first element that is not in events, or at
                      * the bracket */
  const char *error; /* only for HIR_CHROME_BAD */
  gsize error_at;
  HirChromeLoss loss;
} HirChromeBlock;

/* Allocates @capacity bytes of text. Returns FALSE if memory is short. */
gboolean hir_chrome_block_reserve (HirChromeBlock *block, gsize capacity);
/* Frees the contents of @block. */
void hir_chrome_block_clear (HirChromeBlock *block);
/* Reads the elements from @block->from on. After invalid text, continues at the next event, or at
 * the closing bracket of the array if no event follows. The texts of the events point into
 * @block->text. An element counts only if the comma or bracket after it is present, except in the
 * last block. */
void hir_chrome_block_scan (HirChromeBlock *block);
/* Returns where the last event in [@from, @length) of @text seems to start, or @length if there is
 * none. The position is a guess: it may be inside an event. */
gsize hir_chrome_find_cut (const char *text, gsize from, gsize length);

G_END_DECLS
