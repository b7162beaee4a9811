/* Fake CUDA driver: executes generated kernels. With FAKE_CUDA_KERNELS=1, the text of a kernel is
 * compiled as C, once per text; the libraries stay in the user's cache folder. The threads of a
 * block run one after the other; a thread that reaches a barrier is suspended until the others have
 * reached it. */
#include "fake-cuda-private.h"

#include <dlfcn.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "run/values/special.h"
#include "text-prelude.h"

#define MAX_PARAMETERS 256
#define STACK_BYTES ((gsize) 64 << 10)

/* Indices of the running thread; same layout in the prelude. */
typedef struct
{
  int tid, bid, grid;
} Place;

/* A block that is executed. */
typedef struct
{
  Place place;
  ucontext_t scheduler;
  ucontext_t *threads; /* NULL: the kernel has no barrier */
  gboolean *is_done;
  void (*enter) (void **values);
  void **values;
} Block;

struct _FakeKernel
{
  GMutex lock; /* held during a launch: the shared memory of a block is static */
  void (*enter) (void **values);
  const int *sizes; /* of the parameters, in bytes; 0 ends them */
  gboolean has_barrier;
};

static const char prelude[] =
    "#include <math.h>\n#include <string.h>\n"
    "typedef struct { int tid, bid, grid; } FakePlace;\n"
    "FakePlace *(*fake_place) (void);\nvoid (*fake_sync) (void);\n"
    "#define HIR_KERNEL static\n#define HIR_FN static inline __attribute__ ((unused))\n"
    "#define HIR_RESTRICT __restrict__\n#define HIR_SHARED static\n"
    "#define HIR_ALIGN(n) __attribute__ ((aligned (n)))\n"
    "#define HIR_TID (fake_place ()->tid)\n#define HIR_BID (fake_place ()->bid)\n"
    "#define HIR_GRID (fake_place ()->grid)\n"
    "#define HIR_SYNC() fake_sync ()\n#define HIR_INF __builtin_inff ()\n" TEXT_CONVERSIONS;

/* First function of the prelude that is valid in C. */
#define FIRST_FUNCTION "HIR_FN int hir_negative_i64"

/* Key of the block that the calling thread executes. Not a thread-local variable: the leak
 * sanitizer crashes at exit if a library that was closed owns one. */
static GPrivate *
get_key (void)
{
  static GPrivate key;

  return &key;
}

static Place *
get_place (void)
{
  return &((Block *) g_private_get (get_key ()))->place;
}

static void
reach_barrier (void)
{
  Block *block = g_private_get (get_key ());

  swapcontext (&block->threads[block->place.tid], &block->scheduler);
}

static void
run_thread (void)
{
  Block *block = g_private_get (get_key ());

  block->enter (block->values);
  block->is_done[block->place.tid] = TRUE;
}

/* Runs all threads of a block from barrier to barrier. */
static void
run_fibers (Block *block, int n, guint8 *stacks)
{
  gboolean is_left = TRUE;

  for (int i = 0; i < n; i++)
    {
      block->is_done[i] = FALSE;
      getcontext (&block->threads[i]);
      block->threads[i].uc_stack.ss_sp = stacks + (gsize) i * STACK_BYTES;
      block->threads[i].uc_stack.ss_size = STACK_BYTES;
      block->threads[i].uc_link = &block->scheduler;
      makecontext (&block->threads[i], run_thread, 0);
    }
  while (is_left)
    {
      is_left = FALSE;
      for (int i = 0; i < n; i++)
        {
          if (block->is_done[i])
            continue;
          block->place.tid = i;
          swapcontext (&block->scheduler, &block->threads[i]);
          is_left |= !block->is_done[i];
        }
    }
}

