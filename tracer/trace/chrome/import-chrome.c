#include <string.h>

#include "diagnostic.h"
#include "testing/hold.h"
#include "trace/chrome/chrome-pipeline.h"
#include "trace/chrome/import-chrome-private.h"
#include "trace/json-strict.h"
#include "trace/trace-header.h"

#define FIRST_BYTES (512 * 1024)
#define MAX_ROOT_BYTES (1024 * 1024)

/* --- text ------------------------------------------------------------------------------------- */

/* Offers the events read so far to the preview. */
static void
show_on_the_way (HirChromeImporter *self)
{
  const HirChromeImport *options = self->options;
  const HirChromeExtra extra = { *self->header, self->zero_ns };
  guint64 done, total;

  hir_preview_offer (options->preview, options->preview_part, self->builder, &extra);
  hir_text_stream_get_progress (self->stream, &done, &total);
  if (!hir_test_hold_load (options->cancellable, options->enough, done, total))
    return;
  hir_preview_force (options->preview, options->preview_part, self->builder, &extra);
  /* Other parts wait for a preview of this part, too. */
  while (hir_test_hold_load (options->cancellable, options->enough, done, total))
    hir_preview_offer (options->preview, options->preview_part, self->builder, &extra);
}

/* Notes the first place of invalid text and sums up what was skipped. */
static void
take_loss (HirChromeImporter *self, const HirChromeBlock *block)
{
  const HirChromeLoss *loss = &block->loss;

  if (loss->n_places == 0)
    return;
  if (self->loss.n_places == 0)
    {
      self->loss.error = loss->error;
      self->loss_offset = block->offset + loss->error_at;
    }
  self->loss.n_places += loss->n_places;
  self->loss.n_bytes += loss->n_bytes;
  self->loss.n_events += loss->n_events;
}

static gboolean
take_block (const HirChromeBlock *block, gpointer user_data)
{
  HirChromeImporter *self = user_data;

  self->text_offset = block->offset;
  take_loss (self, block);
  for (guint i = 0; i < block->n_events; i++)
    if (!hir_chrome_take_event (self, &block->events[i]))
      return FALSE;
  show_on_the_way (self);
  return !g_cancellable_is_cancelled (self->options->enough);
}

static gboolean
report_progress (gpointer user_data)
{
  HirChromeImporter *self = user_data;
  const HirChromeImport *options = self->options;
  guint64 done, total;

  hir_text_stream_get_progress (self->stream, &done, &total);
  if (options->progress != NULL)
    options->progress (done, total, options->user_data);
  return !g_cancellable_is_cancelled (options->cancellable) &&
         !g_cancellable_is_cancelled (options->enough);
}

static const char *
get_name (HirChromeImporter *self)
{
  return hir_text_source_get_name (hir_text_stream_get_source (self->stream));
}

/* Handles a stop or a cancellation. */
static void
set_ended (HirChromeImporter *self)
{
  if (g_cancellable_is_cancelled (self->options->enough) &&
      !g_cancellable_is_cancelled (self->options->cancellable))
    {
      hir_text_stream_end (self->stream);
      self->is_stopped = TRUE;
      return;
    }
  hir_set_error (&self->error, HIR_ERROR_CANCELLED, NULL, "loading %s was cancelled",
                 get_name (self));
}

static void
set_problem (HirChromeImporter *self, const char *problem, guint64 offset)
{
  self->problem = problem;
  self->problem_offset = offset;
}

/* Reads the array that starts at block->from. The text after the array is returned in @block.
 * Returns FALSE if reading cannot continue. */
static gboolean
read_events (HirChromeImporter *self, HirChromeBlock *block)
{
  const HirChromePipeline pipeline = { .n_threads = self->options->n_threads,
                                       .block_bytes = self->options->block_bytes,
                                       .take = take_block,
                                       .report_progress = report_progress,
                                       .user_data = self };
  g_autoptr (GError) error = NULL;
  HirChromeEnding ending;

  if (!hir_chrome_pipeline_run (&pipeline, self->stream, block, &ending, &error))
    {
      /* Two threads may fail at once. The error of the event has priority, because it is more
       * specific. */
      if (self->error == NULL)
        self->error = g_steal_pointer (&error);
      return FALSE;
    }
  if (ending.is_ended && self->error == NULL)
    set_ended (self);
  else if (ending.stop == HIR_CHROME_FULL)
    hir_chrome_fail_memory (self);
  else if (ending.stop == HIR_CHROME_BAD)
    set_problem (self, ending.error, ending.error_offset);
  return self->error == NULL && ending.stop == HIR_CHROME_END;
}

