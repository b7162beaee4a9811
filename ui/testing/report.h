/* Reports the visible state of the window to tests that use a real keyboard and pointer. */
#pragma once

#include "trace/json-out.h"
#include "window/window-private.h"

G_BEGIN_DECLS

/**
 * hir_report_attach:
 * @window: the window
 *
 * Appends reports to the file named by HIRSCOPE_REPORT, followed by ".2" for a second window: one
 * JSON object per line, written after each frame in which something has changed. Does nothing if
 * the variable is not set. A report contains:
 * - step, selection and state of runs
 * - visible controls and lines of text with their positions
 * - positions of all bars and graph nodes, in pixels of the X window
 * - "stall_ms", the longest time since the previous report in which the main loop was blocked, and
 *   "stall_cpu_ms", the same in CPU time, which other load of the machine does not affect
 * - "frames", milliseconds of the main thread for each frame since the previous report, from the
 *   handling of input to the end of drawing: by the clock and CPU time in turn
 * - "rest", the last number that was written to the named pipe with the suffix ".ask", in a report
 *   written when the window is idle
 */
void hir_report_attach (HirWindow *window);

/* Adds tracks, minimap, bars and account of the timeline. */
void hir_report_add_timeline (HirJsonOut *json, HirWindow *window);

/* Adds "related", the ids of the highlighted instructions, and "bars", the bars of @view, which
 * displays @trace (nullable), in pixels of its window. */
void hir_report_add_bars (HirJsonOut *json, HirTimelineView *view, HirTrace *trace);

/* Adds "graph" and "diff". */
void hir_report_add_graph (HirJsonOut *json, HirWindow *window);

/* Adds the highlighted bars of two unordered instances, or null, and the note on them. */
void hir_report_add_lit (HirJsonOut *json, HirWindow *window);

/* Adds "events", the events table; the first of its rows is the head. */
void hir_report_add_events (HirJsonOut *json, HirWindow *window);

/* Adds "debug", the debugger panel. */
void hir_report_add_debug (HirJsonOut *json, HirWindow *window);

/* Adds the displayed comparison of two traces, or null. */
void hir_report_add_compare (HirJsonOut *json, HirWindow *window);

G_END_DECLS
