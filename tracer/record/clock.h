/* The clock of a recording. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Nanoseconds of CLOCK_MONOTONIC: never goes back, the same in every thread and process of a
 * machine, its zero is the boot. */
gint64
hir_clock_now_ns (void);

G_END_DECLS