typedef enum
{
  ROOT_EVENTS, /* block->from is in the array of events */
  ROOT_MORE,   /* the text ends; reading can continue at block->from with more text */
  ROOT_DONE,   /* end of the root, or an error */
} RootState;

static RootState
end_root (HirChromeImporter *self, HirChromeBlock *block, const HirJson *json)
{
  if (json->is_cut && !block->is_last)
    return ROOT_MORE;
  if (json->error != NULL)
    set_problem (self, json->error, block->offset + (guint64) (json->error_at - block->text));
  else
    {
      self->is_whole = TRUE;
      block->from = (gsize) (json->at - block->text);
    }
  return ROOT_DONE;
}

/* Returns whether the next value is complete. An incomplete value must not be read in part. */
static gboolean
is_value_whole (HirJson *json, const HirChromeBlock *block)
{
  HirJson ahead = *json;

  if (!hir_json_skip (&ahead) || (ahead.at == ahead.end && !block->is_last))
    {
      if (ahead.error == NULL)
        hir_json_fail (&ahead, "");
      *json = ahead;
      return FALSE;
    }
  return TRUE;
}

/* Keeps the member for exports, unless they write it themselves. */
static void
keep_root_member (HirChromeImporter *self, const HirJsonText *key, const char *value, gsize length)
{
  static const char *const written[] = { "schemaVersion", "displayTimeUnit",
                                         "baseTimeNanoseconds" };

  for (guint i = 0; i < G_N_ELEMENTS (written); i++)
    if (hir_json_text_is (key, written[i]))
      return;
  if (self->root->len + key->length + length > MAX_ROOT_BYTES)
    return;
  if (self->root->len > 0)
    g_string_append_c (self->root, ',');
  hir_json_append_strict (self->root, key->at - 1, key->length + 2);
  g_string_append_c (self->root, ':');
  hir_json_append_strict (self->root, value, length);
}

static void
take_root_member (HirChromeImporter *self, HirJson *json, const HirJsonText *key)
{
  const char *value;

  hir_json_peek (json);
  value = json->at;
  if (!hir_chrome_take_root_member (json, key, self->header))
    hir_json_skip (json);
  if (json->error == NULL)
    keep_root_member (self, key, value, (gsize) (json->at - value));
}

/* Reads members of the root object from @json on. */
static RootState
read_members (HirChromeImporter *self, HirChromeBlock *block, HirJson *json)
{
  HirJsonText key;

  for (;;)
    {
      gboolean first = self->is_first_member;

      block->from = (gsize) (json->at - block->text);
      if (!hir_json_next_member (json, &first, &key))
        return end_root (self, block, json);
      if (hir_json_text_is (&key, "traceEvents"))
        {
          if (hir_json_peek (json) == HIR_JSON_ARRAY)
            {
              block->from = (gsize) (json->at + 1 - block->text);
              self->is_first_member = FALSE;
              return ROOT_EVENTS;
            }
          hir_json_fail (json, "\"traceEvents\" is not an array");
        }
      else if (!is_value_whole (json, block))
        return end_root (self, block, json);
      else if (hir_json_text_is (&key, HIR_EVENT_OWN_ARGS))
        hir_chrome_take_own_root (json, self->builder);
      else
        take_root_member (self, json, &key);
      if (json->error != NULL)
        return end_root (self, block, json);
      self->is_first_member = FALSE;
    }
}

/* Reads the root value from block->from on. */
static RootState
read_root (HirChromeImporter *self, HirChromeBlock *block)
{
  HirJson json;

  if (block->offset == 0 && block->from == 0 && block->length >= 3 &&
      memcmp (block->text, HIR_JSON_BOM, 3) == 0)
    block->from = 3;
  hir_json_init (&json, block->text, block->length);
  json.at += block->from;
  if (self->is_in_root)
    return read_members (self, block, &json);
  switch (hir_json_peek (&json))
    {
    case HIR_JSON_ARRAY:
      block->from = (gsize) (json.at + 1 - block->text);
      self->is_root_array = TRUE;
      return ROOT_EVENTS;

    case HIR_JSON_OBJECT:
      hir_json_enter (&json);
      self->is_in_root = self->is_first_member = TRUE;
      return read_members (self, block, &json);

    case HIR_JSON_END:
    case HIR_JSON_STRING:
    case HIR_JSON_NUMBER:
    case HIR_JSON_OTHER:
    default:
      hir_json_fail (&json, "no JSON object or array starts here");
      return end_root (self, block, &json);
    }
}

/* Checks that only white space follows block->from. Reports other text, for example a second
 * trace. */
