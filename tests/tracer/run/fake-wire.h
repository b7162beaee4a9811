/* HirMpiWire without MPI: ranks are threads of one process. */
#pragma once

#include "run/mpi/mpi-private.h"

G_BEGIN_DECLS

typedef struct _FakeHub FakeHub;

FakeHub *fake_hub_new (int n);
/* After the modules are gone. */
void fake_hub_free (FakeHub *hub);
/* One a rank; borrowed. */
HirMpiWire *fake_hub_get_wire (FakeHub *hub, int rank);
/* From now on what @rank sends is lost: as if it did nothing more. */
void fake_hub_silence (FakeHub *hub, int rank, gboolean silent);

/* Modules of all ranks, which meet; and their end, together. TRUE where all ended well. */
void fake_hub_start (FakeHub *hub, HirMpiModule **modules);
gboolean fake_hub_stop (FakeHub *hub, HirMpiModule **modules);

G_END_DECLS
