/* Clocks of the ranks of a launcher, in terms of rank 0's. */
#pragma once

#include "record/clock-fit.h"
#include "run/mpi/mpi-module.h"

G_BEGIN_DECLS

/* Round trips between rank 0 and each rank on another machine. All ranks call it together, while
 * nothing else goes on; it takes some milliseconds a rank. @offsets: on rank 0 one entry a rank;
 * those on its own machine are 0 without error. Of no meaning on the others. Errors: HIR_ERROR_RUN
 * where a rank does not answer. */
gboolean hir_mpi_clock_measure (HirMpiModule *mpi, HirClockOffset *offsets, GError **error);
/* What the measured clock shows when hir_clock_now_ns() shows @now_ns: the same, but for a test. */
gint64 hir_mpi_clock_at_ns (HirMpiModule *mpi, gint64 now_ns);

G_END_DECLS
