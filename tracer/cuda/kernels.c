/* Runs a dry session with a back end that generates code and launches nothing. */
#include "cuda/kernels.h"

#include <string.h>

#include "cuda/backend/launch-code.h"
#include "cuda/backend/matmul.h"
#include "run/session/session-private.h"

#define MAX_STEPS 1000000
/* The pool of the GPU back end aligns its buffers like this; vectors depend on it. */
#define ALIGNMENT 256

/* Back end and communicator of one rank. No other rank posts, and no work is done. */
typedef struct
{
  HirBackend backend;
  HirCommunicator communicator;
  guint n_streams;
  guintptr address;  /* of the next buffer */
  gint32 iteration;  /* of the current instruction */
  GHashTable *known; /* signature (GBytes) -> HirKernels*, borrowed */
  GPtrArray *found;  /* HirKernels* */
  GArray *signature; /* gint64: scratch space */
} Generator;

typedef struct
{
  HirBackendProvider provider;
  int n_ranks;
  GPtrArray *generators; /* Generator*, one per rank */
} Provider;

static void
kernel_free (gpointer data)
{
  HirKernel *kernel = data;

  g_free (kernel->name);
  g_free (kernel->source);
  g_free (kernel->config);
  g_free (kernel->arguments);
  g_free (kernel);
}

static void
kernels_free (gpointer data)
{
  HirKernels *kernels = data;

  g_free (kernels->label);
  g_ptr_array_unref (kernels->kernels);
  g_free (kernels->error);
  g_free (kernels);
}

static void
keep_memory (gpointer data, gpointer user_data)
{
}

/* Returns a buffer with an address that is never accessed. */
static HirBuffer *
new_buffer (Generator *generator, gsize size_bytes)
{
  gpointer address = (gpointer) generator->address;

  generator->address += (size_bytes / ALIGNMENT + 1) * ALIGNMENT;
  return hir_buffer_new_device (address, size_bytes, keep_memory, NULL);
}

static gboolean
open_stream (HirBackend *backend, HirStreamUse use, guint *stream, GError **error)
{
  *stream = ++((Generator *) backend)->n_streams;
  return TRUE;
}

static HirBuffer *
allocate (HirBackend *backend, guint stream, gsize size_bytes, GError **error)
{
  return new_buffer ((Generator *) backend, size_bytes);
}

static gboolean
fill (HirBackend *backend,
      guint stream,
      HirBuffer *buffer,
      guint8 byte,
      const HirEvent *event,
      GError **error)
{
  return TRUE;
}

static char *
dup_config (const HirUnitPart *part)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "grid %u, block %u, shared memory %" G_GSIZE_FORMAT " bytes",
                          part->grid, part->block, part->shared_bytes);
  if (part->vector > 1)
    g_string_append_printf (text, ", vectors of %u elements", part->vector);
  if (part->grid == 0)
    g_string_append (text, "\nnot launched: there are no elements");
  return g_string_free (text, FALSE);
}

/* Returns the tensor of operand @operand, or NULL if it is a scalar or not a tensor of the program.
 * Calls of most ops have no scalar inputs. */
static const HirVal *
lookup_tensor (const HirOpCall *call, int operand)
{
  const HirExpr *expr = call->expr;
  guint i = 0;

  if (operand == HIR_OPERAND_OUTPUT)
    return expr->n_outputs > 0 ? expr->outputs[0] : NULL;
  if (operand < 0)
    return NULL;
  for (guint left = (guint) operand; i < expr->n_inputs; i++)
    if ((call->n_inputs == expr->n_inputs || HIR_IS_TENSOR (expr->inputs[i])) && left-- == 0)
      break;
  return i < expr->n_inputs && HIR_IS_TENSOR (expr->inputs[i]) ? expr->inputs[i] : NULL;
}

static void
append_argument (GString *text, const HirTask *task, const HirKernelArg *arg)
{
  const HirOpCall *call = g_ptr_array_index (task->calls, arg->call);
  const HirValue *value =
      arg->operand != HIR_OPERAND_PIECES ? hir_cuda_get_operand (task, arg) : NULL;
  const HirExpr *expr = call->expr;
  const HirVal *val = lookup_tensor (call, arg->operand);
  g_autofree char *shape = value != NULL ? hir_value_describe (value) : NULL;

  if (value == NULL)
    g_string_append_printf (text, "pieces of %s in scratch memory", hir_expr_get_op_name (expr));
  else if (val != NULL)
    g_string_append_printf (text, "T%d %s%s", val->name, shape,
                            arg->kind == HIR_ARG_SCRATCH ? " in scratch memory" : "");
  else
    g_string_append_printf (text, "%s%s of %s", value->is_scalar ? "scalar " : "", shape,
                            hir_expr_get_op_name (expr));
}

