#include "trace/chrome/chrome-counter.h"

#include <math.h>
#include <string.h>

#define MAX_DIGITS 63

/* Reads a number, or a string that contains one. Skips other values and returns FALSE. */
static gboolean
read_number (HirJson *json, double *value)
{
  HirJsonKind kind = hir_json_peek (json);
  char digits[MAX_DIGITS + 1];
  const char *start = json->at;
  gsize length;
  char *end;

  if (!hir_json_skip (json) || (kind != HIR_JSON_NUMBER && kind != HIR_JSON_STRING))
    return FALSE;
  length = (gsize) (json->at - start);
  if (kind == HIR_JSON_STRING)
    {
      start++;
      length -= 2;
    }
  if (length == 0 || length > MAX_DIGITS)
    return FALSE;
  memcpy (digits, start, length);
  digits[length] = '\0';
  *value = g_ascii_strtod (digits, &end);
  return *end == '\0' && isfinite (*value);
}

static gboolean
add_sample (HirChromeImporter *self,
            const HirChromeEvent *event,
            gint64 time_ns,
            guint32 series,
            double value)
{
  guint32 name = hir_chrome_names_intern (self->names, &event->name);
  HirEvent sample = {
    .start_ns = time_ns,
    .end_ns = time_ns,
    .name = name,
    .iteration = -1,
    .kind = HIR_EVENT_COUNTER,
    .source = event->is_foreign ? 0 : self->source + self->text_offset + event->at,
  };

  sample.track =
      (guint16) hir_chrome_tracks_ensure_counter (self->tracks, event, name, series)->track;
  hir_event_set_value (&sample, value);
  self->last_ns = MAX (self->last_ns, time_ns);
  self->n_events++;
  return hir_trace_builder_add (self->builder, &sample, &self->error);
}

gboolean
hir_chrome_take_counter (HirChromeImporter *self, const HirChromeEvent *event, gint64 time_ns)
{
  gboolean first = TRUE;
  HirJsonText key;
  HirJson json;

  if (event->args.length == 0)
    {
      self->n_no_number++;
      return TRUE;
    }
  hir_json_init (&json, event->args.at, event->args.length);
  if (!hir_json_enter (&json))
    return TRUE;
  while (hir_json_next_member (&json, &first, &key))
    {
      double value;

      if (hir_json_text_is (&key, HIR_EVENT_OWN_ARGS))
        hir_json_skip (&json);
      else if (!read_number (&json, &value))
        self->n_no_number++;
      else if (!add_sample (self, event, time_ns, hir_chrome_names_intern (self->names, &key),
                            value))
        return FALSE;
    }
  return TRUE;
}
