#include "run/backend.h"

HirTask *
hir_task_new (const HirExpr *expr, char *label)
{
  HirTask *task = g_new0 (HirTask, 1);

  task->expr = expr;
  task->label = g_ref_string_acquire (label);
  task->event.instruction = expr != NULL ? expr->node.id : 0;
  task->event.iteration = -1;
  return task;
}

void
hir_task_free (HirTask *task)
{
  g_clear_pointer (&task->calls, g_ptr_array_unref);
  if (task->free_work != NULL)
    task->free_work (task->work);
  if (task->free_before != NULL)
    task->free_before (task->before_data);
  g_ref_string_release (task->label);
  g_free (task);
}

gboolean
hir_computations_have_progressed (HirComputations *computations, gint *n_ended)
{
  gint before = *n_ended;

  *n_ended = g_atomic_int_get (&computations->n_ended);
  return *n_ended != before || g_atomic_int_get (&computations->n_started) != *n_ended;
}

guint
hir_backend_add_track (HirBackend *backend,
                       guint stream,
                       HirRecorder *recorder,
                       const HirTrack *track)
{
  HirTrack named = *track;
  g_autofree char *native = backend->klass->dup_stream_name != NULL
                                ? backend->klass->dup_stream_name (backend, stream)
                                : NULL;
  g_autofree char *name =
      native != NULL ? g_strdup_printf ("%s = %s", native, track->name) : g_strdup (track->name);
  guint index;

  named.name = name;
  index = hir_recorder_add_track (recorder, &named);
  if (backend->klass->set_stream_track != NULL)
    backend->klass->set_stream_track (backend, stream, index);
  return index;
}

guint8
hir_poison_get_byte (HirDType dtype)
{
  guint8 byte;

  hir_poison (dtype, &byte, 1);
  return byte;
}

void
hir_backend_free (HirBackend *backend)
{
  backend->klass->cancel (backend);
  backend->klass->free (backend);
}