void
fake_kernel_run (FakeKernel *kernel, void **values, guint grid, guint threads)
{
  Block block = { .enter = kernel->enter, .values = values };
  gsize n_bytes = threads * STACK_BYTES;
  guint8 *stacks = NULL;

  if (kernel->has_barrier)
    {
      stacks = mmap (NULL, n_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (stacks == MAP_FAILED)
        g_error ("no memory for the threads of a kernel");
      block.threads = g_new0 (ucontext_t, threads);
      block.is_done = g_new0 (gboolean, threads);
    }
  g_private_set (get_key (), &block);
  block.place.grid = (int) grid;
  g_mutex_lock (&kernel->lock);
  for (block.place.bid = 0; block.place.bid < (int) grid; block.place.bid++)
    if (kernel->has_barrier)
      run_fibers (&block, (int) threads, stacks);
    else
      for (block.place.tid = 0; block.place.tid < (int) threads; block.place.tid++)
        kernel->enter (values);
  g_mutex_unlock (&kernel->lock);
  g_private_set (get_key (), NULL);
  if (stacks != NULL)
    munmap (stacks, n_bytes);
  g_free (block.threads);
  g_free (block.is_done);
}

void **
fake_kernel_dup_values (const FakeKernel *kernel, void **parameters)
{
  guint n = 0;
  guint64 *values;
  void **pointers;

  while (kernel->sizes[n] > 0)
    n++;
  values = g_malloc0 ((n + 1) * (sizeof *values + sizeof *pointers));
  pointers = (void **) (values + n);
  for (guint i = 0; i < n; i++)
    {
      memcpy (&values[i], parameters[i], (gsize) kernel->sizes[i]);
      pointers[i] = &values[i];
    }
  return pointers;
}

void
fake_kernel_free_values (void **pointers, const FakeKernel *kernel)
{
  guint n = 0;

  while (kernel->sizes[n] > 0)
    n++;
  g_free ((guint64 *) pointers - n);
}

/* Appends a function that calls the kernel of @source with values from an array, and the sizes of
 * its parameters. */
static void
append_entry (GString *text, const char *source)
{
  const char *name = strstr (source, "HIR_KERNEL void\n") + strlen ("HIR_KERNEL void\n");
  const char *open = strchr (name, '('), *close = strchr (open, ')');
  g_autofree char *inner = g_strndup (open + 1, (gsize) (close - open - 1));
  g_auto (GStrv) parameters = g_strsplit (inner, ",", MAX_PARAMETERS);
  g_autoptr (GString) sizes = g_string_new (NULL);

  g_string_append_printf (text, "void fake_enter (void **a)\n{\n  %.*s (", (int) (open - name),
                          name);
  for (guint i = 0; parameters[i] != NULL; i++)
    {
      char *type = g_strstrip (parameters[i]), *end = type + strlen (type);

      while (end > type && (g_ascii_isalnum (end[-1]) || end[-1] == '_'))
        end--;
      *end = '\0';
      g_string_append_printf (text, "%s*(%s *) a[%u]", i > 0 ? ", " : "", type, i);
      g_string_append_printf (sizes, "sizeof (%s), ", type);
    }
  g_string_append_printf (text, ");\n}\nconst int fake_sizes[] = { %s0 };\n", sizes->str);
}

/* Compiles @text to @path, unless another process has done it. */
static void
compile (const char *text, const char *path)
{
  g_autofree char *c = g_strdup_printf ("%s.%08x.c", path, g_random_int ());
  g_autofree char *so = g_strdup_printf ("%s.so", c);
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) compiler = NULL;

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return;
  if (!g_file_set_contents (c, text, -1, &error))
    g_error ("%s", error->message);
  compiler = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, &error, "cc", "-O1", "-w", "-std=gnu11",
                               "-fno-strict-aliasing", "-ffp-contract=off", "-shared", "-fPIC",
                               "-o", so, c, "-lm", NULL);
  if (compiler == NULL || !g_subprocess_wait_check (compiler, NULL, &error))
    g_error ("the text of a kernel is no C: %s: %s", c, error->message);
  if (g_rename (so, path) != 0)
    g_error ("cannot rename %s", so);
  g_unlink (c);
}

static FakeKernel *
load (const char *text, gboolean has_barrier)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "fake-cuda", NULL);
  g_autofree char *path = g_strdup_printf ("%s/%s.so", folder, sum);
  FakeKernel *kernel = g_new0 (FakeKernel, 1);
  double (**special) (double);
  gpointer handle;

  g_mkdir_with_parents (folder, 0700);
  compile (text, path);
  handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL)
    g_error ("%s", dlerror ());
  special = dlsym (handle, "hir_test_special");
  special[0] = hir_erfinv;
  special[1] = hir_erfcinv;
  *(Place * (**) (void) ) dlsym (handle, "fake_place") = get_place;
  *(void (**) (void)) dlsym (handle, "fake_sync") = reach_barrier;
  *(gpointer *) &kernel->enter = dlsym (handle, "fake_enter");
  kernel->sizes = dlsym (handle, "fake_sizes");
  kernel->has_barrier = has_barrier;
  g_mutex_init (&kernel->lock);
  return kernel;
}

FakeKernel *
fake_kernel_get (const char *image)
{
  FakeCuda *cuda = fake_cuda_get ();
  const char *source = strstr (image, FIRST_FUNCTION);
  FakeKernel *kernel;

  if (!cuda->runs_kernels || source == NULL || strstr (source, "HIR_KERNEL void\n") == NULL)
    return NULL;
  g_mutex_lock (&cuda->lock);
  kernel = g_hash_table_lookup (cuda->kernels, source);
  if (kernel == NULL)
    {
      g_autoptr (GString) text = g_string_new (prelude);

      g_string_append (text, source);
      append_entry (text, source);
      kernel = load (text->str, strstr (source, "HIR_SYNC") != NULL);
      g_hash_table_insert (cuda->kernels, g_strdup (source), kernel);
    }
  g_mutex_unlock (&cuda->lock);
  return kernel;
}
