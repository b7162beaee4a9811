#include "text-backend.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <string.h>

#include "run/cpu-ops.h"

/* A block as threads, or as a loop where it never meets. Where a thread is, is kept on this side: a
 * library that is closed again must own no thread-local variable, or the leak sanitizer falls over
 * the thread's table at the end. */
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
    "#define HIR_SYNC() pthread_barrier_wait (&hir_barrier)\n#define HIR_INF __builtin_inff ()\n"
    "HIR_FN float bits_float (unsigned u) { float f; memcpy (&f, &u, 4); return f; }\n"
    "HIR_FN unsigned float_bits (float f) { unsigned u; memcpy (&u, &f, 4); return u; }\n"
    "HIR_FN float hir_from_half (unsigned short b)\n"
    "{ _Float16 h; memcpy (&h, &b, 2); return (float) h; }\n"
    "HIR_FN unsigned short hir_to_half (float f)\n"
    "{ _Float16 h = (_Float16) f; unsigned short b; memcpy (&b, &h, 2); return b; }\n"
    "HIR_FN float hir_from_bfloat16 (unsigned short b) { return bits_float ((unsigned) b << 16); "
    "}\n"
    "HIR_FN unsigned short hir_to_bfloat16 (float f)\n"
    "{ unsigned u = float_bits (f); if ((u & 0x7fffffffu) > 0x7f800000u) return (u >> 16) | 64;\n"
    "  return (u + 0x7fffu + ((u >> 16) & 1)) >> 16; }\n"
    "HIR_FN int hir_signbitf (float x) { return signbit (x) != 0; }\n"
    "HIR_FN int hir_signbit (double x) { return signbit (x) != 0; }\n"
    "extern double (*hir_test_special[]) (double);\n"
    "double (*hir_test_special[2]) (double);\n"
    "HIR_FN double erfinv (double x) { return hir_test_special[0] (x); }\n"
    "HIR_FN double erfcinv (double x) { return hir_test_special[1] (x); }\n"
    "HIR_FN float erfinvf (float x) { return (float) erfinv (x); }\n"
    "HIR_FN float erfcinvf (float x) { return (float) erfcinv (x); }\n";

typedef struct
{
  gpointer handle;
  void (*run) (gpointer const *args, int grid, int threads);
} TextKernel;

/* The place of the calling thread, as the text's HirTestPlace. */
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
kernel_free (gpointer data)
{
  TextKernel *kernel = data;

  dlclose (kernel->handle);
  g_free (kernel);
}

gboolean
text_provider_can_run (void)
{
  g_autofree char *cc = g_find_program_in_path ("cc");

  return cc != NULL;
}

/* Calls the kernel for each thread of each block. */
static char *
trampoline (const HirUnitPart *part)
{
  g_autoptr (GString) call = g_string_new (NULL);

  for (guint i = 0; i < part->args->len; i++)
    {
      const HirKernelArg *arg = &g_array_index (part->args, HirKernelArg, i);

      g_string_append_printf (call, "%s*(%s *) a[%u]", i > 0 ? ", " : "",
                              arg->kind == HIR_ARG_DOUBLE ? "double"
                              : arg->kind == HIR_ARG_INT  ? "long long"
                                                          : "void *",
                              i);
    }
  return g_strdup_printf (
      "static void *const *a; static int hir_threads;\n"
      "static void *one (void *t)\n"
      "{ HirTestPlace *p = hir_test_place (); p->tid = (int) (long) t;\n"
      "  for (p->bid = 0; p->bid < hir_grid; p->bid++)\n"
      "  { %s (%s); if (%d) pthread_barrier_wait (&hir_barrier); } return 0; }\n"
      "void hir_test_run (void *const *args, int grid, int threads)\n"
      "{\n"
      "  pthread_t ids[64]; a = args; hir_grid = grid; hir_threads = threads;\n"
      "  if (%d) pthread_barrier_init (&hir_barrier, 0, threads);\n"
      "  for (long t = 0; t < threads; t++)\n"
      "    if (%d) pthread_create (&ids[t], 0, one, (void *) t); else one ((void *) t);\n"
      "  for (int t = 0; %d && t < threads; t++) pthread_join (ids[t], 0);\n"
      "}\n",
      part->name, call->str, strstr (part->source, "HIR_SYNC") != NULL,
      strstr (part->source, "HIR_SYNC") != NULL, strstr (part->source, "HIR_SYNC") != NULL,
      strstr (part->source, "HIR_SYNC") != NULL);
}

