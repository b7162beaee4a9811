#include "draw/graph/layout-worker.h"

#include "draw/graph/lanes.h"
#include "draw/graph/layout-dot.h"
#include "draw/graph/layout-wire.h"
#include "testing/hold.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Larger than any graph that can be laid out in the time budget. */
#define MAX_INPUT_BYTES (64u << 20)
#define MAX_CACHED 48
/* Ends a worker that no process kills. */
#define MAX_CPU_SECONDS 60

struct _HirLayouter
{
  gint ref_count;
  char *program;
  guint budget_ms;
  guint n_running;    /* number of running workers */
  GHashTable *cache;  /* guint64* -> HirLayout* */
  GQueue *cache_keys; /* same keys, oldest first; borrowed */
};

typedef struct
{
  HirLayouter *layouter;
  HirSizes *sizes;
  HirLayout *fallback;
  GSubprocess *process;
  GSource *timer;
  guint64 hash;
  GTask *task;      /* owner of this data */
  gboolean overdue; /* the task has already returned */
} Job;

static gboolean
read_all (GByteArray *to)
{
  guint8 block[65536];

  for (;;)
    {
      gssize n = read (STDIN_FILENO, block, sizeof block);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return n == 0;
      if (to->len + (gsize) n > MAX_INPUT_BYTES)
        return FALSE;
      g_byte_array_append (to, block, (guint) n);
    }
}

static gboolean
write_all (int fd, const guint8 *data, gsize size)
{
  while (size > 0)
    {
      gssize n = write (fd, data, size);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      data += n;
      size -= (gsize) n;
    }
  return TRUE;
}

int
hir_layout_worker_main (void)
{
  struct rlimit limit = { MAX_CPU_SECONDS, MAX_CPU_SECONDS };
  GByteArray *input = g_byte_array_new ();
  g_autoptr (GBytes) bytes = NULL, answer = NULL;
  g_autoptr (HirSizes) sizes = NULL;
  g_autoptr (HirLayout) layout = NULL;
  g_autoptr (GError) error = NULL;
  gboolean complete;
  gsize size;

  /* Without the window, the result is useless. */
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  setrlimit (RLIMIT_CPU, &limit);
  complete = read_all (input);
  bytes = g_byte_array_free_to_bytes (input);
  if (!complete)
    return 2;
  hir_test_hold ("HIRSCOPE_TEST_LAYOUT_HOLD", NULL);
  sizes = hir_sizes_new_from_bytes (bytes, &error);
  if (sizes != NULL)
    layout = hir_layout_dot (sizes, &error);
  if (layout == NULL)
    {
      g_printerr ("error: %s\n", error->message);
      return 2;
    }
  answer = hir_layout_to_bytes (layout);
  const guint8 *data = g_bytes_get_data (answer, &size);
  return write_all (STDOUT_FILENO, data, size) ? 0 : 2;
}

HirLayouter *
hir_layouter_new (const char *program, guint budget_ms)
{
  HirLayouter *layouter = g_new0 (HirLayouter, 1);

  layouter->ref_count = 1;
  layouter->program = g_strdup (program != NULL ? program : "/proc/self/exe");
  layouter->budget_ms = budget_ms > 0 ? budget_ms : HIR_LAYOUT_BUDGET_MS;
  layouter->cache = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                           (GDestroyNotify) hir_layout_unref);
  layouter->cache_keys = g_queue_new ();
  return layouter;
}

void
hir_layouter_unref (HirLayouter *layouter)
{
  if (layouter == NULL || --layouter->ref_count > 0)
    return;
  g_queue_free (layouter->cache_keys);
  g_hash_table_unref (layouter->cache);
  g_free (layouter->program);
  g_free (layouter);
}

static void
remember (HirLayouter *layouter, guint64 hash, HirLayout *layout)
{
  guint64 *key;

  if (g_hash_table_contains (layouter->cache, &hash))
    return;
  if (g_hash_table_size (layouter->cache) >= MAX_CACHED)
    g_hash_table_remove (layouter->cache, g_queue_pop_head (layouter->cache_keys));
  key = g_new (guint64, 1);
  *key = hash;
  g_hash_table_insert (layouter->cache, key, hir_layout_ref (layout));
  g_queue_push_tail (layouter->cache_keys, key);
}

static void
stop_timer (Job *job)
{
  if (job->timer == NULL)
    return;
  g_source_destroy (job->timer);
  g_clear_pointer (&job->timer, g_source_unref);
}

static void
job_free (gpointer data)
{
  Job *job = data;

  stop_timer (job);
  g_clear_object (&job->process);
  hir_sizes_free (job->sizes);
  hir_layout_unref (job->fallback);
  hir_layouter_unref (job->layouter);
  g_free (job);
}

static HirLayout *
make_fallback (Job *job, const char *why)
{
  g_autoptr (HirLayout) layout =
      job->fallback != NULL ? hir_layout_ref (job->fallback) : hir_lanes_new_layered (job->sizes);

  return hir_layout_new_noted (layout, layout->note != NULL ? layout->note : why);
}

