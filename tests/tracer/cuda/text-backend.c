#include "text-backend.h"

#include <dlfcn.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "run/cpu/cpu-ops.h"
#include "text-prelude.h"

/* A block runs as threads, or as a loop if the kernel has no barrier. The indices of a thread are
 * stored in this program: the leak sanitizer crashes at exit if a library that was closed owns a
 * thread-local variable. */
static const char prelude[] =
    "#define _GNU_SOURCE\n#include <math.h>\n#include <string.h>\n#include <pthread.h>\n"
    "typedef struct { int tid, bid; } HirTestPlace;\n"
    "HirTestPlace *(*hir_test_place) (void); static int hir_grid;\n"
    "static pthread_barrier_t hir_barrier;\n"
    "#define HIR_KERNEL static\n#define HIR_FN static inline __attribute__ ((unused))\n"
    "#define HIR_RESTRICT __restrict__\n#define HIR_SHARED static\n"
    "#define HIR_ALIGN(n) __attribute__ ((aligned (n)))\n"
    "#define HIR_TID (hir_test_place ()->tid)\n#define HIR_BID (hir_test_place ()->bid)\n#define "
    "HIR_GRID hir_grid\n"
    "#define HIR_SYNC() pthread_barrier_wait (&hir_barrier)\n#define HIR_INF __builtin_inff ()\n" TEXT_CONVERSIONS;

/* Runs a kernel for each thread of each block. */
typedef void (*TextRun) (gpointer const *args, int grid, int threads);

typedef struct
{
  TextRun run;
} TextKernel;

/* A kernel to compile. */
typedef struct
{
  char *source;
  char *c; /* source with unique names and an entry function */
} TextWanted;

#define BATCH 40

/* Indices of the calling thread; same layout as HirTestPlace in the prelude. */
typedef struct
{
  int tid;
  int bid;
} TextPlace;

double hir_erfinv (double x);
double hir_erfcinv (double x);

static TextPlace *
place_of_thread (void)
{
  static _Thread_local TextPlace place;

  return &place;
}

static void
wanted_free (gpointer data)
{
  TextWanted *wanted = data;

  g_free (wanted->source);
  g_free (wanted->c);
  g_free (wanted);
}

gboolean
text_provider_can_run (void)
{
  g_autofree char *cc = g_find_program_in_path ("cc");

  return cc != NULL;
}

/* Returns the C text of kernel number @k and of a function that calls it for each thread of each
 * block. Names that other kernels use, too, contain the number. */
static char *
dup_text (const HirUnitPart *part, guint k)
{
  g_autoptr (GString) call = g_string_new (NULL);
  g_autoptr (GString) names = g_string_new (NULL);
  gboolean meets = strstr (part->source, "HIR_SYNC") != NULL;

  for (guint i = 0; i < part->args->len; i++)
    {
      const HirKernelArg *arg = &g_array_index (part->args, HirKernelArg, i);

      g_string_append_printf (call, "%s*(%s *) a%u[%u]", i > 0 ? ", " : "",
                              arg->kind == HIR_ARG_DOUBLE ? "double"
                              : arg->kind == HIR_ARG_INT  ? "long long"
                                                          : "void *",
                              k, i);
      g_string_append_printf (names, "#undef vec%u\n#define vec%u k%u_vec%u\n", i, i, k, i);
    }
  return g_strdup_printf ("#undef ix\n#define ix k%u_ix\n%s#define %s k%u_%s\n%s#undef %s\n"
                          "static void *const *a%u;\n"
                          "static void *one%u (void *t)\n"
                          "{ HirTestPlace *p = hir_test_place (); p->tid = (int) (long) t;\n"
                          "  for (p->bid = 0; p->bid < hir_grid; p->bid++)\n"
                          "  { k%u_%s (%s); if (%d) pthread_barrier_wait (&hir_barrier); } return "
                          "0; }\n"
                          "void hir_test_run%u (void *const *args, int grid, int threads)\n"
                          "{ a%u = args; hir_test_threads (one%u, grid, threads, %d); }\n",
                          k, names->str, part->name, k, part->name, part->source, part->name, k, k,
                          k, part->name, call->str, meets, k, k, k, meets);
}

