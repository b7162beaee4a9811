/* Measures work in child processes, so that no run finds the memory and caches of another one. */
#pragma once

#include <glib.h>

typedef struct
{
  double cpu_s, wall_s;
  double bytes_an_event; /* memory; 0 if not measured */
  double n_events;
  int n_pictures;
} BenchMeasure;

/* Called in a child process, which ends afterwards. */
typedef void (*BenchWork) (gconstpointer data, BenchMeasure *measure);

/* Runs @work with @data in a child process and sets @measure to its times and to what it counted.
 * If @work starts another program, the time of that program counts. Returns FALSE if the child
 * fails. */
gboolean bench_measure_child (BenchWork work, gconstpointer data, BenchMeasure *measure);
/* Restarts the clocks of @measure in the child process, so that what came before does not count. */
void bench_restart (BenchMeasure *measure);
/* Restricts the process to one processor, so that programs start one thread. */
void bench_use_one_processor (void);
/* Replaces the process by the program @words, without output. */
void bench_run_program (const char *const *words);
