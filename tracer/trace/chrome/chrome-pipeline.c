#include "trace/chrome/chrome-pipeline.h"

#include <string.h>

#include "diagnostic.h"

#define BLOCK_BYTES (512 * 1024)
#define MAX_THREADS 16
#define TELL_MS 50

typedef enum
{
  SLOT_FREE,
  SLOT_SCANNING, /* being read or scanned */
  SLOT_READY,
} SlotState;

typedef struct
{
  SlotState state;
  HirChromeBlock block;
} Slot;

typedef struct
{
  const HirChromePipeline *options;
  HirTextStream *stream;
  HirChromeEnding *ending;
  gsize block_bytes;
  guint n_slots;
  Slot *slots; /* ring buffer: block i is in slot i % n_slots */

  GMutex mutex; /* Guards the next fields. */
  GCond changed;
  guint64 n_read, n_taken; /* numbers of blocks */
  gboolean is_reading, is_taking, at_end, is_over;
  GError *error;

  /* Used only by the reading thread. */
  HirChromeBlock carry; /* text after the last cut */
  /* Used only by the thread that takes blocks. */
  HirChromeBlock pending; /* text from the start of an element that was cut in two */
  gsize tried;            /* length of pending at the last failed scan */
} Pipeline;

/* --- reading ---------------------------------------------------------------------------------- */

static gboolean
fail_memory (HirTextStream *stream, guint64 offset, GError **error)
{
  hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                 "%s: out of memory after %" G_GUINT64_FORMAT " bytes of its text",
                 hir_text_source_get_name (hir_text_stream_get_source (stream)), offset);
  return FALSE;
}

gboolean
hir_chrome_block_fill (HirChromeBlock *block, HirTextStream *stream, gsize size, GError **error)
{
  gsize n;

  if (!hir_chrome_block_reserve (block, block->length + size))
    return fail_memory (stream, block->offset + block->length, error);
  if (!hir_text_stream_read (stream, block->text + block->length, size, &n, error))
    return FALSE;
  block->length += n;
  block->is_last = n < size;
  return TRUE;
}

static gboolean
append (HirChromeBlock *to, const char *text, gsize length)
{
  if (length == 0)
    return TRUE;
  if (!hir_chrome_block_reserve (to, MAX (to->length + length, to->length * 2)) &&
      !hir_chrome_block_reserve (to, to->length + length))
    return FALSE;
  memcpy (to->text + to->length, text, length);
  to->length += length;
  return TRUE;
}

/* Cuts the text where an event seems to start. The rest goes into the next block. */
static gboolean
cut (Pipeline *self, HirChromeBlock *block, GError **error)
{
  gsize at = hir_chrome_find_cut (block->text, block->from, block->length);

  self->carry.length = 0;
  self->carry.offset = block->offset + at;
  if (!append (&self->carry, block->text + at, block->length - at))
    return fail_memory (self->stream, block->offset + at, error);
  block->length = at;
  return TRUE;
}

static gboolean
read_block (Pipeline *self, HirChromeBlock *block, GError **error)
{
  block->from = block->length = 0;
  block->is_last = FALSE;
  block->offset = self->carry.offset;
  if (!append (block, self->carry.text, self->carry.length))
    return fail_memory (self->stream, block->offset, error);
  return hir_chrome_block_fill (block, self->stream, self->block_bytes, error) &&
         (block->is_last || cut (self, block, error));
}

/* --- taking blocks ---------------------------------------------------------------------------- */

/* Records why the array ended with @block. Returns FALSE if it did not. */
static gboolean
take_ending (Pipeline *self, const HirChromeBlock *block)
{
  if (block->stop == HIR_CHROME_ALL || block->stop == HIR_CHROME_CUT)
    return FALSE;
  self->ending->stop = block->stop;
  self->ending->error = block->error;
  self->ending->error_offset = block->offset + block->error_at;
  return TRUE;
}

/* Passes the events of @block to the caller. Returns TRUE to continue: the rest of @block is then
 * the start of an element that the next block completes. */
static gboolean
take_scanned (Pipeline *self, HirChromeBlock *block)
{
  if (!self->options->take (block, self->options->user_data))
    {
      self->ending->is_ended = TRUE;
      return FALSE;
    }
  return !take_ending (self, block);
}

