#include "cuda/comm/comm-ipc.h"

typedef struct
{
  guint64 number;
  int rank;
} Key;

struct _HirCommIpc
{
  HirCudaDevice *device;
  GHashTable *lent;     /* set of HirCudaShare*, each a reference */
  GHashTable *borrowed; /* Key* -> HirCuAddress* */
};

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;

  return (guint) key->number * 31 + (guint) key->rank;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const Key *first = a, *second = b;

  return first->number == second->number && first->rank == second->rank;
}

HirCommIpc *
hir_comm_ipc_new (HirCudaDevice *device)
{
  HirCommIpc *loans = g_new0 (HirCommIpc, 1);

  loans->device = hir_cuda_device_ref (device);
  loans->lent = g_hash_table_new (NULL, NULL);
  loans->borrowed = g_hash_table_new_full (key_hash, key_equal, g_free, g_free);
  return loans;
}

void
hir_comm_ipc_export (HirCommIpc *loans, HirCudaShare *share)
{
  if (g_hash_table_add (loans->lent, share))
    hir_cuda_share_ref (share);
}

gboolean
hir_comm_ipc_import (HirCommIpc *loans,
                     int rank,
                     guint64 number,
                     const HirCuIpcMem *handle,
                     HirCuAddress *base,
                     GError **error)
{
  Key key = { number, rank };
  const HirCuAddress *known = g_hash_table_lookup (loans->borrowed, &key);

  if (known != NULL)
    {
      *base = *known;
      return TRUE;
    }
  if (!hir_cu_check (loans->device->libs,
                     loans->device->libs->cuda.ipc_open_mem_handle (base, *handle,
                                                                    HIR_CU_IPC_LAZY_PEER_ACCESS),
                     error,
                     "opening memory of rank %d on GPU %d (if the GPUs cannot access each other's "
                     "memory, use --comm nccl)",
                     rank, loans->device->ordinal))
    return FALSE;
  g_hash_table_insert (loans->borrowed, g_memdup2 (&key, sizeof key),
                       g_memdup2 (base, sizeof *base));
  return TRUE;
}

void
hir_comm_ipc_close_imports (HirCommIpc *loans)
{
  GHashTableIter iter;
  HirCuAddress *base;

  if (hir_cuda_device_make_current (loans->device, NULL))
    {
      g_hash_table_iter_init (&iter, loans->borrowed);
      while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &base))
        (void) loans->device->libs->cuda.ipc_close_mem_handle (*base);
    }
  g_hash_table_remove_all (loans->borrowed);
}

void
hir_comm_ipc_free (HirCommIpc *loans, gboolean all_returned)
{
  GHashTableIter iter;
  gpointer share;

  g_hash_table_iter_init (&iter, loans->lent);
  while (all_returned && g_hash_table_iter_next (&iter, &share, NULL))
    hir_cuda_share_unref (share);
  g_hash_table_unref (loans->lent);
  g_hash_table_unref (loans->borrowed);
  hir_cuda_device_unref (loans->device);
  g_free (loans);
}
