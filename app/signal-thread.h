/* Signals, taken by a thread of their own: what comes of one needs no main loop, and may take locks
 * and memory. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _HirSignalThread HirSignalThread;
/* @number, as in signal(7). Called by that thread. */
typedef void (*HirSignalFunc) (int number, gpointer user_data);

/* From now on @func is called for each of the @n_numbers that comes, but for those that this
 * process ignores: what nohup or a shell's background ignores goes on to be. Never NULL. A signal
 * is told to one of these only. */
HirSignalThread *
hir_signal_thread_new (const int *numbers, guint n_numbers, HirSignalFunc func, gpointer user_data);
/* When it returns, @func is not called again. NULL does nothing. */
void hir_signal_thread_free (HirSignalThread *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSignalThread, hir_signal_thread_free)

G_END_DECLS
