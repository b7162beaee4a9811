#include "trace/chrome/chrome-block.h"

#include <string.h>

#include "trace/headroom.h"

#define FIRST_EVENTS 1024
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
  if (json->is_cut && !block->is_last)
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

void
hir_chrome_block_scan (HirChromeBlock *block)
{
  HirJson json;

  hir_json_init (&json, block->text, block->length);
  json.at += block->from;
  block->n_events = 0;
  block->error = NULL;
  for (;;)
    {
      HirJsonKind kind = hir_json_peek (&json);

      block->at = json.at - block->text;
      if (kind == HIR_JSON_END && !block->is_last)
        {
          block->stop = HIR_CHROME_ALL;
          return;
        }
      if (json.at < json.end && *json.at == ']')
        {
          block->stop = HIR_CHROME_END;
          return;
        }
      if (!scan_element (block, &json))
        return;
    }
}

/* --- cut position ----------------------------------------------------------------------------- */

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

gsize
hir_chrome_find_cut (const char *text, gsize from, gsize length)
{
  const char *end = text + length;

  for (const char *at = end; (at = memrchr (text + from, '{', at - text - from)) != NULL;)
    {
      const char *before = back_over_space (text, at);

      if (before == text || before[-1] != ',')
        continue;
      before = back_over_space (text, before - 1);
      if (before > text && before[-1] == '}' && begins_event (at, end))
        return (gsize) (at - text);
    }
  return length;
}
