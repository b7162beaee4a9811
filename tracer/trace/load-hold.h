/* A hook of tests: loading that stands still half-way, for as long as it takes to look at it, so that no test
 * needs a file so large, or a machine so slow, that it could be looked at by chance. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* While there is a file at the path that HIRSCOPE_TEST_LOAD_HOLD gives, and at least half of @total bytes are
 * @done. FALSE where the variable is not set, or @total is 0. Any thread. */
gboolean hir_load_is_held (guint64 done, guint64 total);
/* Waits a moment if so; TRUE: call it again. FALSE also once @cancellable or @enough (nullable both) was
 * cancelled. */
gboolean hir_load_hold (GCancellable *cancellable, GCancellable *enough, guint64 done, guint64 total);

G_END_DECLS