static char *
dup_arguments (const HirTask *task, const HirUnitPart *part)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < part->args->len; i++)
    {
      const char *matmul[] = { "input 0", "input 1", "bias" };

      if (i > 0)
        g_string_append_c (text, '\n');
      if (part->kind == HIR_PART_KERNEL)
        g_string_append_printf (text, "p%u: ", i);
      else
        g_string_append_printf (text,
                                "%s: ", i + 1 == part->args->len ? "output" : matmul[MIN (i, 2)]);
      append_argument (text, task, &g_array_index (part->args, HirKernelArg, i));
    }
  return g_string_free (text, FALSE);
}

static HirKernel *
kernel_new (const HirTask *task, const HirUnitPart *part)
{
  HirKernel *kernel = g_new0 (HirKernel, 1);

  kernel->name = g_strdup (part->name);
  kernel->source = g_strdup (part->source);
  kernel->config =
      part->kind == HIR_PART_KERNEL
          ? dup_config (part)
          : g_strchomp (hir_cuda_matmul_describe (g_ptr_array_index (task->calls, part->call)));
  kernel->arguments = dup_arguments (task, part);
  return kernel;
}

/* Calls of opaque instructions name operands only. Returns NULL and sets *@why for them. */
static HirUnitCode *
generate (const HirTask *task, char **why)
{
  g_autoptr (GError) error = NULL;
  HirUnitCode *code = NULL;

  if (!hir_evaluator_is_opaque (task->expr))
    code = hir_cuda_generate (task, HIR_KERNELS_N_SMS, TRUE, &error);
  else if (task->expr->kind == HIR_EXPR_LAUNCH_KERNEL)
    *why =
        g_strdup_printf ("the printed program has no source of nvFuser's kernel of group "
                         "%d;\nopen a log with its fusion (NVFUSER_DUMP=segmented_fusion,host_ir)",
                         task->expr->u.post.group);
  else
    *why = g_strdup ("no code can be generated for this instruction");
  if (error != NULL)
    *why = g_strdup (error->message);
  return code;
}

static HirKernels *
kernels_new (const HirTask *task, gint32 iteration)
{
  HirKernels *kernels = g_new0 (HirKernels, 1);
  g_autoptr (HirUnitCode) code = generate (task, &kernels->error);

  kernels->instruction = task->expr->node.id;
  kernels->label = g_strdup (task->label);
  kernels->first = iteration;
  kernels->kernels = g_ptr_array_new_with_free_func (kernel_free);
  for (guint i = 0; code != NULL && i < code->parts->len; i++)
    g_ptr_array_add (kernels->kernels, kernel_new (task, g_ptr_array_index (code->parts, i)));
  return kernels;
}

static gboolean
is_equal (const HirKernels *a, const HirKernels *b)
{
  if (a->instruction != b->instruction || a->kernels->len != b->kernels->len ||
      g_strcmp0 (a->error, b->error) != 0)
    return FALSE;
  for (guint i = 0; i < a->kernels->len; i++)
    {
      const HirKernel *x = g_ptr_array_index (a->kernels, i);
      const HirKernel *y = g_ptr_array_index (b->kernels, i);

      if (g_strcmp0 (x->source, y->source) != 0 || !g_str_equal (x->config, y->config) ||
          !g_str_equal (x->arguments, y->arguments))
        return FALSE;
    }
  return TRUE;
}

/* Different alignments, for example, often have equal code: takes @kernels, and returns the entry
 * with its code. */
static HirKernels *
add_new (GPtrArray *found, HirKernels *kernels)
{
  for (guint i = 0; i < found->len; i++)
    if (is_equal (g_ptr_array_index (found, i), kernels))
      {
        kernels_free (kernels);
        return g_ptr_array_index (found, i);
      }
  g_ptr_array_add (found, kernels);
  return kernels;
}

