#include "bench-child.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench-make.h"

void
bench_restart (BenchMeasure *measure)
{
  measure->cpu_s = bench_cpu_s ();
  measure->wall_s = bench_wall_s ();
}

void
bench_use_one_processor (void)
{
  cpu_set_t set;

  CPU_ZERO (&set);
  CPU_SET ((int) (g_random_int () % g_get_num_processors ()), &set);
  sched_setaffinity (0, sizeof set, &set);
}

void
bench_run_program (const char *const *words)
{
  int null = g_open ("/dev/null", O_WRONLY, 0);

  dup2 (null, 1);
  execvp (words[0], (char *const *) words);
  _exit (127);
}

gboolean
bench_measure_child (BenchWork work, gconstpointer data, BenchMeasure *measure)
{
  int pipes[2], status;
  double start = bench_wall_s ();
  struct rusage usage;
  pid_t child;

  *measure = (BenchMeasure){ 0 };
  if (pipe (pipes) != 0 || (child = fork ()) < 0)
    g_error ("no child process");
  if (child == 0)
    {
      fcntl (pipes[1], F_SETFD, FD_CLOEXEC);
      bench_restart (measure);
      work (data, measure);
      measure->cpu_s = bench_cpu_s () - measure->cpu_s;
      measure->wall_s = bench_wall_s () - measure->wall_s;
      _exit (write (pipes[1], measure, sizeof *measure) != sizeof *measure);
    }
  close (pipes[1]);
  if (read (pipes[0], measure, sizeof *measure) != sizeof *measure)
    *measure = (BenchMeasure){ 0 };
  close (pipes[0]);
  if (wait4 (child, &status, 0, &usage) < 0 || status != 0)
    return FALSE;
  if (measure->wall_s == 0)
    {
      measure->wall_s = bench_wall_s () - start;
      measure->cpu_s = (double) usage.ru_utime.tv_sec + (double) usage.ru_utime.tv_usec / 1e6 +
                       (double) usage.ru_stime.tv_sec + (double) usage.ru_stime.tv_usec / 1e6;
    }
  return TRUE;
}
