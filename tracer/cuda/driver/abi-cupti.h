/* Declarations of the CUPTI functions and records that Hirscope uses (libcupti.so.12 and .13); see
 * abi-cuda.h. tests/tracer/cuda/driver/test-abi-cupti.c compares them with the vendor's headers if
 * they are installed.
 *
 * New versions only append fields to a record. Each struct here has the fields common to versions
 * 12.0 to 13. Later fields are in separate structs; the functions at the end of this file tell
 * whether a library writes them. Iterate over a buffer only with cuptiActivityGetNextRecord(),
 * never by the size of a struct. */
#pragma once

#include <stdint.h>

#include "cuda/driver/abi-cuda.h"

G_BEGIN_DECLS

typedef unsigned int HirCuptiResult; /* CUptiResult */

#define HIR_CUPTI_SUCCESS 0u
#define HIR_CUPTI_ERROR_MAX_LIMIT_REACHED 12u
#define HIR_CUPTI_ERROR_INVALID_KIND 21u
#define HIR_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES 35u
#define HIR_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS 39u

/* CUpti_ActivityKind. KERNEL (3) is omitted because it serializes kernels. */
#define HIR_CUPTI_KIND_MEMCPY 1u
#define HIR_CUPTI_KIND_MEMSET 2u
#define HIR_CUPTI_KIND_DRIVER 4u
#define HIR_CUPTI_KIND_RUNTIME 5u
#define HIR_CUPTI_KIND_CONCURRENT_KERNEL 10u
#define HIR_CUPTI_KIND_MARKER 12u
#define HIR_CUPTI_KIND_OVERHEAD 17u
#define HIR_CUPTI_KIND_MEMCPY2 22u
#define HIR_CUPTI_KIND_CUDA_EVENT 36u
#define HIR_CUPTI_KIND_SYNCHRONIZATION 38u
#define HIR_CUPTI_KIND_EXTERNAL_CORRELATION 39u
#define HIR_CUPTI_KIND_INTERNAL_LAUNCH_API 48u

/* CUpti_ActivityAttribute */
#define HIR_CUPTI_ATTRIBUTE_ZEROED_OUT_BUFFER 5u
#define HIR_CUPTI_ATTRIBUTE_DEVICE_BUFFER_PRE_ALLOCATE 6u

#define HIR_CUPTI_EXTERNAL_CUSTOM0 3u /* CUpti_ExternalCorrelationKind */
#define HIR_CUPTI_COPY_PEER 10u       /* CUpti_ActivityMemcpyKind: between devices */
#define HIR_CUPTI_FLUSH_FORCED 1u     /* CUpti_ActivityFlag */
#define HIR_CUPTI_MARKER_INSTANTANEOUS 1u
#define HIR_CUPTI_MARKER_START 2u
#define HIR_CUPTI_MARKER_END 4u

#define HIR_CUPTI_OBJECT_THREAD 2u /* CUpti_ActivityObjectKind */

/* CUpti_ActivitySynchronizationType */
#define HIR_CUPTI_SYNC_EVENT 1u
#define HIR_CUPTI_SYNC_STREAM_WAIT 2u
#define HIR_CUPTI_SYNC_STREAM 3u
#define HIR_CUPTI_SYNC_CONTEXT 4u

/* CUpti_ActivityOverheadKind */
#define HIR_CUPTI_OVERHEAD_COMPILER 1u
#define HIR_CUPTI_OVERHEAD_BUFFER_FLUSH (1u << 16)
#define HIR_CUPTI_OVERHEAD_INSTRUMENTATION (2u << 16)
#define HIR_CUPTI_OVERHEAD_RESOURCE (3u << 16)
#define HIR_CUPTI_OVERHEAD_MODULE_LOADING (4u << 16)
#define HIR_CUPTI_OVERHEAD_FUNCTION_LOADING (5u << 16)
#define HIR_CUPTI_OVERHEAD_COMMAND_BUFFER_FULL (6u << 16)
#define HIR_CUPTI_OVERHEAD_BUFFER_REQUEST (7u << 16)
#define HIR_CUPTI_OVERHEAD_UVM_INIT (8u << 16)

