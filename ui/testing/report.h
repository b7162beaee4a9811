/* Reports the visible state of the window to tests that use a real keyboard and pointer. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/**
 * hir_report_attach:
 * @window: the window
 *
 * Appends reports to the file named by HIRSCOPE_REPORT: one JSON object per line, written after
 * each frame in which something has changed. Does nothing if the variable is not set. A report
 * contains:
 * - step, selection and state of runs
 * - visible controls and lines of text with their positions
 * - positions of all bars and graph nodes, in pixels of the X window
 * - "stall_ms", the longest time since the previous report in which the main loop was blocked, and
 *   "stall_cpu_ms", the same in CPU time, which other load of the machine does not affect
 * - "rest", the last number that was written to the named pipe with the suffix ".ask", in a report
 *   written when the window is idle
 */
void hir_report_attach (HirWindow *window);

/* Appends tracks, minimap and account of the timeline. */
void hir_report_append_timeline (GString *out, HirWindow *window);

/* Appends the highlighted bars of two unordered instances, or null, and the note on them. */
void hir_report_append_lit (GString *out, HirWindow *window);

/* Appends "debug", the debugger panel. */
void hir_report_append_debug (GString *out, HirWindow *window);

/* Appends the displayed comparison of two traces, or null. */
void hir_report_append_compare (GString *out, HirWindow *window);

G_END_DECLS
