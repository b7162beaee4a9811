/* Fake NVRTC for tests: accepts every source; the compiled kernel is the source itself. */
#include <string.h>

#include "cuda/driver/abi-nvrtc.h"

#define FAKE_EXPORT __attribute__ ((visibility ("default")))
#define DECLARE(field, symbol, parameters) FAKE_EXPORT HirNvrtcResult symbol parameters;
HIR_NVRTC_FUNCTIONS (DECLARE)
#undef DECLARE
FAKE_EXPORT const char *nvrtcGetErrorString (HirNvrtcResult result);

struct _nvrtcProgram
{
  char *source;
};

const char *
nvrtcGetErrorString (HirNvrtcResult result)
{
  return result == 0 ? "NVRTC_SUCCESS" : "NVRTC_ERROR";
}

HirNvrtcResult
nvrtcVersion (int *major, int *minor)
{
  *major = 13;
  *minor = 0;
  return 0;
}

HirNvrtcResult
nvrtcCreateProgram (HirNvrtcProgram *program,
                    const char *source,
                    const char *name,
                    int n_headers,
                    const char *const *headers,
                    const char *const *include_names)
{
  *program = g_new0 (struct _nvrtcProgram, 1);
  (*program)->source = g_strdup (source);
  return 0;
}

HirNvrtcResult
nvrtcDestroyProgram (HirNvrtcProgram *program)
{
  g_free ((*program)->source);
  g_free (*program);
  *program = NULL;
  return 0;
}

HirNvrtcResult
nvrtcCompileProgram (HirNvrtcProgram program, int n_options, const char *const *options)
{
  return 0;
}

HirNvrtcResult
nvrtcGetCUBINSize (HirNvrtcProgram program, size_t *bytes)
{
  *bytes = strlen (program->source) + 1;
  return 0;
}

HirNvrtcResult
nvrtcGetCUBIN (HirNvrtcProgram program, char *cubin)
{
  strcpy (cubin, program->source);
  return 0;
}

HirNvrtcResult
nvrtcGetProgramLogSize (HirNvrtcProgram program, size_t *bytes)
{
  *bytes = 1;
  return 0;
}

HirNvrtcResult
nvrtcGetProgramLog (HirNvrtcProgram program, char *log)
{
  *log = '\0';
  return 0;
}
