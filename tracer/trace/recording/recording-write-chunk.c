/* Writes strings, tracks, and events in packed chunks. */
#include "diagnostic.h"
#include "identity.h"
#include "record/clock.h"
#include "trace/recording/column-pack.h"
#include "trace/recording/recording-write-private.h"

/* Returns the string that contains the hexadecimal id of @instruction. */
static gboolean
intern_instruction (HirRecordingWriter *writer, guint64 instruction, guint32 *index, GError **error)
{
  char hex[17];
  guint32 place;

  if (hir_id_table_find (&writer->instructions, instruction, &place))
    {
      *index = g_array_index (writer->instruction_strings, guint32, place);
      return TRUE;
    }
  hir_id_to_hex (instruction, hex);
  if (!hir_writer_intern (writer, hex, index, error))
    return FALSE;
  if (!hir_id_table_intern (&writer->instructions, instruction, &place))
    return TRUE; /* not an error: the id is only looked up again next time */
  g_array_append_val (writer->instruction_strings, *index);
  return TRUE;
}

static gboolean
insert_strings (HirRecordingWriter *writer, GError **error)
{
  HirRow row;

  hir_writer_begin_row (writer, HIR_WRITER_STRINGS, &row);
  for (guint32 i = writer->n_strings_written; i < writer->strings.n; i++)
    {
      hir_row_put_int (&row, i);
      hir_row_put_text (&row, hir_string_table_get (&writer->strings, i));
      if (!hir_row_insert (&row, error))
        return FALSE;
    }
  return TRUE;
}

static guint64
get_value (const HirEvent *event, HirChunkColumn column, gint64 base_ns)
{
  switch (column)
    {
    case HIR_CHUNK_START:
      return (guint64) event->start_ns - (guint64) base_ns;
    case HIR_CHUNK_DURATION:
      return (guint64) event->end_ns - (guint64) event->start_ns;
    case HIR_CHUNK_BYTES:
      return (guint64) event->bytes;
    case HIR_CHUNK_FLOPS:
      return (guint64) event->flops;
    case HIR_CHUNK_INSTRUCTION:
      return event->instruction;
    case HIR_CHUNK_NAME:
      return event->name;
    case HIR_CHUNK_CORRELATION:
      return event->correlation;
    case HIR_CHUNK_ITERATION:
      return (guint32) event->iteration + 1;
    case HIR_CHUNK_TRACK:
      return event->track;
    case HIR_CHUNK_KIND:
      return event->kind;
    default:
      return event->phase;
    }
}

static gboolean
insert_chunk (HirRecordingWriter *writer, GError **error)
{
  guint n = writer->n_pending;
  gint64 base_ns = G_MAXINT64;
  HirRow row;

  for (guint i = 0; i < n; i++)
    base_ns = MIN (base_ns, writer->pending[i].start_ns);
  hir_writer_begin_row (writer, HIR_WRITER_CHUNKS, &row);
  hir_row_put_int (&row, (gint64) writer->n_written); /* ids must only increase */
  hir_row_put_int (&row, (gint64) writer->n_written);
  hir_row_put_int (&row, n);
  hir_row_put_int (&row, base_ns);
  for (guint c = 0; c < HIR_N_CHUNK_COLUMNS; c++)
    {
      gsize size;

      for (guint i = 0; i < n; i++)
        writer->values[i] = get_value (&writer->pending[i], c, base_ns);
      /* Always stores the start, so that a small file cannot declare many events. */
      size = hir_column_pack (writer->values, n, c == HIR_CHUNK_START, writer->blobs[c]);
      hir_row_put_blob (&row, writer->blobs[c], size);
    }
  return hir_row_insert (&row, error);
}

gboolean
hir_writer_write_pending (HirRecordingWriter *writer, GError **error)
{
  writer->last_flush_ns = hir_clock_now_ns ();
  if (writer->n_pending == 0 && writer->n_strings_written == writer->strings.n)
    return TRUE;
  if (!hir_writer_begin (writer, error) ||
      !hir_writer_end (writer,
                       insert_strings (writer, error) &&
                           hir_args_packer_insert (&writer->args, writer->insert[HIR_WRITER_ARGS],
                                                   writer->path, error) &&
                           (writer->n_pending == 0 || insert_chunk (writer, error)),
                       error))
    return FALSE;
  hir_args_packer_drop (&writer->args);
  writer->n_written += writer->n_pending;
  writer->n_strings_written = writer->strings.n;
  writer->n_pending = 0;
  return TRUE;
}

gboolean
hir_writer_insert_track (HirRecordingWriter *writer, const HirTrack *info, GError **error)
{
  HirTrack *copy;
  HirRow row;

  hir_writer_begin_row (writer, HIR_WRITER_TRACKS, &row);
  hir_row_put_int (&row, writer->n_tracks);
  hir_row_put_int (&row, info->kind);
  hir_row_put_int (&row, info->rank);
  hir_row_put_int (&row, info->device);
  hir_row_put_int (&row, info->stream);
  hir_row_put_text (&row, info->name != NULL ? info->name : "");
  if (!hir_row_insert (&row, error))
    return FALSE;
  writer->n_tracks++;
  copy = g_memdup2 (info, sizeof *info);
  copy->name = g_strdup (info->name != NULL ? info->name : "");
  g_ptr_array_add (writer->tracks, copy);
  return TRUE;
}

gboolean
hir_writer_take_event (HirRecordingWriter *writer, const HirEvent *event, GError **error)
{
  HirEvent *pending;
  guint32 instruction;

  if (event->phase == HIR_PHASE_BASELINE)
    {
      if (event->track < writer->tracks->len)
        hir_baseline_sample_add (writer->samples, event);
      writer->n_sampled++;
      return TRUE;
    }
  if (writer->n_pending == HIR_RECORDING_CHUNK && !hir_writer_write_pending (writer, error))
    return FALSE;
  if (!intern_instruction (writer, event->instruction, &instruction, error))
    return FALSE;
  pending = &writer->pending[writer->n_pending++];
  *pending = *event;
  pending->instruction = instruction;
  return TRUE;
}