/* Inserted after the functions that kernels call. */
static const char threads_text[] =
    "static void hir_test_threads (void *(*one) (void *), int grid, int threads, int meets)\n"
    "{\n"
    "  pthread_t ids[64]; hir_grid = grid;\n"
    "  if (meets) pthread_barrier_init (&hir_barrier, 0, threads);\n"
    "  for (long t = 0; t < threads; t++)\n"
    "    if (meets) pthread_create (&ids[t], 0, one, (void *) t); else one ((void *) t);\n"
    "  for (int t = 0; meets && t < threads; t++) pthread_join (ids[t], 0);\n"
    "}\n";

/* A compiler process. */
typedef struct
{
  char *c_path, *so_path;
  GSubprocess *compiler;
} Job;

static void
job_start (Job *job, TextProvider *provider, guint from, guint to)
{
  g_autoptr (GString) text = g_string_new (prelude);
  g_autoptr (GError) error = NULL;

  g_string_append (text, hir_codegen_get_functions ());
  g_string_append (text, threads_text);
  for (guint i = from; i < to; i++)
    g_string_append (text, ((TextWanted *) g_ptr_array_index (provider->wanted, i))->c);
  job->c_path = g_strdup_printf ("%s/k%u.c", provider->folder, from);
  job->so_path = g_strdup_printf ("%s/k%u.so", provider->folder, from);
  g_assert_true (g_file_set_contents (job->c_path, text->str, -1, NULL));
  job->compiler =
      g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, &error, "cc", "-O0", "-w", "-std=gnu11",
                        "-fno-strict-aliasing", "-ffp-contract=off", "-shared", "-fPIC", "-o",
                        job->so_path, job->c_path, "-lm", "-lpthread", NULL);
  g_assert_no_error (error);
}

static void
job_end (Job *job, TextProvider *provider, guint from, guint to)
{
  gpointer handle;
  double (**special) (double);
  TextPlace *(**place) (void);

  if (!g_subprocess_wait_check (job->compiler, NULL, NULL))
    g_error ("the text is no C: %s", job->c_path);
  handle = dlopen (job->so_path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL)
    g_error ("%s", dlerror ());
  g_ptr_array_add (provider->handles, handle);
  special = dlsym (handle, "hir_test_special");
  special[0] = hir_erfinv;
  special[1] = hir_erfcinv;
  place = dlsym (handle, "hir_test_place");
  *place = place_of_thread;
  for (guint i = from; i < to; i++)
    {
      TextWanted *wanted = g_ptr_array_index (provider->wanted, i);
      g_autofree char *name = g_strdup_printf ("hir_test_run%u", i);
      TextKernel *kernel = g_hash_table_lookup (provider->compiled, wanted->source);

      *(gpointer *) &kernel->run = dlsym (handle, name);
      g_assert_nonnull (kernel->run);
    }
  g_unlink (job->c_path);
  g_unlink (job->so_path);
  g_free (job->c_path);
  g_free (job->so_path);
  g_object_unref (job->compiler);
}

void
text_provider_compile (TextProvider *provider)
{
  guint n = provider->wanted->len;
  guint n_at_once = g_get_num_processors ();

  for (guint first = provider->n_compiled; first < n; first += n_at_once * BATCH)
    {
      g_autofree Job *jobs = g_new0 (Job, n_at_once);

      for (guint i = 0; i < n_at_once && first + i * BATCH < n; i++)
        job_start (&jobs[i], provider, first + i * BATCH, MIN (first + (i + 1) * BATCH, n));
      for (guint i = 0; i < n_at_once && first + i * BATCH < n; i++)
        job_end (&jobs[i], provider, first + i * BATCH, MIN (first + (i + 1) * BATCH, n));
    }
  provider->n_compiled = n;
}

