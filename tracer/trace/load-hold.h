/* Test hook: pauses loading halfway, so that tests can inspect the state without depending on file
 * size or speed. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Returns TRUE while the file named by HIRSCOPE_TEST_LOAD_HOLD exists and at least half of @total
 * bytes are @done. Returns FALSE if the variable is not set or @total is 0. Any thread. */
gboolean hir_load_is_held (guint64 done, guint64 total);
/* Sleeps 5 ms if loading is paused, and then returns TRUE: call it again. Returns FALSE if
 * @cancellable or @enough (both nullable) is cancelled. */
gboolean hir_load_hold (GCancellable *cancellable, GCancellable *enough, guint64 done, guint64 total);

G_END_DECLS