static TextKernel *
compile (TextProvider *provider, const HirUnitPart *part)
{
  g_autofree char *body = trampoline (part);
  g_autofree char *text =
      g_strconcat (prelude, hir_codegen_get_functions (), part->source, body, NULL);
  g_autofree char *c_path = NULL;
  g_autofree char *so_path = NULL;
  g_autofree char *errors = NULL;
  TextKernel *kernel = g_hash_table_lookup (provider->compiled, text);
  g_autoptr (GError) error = NULL;
  double (**special) (double);
  TextPlace *(**place) (void);
  int status;

  if (kernel != NULL)
    return kernel;
  c_path = g_strdup_printf ("%s/k%u.c", provider->folder, g_hash_table_size (provider->compiled));
  so_path = g_strdup_printf ("%s/k%u.so", provider->folder, g_hash_table_size (provider->compiled));
  g_assert_true (g_file_set_contents (c_path, text, -1, NULL));

  const char *argv[] = { "cc",
                         "-O0",
                         "-w",
                         "-std=gnu11",
                         "-fno-strict-aliasing",
                         "-ffp-contract=off",
                         "-shared",
                         "-fPIC",
                         "-o",
                         so_path,
                         c_path,
                         "-lm",
                         "-lpthread",
                         NULL };

  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                               &errors, &status, &error));
  if (status != 0)
    g_error ("the text is no C: %s\n%s", errors, part->source);
  kernel = g_new0 (TextKernel, 1);
  kernel->handle = dlopen (so_path, RTLD_NOW | RTLD_LOCAL);
  if (kernel->handle == NULL)
    g_error ("%s", dlerror ());
  *(gpointer *) &kernel->run = dlsym (kernel->handle, "hir_test_run");
  special = dlsym (kernel->handle, "hir_test_special");
  special[0] = hir_erfinv;
  special[1] = hir_erfcinv;
  place = dlsym (kernel->handle, "hir_test_place");
  *place = place_of_thread;
  g_unlink (c_path);
  g_unlink (so_path);
  if (provider->sources != NULL)
    g_ptr_array_add (provider->sources, g_strdup (part->source));
  g_hash_table_insert (provider->compiled, g_steal_pointer (&text), kernel);
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
  TextKernel *kernel = compile (provider, part);
  g_autofree gpointer *args = g_new0 (gpointer, part->args->len + 1);
  g_autofree guint64 *values = g_new0 (guint64, part->args->len + 1);

  for (guint i = 0; i < part->args->len; i++)
    {
      const HirKernelArg *arg = &g_array_index (part->args, HirKernelArg, i);
      const HirOpCall *call = g_ptr_array_index (task->calls, arg->call);
      const HirValue *value = arg->operand == HIR_OPERAND_OUTPUT ? call->output
                              : arg->operand == HIR_OPERAND_FILL ? call->fill
                              : arg->operand == HIR_OPERAND_STEP ? call->step
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
  provider->n_tasks++;
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
  .name = "text",
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

static const HirBackendProviderClass provider_class = { .name = "text",
                                                        .new_backend = new_backend };

TextProvider *
text_provider_new (void)
{
  TextProvider *provider = g_new0 (TextProvider, 1);

  provider->base.klass = &provider_class;
  /* Few threads, so that loops go round; several blocks, so that grids do. */
  provider->codegen = (HirCodegenOptions){ .block_threads = 8, .max_blocks = 3 };
  provider->compiled = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, kernel_free);
  provider->folder = g_dir_make_tmp ("hirscope-text-XXXXXX", NULL);
  return provider;
}

void
text_provider_free (TextProvider *provider)
{
  g_hash_table_unref (provider->compiled);
  g_clear_pointer (&provider->sources, g_ptr_array_unref);
  g_rmdir (provider->folder);
  g_free (provider->folder);
  g_free (provider);
}
