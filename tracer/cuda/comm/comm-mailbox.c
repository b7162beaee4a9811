#include "cuda/comm/comm-mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/mpi/mpi-private.h"

/* Maximum number of transfers in progress from one rank to another. Limits how far a host thread
 * can be ahead of the GPUs. */
#define N_SLOTS 256
#define NAME_BYTES 64
/* Added to a turn so that all earlier waits end. */
#define RELEASED 0x3fffffffu

typedef enum
{
  SLOT_FREE,
  SLOT_OFFERED,
  SLOT_TAKEN,
} SlotState;

/* Host fields and GPU counters are in different cache lines. */
typedef struct
{
  gint state; /* atomic, SlotState */
  guint32 turn;
  HirCommOffer offer;
  guint8 gap[128 - 8 - sizeof (HirCommOffer)];
  guint32 ready; /* written by the sender's stream */
  guint32 done;  /* written by the receiver's stream */
  guint8 end[56];
} Slot;
G_STATIC_ASSERT (sizeof (Slot) == 192);

typedef struct
{
  gint left; /* atomic */
  guint8 gap[60];
} Member;

struct _HirCommMailbox
{
  HirMpiModule *mpi;
  int rank, n_ranks;
  gsize bytes;
  guint8 *memory;
  Member *members;
  Slot *slots;           /* N_SLOTS per pair of sender and receiver */
  guint *next;           /* per peer: first slot to try; for sends, then for receives */
  char name[NAME_BYTES]; /* of the shared memory */
  HirCudaDevice *device; /* nullable */
  gint64 device_offset;  /* from host addresses to GPU addresses */
};

static Slot *
get_slots (const HirCommMailbox *board, int from, int to)
{
  return board->slots + (gsize) (from * board->n_ranks + to) * N_SLOTS;
}

static int
create_memory (char *name, gsize bytes)
{
  for (int i = 0; i < 100; i++)
    {
      int file;

      g_snprintf (name, NAME_BYTES, "/hirscope-%d-%08x", (int) getpid (), g_random_int ());
      file = shm_open (name, O_RDWR | O_CREAT | O_EXCL, 0600);
      if (file < 0 && errno == EEXIST)
        continue;
      if (file < 0 || posix_fallocate (file, 0, (off_t) bytes) == 0)
        return file;
      close (file);
      shm_unlink (name);
      errno = ENOSPC;
      return -1;
    }
  return -1;
}

/* Returns NULL and sets errno on failure. */
static guint8 *
map_memory (int file, gsize bytes)
{
  gpointer memory =
      file < 0 ? MAP_FAILED : mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

  return memory == MAP_FAILED ? NULL : memory;
}

/* Opens the memory of the first rank on all ranks. Returns 0 on success, an errno value, or -1 with
 * @error set. */
static int
open_memory (HirCommMailbox *board, GError **error)
{
  int file = board->rank == 0 ? create_memory (board->name, board->bytes) : -1;
  int result = board->rank == 0 && file < 0 ? errno : 0;

  if (result != 0)
    board->name[0] = '\0';
  if (!hir_mpi_module_bcast (board->mpi, "memory for copies", board->name, sizeof board->name, 0,
                             error))
    result = -1;
  else if (board->name[0] == '\0')
    result = result != 0 ? result : ENOENT;
  else
    {
      if (board->rank > 0)
        file = shm_open (board->name, O_RDWR, 0600);
      board->memory = map_memory (file, board->bytes);
      result = board->memory != NULL ? 0 : errno;
    }
  if (file >= 0)
    close (file);
  return result;
}

static gboolean
all_have_opened (HirCommMailbox *board, int mine, GError **error)
{
  g_autofree int *all = g_new0 (int, board->n_ranks);

  if (!hir_mpi_module_allgather (board->mpi, "memory for copies is there", &mine, sizeof mine, all,
                                 error))
    return FALSE;
  for (int i = 0; i < board->n_ranks; i++)
    if (all[i] != 0)
      {
        hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                       "rank %d cannot share memory with the other processes: %s; free space in "
                       "/dev/shm, or use --comm nccl",
                       i, g_strerror (all[i]));
        return FALSE;
      }
  return TRUE;
}

static gboolean
check_machine (HirMpiModule *mpi, GError **error)
{
  for (int i = 0; i < mpi->size; i++)
    if (!hir_mpi_module_is_local (mpi, i))
      {
        hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                       "--comm copy needs all ranks on one machine, but rank %d is not on the "
                       "machine of rank %d; use --comm nccl",
                       i, mpi->rank);
        return FALSE;
      }
  return TRUE;
}

HirCommMailbox *
hir_comm_mailbox_new (HirMpiModule *mpi, GError **error)
{
  HirCommMailbox *board;
  gsize n = (gsize) mpi->size;
  gboolean ok;
  int result;

  if (!check_machine (mpi, error))
    return NULL;
  board = g_new0 (HirCommMailbox, 1);
  board->mpi = mpi;
  board->rank = mpi->rank;
  board->n_ranks = mpi->size;
  board->next = g_new0 (guint, 2 * n);
  board->bytes = (n * sizeof (Member) + n * n * N_SLOTS * sizeof (Slot) + 0xffff) & ~(gsize) 0xffff;
  result = open_memory (board, error);
  ok = result >= 0 && all_have_opened (board, result, error);
  /* Unlinked now, so that no shared memory remains even if the processes are killed. */
  if (board->rank == 0 && board->name[0] != '\0')
    shm_unlink (board->name);
  if (!ok)
    {
      hir_comm_mailbox_free (board);
      return NULL;
    }
  board->members = (Member *) (gpointer) board->memory;
  board->slots = (Slot *) (gpointer) (board->memory + n * sizeof (Member));
  return board;
}

