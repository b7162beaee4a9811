/* Recognizes devices by the names of processes and threads, in traces without Kineto's categories:
 * JAX and XLA, TensorFlow, rocprof, Ascend, and Intel's tools. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * hir_chrome_device_find:
 * @process: name of the process; empty if unknown
 * @thread: name of the thread; empty if unknown
 * @tid: number of the stream if the name of the thread has none
 * @device: (out): number of the device, or -1 if its name has none
 * @stream: (out): number of the stream
 *
 * Returns: whether the thread carries the work of a device
 */
gboolean hir_chrome_device_find (
    const char *process, const char *thread, gint64 tid, int *device, gint64 *stream);

/* Returns whether @process names a device without a number, by an address that sorts like it. */
gboolean hir_chrome_device_is_unnumbered (const char *process);

G_END_DECLS
