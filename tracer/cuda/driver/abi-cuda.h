/* Declarations of the CUDA driver functions that Hirscope calls (libcuda.so.1). No vendor header is
 * needed, so that every machine builds the whole program. tests/tracer/cuda/driver/test-abi-cuda.c
 * compares them with the vendor's header if it is installed. Struct tags are those of the vendor,
 * so that types can be compared. Fields of the function table have the vendor's names without
 * prefix and version. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef unsigned int HirCuResult; /* CUresult; 0: success */
typedef int HirCuDevice;
typedef unsigned long long HirCuAddress; /* CUdeviceptr */
typedef struct CUctx_st *HirCuContext;
typedef struct CUstream_st *HirCuStream;
typedef struct CUevent_st *HirCuEvent;
typedef struct CUmod_st *HirCuModule;
typedef struct CUfunc_st *HirCuFunction;

#define HIR_CU_SUCCESS 0u
#define HIR_CU_ERROR_OUT_OF_MEMORY 2u
#define HIR_CU_ERROR_DEINITIALIZED 4u
#define HIR_CU_ERROR_NO_DEVICE 100u
#define HIR_CU_ERROR_INVALID_IMAGE 200u
#define HIR_CU_ERROR_NOT_READY 600u
#define HIR_CU_ERROR_PEER_ACCESS_ALREADY_ENABLED 704u

#define HIR_CU_STREAM_NON_BLOCKING 1u
#define HIR_CU_EVENT_DISABLE_TIMING 2u
/* Flags of cuMemHostRegister(), stream memory operations and cuIpcOpenMemHandle(). */
#define HIR_CU_REGISTER_PORTABLE 1u
#define HIR_CU_REGISTER_DEVICEMAP 2u
#define HIR_CU_WAIT_VALUE_GEQ 0u
#define HIR_CU_WRITE_VALUE_DEFAULT 0u
#define HIR_CU_IPC_LAZY_PEER_ACCESS 1u

/* CUdevice_attribute */
#define HIR_CU_ATTRIBUTE_SM_COUNT 16u
#define HIR_CU_ATTRIBUTE_CC_MAJOR 75u
#define HIR_CU_ATTRIBUTE_CC_MINOR 76u
#define HIR_CU_ATTRIBUTE_PCI_BUS_ID 33u
#define HIR_CU_ATTRIBUTE_PCI_DEVICE_ID 34u

typedef struct CUipcMemHandle_st HirCuIpcMem;
#define HIR_CU_IPC_HANDLE_BYTES 64
#ifndef HIR_CU_REAL_HEADER
struct CUipcMemHandle_st
{
  char reserved[HIR_CU_IPC_HANDLE_BYTES];
};
#endif

