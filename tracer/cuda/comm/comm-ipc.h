/* Exchange of GPU memory between processes with CUDA IPC. An imported allocation stays open,
 * because its owner reuses it. Use on the host thread. */
#pragma once

#include "cuda/driver/share.h"

G_BEGIN_DECLS

typedef struct _HirCommIpc HirCommIpc;

/* Creates the exports and imports of @device, which is referenced. */
HirCommIpc *hir_comm_ipc_new (HirCudaDevice *device);
/* Keeps a reference to @share, so that other processes may open it. */
void hir_comm_ipc_export (HirCommIpc *loans, HirCudaShare *share);
/* Gets the address in this process of allocation @number of rank @rank, with IPC handle @handle.
 * Returns FALSE and sets HIR_ERROR_RUN if the GPUs cannot access each other's memory. */
gboolean hir_comm_ipc_import (HirCommIpc *loans,
                              int rank,
                              guint64 number,
                              const HirCuIpcMem *handle,
                              HirCuAddress *base,
                              GError **error);
/* Closes all imported memory. The device must be idle. */
void hir_comm_ipc_close_imports (HirCommIpc *loans);
/* Frees @loans. If @all_returned, the other processes have closed the exported memory, and it is
 * released. Otherwise it stays allocated until the process ends. */
void hir_comm_ipc_free (HirCommIpc *loans, gboolean all_returned);

G_END_DECLS