static gboolean
fail_pending (Pipeline *self)
{
  self->ending->stop = HIR_CHROME_FULL;
  return FALSE;
}

static gboolean
keep_pending (Pipeline *self, const HirChromeBlock *block)
{
  self->pending.length = 0;
  self->pending.offset = block->offset + block->at;
  self->tried = block->length - block->at;
  return append (&self->pending, block->text + block->at, self->tried) || fail_pending (self);
}

/* Handles an element that spans several blocks. It is scanned only when its text has doubled, so
 * that the total time stays linear in its length. */
static gboolean
take_pending (Pipeline *self, const HirChromeBlock *block)
{
  HirChromeBlock *pending = &self->pending;

  if (!append (pending, block->text, block->length))
    return fail_pending (self);
  if (pending->length < 2 * self->tried && !block->is_last)
    return TRUE;
  pending->is_last = block->is_last;
  pending->from = 0;
  hir_chrome_block_scan (pending);
  if (!take_scanned (self, pending))
    return FALSE;
  self->tried = pending->length - pending->at;
  pending->offset += pending->at;
  memmove (pending->text, pending->text + pending->at, self->tried);
  pending->length = self->tried;
  return TRUE;
}

/* Returns TRUE if more blocks follow. */
static gboolean
take_block (Pipeline *self, HirChromeBlock *block)
{
  if (self->pending.length > 0)
    return take_pending (self, block) && !block->is_last;
  if (!take_scanned (self, block))
    return FALSE;
  if (block->stop == HIR_CHROME_CUT)
    return keep_pending (self, block);
  return !block->is_last;
}

/* --- threads ---------------------------------------------------------------------------------- */

/* Reads and scans the next block. This function, take() and report_progress() are called with the
 * mutex held; they release it while they work. */
static void
read_and_scan (Pipeline *self, Slot *slot)
{
  GError *error = NULL;
  gboolean done;

  self->is_reading = TRUE;
  slot->state = SLOT_SCANNING;
  g_mutex_unlock (&self->mutex);
  done = read_block (self, &slot->block, &error);
  g_mutex_lock (&self->mutex);
  self->is_reading = FALSE;
  self->n_read++;
  if (!done)
    {
      self->is_over = self->at_end = TRUE;
      if (self->error == NULL)
        self->error = g_steal_pointer (&error);
      g_clear_error (&error);
    }
  self->at_end = self->at_end || slot->block.is_last;
  g_cond_broadcast (&self->changed);
  if (!done)
    return;
  g_mutex_unlock (&self->mutex);
  hir_chrome_block_scan (&slot->block);
  g_mutex_lock (&self->mutex);
  slot->state = SLOT_READY;
  g_cond_broadcast (&self->changed);
}

static void
take (Pipeline *self, Slot *slot)
{
  gboolean goes_on;

  self->is_taking = TRUE;
  g_mutex_unlock (&self->mutex);
  goes_on = take_block (self, &slot->block);
  g_mutex_lock (&self->mutex);
  self->is_taking = FALSE;
  if (goes_on)
    {
      slot->state = SLOT_FREE;
      self->n_taken++;
    }
  else
    self->is_over = TRUE;
  g_cond_broadcast (&self->changed);
}

static void
wait_for_others (Pipeline *self, gboolean is_caller)
{
  if (is_caller)
    g_cond_wait_until (&self->changed, &self->mutex,
                       g_get_monotonic_time () + TELL_MS * G_TIME_SPAN_MILLISECOND);
  else
    g_cond_wait (&self->changed, &self->mutex);
}

static void
report_progress (Pipeline *self)
{
  gboolean goes_on;

  g_mutex_unlock (&self->mutex);
  goes_on = self->options->report_progress (self->options->user_data);
  g_mutex_lock (&self->mutex);
  if (goes_on)
    return;
  self->ending->is_ended = self->is_over = TRUE;
  g_cond_broadcast (&self->changed);
}