static void
take_calls (Generator *generator, const HirTask *task)
{
  g_autoptr (GBytes) key = NULL;
  gint64 id = (gint64) task->expr->node.id;
  HirKernels *kernels;

  hir_cuda_sign_task (generator->signature, task);
  /* Two instructions may execute the same HostUnit. */
  g_array_append_val (generator->signature, id);
  key = g_bytes_new (generator->signature->data, generator->signature->len * sizeof (gint64));
  kernels = g_hash_table_lookup (generator->known, key);
  if (kernels == NULL)
    {
      kernels = add_new (generator->found, kernels_new (task, generator->iteration));
      g_hash_table_insert (generator->known, g_steal_pointer (&key), kernels);
    }
  kernels->last = generator->iteration;
  kernels->n++;
}

static gboolean
enqueue (HirBackend *backend, guint stream, HirTask *task, GError **error)
{
  if (task->calls != NULL)
    take_calls ((Generator *) backend, task);
  hir_task_free (task);
  return TRUE;
}

static HirBackendEvent *
record_event (HirBackend *backend, guint stream)
{
  return (HirBackendEvent *) backend;
}

static gboolean
wait_event (
    HirBackend *backend, guint stream, HirBackendEvent *event, HirTask *task, GError **error)
{
  g_clear_pointer (&task, hir_task_free);
  return TRUE;
}

static void
drop_event (HirBackend *backend, HirBackendEvent *event)
{
}

static void
get_progress (HirBackend *backend, guint64 *n_done, guint *n_running)
{
  *n_done = 0;
  *n_running = 0;
}

static gboolean
synchronize (HirBackend *backend, GError **error)
{
  return TRUE;
}

static HirValue *
upload (HirBackend *backend, HirValue *tensor, GError **error)
{
  g_autoptr (HirBuffer) buffer = new_buffer ((Generator *) backend, tensor->buffer->size_bytes);
  HirValue *value =
      hir_value_new_tensor (tensor->dtype, tensor->n_dims, tensor->sizes, tensor->strides, buffer);

  value->offset = tensor->offset;
  return value;
}

static void
cancel (HirBackend *backend)
{
}

/* The session frees the communicator after the back end, so that both stay until the end. */
static void
free_backend (HirBackend *backend)
{
}

static void
generator_free (gpointer data)
{
  Generator *generator = data;

  g_hash_table_unref (generator->known);
  g_ptr_array_unref (generator->found);
  g_array_unref (generator->signature);
  g_free (generator);
}

static const HirBackendClass backend_class = {
  .open_stream = open_stream,
  .allocate = allocate,
  .fill = fill,
  .enqueue = enqueue,
  .record_event = record_event,
  .wait_event = wait_event,
  .drop_event = drop_event,
  .get_progress = get_progress,
  .synchronize = synchronize,
  .upload = upload,
  .cancel = cancel,
  .free = free_backend,
};

/* The work has no data; it must only differ from NULL. */
static HirCommWork *
post (HirCommunicator *communicator, const HirCommPost *what, GError **error)
{
  return (HirCommWork *) communicator;
}

static void
free_work (HirCommWork *work)
{
}

static void
ignore (HirCommunicator *communicator)
{
}

static gboolean
end_posts (HirCommunicator *communicator, GError **error)
{
  return TRUE;
}

static void
abort_posts (HirCommunicator *communicator, const GError *error)
{
}

static const HirCommunicatorClass communicator_class = {
  .begin = ignore,
  .post = post,
  .free_work = free_work,
  .end = end_posts,
  .abort = abort_posts,
  .free = ignore,
};

static HirBackend *
new_backend (HirBackendProvider *base, const HirBackendOptions *options, GError **error)
{
  Provider *provider = (Provider *) base;
  Generator *generator = g_new0 (Generator, 1);

  generator->backend.klass = &backend_class;
  generator->communicator =
      (HirCommunicator){ &communicator_class, options->rank, provider->n_ranks };
  generator->address = ALIGNMENT;
  generator->iteration = -1;
  generator->known =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  generator->found = g_ptr_array_new_with_free_func (kernels_free);
  generator->signature = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_ptr_array_add (provider->generators, generator);
  return &generator->backend;
}

/* Called once per rank, after new_backend(). */
static HirCommunicator *
new_communicator (
    HirBackendProvider *base, HirCommWorld *world, int rank, HirBackend *backend, GError **error)
{
  return &((Generator *) backend)->communicator;
}

static const HirBackendProviderClass provider_class = {
  .new_backend = new_backend,
  .new_communicator = new_communicator,
};

static gboolean
before (const HirProgramPoint *point, gpointer user_data, GError **error)
{
  ((Generator *) user_data)->iteration = point->iteration;
  return TRUE;
}

