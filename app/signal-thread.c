#include "signal-thread.h"

#include <glib-unix.h>
#include <signal.h>

struct _HirSignalThread
{
  HirSignalFunc func;
  gpointer user_data;
  GMainContext *context;
  GMainLoop *loop;
  GThread *thread;
};

typedef struct
{
  HirSignalThread *self;
  int number;
} Watch;

static gboolean
on_signal (gpointer user_data)
{
  const Watch *watch = user_data;

  watch->self->func (watch->number, watch->self->user_data);
  return G_SOURCE_CONTINUE;
}

static void
attach (HirSignalThread *self,
        GSource *source,
        GSourceFunc func,
        gpointer data,
        GDestroyNotify free_data)
{
  g_source_set_callback (source, func, data, free_data);
  g_source_attach (source, self->context);
  g_source_unref (source);
}

/* Uses a handler instead of sigwait() on a blocked signal: threads that libraries start before
 * main() do not block the signal and would receive it. */
static void
watch_signal (HirSignalThread *self, int number)
{
  struct sigaction before;
  Watch *watch;

  if (sigaction (number, NULL, &before) != 0 || before.sa_handler == SIG_IGN)
    return;
  watch = g_new (Watch, 1);
  *watch = (Watch){ self, number };
  attach (self, g_unix_signal_source_new (number), on_signal, watch, g_free);
}

static gpointer
wait_for_signals (gpointer user_data)
{
  HirSignalThread *self = user_data;

  g_main_context_push_thread_default (self->context);
  g_main_loop_run (self->loop);
  g_main_context_pop_thread_default (self->context);
  return NULL;
}

HirSignalThread *
hir_signal_thread_new (const int *numbers, guint n_numbers, HirSignalFunc func, gpointer user_data)
{
  HirSignalThread *self = g_new0 (HirSignalThread, 1);

  self->func = func;
  self->user_data = user_data;
  self->context = g_main_context_new ();
  self->loop = g_main_loop_new (self->context, FALSE);
  for (guint i = 0; i < n_numbers; i++)
    watch_signal (self, numbers[i]);
  self->thread = g_thread_new ("hir-signals", wait_for_signals, self);
  return self;
}

static gboolean
quit (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

void
hir_signal_thread_free (HirSignalThread *self)
{
  if (self == NULL)
    return;
  /* Quit from inside the loop: g_main_loop_quit() has no effect on a loop that is not yet running.
   */
  attach (self, g_idle_source_new (), quit, self->loop, NULL);
  g_thread_join (self->thread);
  g_main_loop_unref (self->loop);
  g_main_context_unref (self->context);
  g_free (self);
}
