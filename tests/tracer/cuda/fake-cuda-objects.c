/* Fake CUDA driver: events, modules and kernels. */
#include "fake-cuda-private.h"

#include <string.h>

#define ENTER()                                                                                    \
  G_STMT_START                                                                                     \
  {                                                                                                \
    HirCuResult entered = fake_cuda_enter (__func__);                                              \
    if (entered != HIR_CU_SUCCESS)                                                                 \
      return entered;                                                                              \
  }                                                                                                \
  G_STMT_END

#define INVALID_CONTEXT 201u
#define INVALID_HANDLE 400u

#define DECLARE(field, symbol, parameters) FAKE_EXPORT HirCuResult symbol parameters;
HIR_CU_FUNCTIONS (DECLARE)
#undef DECLARE

struct CUmod_st
{
  GPtrArray *functions; /* HirCuFunction */
  FakeKernel *kernel;   /* nullable */
  GMutex lock;
};

struct CUfunc_st
{
  char *name;
  FakeKernel *kernel; /* nullable */
};

HirCuResult
cuEventCreate (HirCuEvent *event, unsigned int flags)
{
  ENTER ();
  if (fake_cuda_get_current () == NULL)
    return INVALID_CONTEXT;
  *event = g_new0 (struct CUevent_st, 1);
  (*event)->context = fake_cuda_get_current ();
  (*event)->id = (guint32) g_atomic_int_add (&fake_cuda_get ()->n_events, 1) + 1;
  g_mutex_init (&(*event)->lock);
  g_cond_init (&(*event)->reached_cond);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuEventDestroy_v2 (HirCuEvent event)
{
  FakeCuda *cuda = fake_cuda_get ();

  ENTER ();
  /* The driver allows this while queued work still uses the event, so keep the object. */
  g_mutex_lock (&cuda->lock);
  g_ptr_array_add (cuda->old_events, event);
  g_mutex_unlock (&cuda->lock);
  return HIR_CU_SUCCESS;
}

typedef struct
{
  HirCuEvent event;
  guint64 number;
} Mark;

static void
reach (gpointer data)
{
  Mark *mark = data;

  g_mutex_lock (&mark->event->lock);
  mark->event->reached = MAX (mark->event->reached, mark->number);
  g_cond_broadcast (&mark->event->reached_cond);
  g_mutex_unlock (&mark->event->lock);
}

static void
wait_for (gpointer data)
{
  Mark *mark = data;

  g_mutex_lock (&mark->event->lock);
  while (mark->event->reached < mark->number)
    g_cond_wait (&mark->event->reached_cond, &mark->event->lock);
  g_mutex_unlock (&mark->event->lock);
}

static void
push_mark (
    HirCuStream stream, HirCuEvent event, FakeKind kind, const char *call, void (*run) (gpointer))
{
  FakeWork *work = g_new0 (FakeWork, 1);
  Mark mark = { event, event->recorded };

  work->activity.kind = kind;
  work->activity.call = call;
  work->activity.event = event->id;
  work->activity.event_sync = event->sync;
  work->run = run;
  work->data = g_memdup2 (&mark, sizeof mark);
  work->destroy = g_free;
  fake_stream_push (fake_stream_get (stream), work);
}

HirCuResult
cuEventRecord (HirCuEvent event, HirCuStream stream)
{
  FakeCuda *cuda = fake_cuda_get ();

  ENTER ();
  if (fake_stream_get (stream) == NULL || fake_stream_get (stream)->context != event->context)
    return INVALID_HANDLE;
  if (fake_cuda_is_idle ())
    return HIR_CU_SUCCESS;
  g_mutex_lock (&event->lock);
  event->recorded++;
  g_mutex_unlock (&event->lock);
  g_mutex_lock (&cuda->lock);
  event->sync = ++cuda->n_syncs;
  g_mutex_unlock (&cuda->lock);
  push_mark (stream, event, FAKE_EVENT_RECORD, __func__, reach);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuStreamWaitEvent (HirCuStream stream, HirCuEvent event, unsigned int flags)
{
  ENTER ();
  if (fake_cuda_is_idle ())
    return HIR_CU_SUCCESS;
  push_mark (stream, event, FAKE_STREAM_WAIT, __func__, wait_for);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuEventQuery (HirCuEvent event)
{
  gboolean is_reached;

  ENTER ();
  g_mutex_lock (&event->lock);
  is_reached = event->reached >= event->recorded;
  g_mutex_unlock (&event->lock);
  return is_reached ? HIR_CU_SUCCESS : HIR_CU_ERROR_NOT_READY;
}

HirCuResult
cuEventSynchronize (HirCuEvent event)
{
  Mark mark = { event, event->recorded };

  ENTER ();
  wait_for (&mark);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuModuleLoadData (HirCuModule *module, const void *image)
{
  ENTER ();
  /* The fake's machine code is text, so a file that looks like real machine code is damaged. */
  if (strncmp (image, "\177ELF", 4) == 0)
    return HIR_CU_ERROR_INVALID_IMAGE;
  *module = g_new0 (struct CUmod_st, 1);
  (*module)->kernel = fake_kernel_get (image);
  (*module)->functions = g_ptr_array_new ();
  g_mutex_init (&(*module)->lock);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuModuleUnload (HirCuModule module)
{
  ENTER ();
  for (guint i = 0; i < module->functions->len; i++)
    {
      HirCuFunction function = module->functions->pdata[i];

      g_free (function->name);
      g_free (function);
    }
  g_ptr_array_unref (module->functions);
  g_mutex_clear (&module->lock);
  g_free (module);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuModuleGetFunction (HirCuFunction *function, HirCuModule module, const char *name)
{
  ENTER ();
  *function = g_new0 (struct CUfunc_st, 1);
  (*function)->name = g_strdup (name);
  (*function)->kernel = module->kernel;
  g_mutex_lock (&module->lock);
  g_ptr_array_add (module->functions, *function);
  g_mutex_unlock (&module->lock);
  return HIR_CU_SUCCESS;
}

typedef struct
{
  FakeKernel *kernel;
  void **values;
  guint grid, threads;
} Launch;

static void
run_launch (gpointer data)
{
  Launch *launch = data;

  fake_kernel_run (launch->kernel, launch->values, launch->grid, launch->threads);
}

static void
free_launch (gpointer data)
{
  Launch *launch = data;

  fake_kernel_free_values (launch->values, launch->kernel);
  g_free (launch);
}

HirCuResult
cuLaunchKernel (HirCuFunction function,
                unsigned int grid_x,
                unsigned int grid_y,
                unsigned int grid_z,
                unsigned int block_x,
                unsigned int block_y,
                unsigned int block_z,
                unsigned int shared_bytes,
                HirCuStream stream,
                void **parameters,
                void **extra)
{
  Launch *launch;

  ENTER ();
  if (function->kernel == NULL)
    return fake_cuda_launch (stream, __func__, function->name, NULL, NULL, NULL);
  launch = g_new0 (Launch, 1);
  *launch = (Launch){ function->kernel, fake_kernel_dup_values (function->kernel, parameters),
                      grid_x, block_x };
  return fake_cuda_launch (stream, __func__, function->name, run_launch, launch, free_launch);
}
