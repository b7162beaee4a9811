/* HirMpiWire without MPI, between threads of one process. */
#pragma once

#include "run/mpi/mpi-private.h"

G_BEGIN_DECLS

typedef struct _FakeHub FakeHub;

FakeHub *fake_hub_new (int n);
/* Call after the modules are freed. */
void fake_hub_free (FakeHub *hub);
/* Returns the wire of a rank (borrowed). */
HirMpiWire *fake_hub_get_wire (FakeHub *hub, int rank);
/* Drops all later messages of @rank, as if it hung. */
void fake_hub_silence (FakeHub *hub, int rank, gboolean silent);

/* Creates connected modules of all ranks, or ends them together. Returns TRUE if all ended
 * successfully. */
void fake_hub_start (FakeHub *hub, HirMpiModule **modules);
gboolean fake_hub_stop (FakeHub *hub, HirMpiModule **modules);

G_END_DECLS
