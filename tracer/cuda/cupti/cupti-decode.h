/* Decodes the records of all CUPTI versions into one struct. Depends only on the bytes. */
#pragma once

#include "cuda/driver/abi-cupti.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_CUPTI_KERNEL,
  HIR_CUPTI_COPY,
  HIR_CUPTI_FILL,
  HIR_CUPTI_CALL,     /* of the driver or the runtime, on a host thread */
  HIR_CUPTI_EXTERNAL, /* maps `correlation` to a launch */
  HIR_CUPTI_SYNC,     /* a stream waits for an event, or the host waits */
  HIR_CUPTI_EVENT,    /* an event is recorded on a stream */
  HIR_CUPTI_OVERHEAD,
  HIR_CUPTI_MARKER,
} HirCuptiRecordKind;

/* Fields that a kind does not have are 0. */
typedef struct
{
  HirCuptiRecordKind kind;
  gboolean is_runtime;     /* TRUE for a call of the runtime */
  gint64 start_ns, end_ns; /* on CUPTI's clock; events and markers have only start_ns, which is 0 if
                            * the time at which the device reached an event is unknown */
  gint64 bytes;
  guint64 id; /* external id; sync id of an event (0: unknown); number of a marker */
  guint32 device, context, stream, correlation;
  guint32 detail;     /* copy kind, call id, HIR_CUPTI_SYNC_..., overhead kind, marker flags */
  guint32 event;      /* CUDA's number of the event; not unique */
  guint32 thread;     /* of calls, markers, overhead; 0: unknown */
  guint32 to_device;  /* destination of a copy between devices, otherwise equal to `device` */
  const char *name;   /* of kernels and markers; nullable; valid only during the callback */
  const char *domain; /* of markers; nullable */
} HirCuptiRecord;

typedef struct
{
  guint64 n_records; /* total */
  guint64 n_unknown; /* records of kinds that were not enabled */
  guint64 n_invalid; /* malformed records, and records that end before they start */
  guint64 n_untimed; /* device work without times */
} HirCuptiDecodeCounts;

/* Calls @take for each record in the @valid bytes at @bytes, in order. Skips invalid records and
 * device work without times. Adds to @counts. @api_version is the result of cuptiGetVersion(). */
void hir_cupti_decode (const HirCuptiApi *api,
                       guint32 api_version,
                       guint8 *bytes,
                       gsize valid,
                       void (*take) (const HirCuptiRecord *record, gpointer user_data),
                       gpointer user_data,
                       HirCuptiDecodeCounts *counts);

/* Returns the name of a host call, such as "cuLaunchKernel", or NULL if the call is not traced. */
const char *hir_cupti_call_get_name (gboolean is_runtime, guint32 call);
/* Returns the name of an overhead kind, such as "lazy function loading". */
const char *hir_cupti_overhead_get_name (guint32 overhead);
/* Returns whether a copy reads or writes host memory. */
gboolean hir_cupti_copy_is_of_host (guint32 copy_kind);
/* Returns the name of a copy kind, such as "copy to device". */
const char *hir_cupti_copy_get_name (guint32 copy_kind);

G_END_DECLS
