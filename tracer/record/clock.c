#include "record/clock.h"

#include <time.h>

gint64
hir_clock_now_ns (void)
{
  struct timespec now = { 0 };

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64) now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}