gboolean
hir_comm_mailbox_attach (HirCommMailbox *board, HirCudaDevice *device, GError **error)
{
  const HirCudaApi *cuda = &device->libs->cuda;
  HirCuAddress address = 0;

  if (!hir_cuda_device_make_current (device, error) ||
      !hir_cu_check (device->libs,
                     cuda->mem_host_register (board->memory, board->bytes,
                                              HIR_CU_REGISTER_PORTABLE | HIR_CU_REGISTER_DEVICEMAP),
                     error, "mapping host memory for GPU %d", device->ordinal))
    return FALSE;
  board->device = hir_cuda_device_ref (device);
  if (!hir_cu_check (device->libs, cuda->mem_host_get_device_pointer (&address, board->memory, 0),
                     error, "getting the address of host memory on GPU %d", device->ordinal))
    return FALSE;
  board->device_offset = (gint64) (address - (HirCuAddress) (guintptr) board->memory);
  return TRUE;
}

void
hir_comm_mailbox_free (HirCommMailbox *board)
{
  if (board->device != NULL)
    {
      if (hir_cuda_device_make_current (board->device, NULL))
        (void) board->device->libs->cuda.mem_host_unregister (board->memory);
      hir_cuda_device_unref (board->device);
    }
  if (board->memory != NULL)
    munmap (board->memory, board->bytes);
  g_free (board->next);
  g_free (board);
}

static void
fill_flags (const HirCommMailbox *board, Slot *slot, HirCommFlags *flags)
{
  flags->ready = (HirCuAddress) ((gint64) (guintptr) &slot->ready + board->device_offset);
  flags->done = (HirCuAddress) ((gint64) (guintptr) &slot->done + board->device_offset);
  flags->turn = slot->turn;
}

/* Returns TRUE if both GPUs have finished with @slot. */
static gboolean
is_over (Slot *slot)
{
  switch (g_atomic_int_get (&slot->state))
    {
    case SLOT_FREE:
      return TRUE;
    case SLOT_TAKEN:
      return (gint32) (__atomic_load_n (&slot->done, __ATOMIC_ACQUIRE) - slot->turn) >= 0;
    default:
      return FALSE;
    }
}

gboolean
hir_comm_mailbox_begin (HirCommMailbox *board, int rank, gpointer *found, HirCommFlags *flags)
{
  Slot *slots = get_slots (board, board->rank, rank);

  for (guint i = 0; i < N_SLOTS; i++)
    {
      guint at = (board->next[rank] + i) % N_SLOTS;

      if (!is_over (&slots[at]))
        continue;
      board->next[rank] = (at + 1) % N_SLOTS;
      slots[at].turn++;
      fill_flags (board, &slots[at], flags);
      *found = &slots[at];
      return TRUE;
    }
  return FALSE;
}

void
hir_comm_mailbox_offer (gpointer data, const HirCommOffer *offer)
{
  Slot *slot = data;

  slot->offer = *offer;
  g_atomic_int_set (&slot->state, SLOT_OFFERED);
}

gboolean
hir_comm_mailbox_take (
    HirCommMailbox *board, int rank, guint64 tag, HirCommOffer *offer, HirCommFlags *flags)
{
  Slot *slots = get_slots (board, rank, board->rank);
  guint *next = &board->next[board->n_ranks + rank];

  for (guint i = 0; i < N_SLOTS; i++)
    {
      guint at = (*next + i) % N_SLOTS;

      if (g_atomic_int_get (&slots[at].state) != SLOT_OFFERED || slots[at].offer.tag != tag)
        continue;
      *next = (at + 1) % N_SLOTS;
      *offer = slots[at].offer;
      fill_flags (board, &slots[at], flags);
      g_atomic_int_set (&slots[at].state, SLOT_TAKEN);
      return TRUE;
    }
  return FALSE;
}

void
hir_comm_mailbox_release (HirCommMailbox *board)
{
  for (int rank = 0; rank < board->n_ranks; rank++)
    {
      Slot *sent = get_slots (board, board->rank, rank),
           *got = get_slots (board, rank, board->rank);

      for (guint i = 0; i < N_SLOTS; i++)
        {
          __atomic_store_n (&sent[i].done, sent[i].turn + RELEASED, __ATOMIC_RELEASE);
          __atomic_store_n (&got[i].ready, got[i].turn + RELEASED, __ATOMIC_RELEASE);
        }
    }
}

void
hir_comm_mailbox_leave (HirCommMailbox *board)
{
  g_atomic_int_set (&board->members[board->rank].left, 1);
}

static gboolean
is_lost (HirMpi *mpi)
{
  gboolean lost;

  g_mutex_lock (&mpi->lock);
  lost = mpi->broken != NULL;
  g_mutex_unlock (&mpi->lock);
  return lost;
}

gboolean
hir_comm_mailbox_await_left (HirCommMailbox *board, gint64 until_us)
{
  for (int rank = 0; rank < board->n_ranks; rank++)
    while (g_atomic_int_get (&board->members[rank].left) == 0)
      {
        if (g_get_monotonic_time () > until_us || is_lost (hir_mpi_from_module (board->mpi)))
          return FALSE;
        g_usleep (200);
      }
  return TRUE;
}