static void
look_behind (HirChromeImporter *self, HirChromeBlock *block)
{
  while (self->error == NULL && self->problem == NULL)
    {
      while (block->from < block->length && g_ascii_isspace (block->text[block->from]))
        block->from++;
      if (block->from < block->length)
        set_problem (self, "the text after the end of the trace is not read",
                     block->offset + block->from);
      else if (block->is_last)
        return;
      else
        {
          block->offset += block->length;
          block->from = block->length = 0;
          if (!report_progress (self))
            set_ended (self);
          else if (!hir_chrome_block_fill (block, self->stream, FIRST_BYTES, &self->error))
            return;
        }
    }
}

static void
read_all (HirChromeImporter *self)
{
  gsize first_bytes = self->options->block_bytes > 0 ? self->options->block_bytes : FIRST_BYTES;
  HirChromeBlock block = { 0 };
  RootState state = ROOT_MORE;

  while (state != ROOT_DONE)
    if (state == ROOT_MORE)
      {
        state = ROOT_DONE;
        if (!report_progress (self))
          set_ended (self);
        else if (hir_chrome_block_fill (&block, self->stream, MAX (block.length, first_bytes),
                                        &self->error))
          state = read_root (self, &block);
      }
    else
      {
        gboolean done = read_events (self, &block);

        state = done && !self->is_root_array ? ROOT_MORE : ROOT_DONE;
        /* Skips the closing bracket. */
        block.from = 1;
        if (state == ROOT_MORE)
          state = read_root (self, &block);
        else if (done)
          look_behind (self, &block);
      }
  if (self->is_whole)
    look_behind (self, &block);
  hir_chrome_block_clear (&block);
}

static void
account (HirChromeImporter *self, guint64 n, const char *one, const char *many)
{
  if (n > 0)
    hir_trace_builder_add_account (self->builder, "%s: %" G_GUINT64_FORMAT " %s", get_name (self),
                                   n, n == 1 ? one : many);
}

static void
write_stopped (HirChromeImporter *self)
{
  guint64 done, total;
  g_autofree char *read = NULL;
  g_autofree char *all = NULL;

  hir_text_stream_get_progress (self->stream, &done, &total);
  read = g_format_size_full (done, G_FORMAT_SIZE_IEC_UNITS);
  all = total > 0 ? g_format_size_full (total, G_FORMAT_SIZE_IEC_UNITS)
                  : g_strdup ("an unknown size");
  hir_trace_builder_add_account (self->builder,
                                 "%s: loading was stopped after %s of %s; the %" G_GUINT64_FORMAT
                                 " events before are shown",
                                 get_name (self), read, all, self->n_events);
}

static void
write_loss (HirChromeImporter *self)
{
  HirTextSource *source = hir_text_stream_get_source (self->stream);
  guint64 line, column;

  if (self->loss.n_places == 0)
    return;
  hir_text_source_get_position (source, self->loss_offset, &line, &column);
  hir_trace_builder_add_account (self->builder,
                                 "%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT
                                 ": %s; invalid text was skipped up to the next event: "
                                 "%" G_GUINT64_FORMAT " bytes, %" G_GUINT64_FORMAT " %s lost",
                                 get_name (self), line, column, self->loss.error,
                                 self->loss.n_bytes, self->loss.n_events,
                                 self->loss.n_events == 1 ? "event" : "events");
}

