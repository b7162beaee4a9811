#include "run/backend.h"

HirTask *
hir_task_new (const HirExpr *expr, const char *label)
{
  HirTask *task = g_new0 (HirTask, 1);

  task->expr = expr;
  task->label = g_strdup (label);
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
  g_free (task->label);
  g_free (task);
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
