/* CUPTI's records of all versions as one kind of struct. Knows of nothing but bytes. */
#pragma once

#include "cuda/driver/abi-cupti.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_CUPTI_KERNEL,
  HIR_CUPTI_COPY,
  HIR_CUPTI_FILL,
  HIR_CUPTI_CALL,     /* of the driver or the runtime, on a host thread */
  HIR_CUPTI_EXTERNAL, /* says whose launch `correlation` is */
  HIR_CUPTI_SYNC,     /* a stream waits for an event, or the host waits */
  HIR_CUPTI_EVENT,    /* an event is recorded on a stream */
  HIR_CUPTI_OVERHEAD,
  HIR_CUPTI_MARKER,
} HirCuptiRecordKind;

/* Fields that a kind does not have are 0. */
typedef struct
{
  HirCuptiRecordKind kind;
  gboolean is_runtime;     /* a call: of the runtime */
  gint64 start_ns, end_ns; /* on CUPTI's clock; of an event, start_ns: when the device came to it,
                            * 0 where that is not known; of a marker, start_ns */
  gint64 bytes;
  guint64 id; /* external id; sync id of an event (0: unknown); number of a marker */
  guint32 device, context, stream, correlation;
  guint32 detail;     /* copy kind, call id, HIR_CUPTI_SYNC_..., overhead kind, marker flags */
  guint32 event;      /* CUDA's number of it, which repeats */
  guint32 thread;     /* of calls, markers, overhead; 0: unknown */
  guint32 to_device;  /* of copies between devices; else equals `device` */
  const char *name;   /* of kernels and markers; nullable; not ours: copy it */
  const char *domain; /* of markers; nullable */
} HirCuptiRecord;

typedef struct
{
  guint64 n_records; /* all */
  guint64 n_unknown; /* of kinds that were not asked for */
  guint64 n_invalid; /* that end before they start, or walked into something that is no record */
  guint64 n_untimed; /* device work for which no time was collected */
} HirCuptiDecodeCounts;

/* Hands the records of @valid bytes at @bytes to @take in order, those without a time and invalid
 * ones excepted, and adds to @counts. @api_version is cuptiGetVersion()'s. */
void hir_cupti_decode (const HirCuptiApi *api,
                       guint32 api_version,
                       guint8 *bytes,
                       gsize valid,
                       void (*take) (const HirCuptiRecord *record, gpointer user_data),
                       gpointer user_data,
                       HirCuptiDecodeCounts *counts);

/* "cuLaunchKernel"; NULL for one that we do not ask for. */
const char *hir_cupti_call_get_name (gboolean is_runtime, guint32 call);
/* "lazy function loading" */
const char *hir_cupti_overhead_get_name (guint32 overhead);
/* To or from the host's memory. */
gboolean hir_cupti_copy_is_of_host (guint32 copy_kind);
/* "copy to device", "copy between devices" */
const char *hir_cupti_copy_get_name (guint32 copy_kind);

G_END_DECLS
