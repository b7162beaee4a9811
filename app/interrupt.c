#include "interrupt.h"

#include <glib-unix.h>
#include <signal.h>
#include <unistd.h>

struct _HirInterrupt
{
  GCancellable *cancellable;
  GMainContext *context; /* of the thread that waits for signals */
  GMainLoop *loop;
  GThread *thread;
  int came; /* the first signal; 0: none. Of that thread, until it is over */
};

typedef struct
{
  HirInterrupt *interrupt;
  int number;
} Signal;

/* As if nobody had waited for it. */
static void
end_by (int number)
{
  signal (number, SIG_DFL);
  kill (getpid (), number);
}

static gboolean
on_signal (gpointer user_data)
{
  const Signal *came = user_data;
  HirInterrupt *self = came->interrupt;

  if (self->came != 0)
    end_by (came->number);
  self->came = came->number;
  g_cancellable_cancel (self->cancellable);
  return G_SOURCE_CONTINUE;
}

static gpointer
wait_for_signals (gpointer user_data)
{
  HirInterrupt *self = user_data;

  g_main_context_push_thread_default (self->context);
  g_main_loop_run (self->loop);
  g_main_context_pop_thread_default (self->context);
  return NULL;
}

/* Not by blocking them: threads of libraries, which are there before main(), would take them. */
static void
watch_signal (HirInterrupt *self, int number)
{
  struct sigaction before;
  GSource *source;
  Signal *data;

  /* What nohup or a shell's background ignores goes on to be ignored. */
  if (sigaction (number, NULL, &before) != 0 || before.sa_handler == SIG_IGN)
    return;
  data = g_new (Signal, 1);
  *data = (Signal){ self, number };
  source = g_unix_signal_source_new (number);
  g_source_set_callback (source, on_signal, data, g_free);
  g_source_attach (source, self->context);
  g_source_unref (source);
}

HirInterrupt *
hir_interrupt_new (void)
{
  static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
  HirInterrupt *self = g_new0 (HirInterrupt, 1);

  self->cancellable = g_cancellable_new ();
  self->context = g_main_context_new ();
  self->loop = g_main_loop_new (self->context, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    watch_signal (self, numbers[i]);
  self->thread = g_thread_new ("hir-interrupt", wait_for_signals, self);
  return self;
}

GCancellable *
hir_interrupt_get_cancellable (HirInterrupt *self)
{
  return self->cancellable;
}

static gboolean
quit (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

void
hir_interrupt_free (HirInterrupt *self)
{
  GSource *over;

  if (self == NULL)
    return;
  /* From within: a loop that does not run yet would not be told. */
  over = g_idle_source_new ();
  g_source_set_callback (over, quit, self->loop, NULL);
  g_source_attach (over, self->context);
  g_source_unref (over);
  g_thread_join (self->thread);
  if (self->came != 0)
    end_by (self->came);
  g_main_loop_unref (self->loop);
  g_main_context_unref (self->context);
  g_object_unref (self->cancellable);
  g_free (self);
}
