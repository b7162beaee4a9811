#include "interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "signal-thread.h"

struct _HirInterrupt
{
  GCancellable *cancellable;
  HirSignalThread *thread;
  int came; /* number of the first signal, or 0; used by the thread until it has ended */
};

/* Ends the process by the signal, as if the signal had not been handled. */
static void
end_by (int number)
{
  signal (number, SIG_DFL);
  kill (getpid (), number);
}

static void
on_signal (int number, gpointer user_data)
{
  HirInterrupt *self = user_data;

  if (self->came != 0)
    end_by (number);
  self->came = number;
  g_cancellable_cancel (self->cancellable);
}

HirInterrupt *
hir_interrupt_new (void)
{
  static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
  HirInterrupt *self = g_new0 (HirInterrupt, 1);

  self->cancellable = g_cancellable_new ();
  self->thread = hir_signal_thread_new (numbers, G_N_ELEMENTS (numbers), on_signal, self);
  return self;
}

GCancellable *
hir_interrupt_get_cancellable (HirInterrupt *self)
{
  return self->cancellable;
}

void
hir_interrupt_free (HirInterrupt *self)
{
  if (self == NULL)
    return;
  hir_signal_thread_free (self->thread);
  if (self->came != 0)
    end_by (self->came);
  g_object_unref (self->cancellable);
  g_free (self);
}
