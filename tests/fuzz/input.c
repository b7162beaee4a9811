#include "input.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static char name[512];

static void
print_name (void)
{
  if (write (2, name, strlen (name)) < 0 || write (2, "\n", 1) < 0)
    _exit (3);
}

static void
on_signal (int number)
{
  print_name ();
  _exit (2);
}

static void
watch (void)
{
  static const int numbers[] = {
    SIGALRM, SIGPROF, SIGABRT, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGILL
  };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    signal (numbers[i], on_signal);
#ifdef __SANITIZE_ADDRESS__
  /* A report of the sanitizer ends the process without a signal. */
  extern void __sanitizer_set_death_callback (void (*callback) (void));

  __sanitizer_set_death_callback (print_name);
#endif
}

void
fuzz_input_begin (guint cpu_seconds, const char *format, ...)
{
  const struct itimerval limit = { .it_value.tv_sec = cpu_seconds };
  va_list args;

  if (name[0] == '\0')
    watch ();
  va_start (args, format);
  g_vsnprintf (name, sizeof name, format, args);
  va_end (args);
  setitimer (ITIMER_PROF, &limit, NULL);
  alarm (10 * cpu_seconds);
}

void
fuzz_input_end (void)
{
  const struct itimerval none = { 0 };

  setitimer (ITIMER_PROF, &none, NULL);
  alarm (0);
}

const char *
fuzz_input_get_name (void)
{
  return name;
}

guint
fuzz_below (GRand *rand, guint n)
{
  return g_rand_int (rand) % n;
}
