#include "trace/chrome/chrome-block.h"

#include <string.h>

#include "trace/headroom.h"

#define FIRST_EVENTS 1024
/* A quote that is missing may make the rest of the file one element. A longer element is invalid.
 */
#define MAX_ELEMENT_BYTES (64 * 1024 * 1024)
/* The next event is searched in this much text. */
#define MAX_SKIPPED_BYTES (16 * 1024 * 1024)
#define ROOM_FROM                                                                                  \
  (64 * 1024) /* in bytes; smaller allocations are not checked against the free                    \
               * memory */
/* Bytes allocated after the text, so that the scanner may read eight bytes at once. */
#define SLACK 16

gboolean
hir_chrome_block_reserve (HirChromeBlock *block, gsize capacity)
{
  char *bigger;

  if (capacity <= block->capacity)
    return TRUE;
  if (capacity > G_MAXUINT32 - SLACK || (capacity >= ROOM_FROM && !hir_has_headroom ()))
    return FALSE;
  bigger = g_try_realloc (block->text, capacity + SLACK);
  if (bigger == NULL)
    return FALSE;
  block->text = bigger;
  block->capacity = capacity;
  return TRUE;
}

void
hir_chrome_block_clear (HirChromeBlock *block)
{
  g_free (block->text);
  g_free (block->events);
  memset (block, 0, sizeof *block);
}

/* --- positions of events
 * ----------------------------------------------------------------------------- */

static const char *
back_over_space (const char *text, const char *at)
{
  while (at > text && g_ascii_isspace (at[-1]))
    at--;
  return at;
}

/* Returns whether the first key of the object at @at is one of an event. */
static gboolean
begins_event (const char *at, const char *end)
{
  static const char *const keys[] = { "ph",  "name", "cat", "pid", "tid", "ts",
                                      "dur", "args", "id",  "bp",  "s" };

  at++;
  while (at < end && g_ascii_isspace (*at))
    at++;
  if (at >= end || *at != '"')
    return FALSE;
  at++;
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      gsize n = strlen (keys[i]);

      if ((gsize) (end - at) > n && memcmp (at, keys[i], n) == 0 && at[n] == '"')
        return TRUE;
    }
  return FALSE;
}

/* Returns whether the object at @at, which is not the first one of the text, seems to be an event
 * of the array. */
static gboolean
seems_event (const char *text, const char *at, const char *end, gboolean needs_comma)
{
  const char *before = back_over_space (text, at);

  if (before > text && before[-1] == ',')
    before = back_over_space (text, before - 1);
  else if (needs_comma)
    return FALSE;
  return before > text && before[-1] == '}' && begins_event (at, end);
}

/* Returns where the next event after the invalid element at block->at, or after a missing comma,
 * seems to start; otherwise the end of the text. */
static gsize
find_next_event (const HirChromeBlock *block)
{
  const char *end = block->text + block->length;
  gboolean is_in_element = block->error_at > block->at;

  for (const char *at = block->text + block->at + is_in_element;
       at < end && (at = memchr (at, '{', (gsize) (end - at))) != NULL; at++)
    if (seems_event (block->text, at, end, FALSE))
      return (gsize) (at - block->text);
  return block->length;
}

/* Returns the bracket after @from that seems to end the array: after an event, and before another
 * member of the root or its end. Returns the end of the text if there is none. */
static gsize
find_array_end (const HirChromeBlock *block, gsize from)
{
  const char *end = block->text + block->length;

  for (const char *at = block->text + from;
       at < end && (at = memchr (at, ']', (gsize) (end - at))) != NULL; at++)
    {
      const char *before = back_over_space (block->text, at), *after = at + 1;
      gboolean is_member;

      while (after < end && g_ascii_isspace (*after))
        after++;
      is_member = after < end && *after == ',';
      if (is_member)
        for (after++; after < end && g_ascii_isspace (*after);)
          after++;
      if (before > block->text && before[-1] == '}' &&
          (after == end || *after == (is_member ? '"' : '}')))
        return (gsize) (at - block->text);
    }
  return block->length;
}

/* --- elements -------------------------------------------------------------------------------- */

