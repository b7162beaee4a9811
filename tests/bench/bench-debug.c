/* Measures the overhead of the debugger without breakpoints: the same program plain and under
 * the debugger, alternately, best of each. Columns: ranks, streams, elements, instructions; ns
 * per instruction plain and debugged, and their ratio; then the same in CPU time, which other
 * load affects less. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "debugger/debug-run.h"
#include "program-builder.h"
#include "run/session/session.h"
#include "session-access.h"

#define ROUNDS 15

typedef struct
{
  HirContainer *program;
  HirContainer *programs[8];
  guint n_ranks;
  HirRunOptions options;
} Case;

static HirSession *
make (gpointer user_data, GError **error)
{
  Case *it = user_data;

  return hir_session_new_ranks (it->program, it->programs, it->n_ranks, &it->options, NULL, NULL,
                                error);
}

/* A loop that copies small slices on streams, so that host time dominates. */
static HirContainer *
build (gint64 n, gint64 size)
{
  HirContainer *program = build_program ();
  HirTensor *in = build_tensor (program, 2, (const gint64[]){ n, size });
  HirTensor *out = build_tensor (program, 2, (const gint64[]){ n, size });
  HirTensor *from = build_tensor (program, 1, &size), *to = build_tensor (program, 1, &size);
  HirExpr *loop;

  hir_container_add_input (program, HIR_VAL (in));
  build_allocate (program, NULL, out);
  hir_container_add_output (program, HIR_VAL (out));
  loop = build_loop (program, NULL, n);
  build_stream_op (program, &loop->u.loop.body, HIR_EXPR_SET_CURRENT_STREAM, NULL);
  build_select (program, &loop->u.loop.body, from, in, 0, build_index (program));
  build_select (program, &loop->u.loop.body, to, out, 0, build_index (program));
  build_set (program, &loop->u.loop.body, to, from);
  build_stream_op (program, &loop->u.loop.body, HIR_EXPR_SYNCHRONIZE, NULL);
  return program;
}

/* Minimum of each over all repetitions. */
typedef struct
{
  gint64 wall_ns, cpu_ns;
} Best;

static gint64
now_cpu_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
}

static void
keep (Best *best, gint64 start_ns, gint64 start_cpu_ns)
{
  best->wall_ns = MIN (best->wall_ns, hir_clock_now_ns () - start_ns);
  best->cpu_ns = MIN (best->cpu_ns, now_cpu_ns () - start_cpu_ns);
}

static void
run_plainly (Case *it, Best *best, guint64 *n_steps)
{
  g_autoptr (HirSession) session = make (it, NULL);
  gint64 start_ns = hir_clock_now_ns (), start_cpu_ns = now_cpu_ns ();

  if (!hir_session_run (session, NULL))
    exit (1);
  keep (best, start_ns, start_cpu_ns);
  *n_steps = hir_evaluator_get_n_steps (session_get_evaluator (session));
}

static void
run_debugged (Case *it, Best *best)
{
  g_autoptr (HirDebugRun) run = hir_debug_run_new (make, it, 64 << 20, NULL);
  gint64 start_ns = hir_clock_now_ns (), start_cpu_ns = now_cpu_ns ();

  if (hir_debug_run_go (run, HIR_DEBUG_ALL_RANKS, NULL) == HIR_STEP_FAILED ||
      !hir_debug_run_finish (run, NULL))
    exit (1);
  keep (best, start_ns, start_cpu_ns);
}

static void
compare (guint n_ranks, gint64 n, gint64 size)
{
  HirContainer *program = build (n, size);
  Case it = { .program = program, .n_ranks = n_ranks };
  Best plain = { G_MAXINT64, G_MAXINT64 }, debugged = plain;
  guint64 n_steps = 0;

  for (guint i = 0; i < n_ranks; i++)
    it.programs[i] = program;
  hir_run_options_init (&it.options);
  for (guint i = 0; i < ROUNDS; i++)
    {
      run_plainly (&it, &plain, &n_steps);
      run_debugged (&it, &debugged);
    }
  printf ("%u\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\t%" G_GUINT64_FORMAT
          "\t%.1f\t%.1f\t%+.1f%%\t%.1f\t%.1f\t%+.1f%%\n",
          n_ranks, it.options.n_streams, size, n_steps, (double) plain.wall_ns / (double) n_steps,
          (double) debugged.wall_ns / (double) n_steps,
          100 * ((double) debugged.wall_ns / (double) plain.wall_ns - 1),
          (double) plain.cpu_ns / (double) n_steps, (double) debugged.cpu_ns / (double) n_steps,
          100 * ((double) debugged.cpu_ns / (double) plain.cpu_ns - 1));
  hir_container_unref (program);
}

int
main (void)
{
  printf ("ranks\tstreams\telements\tinstructions\tplain_ns\tdebugged_ns\tmore\t"
          "plain_cpu_ns\tdebugged_cpu_ns\tmore\n");
  compare (1, 20000, 1);
  compare (1, 2000, 4096);
  compare (2, 20000, 1);
  compare (2, 2000, 4096);
  compare (4, 5000, 64);
  return 0;
}
