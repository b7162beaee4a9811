/* A hook of tests: loading that stands still half-way, for as long as it takes to look at it, so that no test
 * needs a file so large, or a machine so slow, that it could be looked at by chance. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* While there is a file at the path that HIRSCOPE_TEST_LOAD_HOLD gives: waits, once at least half of @total
 * bytes are @done. Returns at once where the variable is not set, @total is 0, or @cancellable (nullable) was
 * cancelled. Any thread. */
void hir_load_hold (GCancellable *cancellable, guint64 done, guint64 total);

G_END_DECLS
