#include "cuda/cupti/cupti-decode.h"

#include <stdlib.h>

const char *
hir_cupti_call_get_name (gboolean is_runtime, guint32 call)
{
#define ROW(id, name, constant)                                                                    \
  case id:                                                                                         \
    return #name;
  if (is_runtime)
    switch (call)
      {
        HIR_CUPTI_RUNTIME_CALLS (ROW)
      default:
        return NULL;
      }
  switch (call)
    {
      HIR_CUPTI_DRIVER_CALLS (ROW)
    default:
      return NULL;
    }
#undef ROW
}

const char *
hir_cupti_overhead_get_name (guint32 overhead)
{
  switch (overhead)
    {
    case HIR_CUPTI_OVERHEAD_COMPILER:
      return "compiling for the device";
    case HIR_CUPTI_OVERHEAD_BUFFER_FLUSH:
      return "flushing trace buffers";
    case HIR_CUPTI_OVERHEAD_INSTRUMENTATION:
      return "instrumenting";
    case HIR_CUPTI_OVERHEAD_RESOURCE:
      return "making trace resources";
    case HIR_CUPTI_OVERHEAD_MODULE_LOADING:
      return "loading a module";
    case HIR_CUPTI_OVERHEAD_FUNCTION_LOADING:
      return "loading a function";
    case HIR_CUPTI_OVERHEAD_COMMAND_BUFFER_FULL:
      return "command buffer full";
    case HIR_CUPTI_OVERHEAD_BUFFER_REQUEST:
      return "requesting a trace buffer";
    case HIR_CUPTI_OVERHEAD_UVM_INIT:
      return "preparing managed memory";
    default:
      return "other overhead";
    }
}

gboolean
hir_cupti_copy_is_of_host (guint32 copy_kind)
{
  return copy_kind == 1 || copy_kind == 2;
}

const char *
hir_cupti_copy_get_name (guint32 copy_kind)
{
  switch (copy_kind)
    {
    case 1:
      return "copy to device";
    case 2:
      return "copy to host";
    case 8:
      return "copy on device";
    case 10:
      return "copy between devices";
    default:
      return "copy";
    }
}

/* Sets the fields that all records of work on a device have. */
#define READ_WORK(work, from, to)                                                                  \
  *(to) = (HirCuptiRecord)                                                                         \
  {                                                                                                \
    .kind = (work), .start_ns = (gint64) (from)->start, .end_ns = (gint64) (from)->end,            \
    .device = (from)->device, .to_device = (from)->device, .context = (from)->context,             \
    .stream = (from)->stream, .correlation = (from)->correlation                                   \
  }

/* Each fills *@to (which is zeroed) from a record. */
static void
read_kernel (const HirCuptiKernel *from, HirCuptiRecord *to)
{
  READ_WORK (HIR_CUPTI_KERNEL, from, to);
  to->name = from->name;
}

static void
read_copy (const HirCuptiMemcpy *from, HirCuptiRecord *to)
{
  READ_WORK (HIR_CUPTI_COPY, from, to);
  to->bytes = (gint64) from->bytes;
  to->detail = from->copy_kind;
}

static void
read_copy2 (const HirCuptiMemcpy2 *from, HirCuptiRecord *to)
{
  READ_WORK (HIR_CUPTI_COPY, from, to);
  to->to_device = from->destination_device;
  to->bytes = (gint64) from->bytes;
  to->detail = from->copy_kind;
}

static void
read_fill (const HirCuptiMemset *from, HirCuptiRecord *to)
{
  READ_WORK (HIR_CUPTI_FILL, from, to);
  to->bytes = (gint64) from->bytes;
}

static void
read_call (const HirCuptiCall *from, HirCuptiRecord *to)
{
  to->kind = HIR_CUPTI_CALL;
  to->is_runtime = from->kind == HIR_CUPTI_KIND_RUNTIME;
  to->start_ns = (gint64) from->start;
  to->end_ns = (gint64) from->end;
  to->correlation = from->correlation;
  to->detail = from->call;
  to->thread = from->thread;
}

static void
read_external (const HirCuptiExternal *from, HirCuptiRecord *to)
{
  to->kind = HIR_CUPTI_EXTERNAL;
  to->detail = from->external_kind;
  to->id = from->id;
  to->correlation = from->correlation;
}

static void
read_sync (const HirCuptiSync *from, gboolean has_sync_id, HirCuptiRecord *to)
{
  to->kind = HIR_CUPTI_SYNC;
  to->start_ns = (gint64) from->start;
  to->end_ns = (gint64) from->end;
  to->correlation = from->correlation;
  to->context = from->context;
  to->stream = from->stream;
  to->event = from->event;
  to->detail = from->type;
  if (has_sync_id)
    to->id = ((const HirCuptiSync2 *) from)->event_sync;
}

