/* Receives signals on a dedicated thread. Handlers need no main loop, and may take locks and
 * allocate memory. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _HirSignalThread HirSignalThread;
/* Handler for signal @number; see signal(7). Called on the dedicated thread. */
typedef void (*HirSignalFunc) (int number, gpointer user_data);

/* Calls @func for each of the @n_numbers signals. Signals that the process ignores, for example
 * because of nohup, stay ignored. Two objects must not handle the same signal. Never returns
 * NULL. */
HirSignalThread *
hir_signal_thread_new (const int *numbers, guint n_numbers, HirSignalFunc func, gpointer user_data);
/* Stops and frees @self (nullable). The handler is not called after this function returns. */
void hir_signal_thread_free (HirSignalThread *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSignalThread, hir_signal_thread_free)

G_END_DECLS
