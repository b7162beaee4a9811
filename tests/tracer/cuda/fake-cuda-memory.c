/* Fake CUDA driver: device memory, memory shared between processes, and host memory that streams
 * write and wait for. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake-cuda-private.h"

#define ENTER()                                                                                    \
  G_STMT_START                                                                                     \
  {                                                                                                \
    HirCuResult entered = fake_cuda_enter (__func__);                                              \
    if (entered != HIR_CU_SUCCESS)                                                                 \
      return entered;                                                                              \
  }                                                                                                \
  G_STMT_END

#define INVALID_VALUE 1u
#define INVALID_CONTEXT 201u
#define ALREADY_MAPPED 208u
#define INVALID_HANDLE 400u
#define NOT_SUPPORTED 801u
#define PAUSE_US 20

#define DECLARE(field, symbol, parameters) FAKE_EXPORT HirCuResult symbol parameters;
HIR_CU_FUNCTIONS (DECLARE)
#undef DECLARE

/* Header before each allocation of device memory. */
typedef struct
{
  HirCuContext context; /* valid in the allocating process only */
  gsize bytes;
  int file;    /* -1: cannot be shared */
  gint n_open; /* atomic: number of openings by other processes, which map the header, too */
} Header;
#define HEADER_BYTES 256
/* Only this many bytes of an allocation are filled with garbage. Larger allocations are workspaces;
 * not touching their pages saves most of the time of many tests. */
#define DIRTY_BYTES ((gsize) 1 << 20)

static Header *
get_header (HirCuAddress address)
{
  return (Header *) (gpointer) ((guint8 *) (gsize) address - HEADER_BYTES);
}

static gsize
get_whole_bytes (gsize bytes)
{
  return HEADER_BYTES + (bytes + 255) / 256 * 256;
}

static guint8 *
allocate_own (gsize bytes)
{
  guint8 *memory = mmap (NULL, get_whole_bytes (bytes), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  return memory != MAP_FAILED ? memory : NULL;
}

static guint8 *
allocate_shared (gsize bytes, int *file)
{
  guint8 *memory;

  *file = memfd_create ("fake-cuda", MFD_CLOEXEC);
  if (*file < 0)
    return NULL;
  memory = ftruncate (*file, (off_t) bytes) == 0
               ? mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0)
               : MAP_FAILED;
  if (memory != MAP_FAILED)
    return memory;
  close (*file);
  return NULL;
}