static void
read_event (const HirCuptiEvent *from, gboolean has_sync_id, HirCuptiRecord *to)
{
  to->kind = HIR_CUPTI_EVENT;
  to->correlation = from->correlation;
  to->context = from->context;
  to->stream = from->stream;
  to->event = from->event;
  if (has_sync_id)
    {
      to->device = ((const HirCuptiEvent2 *) from)->device;
      to->start_ns = (gint64) ((const HirCuptiEvent2 *) from)->device_timestamp;
      to->id = ((const HirCuptiEvent2 *) from)->event_sync;
    }
  to->end_ns = to->start_ns;
}

static void
read_overhead (const HirCuptiOverhead *from, gboolean has_data, HirCuptiRecord *to)
{
  to->kind = HIR_CUPTI_OVERHEAD;
  to->start_ns = (gint64) from->start;
  to->end_ns = (gint64) from->end;
  to->detail = from->overhead;
  to->thread = from->object_kind == HIR_CUPTI_OBJECT_THREAD ? from->object[1] : 0;
  if (has_data)
    free (((const HirCuptiOverhead3 *) from)->data);
}

static void
read_marker (const HirCuptiMarker *from, HirCuptiRecord *to)
{
  to->kind = HIR_CUPTI_MARKER;
  to->start_ns = to->end_ns = (gint64) from->timestamp;
  to->detail = from->flags;
  to->id = from->id;
  to->thread = from->object_kind == HIR_CUPTI_OBJECT_THREAD ? from->object[1] : 0;
  to->name = from->name;
  to->domain = from->domain;
}

/* Returns FALSE for a kind that is not decoded. */
static gboolean
read_record (const HirCuptiActivity *from, guint32 api_version, HirCuptiRecord *to)
{
  gboolean has_sync_id = hir_cupti_has_event_sync (api_version);

  *to = (HirCuptiRecord){ 0 };
  switch (from->kind)
    {
    case HIR_CUPTI_KIND_CONCURRENT_KERNEL:
      read_kernel ((const HirCuptiKernel *) from, to);
      return TRUE;
    case HIR_CUPTI_KIND_MEMCPY:
      read_copy ((const HirCuptiMemcpy *) from, to);
      return TRUE;
    case HIR_CUPTI_KIND_MEMCPY2:
      read_copy2 ((const HirCuptiMemcpy2 *) from, to);
      return TRUE;
    case HIR_CUPTI_KIND_MEMSET:
      read_fill ((const HirCuptiMemset *) from, to);
      return TRUE;
    case HIR_CUPTI_KIND_DRIVER:
    case HIR_CUPTI_KIND_RUNTIME:
      read_call ((const HirCuptiCall *) from, to);
      return TRUE;
    case HIR_CUPTI_KIND_EXTERNAL_CORRELATION:
      read_external ((const HirCuptiExternal *) from, to);
      return TRUE;
    case HIR_CUPTI_KIND_SYNCHRONIZATION:
      read_sync ((const HirCuptiSync *) from, has_sync_id, to);
      return TRUE;
    case HIR_CUPTI_KIND_CUDA_EVENT:
      read_event ((const HirCuptiEvent *) from, has_sync_id, to);
      return TRUE;
    case HIR_CUPTI_KIND_OVERHEAD:
      read_overhead ((const HirCuptiOverhead *) from, hir_cupti_has_overhead_data (api_version),
                     to);
      return TRUE;
    case HIR_CUPTI_KIND_MARKER:
      read_marker ((const HirCuptiMarker *) from, to);
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
has_times (const HirCuptiRecord *record)
{
  return record->kind != HIR_CUPTI_EXTERNAL && record->kind != HIR_CUPTI_EVENT;
}

void
hir_cupti_decode (const HirCuptiApi *api,
                  guint32 api_version,
                  guint8 *bytes,
                  gsize valid,
                  void (*take) (const HirCuptiRecord *record, gpointer user_data),
                  gpointer user_data,
                  HirCuptiDecodeCounts *counts)
{
  HirCuptiActivity *activity = NULL;
  HirCuptiResult result;

  while ((result = api->get_next_record (bytes, valid, &activity)) == HIR_CUPTI_SUCCESS)
    {
      HirCuptiRecord record;

      counts->n_records++;
      if (!read_record (activity, api_version, &record))
        counts->n_unknown++;
      else if (!has_times (&record))
        take (&record, user_data);
      else if (record.start_ns == 0 && record.end_ns == 0)
        counts->n_untimed++;
      else if (record.end_ns < record.start_ns)
        counts->n_invalid++;
      else
        take (&record, user_data);
    }
  /* MAX_LIMIT_REACHED is the regular end. After any other error, the rest of the buffer is lost. */
  if (result != HIR_CUPTI_ERROR_MAX_LIMIT_REACHED && valid > 0)
    counts->n_invalid++;
}
