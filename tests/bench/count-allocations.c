#include "count-allocations.h"

#include <stdlib.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/* glibc's internal names. */
void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *before, size_t size);

static gint64 *
get_count (void)
{
  static __thread gint64 count;

  return &count;
}

void *
malloc (size_t size)
{
  ++*get_count ();
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  ++*get_count ();
  return __libc_calloc (n, size);
}

void *
realloc (void *before, size_t size)
{
  ++*get_count ();
  return __libc_realloc (before, size);
}

gint64
bench_count_allocations (void)
{
  return *get_count ();
}

#else

gint64
bench_count_allocations (void)
{
  return -1;
}

#endif