/* Returns the kernel of @part, which may not be compiled yet. */
static TextKernel *
get_kernel (TextProvider *provider, const HirUnitPart *part)
{
  TextKernel *kernel = g_hash_table_lookup (provider->compiled, part->source);
  TextWanted *wanted;

  if (kernel != NULL)
    return kernel;
  wanted = g_new0 (TextWanted, 1);
  wanted->source = g_strdup (part->source);
  wanted->c = dup_text (part, provider->wanted->len);
  g_ptr_array_add (provider->wanted, wanted);
  kernel = g_new0 (TextKernel, 1);
  g_hash_table_insert (provider->compiled, g_strdup (part->source), kernel);
  return kernel;
}

typedef struct
{
  HirBackend base;
  TextProvider *provider;
  guint n_streams;
  guint64 n_done;
} TextBackend;

static gboolean
text_open_stream (HirBackend *base, HirStreamUse use, guint *stream, GError **error)
{
  *stream = ++((TextBackend *) base)->n_streams;
  return TRUE;
}

static HirBuffer *
text_allocate (HirBackend *base, guint stream, gsize size_bytes, GError **error)
{
  return hir_buffer_new (size_bytes, error);
}

static gboolean
text_fill (HirBackend *base,
           guint stream,
           HirBuffer *buffer,
           guint8 byte,
           const HirEvent *event,
           GError **error)
{
  memset (buffer->data, byte, buffer->size_bytes);
  return TRUE;
}

static void
run_part (TextProvider *provider, const HirTask *task, const HirUnitPart *part, gpointer *scratch)
{
  TextKernel *kernel = get_kernel (provider, part);
  g_autofree gpointer *args = g_new0 (gpointer, part->args->len + 1);
  g_autofree guint64 *values = g_new0 (guint64, part->args->len + 1);

  for (guint i = 0; i < part->args->len; i++)
    {
      const HirKernelArg *arg = &g_array_index (part->args, HirKernelArg, i);
      const HirOpCall *call = g_ptr_array_index (task->calls, arg->call);
      const HirValue *value = arg->kind == HIR_ARG_SCRATCH         ? NULL
                              : arg->operand == HIR_OPERAND_OUTPUT ? call->output
                              : arg->operand == HIR_OPERAND_FILL   ? call->fill
                              : arg->operand == HIR_OPERAND_STEP   ? call->step
                                                                   : call->inputs[arg->operand];

      args[i] = &values[i];
      if (arg->kind == HIR_ARG_OPERAND)
        values[i] = (guint64) hir_value_get_data (value);
      else if (arg->kind == HIR_ARG_SCRATCH)
        values[i] = (guint64) scratch[arg->scratch] + arg->offset_bytes;
      else if (arg->kind == HIR_ARG_DOUBLE)
        memcpy (&values[i], &value->d, 8);
      else
        memcpy (&values[i], &value->i, 8);
    }
  if (provider->collecting)
    return;
  if (kernel->run == NULL)
    text_provider_compile (provider);
  provider->n_parts++;
  provider->n_vectors += strstr (part->source, "HIR_ALIGN") != NULL;
  if (part->grid > 0)
    kernel->run (args, (int) part->grid, (int) part->block);
}

static gboolean
text_enqueue (HirBackend *base, guint stream, HirTask *taken, GError **error)
{
  TextProvider *provider = ((TextBackend *) base)->provider;
  g_autoptr (HirTask) task = taken;
  g_autoptr (HirUnitCode) code = NULL;
  g_autofree gpointer *scratch = NULL;

  g_assert_nonnull (task->calls);
  code = hir_codegen_unit ((HirOpCall **) task->calls->pdata, task->calls->len, task->label,
                           &provider->codegen, error);
  if (code == NULL)
    return FALSE;
  provider->n_tasks += !provider->collecting;
  scratch = g_new0 (gpointer, code->scratch->len + 1);
  for (guint i = 0; i < code->scratch->len; i++)
    {
      gsize size = g_array_index (code->scratch, gsize, i);

      scratch[i] = g_malloc (size + 64);
      memset (scratch[i], 0xa5, size);
    }
  for (guint i = 0; i < code->parts->len; i++)
    run_part (provider, task, g_ptr_array_index (code->parts, i), scratch);
  for (guint i = 0; i < code->scratch->len; i++)
    g_free (scratch[i]);
  ((TextBackend *) base)->n_done++;
  return TRUE;
}

