#include "trace/chrome/chrome-devices.h"

#include <string.h>

/* Processes that are devices, in traces without Kineto's categories: names as globs, and the
 * threads that carry its work. XLA repeats the work of GPUs by module and by op, but that of TPUs
 * has no streams; Ascend's communication operators have a process of their own, with their steps on
 * planes. */
static const struct
{
  const char *process, *thread;
} devices[] = {
  { "/device:GPU:*", "Stream*" },
  { "/device:GPU:*/stream:all*", "" }, /* TensorFlow's timeline */
  { "/device:TPU:*", "XLA Ops*" },
  { "/device:TPU:*", "Async XLA Ops*" },
  { "/device:CUSTOM:*", "Stream*" },
  { "/device:CUSTOM:*", "XLA Ops*" },
  { "Ascend Hardware*", "*" },
  { "Task Scheduler*", "Stream*" }, /* before CANN 7 */
  { "HCCL", "Group*" },
  { "HCCL", "Communication OP*" },
  { "Communication", "Group*" },
  { "GPU?", "*" }, /* rocprof */
  { "GPU??", "*" },
  { "COPY", "*" },
  { "Intel(R)*Graphics*", "*" }, /* Intel's tools name the device itself */
  { "Intel(R)*GPU*", "*" },
  { "XPU*", "*" },
  { "*Level Zero*Device*", "*" },
  { "*DEVICE<*", "*" },       /* unitrace, with the host and the address on the bus */
  { "*", "COMPUTE *QUEUE*" }, /* rocprofv3: the thread names the device */
  { "*", "COPY to *" },
  { "*", "HIP Activity Device*" }, /* ROCm Systems Profiler */
};

gboolean
hir_chrome_device_is_unnumbered (const char *process)
{
  return strstr (process, "DEVICE<") != NULL;
}

/* Returns the number in the name of a device, or 0: "GPU1", "/device:GPU:1 (H100)",
 * "HIP Activity Device 1, Queue 0". */
static int
get_device_number (const char *process, const char *thread)
{
  const char *p = g_str_has_prefix (process, "/device:") ? strchr (process + 8, ':') : NULL;

  if (hir_chrome_device_is_unnumbered (process))
    return -1;
  if (p != NULL)
    return (int) CLAMP (g_ascii_strtoll (p + 1, NULL, 10), 0, G_MAXINT);
  if (g_str_has_prefix (thread, "COMPUTE ") || g_str_has_prefix (thread, "COPY to ") ||
      g_str_has_prefix (thread, "HIP Activity Device"))
    p = strpbrk (thread, "0123456789");
  else
    for (p = process + strlen (process); p > process && g_ascii_isdigit (p[-1]);)
      p--;
  return p != NULL ? (int) CLAMP (g_ascii_strtoll (p, NULL, 10), 0, G_MAXINT) : 0;
}

/* Returns the number in the name of a stream ("Stream #13(Compute)"), or @other. */
static gint64
get_stream_number (const char *thread, gint64 other)
{
  const char *p = g_str_has_prefix (thread, "Stream") ? strpbrk (thread, "0123456789") : NULL;

  return p != NULL ? g_ascii_strtoll (p, NULL, 10) : other;
}

gboolean
hir_chrome_device_find (
    const char *process, const char *thread, gint64 tid, int *device, gint64 *stream)
{
  for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
    if (g_pattern_match_simple (devices[i].process, process) &&
        g_pattern_match_simple (devices[i].thread, thread))
      {
        *device = get_device_number (process, thread);
        *stream = get_stream_number (thread, tid);
        return TRUE;
      }
  return FALSE;
}