/* Calls to record: F (id, name without prefix and version, constant). */
#define HIR_CUPTI_DRIVER_CALLS(F)                                                                  \
  F (17, cuCtxSynchronize, CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize)                               \
  F (119, cuEventRecord, CUPTI_DRIVER_TRACE_CBID_cuEventRecord)                                    \
  F (121, cuEventSynchronize, CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize)                          \
  F (126, cuStreamSynchronize, CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize)                        \
  F (216, cuMemsetD8Async, CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async)                                \
  F (220, cuMemsetD32Async, CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async)                              \
  F (276, cuMemcpyHtoD, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2)                                   \
  F (277, cuMemcpyHtoDAsync, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2)                         \
  F (278, cuMemcpyDtoH, CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2)                                   \
  F (279, cuMemcpyDtoHAsync, CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2)                         \
  F (281, cuMemcpyDtoDAsync, CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2)                         \
  F (295, cuStreamWaitEvent, CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent)                            \
  F (305, cuMemcpy, CUPTI_DRIVER_TRACE_CBID_cuMemcpy)                                              \
  F (306, cuMemcpyAsync, CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync)                                    \
  F (307, cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel)                                  \
  F (319, cuMemcpyPeerAsync, CUPTI_DRIVER_TRACE_CBID_cuMemcpyPeerAsync)                            \
  F (477, cuLaunchCooperativeKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel)            \
  F (514, cuGraphLaunch, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch)                                    \
  F (652, cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx)
#define HIR_CUPTI_RUNTIME_CALLS(F)                                                                 \
  F (31, cudaMemcpy, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020)                                    \
  F (41, cudaMemcpyAsync, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020)                          \
  F (51, cudaMemsetAsync, CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020)                          \
  F (131, cudaStreamSynchronize, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020)             \
  F (135, cudaEventRecord, CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020)                         \
  F (137, cudaEventSynchronize, CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020)               \
  F (147, cudaStreamWaitEvent, CUPTI_RUNTIME_TRACE_CBID_cudaStreamWaitEvent_v3020)                 \
  F (161, cudaMemcpyPeerAsync, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyPeerAsync_v4000)                 \
  F (165, cudaDeviceSynchronize, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020)             \
  F (211, cudaLaunchKernel, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000)                       \
  F (269, cudaLaunchCooperativeKernel, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000) \
  F (311, cudaGraphLaunch, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000)                        \
  F (370, cudaEventRecordWithFlags, CUPTI_RUNTIME_TRACE_CBID_cudaEventRecordWithFlags_v11010)      \
  F (430, cudaLaunchKernelExC, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060)

#define HIR_CUPTI_RECORD __attribute__ ((packed, aligned (8)))

#ifdef HIR_CU_REAL_HEADER
typedef CUpti_Activity HirCuptiActivity;
#else
typedef struct HIR_CUPTI_RECORD
{
  guint32 kind;
} HirCuptiActivity;
#endif

typedef struct HIR_CUPTI_RECORD
{
  guint32 kind;
  guint8 copy_kind, source_kind, destination_kind, flags;
  guint64 bytes, start, end;
  guint32 device, context, stream, correlation;
} HirCuptiMemcpy;

typedef struct HIR_CUPTI_RECORD
{
  guint32 kind;
  guint8 copy_kind, source_kind, destination_kind, flags;
  guint64 bytes, start, end;
  guint32 device, context, stream;
  guint32 source_device, source_context, destination_device, destination_context;
  guint32 correlation;
} HirCuptiMemcpy2;

typedef struct HIR_CUPTI_RECORD
{
  guint32 kind;
  guint32 value;
  guint64 bytes, start, end;
  guint32 device, context, stream, correlation;
} HirCuptiMemset;

typedef struct HIR_CUPTI_RECORD
{
  guint32 kind;
  guint8 cache_config, shared_memory_config;
  guint16 registers_per_thread;
  guint32 global_cache_requested, global_cache_executed;
  guint64 start, end, completed;
  guint32 device, context, stream;
  gint32 grid[3], block[3];
  gint32 static_shared_bytes, dynamic_shared_bytes;
  guint32 local_per_thread_bytes, local_total_bytes;
  guint32 correlation;
  gint64 grid_id;
  const char *name;
} HirCuptiKernel;

typedef struct HIR_CUPTI_RECORD
{
  guint32 kind;
  guint32 call; /* callback id, of the driver or the runtime */
  guint64 start, end;
  guint32 process, thread, correlation, result;
} HirCuptiCall;

typedef struct HIR_CUPTI_RECORD
{
  guint32 kind;
  guint32 external_kind;
  guint64 id;
  guint32 correlation;
} HirCuptiExternal;

typedef struct HIR_CUPTI_RECORD
{
  guint32 kind;
  guint32 type;
  guint64 start, end;
  guint32 correlation, context, stream, event;
} HirCuptiSync;

typedef struct HIR_CUPTI_RECORD
{
  HirCuptiSync base;
  guint64 event_sync;
} HirCuptiSync2; /* 12.8 */

typedef struct HIR_CUPTI_RECORD
{
  guint32 kind;
  guint32 correlation, context, stream, event, pad;
} HirCuptiEvent;