static HirBackendEvent *
text_record_event (HirBackend *base, guint stream)
{
  return (HirBackendEvent *) base;
}

static gboolean
text_wait_event (
    HirBackend *base, guint stream, HirBackendEvent *event, HirTask *task, GError **error)
{
  g_clear_pointer (&task, hir_task_free);
  return TRUE;
}

static void
text_drop_event (HirBackend *base, HirBackendEvent *event)
{
}

static void
text_get_progress (HirBackend *base, guint64 *n_done, guint *n_running)
{
  *n_done = ((TextBackend *) base)->n_done;
  *n_running = 0;
}

static gboolean
text_synchronize (HirBackend *base, GError **error)
{
  return TRUE;
}

static HirValue *
text_upload (HirBackend *base, HirValue *tensor, GError **error)
{
  return hir_value_ref (tensor);
}

static gboolean
text_read (HirBackend *base, const HirValue *tensor, gpointer host, GError **error)
{
  HirBuffer target = { .data = host, .size_bytes = hir_value_get_size_bytes (tensor) };
  g_autoptr (HirValue) view = NULL;

  g_atomic_ref_count_init (&target.ref_count);
  view = hir_value_new_tensor (tensor->dtype, tensor->n_dims, tensor->sizes, NULL, &target);
  return hir_cpu_copy (view, tensor);
}

static void
text_cancel (HirBackend *base)
{
}

static void
text_free (HirBackend *base)
{
  g_free (base);
}

static const HirBackendClass text_class = {
  .open_stream = text_open_stream,
  .allocate = text_allocate,
  .fill = text_fill,
  .enqueue = text_enqueue,
  .record_event = text_record_event,
  .wait_event = text_wait_event,
  .drop_event = text_drop_event,
  .get_progress = text_get_progress,
  .synchronize = text_synchronize,
  .upload = text_upload,
  .read = text_read,
  .cancel = text_cancel,
  .free = text_free,
};

static HirBackend *
new_backend (HirBackendProvider *base, const HirBackendOptions *options, GError **error)
{
  TextBackend *backend = g_new0 (TextBackend, 1);

  backend->base.klass = &text_class;
  backend->provider = (TextProvider *) base;
  return &backend->base;
}

static const HirBackendProviderClass provider_class = { .new_backend = new_backend };

TextProvider *
text_provider_new (void)
{
  TextProvider *provider = g_new0 (TextProvider, 1);

  provider->base.klass = &provider_class;
  /* Few threads and blocks, so that the loops over elements and over the grid repeat. */
  provider->codegen = (HirCodegenOptions){
    .block_threads = 8, .max_blocks = 3, .enough_blocks = 6, .min_piece = 8
  };
  provider->compiled = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  provider->handles = g_ptr_array_new ();
  provider->wanted = g_ptr_array_new_with_free_func (wanted_free);
  provider->folder = g_dir_make_tmp ("hirscope-text-XXXXXX", NULL);
  return provider;
}

void
text_provider_free (TextProvider *provider)
{
  g_hash_table_unref (provider->compiled);
  for (guint i = 0; i < provider->handles->len; i++)
    dlclose (g_ptr_array_index (provider->handles, i));
  g_ptr_array_unref (provider->handles);
  g_ptr_array_unref (provider->wanted);
  g_rmdir (provider->folder);
  g_free (provider->folder);
  g_free (provider);
}

guint
text_provider_get_n_sources (const TextProvider *provider)
{
  return provider->wanted->len;
}

const char *
text_provider_get_source (const TextProvider *provider, guint i)
{
  return ((const TextWanted *) g_ptr_array_index (provider->wanted, i))->source;
}
