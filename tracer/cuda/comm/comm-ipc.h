/* Memory of GPUs that processes lend each other: an allocation is opened once and stays open, for
 * its owner uses it again. Host thread. */
#pragma once

#include "cuda/driver/share.h"

G_BEGIN_DECLS

typedef struct _HirCommIpc HirCommIpc;

/* Opens memory for @device, which is referenced. */
HirCommIpc *hir_comm_ipc_new (HirCudaDevice *device);
/* Others may open @share from now on: it is held. */
void hir_comm_ipc_export (HirCommIpc *loans, HirCudaShare *share);
/* Where this process sees allocation @number of rank @rank, which has @handle. HIR_ERROR_RUN where
 * the GPUs can't see each other's memory. */
gboolean hir_comm_ipc_import (HirCommIpc *loans,
                              int rank,
                              guint64 number,
                              const HirCuIpcMem *handle,
                              HirCuAddress *base,
                              GError **error);
/* Closes what was borrowed; the device must be idle. */
void hir_comm_ipc_close_imports (HirCommIpc *loans);
/* @all_returned: the others have closed what was lent, so that it may be freed; else it stays until
 * the process ends. */
void hir_comm_ipc_free (HirCommIpc *loans, gboolean all_returned);

G_END_DECLS
