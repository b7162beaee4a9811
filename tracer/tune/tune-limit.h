/* Cancels work when a time limit is reached, or when the user cancels. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _HirTuneLimit HirTuneLimit;

/* Starts the time limit on a thread. @cancellable is nullable. */
HirTuneLimit *hir_tune_limit_new (double seconds, GCancellable *cancellable);
void hir_tune_limit_free (HirTuneLimit *limit);
/* Returns the cancellable of the work (borrowed). */
GCancellable *hir_tune_limit_get_cancellable (HirTuneLimit *limit);
gboolean hir_tune_limit_is_over (HirTuneLimit *limit);
/* Returns the share of the time that has passed, 1 at its end. */
double hir_tune_limit_get_share (HirTuneLimit *limit);

G_END_DECLS