/* F (field, symbol, parameters); all functions return HirCuResult. */
#define HIR_CU_FUNCTIONS(F)                                                                        \
  F (init, cuInit, (unsigned int flags))                                                           \
  F (driver_get_version, cuDriverGetVersion, (int *version))                                       \
  F (get_error_name, cuGetErrorName, (HirCuResult result, const char **name))                      \
  F (get_error_string, cuGetErrorString, (HirCuResult result, const char **text))                  \
  F (device_get_count, cuDeviceGetCount, (int *count))                                             \
  F (device_get, cuDeviceGet, (HirCuDevice * device, int ordinal))                                 \
  F (device_get_name, cuDeviceGetName, (char *name, int length, HirCuDevice device))               \
  F (device_get_attribute, cuDeviceGetAttribute,                                                   \
     (int *value, unsigned int attribute, HirCuDevice device))                                     \
  F (device_can_access_peer, cuDeviceCanAccessPeer,                                                \
     (int *can, HirCuDevice device, HirCuDevice peer))                                             \
  F (primary_ctx_retain, cuDevicePrimaryCtxRetain, (HirCuContext * context, HirCuDevice device))   \
  F (primary_ctx_release, cuDevicePrimaryCtxRelease_v2, (HirCuDevice device))                      \
  F (ctx_set_current, cuCtxSetCurrent, (HirCuContext context))                                     \
  F (ctx_get_current, cuCtxGetCurrent, (HirCuContext * context))                                   \
  F (ctx_synchronize, cuCtxSynchronize, (void) )                                                   \
  F (ctx_get_stream_priority_range, cuCtxGetStreamPriorityRange, (int *least, int *greatest))      \
  F (ctx_enable_peer_access, cuCtxEnablePeerAccess, (HirCuContext peer, unsigned int flags))       \
  F (mem_get_info, cuMemGetInfo_v2, (size_t * free_bytes, size_t * total_bytes))                   \
  F (mem_alloc, cuMemAlloc_v2, (HirCuAddress * address, size_t bytes))                             \
  F (mem_free, cuMemFree_v2, (HirCuAddress address))                                               \
  F (mem_host_alloc, cuMemHostAlloc, (void **address, size_t bytes, unsigned int flags))           \
  F (mem_free_host, cuMemFreeHost, (void *address))                                                \
  F (mem_host_register, cuMemHostRegister_v2, (void *address, size_t bytes, unsigned int flags))   \
  F (mem_host_unregister, cuMemHostUnregister, (void *address))                                    \
  F (mem_host_get_device_pointer, cuMemHostGetDevicePointer_v2,                                    \
     (HirCuAddress * address, void *host, unsigned int flags))                                     \
  F (memcpy_htod, cuMemcpyHtoD_v2, (HirCuAddress to, const void *from, size_t bytes))              \
  F (memcpy_dtoh, cuMemcpyDtoH_v2, (void *to, HirCuAddress from, size_t bytes))                    \
  F (memcpy_async, cuMemcpyAsync,                                                                  \
     (HirCuAddress to, HirCuAddress from, size_t bytes, HirCuStream stream))                       \
  F (memcpy_peer_async, cuMemcpyPeerAsync,                                                         \
     (HirCuAddress to, HirCuContext to_context, HirCuAddress from, HirCuContext from_context,      \
      size_t bytes, HirCuStream stream))                                                           \
  F (memset_d8_async, cuMemsetD8Async,                                                             \
     (HirCuAddress to, unsigned char byte, size_t count, HirCuStream stream))                      \
  F (stream_create_with_priority, cuStreamCreateWithPriority,                                      \
     (HirCuStream * stream, unsigned int flags, int priority))                                     \
  F (stream_destroy, cuStreamDestroy_v2, (HirCuStream stream))                                     \
  F (stream_query, cuStreamQuery, (HirCuStream stream))                                            \
  F (stream_synchronize, cuStreamSynchronize, (HirCuStream stream))                                \
  F (stream_wait_event, cuStreamWaitEvent,                                                         \
     (HirCuStream stream, HirCuEvent event, unsigned int flags))                                   \
  F (stream_wait_value32, cuStreamWaitValue32_v2,                                                  \
     (HirCuStream stream, HirCuAddress address, guint32 value, unsigned int flags))                \
  F (stream_write_value32, cuStreamWriteValue32_v2,                                                \
     (HirCuStream stream, HirCuAddress address, guint32 value, unsigned int flags))                \
  F (event_create, cuEventCreate, (HirCuEvent * event, unsigned int flags))                        \
  F (event_destroy, cuEventDestroy_v2, (HirCuEvent event))                                         \
  F (event_record, cuEventRecord, (HirCuEvent event, HirCuStream stream))                          \
  F (event_query, cuEventQuery, (HirCuEvent event))                                                \
  F (event_synchronize, cuEventSynchronize, (HirCuEvent event))                                    \
  F (module_load_data, cuModuleLoadData, (HirCuModule * module, const void *image))                \
  F (module_unload, cuModuleUnload, (HirCuModule module))                                          \
  F (module_get_function, cuModuleGetFunction,                                                     \
     (HirCuFunction * function, HirCuModule module, const char *name))                             \
  F (launch_kernel, cuLaunchKernel,                                                                \
     (HirCuFunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,       \
      unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, \
      HirCuStream stream, void **parameters, void **extra))                                        \
  F (ipc_get_mem_handle, cuIpcGetMemHandle, (HirCuIpcMem * handle, HirCuAddress address))          \
  F (ipc_open_mem_handle, cuIpcOpenMemHandle_v2,                                                   \
     (HirCuAddress * address, HirCuIpcMem handle, unsigned int flags))                             \
  F (ipc_close_mem_handle, cuIpcCloseMemHandle, (HirCuAddress address))

#define HIR_CU_FIELD(field, symbol, parameters) HirCuResult (*field) parameters;
typedef struct
{
  HIR_CU_FUNCTIONS (HIR_CU_FIELD)
} HirCudaApi;
#undef HIR_CU_FIELD

G_END_DECLS