/* Evaluates the displayed rank only; nothing blocks. */
static GPtrArray *
run_shown (HirSession *session, GPtrArray *generators, GError **error)
{
  for (guint i = 0; i < session->ranks->len; i++)
    {
      HirRank *rank = g_ptr_array_index (session->ranks, i);
      Generator *generator = g_ptr_array_index (generators, i);
      const HirEvaluatorHooks hooks = { before, NULL, generator, FALSE };

      if (rank != session->shown)
        continue;
      hir_evaluator_add_hooks (rank->evaluator, &hooks);
      if (!hir_evaluator_start (rank->evaluator, (HirValue **) rank->inputs->pdata,
                                rank->inputs->len, HIR_PHASE_PROGRAM, error) ||
          !hir_evaluator_finish (rank->evaluator, error))
        return NULL;
      return g_ptr_array_ref (generator->found);
    }
  return NULL;
}

GPtrArray *
hir_kernels_new_for_program (HirContainer *fusion,
                             HirContainer *program,
                             guint n_ranks,
                             const HirRunOptions *options,
                             GCancellable *cancellable,
                             GError **error)
{
  /* Freed after the session. */
  g_autoptr (GPtrArray) generators = g_ptr_array_new_with_free_func (generator_free);
  g_autofree HirContainer **programs = g_new0 (HirContainer *, n_ranks);
  g_autoptr (HirSession) session = NULL;
  Provider provider = { { &provider_class }, (int) n_ranks, generators };
  HirRunOptions dry = *options;

  /* Only that of the displayed rank is evaluated. */
  for (guint i = 0; i < n_ranks; i++)
    programs[i] = program;
  dry.provider = &provider.provider;
  dry.is_dry = TRUE;
  dry.max_steps = MAX_STEPS;
  session = hir_session_new_ranks (fusion, programs, n_ranks, &dry, NULL, cancellable, error);
  return session != NULL ? run_shown (session, generators, error) : NULL;
}

/* Appends @lines as comments. */
static void
append_comment (GString *text, const char *lines)
{
  g_auto (GStrv) all = g_strsplit (lines, "\n", -1);

  for (guint i = 0; all[i] != NULL; i++)
    g_string_append_printf (text, "// %s\n", all[i]);
}

static void
append_heading (const HirKernels *kernels, int rank, GString *text)
{
  g_string_append_printf (text, "// %s on rank %d", kernels->label, rank);
  if (kernels->n == 1 && kernels->first >= 0)
    g_string_append_printf (text, ", iteration %d", kernels->first);
  else if (kernels->n > 1 && kernels->first >= 0)
    g_string_append_printf (text, ", %u times, iterations %d to %d", kernels->n, kernels->first,
                            kernels->last);
  else if (kernels->n > 1)
    g_string_append_printf (text, ", %u times", kernels->n);
  g_string_append_c (text, '\n');
}

void
hir_kernels_append_prelude (GString *text)
{
  /* Names in namespaces are not extern "C". */
  g_string_append_printf (text,
                          "// for a GPU with %d multiprocessors (H100, H200)\n"
                          "%s#undef HIR_KERNEL\n#define HIR_KERNEL __global__\n\n",
                          HIR_KERNELS_N_SMS, hir_codegen_get_device_prelude ());
}

static void
append_source (const HirKernel *kernel, guint *number, GString *text)
{
  const char *source = kernel->source + strspn (kernel->source, "\n");

  if (number != NULL)
    g_string_append_printf (text, "namespace launch%u\n{\n%s}\n", ++*number, source);
  else
    g_string_append (text, source);
}

void
hir_kernels_append_text (const HirKernels *kernels, int rank, guint *number, GString *text)
{
  append_heading (kernels, rank, text);
  if (kernels->error != NULL)
    append_comment (text, kernels->error);
  for (guint i = 0; i < kernels->kernels->len; i++)
    {
      const HirKernel *kernel = g_ptr_array_index (kernels->kernels, i);

      g_string_append_printf (text, "%s// launch %u of %u: %s%s\n", i > 0 ? "\n" : "//\n", i + 1,
                              kernels->kernels->len,
                              kernel->source == NULL ? "cublasLtMatmul, " : "", kernel->name);
      append_comment (text, kernel->config);
      append_comment (text, kernel->arguments);
      if (kernel->source != NULL)
        append_source (kernel, number, text);
    }
}
