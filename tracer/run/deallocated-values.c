#include "run/deallocated-values.h"

struct _HirDeallocatedValues
{
  HirEvaluator *evaluator;
  GHashTable *values; /* HirTensor* (the program's) -> HirValue*, NULL: was too large */
  gsize size_bytes, max_bytes;
};

static void
forget (gpointer value)
{
  if (value != NULL)
    hir_value_unref (value);
}

/* Keeps the last instance, in a loop that of the last iteration. */
static gboolean
on_before (const HirProgramPoint *point, gpointer user_data, GError **error)
{
  HirDeallocatedValues *self = user_data;
  HirTensor *tensor;
  HirValue *value, *old;

  if (point->expr->kind != HIR_EXPR_DEALLOCATE)
    return TRUE;
  tensor = point->expr->u.deallocate.buffer;
  value = hir_evaluator_lookup (self->evaluator, HIR_VAL (tensor));
  /* The evaluator reports a missing value. */
  if (value == NULL || value->is_scalar)
    return TRUE;
  old = g_hash_table_lookup (self->values, tensor);
  if (old != NULL)
    self->size_bytes -= old->buffer->size_bytes;
  if (value->buffer->size_bytes > self->max_bytes - self->size_bytes)
    value = NULL;
  else
    self->size_bytes += value->buffer->size_bytes;
  g_hash_table_insert (self->values, tensor, value != NULL ? hir_value_ref (value) : NULL);
  return TRUE;
}

HirDeallocatedValues *
hir_deallocated_values_new (HirEvaluator *evaluator, gsize max_bytes)
{
  HirDeallocatedValues *self = g_new0 (HirDeallocatedValues, 1);
  HirEvaluatorHooks hooks = { on_before, NULL, self };

  self->evaluator = evaluator;
  self->max_bytes = max_bytes;
  self->values = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, forget);
  hir_evaluator_add_hooks (evaluator, &hooks);
  return self;
}

void
hir_deallocated_values_free (HirDeallocatedValues *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->values);
  g_free (self);
}

HirValue *
hir_deallocated_values_lookup (HirDeallocatedValues *self,
                               const HirTensor *tensor,
                               gboolean *was_too_large)
{
  gpointer value = NULL;
  gboolean found = g_hash_table_lookup_extended (self->values, tensor, NULL, &value);

  *was_too_large = found && value == NULL;
  return value;
}
