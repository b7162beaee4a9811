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
#define SPACES " \n\t\r"
/* Text after a bracket that decides whether it is a stray one. */
#define BRACKET_BYTES 64

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

/* Returns whether the object at @at, if it is one, starts with @key. */
static gboolean
begins_with (const char *at, const char *end, const char *key)
{
  gsize n = strlen (key);

  if (at >= end || *at != '{')
    return FALSE;
  at++;
  while (at < end && g_ascii_isspace (*at))
    at++;
  return (gsize) (end - at) > n + 1 && *at == '"' && memcmp (at + 1, key, n) == 0 &&
         at[n + 1] == '"';
}

/* Returns whether the first key of the object at @at, if it is one, is that of an event. */
static gboolean
begins_event (const char *at, const char *end)
{
  static const char *const keys[] = { "ph",  "name", "cat", "pid", "tid", "ts",
                                      "dur", "args", "id",  "bp",  "s" };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (begins_with (at, end, keys[i]))
      return TRUE;
  return FALSE;
}

/* Returns whether the object at @at, which is not the first one of the text, seems to be an event
 * of the array. */
static gboolean
seems_event (const char *text, const char *at, const char *end, gboolean needs_comma)
{
  const char *before = back_over_space (text, at);

  if (needs_comma && (before == text || before[-1] != ','))
    return FALSE;
  while (before > text && before[-1] == ',')
    before = back_over_space (text, before - 1);
  return before > text && before[-1] == '}' && begins_event (at, end);
}

static gboolean
is_in_element (const HirChromeBlock *block)
{
  return block->error_at > block->at;
}

/* Returns where the next event after the invalid element at block->at, or after other invalid text
 * at block->at, seems to start; otherwise the end of the text. Only events start with "ph". */
static gsize
find_next_event (const HirChromeBlock *block)
{
  const char *text = block->text, *end = text + block->length;
  const char *error = text + block->error_at;

  for (const char *at = text + block->at + is_in_element (block);
       at < end && (at = memchr (at, '{', (gsize) (end - at))) != NULL; at++)
    if (begins_with (at, end, "ph") || seems_event (text, at, end, FALSE) ||
        ((at == error || !is_in_element (block)) && begins_event (at, end)))
      return (gsize) (at - text);
  return block->length;
}

static const char *
skip_characters (const char *at, const char *end, const char *characters)
{
  while (at < end && *at != '\0' && strchr (characters, *at) != NULL)
    at++;
  return at;
}

/* Returns the bracket after block->at that seems to end the array: after an event, and before
 * another member of the root or its end. Returns the end of the text if there is none. */
static gsize
find_array_end (const HirChromeBlock *block)
{
  const char *end = block->text + block->length, *start = block->text + block->at;

  for (const char *at = start + (start < end && *start == ']');
       at < end && (at = memchr (at, ']', (gsize) (end - at))) != NULL; at++)
    {
      const char *before = back_over_space (block->text, at);
      const char *after = skip_characters (at + 1, end, SPACES);
      char next = after < end ? *after : '\0';

      after = skip_characters (after + (after < end), end, SPACES);
      if ((!is_in_element (block) || (before > block->text && before[-1] == '}')) &&
          (after == end ? next == '\0' || next == '}' : next == ',' && *after == '"'))
        return (gsize) (at - block->text);
    }
  return block->length;
}

/* Returns whether the bracket at @at, where an element or the end of the array is expected, is a
 * stray one: an event follows it, or what does not follow the end of an array. */
static gboolean
is_stray_bracket (const char *at, const char *end)
{
  const char *after = skip_characters (at + 1, end, SPACES);

  if (*at == ']' && after < end && (*after == '"' || *after == ']'))
    return TRUE;
  return begins_event (skip_characters (after, end, *at == ']' ? SPACES ",}" : SPACES ",["), end);
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
scan_element (HirChromeBlock *block, HirJson *json, HirChromeLayouts *layouts)
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
  if (!hir_chrome_event_read (json, layouts, event))
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
  if (json->at < json->end && *json->at == ']')
    return TRUE;
  hir_json_next_element (json, &first);
  stop_at_error (block, json, (gsize) (json->at - block->text));
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
    next = find_array_end (block);
  if (next == block->length)
    {
      /* The next block may contain an event. An element without a comma is scanned again, too. */
      if (block->is_last || block->length - block->at >= MAX_SKIPPED_BYTES)
        return FALSE;
      block->stop = HIR_CHROME_CUT;
      if (!is_in_element (block) && block->n_events > 0)
        block->at = block->events[--block->n_events].at;
      return FALSE;
    }
  if (loss->n_places++ == 0)
    {
      loss->error = block->error;
      loss->error_at = block->error_at;
    }
  loss->n_bytes += next - block->at;
  loss->n_events += is_in_element (block);
  hir_json_init (json, block->text, block->length);
  json->at += next;
  return TRUE;
}

/* Handles a bracket where an element is expected. Returns FALSE if the scan has ended. */
static gboolean
scan_bracket (HirChromeBlock *block, HirJson *json)
{
  if (!block->is_last && json->end - json->at < BRACKET_BYTES)
    block->stop = HIR_CHROME_CUT;
  else if (is_stray_bracket (json->at, json->end))
    {
      hir_json_fail (json, "a bracket that does not belong here");
      stop_at_error (block, json, block->at);
    }
  else if (*json->at == '[')
    return TRUE;
  else
    block->stop = HIR_CHROME_END;
  return FALSE;
}

static void
scan_elements (HirChromeBlock *block, HirJson *json, HirChromeLayouts *layouts)
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
      if ((kind == HIR_JSON_ARRAY || (json->at < json->end && *json->at == ']')) &&
          !scan_bracket (block, json))
        return;
      if (!scan_element (block, json, layouts))
        return;
    }
}

void
hir_chrome_block_scan (HirChromeBlock *block)
{
  HirChromeLayouts layouts;
  HirJson json;

  hir_chrome_layouts_init (&layouts);
  hir_json_init (&json, block->text, block->length);
  json.at += block->from;
  block->n_events = 0;
  block->loss = (HirChromeLoss){ 0 };
  do
    {
      block->error = NULL;
      scan_elements (block, &json, &layouts);
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
