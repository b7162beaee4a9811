/* Clock offsets of the ranks of a launcher, relative to rank 0. */
#pragma once

#include "record/clock-fit.h"
#include "run/mpi/mpi-module.h"

G_BEGIN_DECLS

/* Measures round trips between rank 0 and each rank on another machine. Call on all ranks together
 * while nothing else runs; takes some milliseconds per rank. On rank 0, @offsets gets one entry per
 * rank; ranks on the same machine have offset 0. On other ranks it is undefined. Sets HIR_ERROR_RUN
 * if a rank does not answer. */
gboolean hir_mpi_clock_measure (HirMpiModule *mpi, HirClockOffset *offsets, GError **error);
/* Converts hir_clock_now_ns() to the measured clock. They are the same, except in a test. */
gint64 hir_mpi_clock_at_ns (HirMpiModule *mpi, gint64 now_ns);

G_END_DECLS
