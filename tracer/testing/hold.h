/* Test hooks that pause the program at a given point. Without -Dtesting=true they do nothing.
 *
 * Each hook has an environment variable with the path of a file. The program pauses at the hook
 * while that file exists. Call from any thread. */
#pragma once

#include <gio/gio.h>

#include "config.h"

G_BEGIN_DECLS

#if HIR_TESTING
/* Blocks while the file named by the environment variable @variable exists and @cancellable
 * (nullable) is not cancelled. */
void hir_test_hold (const char *variable, GCancellable *cancellable);

/**
 * hir_test_hold_load:
 * @cancellable: (nullable): ends the hold
 * @enough: (nullable): ends the hold
 * @done: bytes read
 * @total: bytes to read, or 0 if unknown
 *
 * Pauses loading when half of the input is read, for as long as the file named by
 * HIRSCOPE_TEST_LOAD_HOLD exists.
 *
 * Returns: TRUE after a short pause if the hold continues; call again
 */
gboolean
hir_test_hold_load (GCancellable *cancellable, GCancellable *enough, guint64 done, guint64 total);
#else
static inline void
hir_test_hold (const char *variable, GCancellable *cancellable)
{
}

static inline gboolean
hir_test_hold_load (GCancellable *cancellable, GCancellable *enough, guint64 done, guint64 total)
{
  return FALSE;
}
#endif

G_END_DECLS