static void
write_account (HirChromeImporter *self)
{
  guint64 line, column;

  if (hir_text_stream_get_problem (self->stream) != NULL)
    hir_trace_builder_add_account (self->builder, "%s: %s; the part that could be read is shown",
                                   get_name (self), hir_text_stream_get_problem (self->stream));
  write_loss (self);
  if (self->problem != NULL)
    {
      hir_text_source_get_position (hir_text_stream_get_source (self->stream), self->problem_offset,
                                    &line, &column);
      hir_trace_builder_add_account (self->builder,
                                     "%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT
                                     ": %s; the %" G_GUINT64_FORMAT " events before are shown",
                                     get_name (self), line, column, self->problem, self->n_events);
    }
  if (self->is_stopped)
    write_stopped (self);
  account (self, self->n_begins_alone, "event starts and never ends: drawn to the end of the trace",
           "events start and never end: drawn to the end of the trace");
  account (self, self->n_ends_alone, "end without a start, left out",
           "ends without a start, left out");
  account (self, self->n_other_name, "end that does not belong to the event started last",
           "ends that do not belong to the event started last");
  account (self, self->n_no_time, "event without a time, left out",
           "events without a time, left out");
  account (self, self->n_no_duration, "event without a duration, drawn as an instant",
           "events without a duration, drawn as instants");
  account (self, self->n_no_clock, "kernel whose clock was lost (start and duration 0), left out",
           "kernels whose clock was lost (start and duration 0), left out");
  account (self, self->n_repaired,
           "event with arguments that are not JSON (nan, inf): exported as text",
           "events with arguments that are not JSON (nan, inf): exported as text");
  account (self, self->n_twice, "event with two members of one name: the last one counts",
           "events with two members of one name: the last one counts");
  account (self, self->n_no_number, "counter value that is not a number, left out",
           "counter values that are not numbers, left out");
  account (self, self->n_no_size, "collective with unknown group size: bus bandwidth not computed",
           "collectives with unknown group size: bus bandwidth not computed");
  if (!self->is_own && (self->n_flow_begins != 0 || self->n_flow_ends != 0))
    hir_trace_builder_add_account (self->builder,
                                   "%s: %" G_GUINT64_FORMAT " flow starts and %" G_GUINT64_FORMAT
                                   " flow ends, not drawn; launches are linked by correlation",
                                   get_name (self), self->n_flow_begins, self->n_flow_ends);
  if (!self->is_own)
    account (self, self->flows->len, "point of another flow, drawn with its events",
             "points of other flows, drawn with their events");
  account (self, hir_chrome_names_get_n_cut (self->names), "name longer than 64 KB, truncated",
           "names longer than 64 KB, truncated");
  account (self, hir_chrome_tracks_get_n_shared (self->tracks),
           "asynchronous event over the limit of ids: shown on a shared track",
           "asynchronous events over the limit of ids: shown on a shared track");
  account (self, self->n_unknown, "element that is not an event, left out",
           "elements that are not events, left out");
}

static void
add_flows (HirChromeImporter *self)
{
  for (guint i = 0; i < self->flows->len; i++)
    {
      HirChromeFlowPoint *point = &g_array_index (self->flows, HirChromeFlowPoint, i);

      if (!hir_chrome_tracks_find_flow (self->tracks, point))
        point->point.track = G_MAXUINT16;
      hir_trace_builder_add_flow_point (self->builder, &point->point);
    }
}

static gboolean
finish (HirChromeImporter *self, GError **error)
{
  HirTextSource *source = hir_text_stream_get_source (self->stream);
  const char *gzip_problem = hir_text_stream_get_problem (self->stream);
  guint64 line, column;

  if (self->problem == NULL && self->loss.n_places > 0 && self->n_objects == 0)
    set_problem (self, self->loss.error, self->loss_offset);
  if (self->error == NULL && self->n_objects == 0 && !self->is_stopped && gzip_problem != NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s: %s, and it contains no events",
                     get_name (self), gzip_problem);
      return FALSE;
    }
  if (self->error == NULL && self->n_objects == 0 && !self->is_stopped)
    {
      hir_text_source_get_position (source, self->problem_offset, &line, &column);
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT ": %s", get_name (self), line,
                     column,
                     self->problem != NULL ? self->problem
                                           : "the file contains no events of a Chrome or Kineto "
                                             "trace");
      return FALSE;
    }
  if (self->error == NULL)
    {
      hir_chrome_tracks_finish (self->tracks, hir_chrome_close_open, self);
      add_flows (self);
    }
  if (self->error == NULL)
    {
      hir_trace_header_set (self->builder, self->root->str);
      write_account (self);
      return TRUE;
    }
  g_propagate_error (error, g_steal_pointer (&self->error));
  return FALSE;
}

gboolean
hir_import_chrome (HirTraceBuilder *builder,
                   HirTextStream *stream,
                   const HirChromeImport *options,
                   HirChromeHeader *header,
                   gint64 *zero_ns,
                   GError **error)
{
  HirChromeNames *names = hir_chrome_names_new (builder);
  g_autoptr (HirChromeTracks) tracks = NULL;
  HirChromeImporter self = {
    .builder = builder,
    .stream = stream,
    .options = options,
    .header = header,
    .names = names,
  };
  g_autoptr (GString) root = g_string_new (NULL);
  g_autoptr (GArray) flows = g_array_new (FALSE, FALSE, sizeof (HirChromeFlowPoint));
  gboolean done;

  memset (header, 0, sizeof *header);
  if (names == NULL)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL, "%s: out of memory before the first event",
                     get_name (&self));
      return FALSE;
    }
  self.root = root;
  self.flows = flows;
  self.source = hir_trace_builder_add_source (builder, hir_event_source_new_json (
                                                           hir_text_stream_get_source (stream)));
  self.tracks = tracks = hir_chrome_tracks_new (builder, names, -1);
  read_all (&self);
  done = finish (&self, error);
  header->is_own = self.is_own;
  *zero_ns = self.zero_ns;
  hir_chrome_names_free (names);
  return done;
}
