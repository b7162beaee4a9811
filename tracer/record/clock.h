/* The clock of recordings. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the time of CLOCK_MONOTONIC. It is common to all threads and processes of a machine. */
gint64 hir_clock_now_ns (void);

G_END_DECLS