static void
return_fallback (GTask *task, const char *why)
{
  Job *job = g_task_get_task_data (task);

  stop_timer (job);
  g_task_return_pointer (task, make_fallback (job, why), (GDestroyNotify) hir_layout_unref);
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Job *job = g_task_get_task_data (task);
  g_autoptr (GBytes) answer = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirLayout) layout = NULL;

  stop_timer (job);
  job->layouter->n_running--;
  if (job->overdue)
    return;
  if (!g_subprocess_communicate_finish (job->process, result, &answer, NULL, &error) &&
      g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_subprocess_force_exit (job->process);
      g_task_return_error (task, g_steal_pointer (&error));
      return;
    }
  if (answer != NULL)
    layout = hir_layout_new_from_bytes (answer, job->sizes, NULL);
  if (layout == NULL)
    {
      g_subprocess_force_exit (job->process);
      return_fallback (task, "Graphviz failed; drawn in simple rows");
      return;
    }
  remember (job->layouter, job->hash, layout);
  g_task_return_pointer (task, g_steal_pointer (&layout), (GDestroyNotify) hir_layout_unref);
}

/* Returns at once, because on a busy machine a killed worker may take long to end. */
static gboolean
on_overdue (gpointer user_data)
{
  Job *job = user_data;

  job->overdue = TRUE;
  g_subprocess_force_exit (job->process);
  return_fallback (job->task, "Graphviz took too long; drawn in simple rows");
  return G_SOURCE_REMOVE;
}

static HirSizes *
copy_sizes (const HirSizes *sizes)
{
  HirSizes *copy = g_new0 (HirSizes, 1);

  copy->nodes = g_array_copy (sizes->nodes);
  copy->groups = g_array_copy (sizes->groups);
  copy->edges = g_array_copy (sizes->edges);
  copy->constraints = g_array_copy (sizes->constraints);
  copy->order = g_array_copy (sizes->order);
  return copy;
}

/* Passes the input in a file in memory, because writing to a pipe raises SIGPIPE if the worker dies
 * early. */
static GSubprocess *
start_worker (HirLayouter *layouter, const HirSizes *sizes)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  g_autoptr (GBytes) bytes = hir_sizes_to_bytes (sizes);
  int fd = memfd_create ("hirscope-layout", MFD_CLOEXEC);
  const guint8 *data;
  gsize size;

  if (fd < 0)
    return NULL;
  data = g_bytes_get_data (bytes, &size);
  if (!write_all (fd, data, size) || lseek (fd, 0, SEEK_SET) != 0)
    {
      close (fd);
      return NULL;
    }
  g_subprocess_launcher_take_stdin_fd (launcher, fd);
  return g_subprocess_launcher_spawn (launcher, NULL, layouter->program, "--layout-worker", NULL);
}

void
hir_layouter_run_async (HirLayouter *layouter,
                        const HirSizes *sizes,
                        HirLayout *fallback,
                        GCancellable *cancellable,
                        GAsyncReadyCallback callback,
                        gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  Job *job = g_new0 (Job, 1);
  HirLayout *known;

  g_return_if_fail (layouter != NULL && sizes != NULL);

  layouter->ref_count++;
  job->layouter = layouter;
  job->sizes = copy_sizes (sizes);
  job->fallback = fallback != NULL ? hir_layout_ref (fallback) : NULL;
  job->hash = hir_sizes_hash (sizes);
  g_task_set_task_data (task, job, job_free);
  known = g_hash_table_lookup (layouter->cache, &job->hash);
  if (known != NULL)
    {
      g_task_return_pointer (task, hir_layout_ref (known), (GDestroyNotify) hir_layout_unref);
      return;
    }
  job->process = start_worker (layouter, sizes);
  if (job->process == NULL)
    {
      return_fallback (task, "the layout worker cannot be started; drawn in simple rows");
      return;
    }
  job->task = task;
  layouter->n_running++;
  job->timer = g_timeout_source_new (layouter->budget_ms);
  g_source_set_callback (job->timer, on_overdue, job, NULL);
  g_source_attach (job->timer, g_main_context_get_thread_default ());
  g_subprocess_communicate_async (job->process, NULL, cancellable, on_answer, g_object_ref (task));
}

HirLayout *
hir_layouter_run_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (G_IS_TASK (result), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

static void
on_done (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GAsyncResult **stored = user_data;

  *stored = g_object_ref (result);
}

HirLayout *
hir_layouter_run (HirLayouter *layouter, const HirSizes *sizes, HirLayout *fallback)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GAsyncResult) result = NULL;
  HirLayout *layout;
  guint n_others = layouter->n_running;

  g_main_context_push_thread_default (context);
  hir_layouter_run_async (layouter, sizes, fallback, NULL, on_done, &result);
  /* Also waits for the end of the worker, because no loop runs its callback afterwards. */
  while (result == NULL || layouter->n_running > n_others)
    g_main_context_iteration (context, TRUE);
  layout = hir_layouter_run_finish (result, NULL);
  g_main_context_pop_thread_default (context);
  return layout;
}