static void
work (Pipeline *self, gboolean is_caller)
{
  g_mutex_lock (&self->mutex);
  while (!self->is_over)
    {
      Slot *next, *spare;

      if (is_caller && self->options->report_progress != NULL)
        report_progress (self);
      if (self->is_over)
        break;
      next = &self->slots[self->n_taken % self->n_slots];
      spare = &self->slots[self->n_read % self->n_slots];
      if (!self->is_taking && next->state == SLOT_READY)
        take (self, next);
      else if (!self->is_reading && !self->at_end && spare->state == SLOT_FREE)
        read_and_scan (self, spare);
      else
        wait_for_others (self, is_caller);
    }
  g_mutex_unlock (&self->mutex);
}

static gpointer
work_in_thread (gpointer self)
{
  work (self, FALSE);
  return NULL;
}

/* If a thread cannot be created, fewer threads do the work. */
static void
work_in_threads (Pipeline *self, guint n_threads)
{
  GThread *threads[MAX_THREADS];
  guint n = 0;

  while (n + 1 < n_threads)
    {
      threads[n] = g_thread_try_new ("hir-chrome", work_in_thread, self, NULL);
      if (threads[n] == NULL)
        break;
      n++;
    }
  work (self, TRUE);
  for (guint i = 0; i < n; i++)
    g_thread_join (threads[i]);
}

/* --- run -------------------------------------------------------------------------------------- */

/* Collects the text from the closing bracket on, from the block that contains it and all later
 * blocks. */
static gboolean
collect_rest (Pipeline *self, HirChromeBlock *rest, GError **error)
{
  HirChromeBlock *last = &self->slots[self->n_taken % self->n_slots].block;
  HirChromeBlock *ended = self->pending.length > 0 ? &self->pending : last;
  gboolean is_last = last->is_last;

  rest->length = rest->from = 0;
  rest->offset = ended->offset + ended->at;
  if (!append (rest, ended->text + ended->at, ended->length - ended->at))
    return fail_memory (self->stream, rest->offset, error);
  for (guint64 i = self->n_taken + 1; i < self->n_read; i++)
    {
      const HirChromeBlock *block = &self->slots[i % self->n_slots].block;

      if (!append (rest, block->text, block->length))
        return fail_memory (self->stream, block->offset, error);
      is_last = block->is_last;
    }
  if (!is_last && !append (rest, self->carry.text, self->carry.length))
    return fail_memory (self->stream, self->carry.offset, error);
  /* The caller reads more text if it needs it. */
  rest->is_last = is_last;
  return TRUE;
}

/* Starts with the block that was already read. */
static gboolean
begin (Pipeline *self, HirChromeBlock *first, GError **error)
{
  Slot *slot = &self->slots[0];

  slot->block = *first;
  memset (first, 0, sizeof *first);
  self->at_end = slot->block.is_last;
  if (!slot->block.is_last && !cut (self, &slot->block, error))
    return FALSE;
  hir_chrome_block_scan (&slot->block);
  slot->state = SLOT_READY;
  self->n_read = 1;
  return TRUE;
}

static void
clear (Pipeline *self)
{
  for (guint i = 0; i < self->n_slots; i++)
    hir_chrome_block_clear (&self->slots[i].block);
  hir_chrome_block_clear (&self->carry);
  hir_chrome_block_clear (&self->pending);
  g_free (self->slots);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
}

gboolean
hir_chrome_pipeline_run (const HirChromePipeline *pipeline,
                         HirTextStream *stream,
                         HirChromeBlock *first,
                         HirChromeEnding *ending,
                         GError **error)
{
  guint n_threads = CLAMP (pipeline->n_threads, 1, MAX_THREADS);
  Pipeline self = {
    .options = pipeline,
    .stream = stream,
    .ending = ending,
    .block_bytes = pipeline->block_bytes > 0 ? pipeline->block_bytes : BLOCK_BYTES,
    .n_slots = 2 * n_threads,
    .slots = g_new0 (Slot, 2 * n_threads),
  };
  gboolean done;

  *ending = (HirChromeEnding){ .stop = HIR_CHROME_ALL };
  g_mutex_init (&self.mutex);
  g_cond_init (&self.changed);
  done = begin (&self, first, error);
  if (done)
    {
      work_in_threads (&self, n_threads);
      done = self.error == NULL;
      if (!done)
        g_propagate_error (error, self.error);
      else if (!ending->is_ended && ending->stop == HIR_CHROME_END)
        done = collect_rest (&self, first, error);
    }
  clear (&self);
  return done;
}
