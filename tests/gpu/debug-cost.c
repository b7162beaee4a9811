/* Measures the cost of the debugger on GPUs if nothing stops the program: ag_matmul runs in a
 * session and under the debugger without breakpoints, alternately.
 *
 *   debug-cost MULTI_DEVICE.py [RANKS [CHUNKS [M K N [ROUNDS]]]]
 *
 * Prints the median times from the first instruction to the end of the last kernel, and the median
 * increase per pair of runs. */
#include <stdlib.h>

#include "cuda/provider.h"
#include "debugger/debug-run.h"
#include "gpu-program.h"
#include "run/session/session.h"

typedef struct
{
  HirProgram *program;
  GPtrArray *hosts;
  HirRunOptions options;
} Case;

static HirSession *
make (gpointer user_data, GError **error)
{
  Case *it = user_data;

  return hir_session_new_ranks (it->program->fusion, (HirContainer *const *) it->hosts->pdata,
                                it->hosts->len, &it->options, NULL, NULL, error);
}

static void
must (gboolean ok, const GError *error)
{
  if (!ok)
    g_error ("%s", error != NULL ? error->message : "unknown error");
}

static double
run_plainly (Case *it)
{
  GError *error = NULL;
  g_autoptr (HirSession) session = make (it, &error);

  must (session != NULL, error);
  must (hir_session_run (session, &error), error);
  return (double) hir_session_get_elapsed_ns (session);
}

static double
run_debugged (Case *it)
{
  GError *error = NULL;
  g_autoptr (HirDebugRun) run = hir_debug_run_new (make, it, 64 << 20, &error);

  must (run != NULL, error);
  must (hir_debug_run_go (run, HIR_DEBUG_ALL_RANKS, &error) != HIR_STEP_FAILED, error);
  must (hir_debug_run_is_over (run) && hir_debug_run_finish (run, &error), error);
  return (double) hir_session_get_elapsed_ns (hir_debug_run_get_session (run));
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (GArray *times)
{
  g_array_sort (times, compare);
  return g_array_index (times, double, times->len / 2);
}

static int
get_number (int argc, char *argv[], int i, int otherwise)
{
  return argc > i ? atoi (argv[i]) : otherwise;
}

int
main (int argc, char *argv[])
{
  int n = get_number (argc, argv, 2, 2), chunks = get_number (argc, argv, 3, 4000);
  int m = get_number (argc, argv, 4, 16), k = get_number (argc, argv, 5, 64);
  int width = get_number (argc, argv, 6, 64), rounds = get_number (argc, argv, 7, 9);
  HirCudaProviderOptions cuda = { .recorder = NULL };
  g_autofree char *shape = g_strdup_printf ("%dx%dx%dx%d", chunks, n, m, k);
  g_autofree char *weight = g_strdup_printf ("%dx%d", k, width);
  const char *const inputs[] = { shape, weight, NULL };
  g_autoptr (GArray) plain = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) debugged = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) more = g_array_new (FALSE, FALSE, sizeof (double));
  GError *error = NULL;
  Case it = { .program = gpu_program_open (argv[1], (guint) n) };

  it.hosts = hir_program_dup_rank_hosts (it.program, NULL, &error);
  must (it.hosts != NULL, error);
  hir_run_options_init (&it.options);
  it.options.inputs = inputs;
  it.options.provider = hir_cuda_provider_new (&cuda, &error);
  must (it.options.provider != NULL, error);
  for (int i = -1; i < rounds; i++)
    {
      double first = i % 2 == 0 ? run_plainly (&it) : run_debugged (&it);
      double second = i % 2 == 0 ? run_debugged (&it) : run_plainly (&it);
      double a = i % 2 == 0 ? first : second, b = i % 2 == 0 ? second : first,
             by = 100 * (b / a - 1);

      if (i < 0) /* warm-up: loads libraries and kernels */
        continue;
      g_array_append_val (plain, a);
      g_array_append_val (debugged, b);
      g_array_append_val (more, by);
    }

  double a = median (plain) / chunks / 1000, b = median (debugged) / chunks / 1000;
  g_print ("ag_matmul on %d GPUs, %d x %d x %d x %d by %d: plain %.2f us per iteration, under the "
           "debugger %.2f us, more %+.1f %%\n",
           n, chunks, n, m, k, width, a, b, median (more));
  return 0;
}
