/* Handles SIGINT, SIGTERM and SIGHUP while a command writes a file. The command is cancelled and
 * cleans up, so that no partial file is left; then the process ends by that signal. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _HirInterrupt HirInterrupt;

/* Starts handling the signals that the process does not ignore. A second signal ends the program at
 * once. Only one HirInterrupt may exist at a time. */
HirInterrupt *hir_interrupt_new (void);
/* Returns the cancellable that the first signal cancels (borrowed). */
GCancellable *hir_interrupt_get_cancellable (HirInterrupt *self);
/* Frees @self. If a signal arrived, ends the program by that signal, so call it after all
 * cleanup. */
void hir_interrupt_free (HirInterrupt *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirInterrupt, hir_interrupt_free)

G_END_DECLS
