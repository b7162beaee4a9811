#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Says how to repeat the input that is tried next, one line, and starts its limit: @cpu_seconds of
 * CPU time, ten times as much by the clock. If the process crashes or the limit ends, the line is
 * printed and the exit status is 2. */
void fuzz_input_begin (guint cpu_seconds, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Ends the limit. Optional before the next fuzz_input_begin(). */
void fuzz_input_end (void);
/* Returns the line of the last fuzz_input_begin(). */
const char *fuzz_input_get_name (void);

/* Returns a number from 0 to @n - 1. @n is at least 1. */
guint fuzz_below (GRand *rand, guint n);

G_END_DECLS
