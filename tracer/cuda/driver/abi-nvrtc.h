/* Declarations of the functions that Hirscope calls of NVRTC, the compiler of CUDA C++
 * (libnvrtc.so.12 and .13); see abi-cuda.h. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef unsigned int HirNvrtcResult; /* nvrtcResult; 0: success */
typedef struct _nvrtcProgram *HirNvrtcProgram;

/* F (field, symbol, parameters); all functions return HirNvrtcResult. */
#define HIR_NVRTC_FUNCTIONS(F)                                                                     \
  F (version, nvrtcVersion, (int *major, int *minor))                                              \
  F (create_program, nvrtcCreateProgram,                                                           \
     (HirNvrtcProgram * program, const char *source, const char *name, int n_headers,              \
      const char *const *headers, const char *const *include_names))                               \
  F (destroy_program, nvrtcDestroyProgram, (HirNvrtcProgram * program))                            \
  F (compile_program, nvrtcCompileProgram,                                                         \
     (HirNvrtcProgram program, int n_options, const char *const *options))                         \
  F (get_cubin_size, nvrtcGetCUBINSize, (HirNvrtcProgram program, size_t * bytes))                 \
  F (get_cubin, nvrtcGetCUBIN, (HirNvrtcProgram program, char *cubin))                             \
  F (get_log_size, nvrtcGetProgramLogSize, (HirNvrtcProgram program, size_t * bytes))              \
  F (get_log, nvrtcGetProgramLog, (HirNvrtcProgram program, char *log))

#define HIR_NVRTC_FIELD(field, symbol, parameters) HirNvrtcResult (*field) parameters;
typedef struct
{
  const char *(*get_error_string) (HirNvrtcResult result); /* nvrtcGetErrorString */
  HIR_NVRTC_FUNCTIONS (HIR_NVRTC_FIELD)
} HirNvrtcApi;
#undef HIR_NVRTC_FIELD

G_END_DECLS