static HirChromeEvent *
next_event (HirChromeBlock *block)
{
  if (block->n_events == block->n_room)
    {
      guint n_room = MAX (FIRST_EVENTS, block->n_room * 2);
      HirChromeEvent *bigger = NULL;

      if (hir_has_headroom ())
        bigger = g_try_realloc_n (block->events, n_room, sizeof *bigger);
      if (bigger == NULL)
        return NULL;
      block->events = bigger;
      block->n_room = n_room;
    }
  return &block->events[block->n_events];
}

/* Records why the scan ended within an element. */
static void
stop_at_error (HirChromeBlock *block, const HirJson *json, gsize element)
{
  if (json->is_cut && !block->is_last && block->length - element < MAX_ELEMENT_BYTES)
    {
      block->stop = HIR_CHROME_CUT;
      block->at = element;
      return;
    }
  block->stop = HIR_CHROME_BAD;
  block->at = element;
  block->error = json->error;
  block->error_at = json->error_at - block->text;
}

/* Reads one element and the comma after it. Returns FALSE if the scan has ended. */
static gboolean
scan_element (HirChromeBlock *block, HirJson *json)
{
  gsize element = json->at - block->text;
  HirChromeEvent *event = next_event (block);
  gboolean first = FALSE;

  if (event == NULL)
    {
      block->stop = HIR_CHROME_FULL;
      block->at = element;
      return FALSE;
    }
  if (!hir_chrome_event_read (json, event))
    {
      stop_at_error (block, json, element);
      return FALSE;
    }
  event->at = (guint32) element;
  if (hir_json_peek (json) == HIR_JSON_END && !block->is_last)
    {
      block->stop = HIR_CHROME_CUT;
      block->at = element;
      return FALSE;
    }
  block->n_events++;
  if (json->at < json->end && *json->at == ',')
    {
      json->at++;
      return TRUE;
    }
  block->at = json->at - block->text;
  block->stop = HIR_CHROME_END;
  if (hir_json_next_element (json, &first) || json->error != NULL)
    stop_at_error (block, json, block->at);
  return FALSE;
}

/* After an error, continues at the next event or at the end of the array. Returns FALSE if the
 * block has neither. */
static gboolean
skip_invalid (HirChromeBlock *block, HirJson *json)
{
  HirChromeLoss *loss = &block->loss;
  gsize next = find_next_event (block);

  if (next == block->length && block->is_last)
    next = find_array_end (block, block->at);
  if (next == block->length)
    {
      /* The next block may contain an event. An element without a comma is scanned again, too. */
      if (block->is_last || block->length - block->at >= MAX_SKIPPED_BYTES)
        return FALSE;
      block->stop = HIR_CHROME_CUT;
      if (block->error_at == block->at && block->n_events > 0)
        block->at = block->events[--block->n_events].at;
      return FALSE;
    }
  if (loss->n_places++ == 0)
    {
      loss->error = block->error;
      loss->error_at = block->error_at;
    }
  loss->n_bytes += next - block->at;
  loss->n_events += next > block->at;
  hir_json_init (json, block->text, block->length);
  json->at += next;
  return TRUE;
}

static void
scan_elements (HirChromeBlock *block, HirJson *json)
{
  for (;;)
    {
      HirJsonKind kind = hir_json_peek (json);

      block->at = json->at - block->text;
      if (kind == HIR_JSON_END && !block->is_last)
        {
          block->stop = HIR_CHROME_ALL;
          return;
        }
      if (json->at < json->end && *json->at == ']')
        {
          block->stop = HIR_CHROME_END;
          return;
        }
      if (!scan_element (block, json))
        return;
    }
}

void
hir_chrome_block_scan (HirChromeBlock *block)
{
  HirJson json;

  hir_json_init (&json, block->text, block->length);
  json.at += block->from;
  block->n_events = 0;
  block->loss = (HirChromeLoss){ 0 };
  do
    {
      block->error = NULL;
      scan_elements (block, &json);
    }
  while (block->stop == HIR_CHROME_BAD && skip_invalid (block, &json));
}

gsize
hir_chrome_find_cut (const char *text, gsize from, gsize length)
{
  const char *end = text + length;

  for (const char *at = end; (at = memrchr (text + from, '{', at - text - from)) != NULL;)
    {
      if (seems_event (text, at, end, TRUE))
        return (gsize) (at - text);
    }
  return length;
}
