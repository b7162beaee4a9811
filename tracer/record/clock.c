#include "record/clock.h"

#include <time.h>

static gint64
read_ns (clockid_t clock)
{
  struct timespec now = { 0 };

  clock_gettime (clock, &now);
  return (gint64)now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

gint64
hir_clock_now_ns (void)
{
  return read_ns (CLOCK_MONOTONIC);
}

gint64
hir_clock_wall_ns (void)
{
  return read_ns (CLOCK_REALTIME);
}