typedef struct HIR_CUPTI_RECORD
{
  HirCuptiEvent base;
  guint32 device, pad;
  void *reserved;
  guint64 device_timestamp; /* 0: not collected */
  guint64 event_sync;
} HirCuptiEvent2; /* 12.8 */

typedef struct HIR_CUPTI_RECORD
{
  guint32 kind;
  guint32 overhead;
  guint32 object_kind;
  guint32 object[3]; /* process and thread; or device, context, stream */
  guint64 start, end;
} HirCuptiOverhead;

typedef struct HIR_CUPTI_RECORD
{
  HirCuptiOverhead base;
  guint32 correlation, reserved;
  void *data;        /* nullable; the reader must free() it */
} HirCuptiOverhead3; /* 13.0 */

typedef struct HIR_CUPTI_RECORD
{
  guint32 kind;
  guint32 flags;
  guint64 timestamp;
  guint32 id;
  guint32 object_kind;
  guint32 object[3];
  guint32 pad;
  const char *name; /* NULL at the end of a range */
  const char *domain;
} HirCuptiMarker;

typedef void (*HirCuptiRequest) (uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*HirCuptiComplete) (
    HirCuContext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);
typedef uint64_t (*HirCuptiClock) (void);

/* F (field, symbol, parameters); all functions return HirCuptiResult. */
#define HIR_CUPTI_FUNCTIONS(F)                                                                     \
  F (get_version, cuptiGetVersion, (uint32_t * version))                                           \
  F (get_result_string, cuptiGetResultString, (HirCuptiResult result, const char **text))          \
  F (get_timestamp, cuptiGetTimestamp, (uint64_t * time))                                          \
  F (get_context_id, cuptiGetContextId, (HirCuContext context, uint32_t * id))                     \
  F (get_stream_id, cuptiGetStreamIdEx,                                                            \
     (HirCuContext context, HirCuStream stream, uint8_t per_thread, uint32_t * id))                \
  F (register_callbacks, cuptiActivityRegisterCallbacks,                                           \
     (HirCuptiRequest request, HirCuptiComplete complete))                                         \
  F (register_clock, cuptiActivityRegisterTimestampCallback, (HirCuptiClock clock))                \
  F (set_attribute, cuptiActivitySetAttribute,                                                     \
     (unsigned int attribute, size_t *size, void *value))                                          \
  F (enable, cuptiActivityEnable, (unsigned int kind))                                             \
  F (disable, cuptiActivityDisable, (unsigned int kind))                                           \
  F (flush_all, cuptiActivityFlushAll, (uint32_t flag))                                            \
  F (get_next_record, cuptiActivityGetNextRecord,                                                  \
     (uint8_t * buffer, size_t valid, HirCuptiActivity * *record))                                 \
  F (get_n_dropped, cuptiActivityGetNumDroppedRecords,                                             \
     (HirCuContext context, uint32_t stream, size_t * n))                                          \
  F (push_external, cuptiActivityPushExternalCorrelationId, (unsigned int kind, uint64_t id))      \
  F (pop_external, cuptiActivityPopExternalCorrelationId, (unsigned int kind, uint64_t *last))
/* Optional functions: NULL in the table if the library is too old. */
#define HIR_CUPTI_NEWER_FUNCTIONS(F)                                                               \
  F (enable_driver_call, cuptiActivityEnableDriverApi, (uint32_t call, uint8_t enable))            \
  F (enable_runtime_call, cuptiActivityEnableRuntimeApi, (uint32_t call, uint8_t enable))          \
  F (enable_event_timestamps, cuptiActivityEnableCudaEventDeviceTimestamps, (uint8_t enable))

#define HIR_CUPTI_FIELD(field, symbol, parameters) HirCuptiResult (*field) parameters;
typedef struct
{
  HIR_CUPTI_FUNCTIONS (HIR_CUPTI_FIELD)
  HIR_CUPTI_NEWER_FUNCTIONS (HIR_CUPTI_FIELD)
} HirCuptiApi;
#undef HIR_CUPTI_FIELD

/* Returns TRUE if CUPTI of @api_version writes HirCuptiSync2 and HirCuptiEvent2. */
static inline gboolean
hir_cupti_has_event_sync (guint32 api_version)
{
  return api_version >= 26; /* CUDA 12.8; CUDA 13 has 130000 and above */
}

/* Returns TRUE if CUPTI of @api_version writes HirCuptiOverhead3. */
static inline gboolean
hir_cupti_has_overhead_data (guint32 api_version)
{
  return api_version >= 130000;
}

G_END_DECLS
