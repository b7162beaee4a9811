/* Ctrl+C, and others that ask the program to end, while a command writes a file: it ends what it
 * does, so that nothing half-done is left, and then by that signal. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _HirInterrupt HirInterrupt;

/* SIGINT, SIGTERM and SIGHUP, where they are not ignored. The second one that comes ends the
 * program at once. One of these a process at a time. */
HirInterrupt *hir_interrupt_new (void);
/* Borrowed: cancelled by the first of them. */
GCancellable *hir_interrupt_get_cancellable (HirInterrupt *self);
/* All is tidy. Ends the program by the signal that came, if one did. */
void hir_interrupt_free (HirInterrupt *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirInterrupt, hir_interrupt_free)

G_END_DECLS
