/* Tests the declarations of CUPTI against the vendor's headers, mostly at compile time. */
#include <glib.h>

#ifdef HAVE_CUPTI_HEADERS
#define HIR_CU_REAL_HEADER
#include <cupti.h>

#include "cuda/driver/abi-cupti.h"

#define SAME(a, b) G_STATIC_ASSERT ((unsigned long long) (a) == (unsigned long long) (b))
#define FIELD(ours, field, theirs, other)                                                          \
  G_STATIC_ASSERT (offsetof (ours, field) == offsetof (theirs, other) &&                           \
                   sizeof (((ours *) 0)->field) == sizeof (((theirs *) 0)->other))
#define FUNCTION(field, symbol, parameters)                                                        \
  G_STATIC_ASSERT (__builtin_types_compatible_p (__typeof__ (&symbol),                             \
                                                 __typeof__ (((HirCuptiApi *) 0)->field)));

HIR_CUPTI_FUNCTIONS (FUNCTION)
HIR_CUPTI_NEWER_FUNCTIONS (FUNCTION)

#define CALL(id, name, constant) SAME (id, constant);
HIR_CUPTI_DRIVER_CALLS (CALL)
HIR_CUPTI_RUNTIME_CALLS (CALL)

SAME (HIR_CUPTI_SUCCESS, CUPTI_SUCCESS);
SAME (HIR_CUPTI_ERROR_MAX_LIMIT_REACHED, CUPTI_ERROR_MAX_LIMIT_REACHED);
SAME (HIR_CUPTI_ERROR_INVALID_KIND, CUPTI_ERROR_INVALID_KIND);
SAME (HIR_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
SAME (HIR_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
SAME (HIR_CUPTI_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
SAME (HIR_CUPTI_KIND_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
SAME (HIR_CUPTI_KIND_DRIVER, CUPTI_ACTIVITY_KIND_DRIVER);
SAME (HIR_CUPTI_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_RUNTIME);
SAME (HIR_CUPTI_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME (HIR_CUPTI_KIND_MARKER, CUPTI_ACTIVITY_KIND_MARKER);
SAME (HIR_CUPTI_KIND_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD);
SAME (HIR_CUPTI_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMCPY2);
SAME (HIR_CUPTI_KIND_CUDA_EVENT, CUPTI_ACTIVITY_KIND_CUDA_EVENT);
SAME (HIR_CUPTI_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
SAME (HIR_CUPTI_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
SAME (HIR_CUPTI_KIND_INTERNAL_LAUNCH_API, CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API);
SAME (HIR_CUPTI_ATTRIBUTE_ZEROED_OUT_BUFFER, CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER);
SAME (HIR_CUPTI_ATTRIBUTE_DEVICE_BUFFER_PRE_ALLOCATE,
      CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE);
SAME (HIR_CUPTI_EXTERNAL_CUSTOM0, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0);
SAME (HIR_CUPTI_COPY_PEER, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
SAME (HIR_CUPTI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
SAME (HIR_CUPTI_MARKER_INSTANTANEOUS, CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS);
SAME (HIR_CUPTI_MARKER_START, CUPTI_ACTIVITY_FLAG_MARKER_START);
SAME (HIR_CUPTI_MARKER_END, CUPTI_ACTIVITY_FLAG_MARKER_END);
SAME (HIR_CUPTI_OBJECT_THREAD, CUPTI_ACTIVITY_OBJECT_THREAD);
SAME (HIR_CUPTI_SYNC_EVENT, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE);
SAME (HIR_CUPTI_SYNC_STREAM_WAIT, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT);
SAME (HIR_CUPTI_SYNC_STREAM, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE);
SAME (HIR_CUPTI_SYNC_CONTEXT, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE);
SAME (HIR_CUPTI_OVERHEAD_COMPILER, CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER);
SAME (HIR_CUPTI_OVERHEAD_BUFFER_FLUSH, CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH);
SAME (HIR_CUPTI_OVERHEAD_INSTRUMENTATION, CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION);
SAME (HIR_CUPTI_OVERHEAD_RESOURCE, CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE);
SAME (HIR_CUPTI_OVERHEAD_MODULE_LOADING, CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING);
SAME (HIR_CUPTI_OVERHEAD_FUNCTION_LOADING, CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING);
SAME (HIR_CUPTI_OVERHEAD_COMMAND_BUFFER_FULL, CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL);
SAME (HIR_CUPTI_OVERHEAD_BUFFER_REQUEST, CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST);
SAME (HIR_CUPTI_OVERHEAD_UVM_INIT, CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT);

/* Checked for each version of a record that CUPTI 12 or 13 writes. */
#define KERNEL(theirs)                                                                             \
  FIELD (HirCuptiKernel, start, theirs, start);                                                    \
  FIELD (HirCuptiKernel, end, theirs, end);                                                        \
  FIELD (HirCuptiKernel, device, theirs, deviceId);                                                \
  FIELD (HirCuptiKernel, context, theirs, contextId);                                              \
  FIELD (HirCuptiKernel, stream, theirs, streamId);                                                \
  FIELD (HirCuptiKernel, correlation, theirs, correlationId);                                      \
  FIELD (HirCuptiKernel, grid[0], theirs, gridX);                                                  \
  FIELD (HirCuptiKernel, block[2], theirs, blockZ);                                                \
  FIELD (HirCuptiKernel, grid_id, theirs, gridId);                                                 \
  FIELD (HirCuptiKernel, name, theirs, name)
KERNEL (CUpti_ActivityKernel10);
KERNEL (CUpti_ActivityKernel9);
KERNEL (CUpti_ActivityKernel8);

#define COPY(ours, theirs)                                                                         \
  FIELD (ours, copy_kind, theirs, copyKind);                                                       \
  FIELD (ours, bytes, theirs, bytes);                                                              \
  FIELD (ours, start, theirs, start);                                                              \
  FIELD (ours, end, theirs, end);                                                                  \
  FIELD (ours, device, theirs, deviceId);                                                          \
  FIELD (ours, context, theirs, contextId);                                                        \
  FIELD (ours, stream, theirs, streamId);                                                          \
  FIELD (ours, correlation, theirs, correlationId)
COPY (HirCuptiMemcpy, CUpti_ActivityMemcpy6);
COPY (HirCuptiMemcpy, CUpti_ActivityMemcpy5);
COPY (HirCuptiMemcpy2, CUpti_ActivityMemcpyPtoP4);
FIELD (HirCuptiMemcpy2, source_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
FIELD (HirCuptiMemcpy2, destination_device, CUpti_ActivityMemcpyPtoP4, dstDeviceId);
FIELD (HirCuptiMemset, bytes, CUpti_ActivityMemset4, bytes);
FIELD (HirCuptiMemset, start, CUpti_ActivityMemset4, start);
FIELD (HirCuptiMemset, end, CUpti_ActivityMemset4, end);
FIELD (HirCuptiMemset, device, CUpti_ActivityMemset4, deviceId);
FIELD (HirCuptiMemset, context, CUpti_ActivityMemset4, contextId);
FIELD (HirCuptiMemset, stream, CUpti_ActivityMemset4, streamId);
FIELD (HirCuptiMemset, correlation, CUpti_ActivityMemset4, correlationId);
FIELD (HirCuptiCall, call, CUpti_ActivityAPI, cbid);
FIELD (HirCuptiCall, start, CUpti_ActivityAPI, start);
FIELD (HirCuptiCall, end, CUpti_ActivityAPI, end);
FIELD (HirCuptiCall, thread, CUpti_ActivityAPI, threadId);
FIELD (HirCuptiCall, correlation, CUpti_ActivityAPI, correlationId);
FIELD (HirCuptiExternal, external_kind, CUpti_ActivityExternalCorrelation, externalKind);
FIELD (HirCuptiExternal, id, CUpti_ActivityExternalCorrelation, externalId);
FIELD (HirCuptiExternal, correlation, CUpti_ActivityExternalCorrelation, correlationId);
#define SYNC(ours, theirs)                                                                         \
  FIELD (ours, type, theirs, type);                                                                \
  FIELD (ours, start, theirs, start);                                                              \
  FIELD (ours, end, theirs, end);                                                                  \
  FIELD (ours, correlation, theirs, correlationId);                                                \
  FIELD (ours, context, theirs, contextId);                                                        \
  FIELD (ours, stream, theirs, streamId);                                                          \
  FIELD (ours, event, theirs, cudaEventId)
SYNC (HirCuptiSync, CUpti_ActivitySynchronization);
SYNC (HirCuptiSync, CUpti_ActivitySynchronization2);
FIELD (HirCuptiSync2, event_sync, CUpti_ActivitySynchronization2, cudaEventSyncId);
#define EVENT(ours, theirs)                                                                        \
  FIELD (ours, correlation, theirs, correlationId);                                                \
  FIELD (ours, context, theirs, contextId);                                                        \
  FIELD (ours, stream, theirs, streamId);                                                          \
  FIELD (ours, event, theirs, eventId)
EVENT (HirCuptiEvent, CUpti_ActivityCudaEvent);
EVENT (HirCuptiEvent, CUpti_ActivityCudaEvent2);
FIELD (HirCuptiEvent2, device, CUpti_ActivityCudaEvent2, deviceId);
FIELD (HirCuptiEvent2, device_timestamp, CUpti_ActivityCudaEvent2, deviceTimestamp);
FIELD (HirCuptiEvent2, event_sync, CUpti_ActivityCudaEvent2, cudaEventSyncId);
#define OVERHEAD(theirs)                                                                           \
  FIELD (HirCuptiOverhead, overhead, theirs, overheadKind);                                        \
  FIELD (HirCuptiOverhead, object_kind, theirs, objectKind);                                       \
  FIELD (HirCuptiOverhead, object, theirs, objectId);                                              \
  FIELD (HirCuptiOverhead, start, theirs, start);                                                  \
  FIELD (HirCuptiOverhead, end, theirs, end)
OVERHEAD (CUpti_ActivityOverhead);
OVERHEAD (CUpti_ActivityOverhead2);
OVERHEAD (CUpti_ActivityOverhead3);
FIELD (HirCuptiOverhead3, data, CUpti_ActivityOverhead3, overheadData);
FIELD (HirCuptiMarker, flags, CUpti_ActivityMarker2, flags);
FIELD (HirCuptiMarker, timestamp, CUpti_ActivityMarker2, timestamp);
FIELD (HirCuptiMarker, id, CUpti_ActivityMarker2, id);
FIELD (HirCuptiMarker, object, CUpti_ActivityMarker2, objectId);
FIELD (HirCuptiMarker, name, CUpti_ActivityMarker2, name);
FIELD (HirCuptiMarker, domain, CUpti_ActivityMarker2, domain);

static void
test_compiled (void)
{
  g_test_message ("compared with CUPTI %u", (guint) CUPTI_API_VERSION);
  g_assert_true (hir_cupti_has_event_sync (CUPTI_API_VERSION));
  g_assert_false (hir_cupti_has_event_sync (24));
}
#else
static void
test_compiled (void)
{
  g_test_skip ("the vendor's headers of CUPTI are not installed");
}
#endif

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/abi/cupti", test_compiled);
  return g_test_run ();
}