HirCuResult
cuMemAlloc_v2 (HirCuAddress *address, size_t bytes)
{
  FakeCuda *cuda = fake_cuda_get ();
  HirCuContext context = fake_cuda_get_current ();
  guint8 *memory = NULL;
  gboolean fits;
  int file = -1;

  ENTER ();
  if (context == NULL)
    return INVALID_CONTEXT;
  if (bytes == 0)
    return INVALID_VALUE;
  g_mutex_lock (&context->lock);
  fits = bytes <= cuda->memory_bytes - context->n_used_bytes;
  if (fits)
    context->n_used_bytes += bytes;
  g_mutex_unlock (&context->lock);
  if (fits)
    memory = cuda->is_shared       ? allocate_shared (get_whole_bytes (bytes), &file)
             : bytes > DIRTY_BYTES ? allocate_own (bytes)
                                   : aligned_alloc (HEADER_BYTES, get_whole_bytes (bytes));
  if (memory == NULL)
    return HIR_CU_ERROR_OUT_OF_MEMORY;
  *(Header *) (gpointer) memory = (Header){ context, bytes, file, 0 };
  memset (memory + HEADER_BYTES, 0xcb, MIN (bytes, DIRTY_BYTES));
  *address = (HirCuAddress) (gsize) (memory + HEADER_BYTES);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuMemFree_v2 (HirCuAddress address)
{
  Header *header = get_header (address);

  ENTER ();
  if (address == 0)
    return HIR_CU_SUCCESS;
  if (g_atomic_int_get (&header->n_open) != 0)
    g_error ("memory is freed that another process has open");
  g_mutex_lock (&header->context->lock);
  header->context->n_used_bytes -= header->bytes;
  g_mutex_unlock (&header->context->lock);
  if (header->file >= 0)
    close (header->file);
  if (header->file >= 0 || header->bytes > DIRTY_BYTES)
    munmap (header, get_whole_bytes (header->bytes));
  else
    free (header);
  return HIR_CU_SUCCESS;
}

#ifndef FAKE_CUDA_OLD
HirCuResult
cuIpcGetMemHandle (HirCuIpcMem *handle, HirCuAddress address)
{
  ENTER ();
  if (!fake_cuda_get ()->is_shared)
    return NOT_SUPPORTED;
  memset (handle, 0, sizeof *handle);
  g_snprintf (handle->reserved, sizeof handle->reserved, "%d %d", (int) getpid (),
              get_header (address)->file);
  return HIR_CU_SUCCESS;
}
#endif

/* Maps the memory of @handle, with its header. */
static HirCuResult
map_handle (const HirCuIpcMem *handle, FakeRange *range)
{
  char path[64];
  int pid, number, file;
  off_t bytes;

  if (sscanf (handle->reserved, "%d %d", &pid, &number) != 2)
    return INVALID_HANDLE;
  if (pid == (int) getpid ())
    return INVALID_CONTEXT;
  g_snprintf (path, sizeof path, "/proc/%d/fd/%d", pid, number);
  file = open (path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    return INVALID_HANDLE;
  bytes = lseek (file, 0, SEEK_END);
  range->bytes = (gsize) MAX (bytes, 0);
  range->start = mmap (NULL, range->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close (file);
  return range->start != MAP_FAILED ? HIR_CU_SUCCESS : INVALID_HANDLE;
}

HirCuResult
cuIpcOpenMemHandle_v2 (HirCuAddress *address, HirCuIpcMem handle, unsigned int flags)
{
  FakeCuda *cuda = fake_cuda_get ();
  HirCuResult result;
  FakeRange range;

  ENTER ();
  if (fake_cuda_get_current () == NULL)
    return INVALID_CONTEXT;
  g_mutex_lock (&cuda->lock);
  result = g_hash_table_contains (cuda->openings, handle.reserved) ? ALREADY_MAPPED
                                                                   : map_handle (&handle, &range);
  if (result == HIR_CU_SUCCESS)
    {
      g_atomic_int_inc (&((Header *) (gpointer) range.start)->n_open);
      g_hash_table_insert (cuda->openings, g_strdup (handle.reserved),
                           g_memdup2 (&range, sizeof range));
      *address = (HirCuAddress) (gsize) (range.start + HEADER_BYTES);
    }
  g_mutex_unlock (&cuda->lock);
  return result;
}

HirCuResult
cuIpcCloseMemHandle (HirCuAddress address)
{
  FakeCuda *cuda = fake_cuda_get ();
  HirCuResult result = INVALID_VALUE;
  GHashTableIter iter;
  gpointer value;

  ENTER ();
  g_mutex_lock (&cuda->lock);
  g_hash_table_iter_init (&iter, cuda->openings);
  while (result != HIR_CU_SUCCESS && g_hash_table_iter_next (&iter, NULL, &value))
    {
      FakeRange range = *(FakeRange *) value;

      if (range.start != (guint8 *) get_header (address))
        continue;
      g_hash_table_iter_remove (&iter);
      g_atomic_int_add (&get_header (address)->n_open, -1);
      munmap (range.start, range.bytes);
      result = HIR_CU_SUCCESS;
    }
  g_mutex_unlock (&cuda->lock);
  return result;
}

HirCuResult
cuMemHostAlloc (void **address, size_t bytes, unsigned int flags)
{
  ENTER ();
  *address = malloc (MAX (bytes, 1));
  return *address != NULL ? HIR_CU_SUCCESS : HIR_CU_ERROR_OUT_OF_MEMORY;
}

HirCuResult
cuMemFreeHost (void *address)
{
  ENTER ();
  free (address);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuMemHostRegister_v2 (void *address, size_t bytes, unsigned int flags)
{
  FakeCuda *cuda = fake_cuda_get ();
  FakeRange range = { address, bytes };

  ENTER ();
  if (fake_cuda_get_current () == NULL)
    return INVALID_CONTEXT;
  g_mutex_lock (&cuda->lock);
  g_array_append_val (cuda->registered, range);
  g_mutex_unlock (&cuda->lock);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuMemHostUnregister (void *address)
{
  FakeCuda *cuda = fake_cuda_get ();
  HirCuResult result = INVALID_VALUE;

  ENTER ();
  g_mutex_lock (&cuda->lock);
  for (guint i = cuda->registered->len; i-- > 0 && result != HIR_CU_SUCCESS;)
    if (g_array_index (cuda->registered, FakeRange, i).start == address)
      {
        g_array_remove_index_fast (cuda->registered, i);
        result = HIR_CU_SUCCESS;
      }
  g_mutex_unlock (&cuda->lock);
  return result;
}

/* Device addresses of host memory differ from host addresses, as on some machines. */
#define OFFSET ((gsize) 1 << 52)

HirCuResult
cuMemHostGetDevicePointer_v2 (HirCuAddress *address, void *host, unsigned int flags)
{
  ENTER ();
  *address = (HirCuAddress) (gsize) host + OFFSET;
  return HIR_CU_SUCCESS;
}

typedef struct
{
  guint32 *flag;
  guint32 value;
} Flag;

static void
write_flag (gpointer data)
{
  Flag *flag = data;

  __atomic_store_n (flag->flag, flag->value, __ATOMIC_RELEASE);
}

static void
await_flag (gpointer data)
{
  Flag *flag = data;

  while ((gint32) (__atomic_load_n (flag->flag, __ATOMIC_ACQUIRE) - flag->value) < 0)
    g_usleep (PAUSE_US);
}

static gboolean
is_registered (const guint32 *flag)
{
  FakeCuda *cuda = fake_cuda_get ();
  gboolean found = FALSE;

  g_mutex_lock (&cuda->lock);
  for (guint i = 0; i < cuda->registered->len; i++)
    {
      const FakeRange *range = &g_array_index (cuda->registered, FakeRange, i);

      found |= (const guint8 *) flag >= range->start &&
               (const guint8 *) flag < range->start + range->bytes;
    }
  g_mutex_unlock (&cuda->lock);
  return found;
}

static HirCuResult
push_flag (HirCuStream stream,
           const char *call,
           HirCuAddress address,
           guint32 value,
           void (*run) (gpointer))
{
  Flag flag = { (guint32 *) (gpointer) (gsize) (address - OFFSET), value };
  FakeWork *work;

  stream = fake_stream_get (stream);
  if (stream == NULL)
    return INVALID_CONTEXT;
  if (!is_registered (flag.flag))
    return INVALID_VALUE;
  work = g_new0 (FakeWork, 1);
  work->activity.kind = FAKE_STREAM_MEMORY;
  work->activity.call = call;
  work->run = run;
  work->data = g_memdup2 (&flag, sizeof flag);
  work->destroy = g_free;
  fake_stream_push (stream, work);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuStreamWriteValue32_v2 (HirCuStream stream,
                         HirCuAddress address,
                         guint32 value,
                         unsigned int flags)
{
  ENTER ();
  return push_flag (stream, __func__, address, value, write_flag);
}

HirCuResult
cuStreamWaitValue32_v2 (HirCuStream stream, HirCuAddress address, guint32 value, unsigned int flags)
{
  ENTER ();
  return flags == HIR_CU_WAIT_VALUE_GEQ ? push_flag (stream, __func__, address, value, await_flag)
                                        : NOT_SUPPORTED;
}
