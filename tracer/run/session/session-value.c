/* What a session's tensors and scalars are now. */
#include "run/session/session-private.h"

/* The elements, from wherever they are. All streams are idle. */
static char *
dup_elements (HirSession *session, const HirValue *value, guint max_elements, GError **error)
{
  HirBackend *backend = session->shown->backend;
  g_autoptr (HirBuffer) buffer = NULL;
  g_autoptr (HirValue) host = NULL;

  if (value->is_scalar || value->buffer->place == HIR_PLACE_HOST)
    return hir_value_format (value, max_elements);
  buffer = hir_buffer_new (hir_value_get_size_bytes (value), error);
  if (buffer == NULL || !backend->klass->read (backend, value, buffer->data, error))
    return NULL;
  host = hir_value_new_tensor (value->dtype, value->n_dims, value->sizes, NULL, buffer);
  return hir_value_format (host, max_elements);
}

guint
hir_session_get_n_outputs (HirSession *session, guint number)
{
  g_return_val_if_fail (number < session->ranks->len, 0);
  return ((HirRank *) g_ptr_array_index (session->ranks, number))->program->outputs.len;
}

GBytes *
hir_session_dup_output (HirSession *session, guint number, guint i, GError **error)
{
  HirRank *rank;
  HirValue *value;
  g_autofree guint8 *elements = NULL;
  gsize size_bytes;

  g_return_val_if_fail (number < session->ranks->len, NULL);
  rank = g_ptr_array_index (session->ranks, number);
  g_return_val_if_fail (i < rank->program->outputs.len, NULL);
  value = hir_evaluator_lookup (rank->evaluator, rank->program->outputs.items[i]);
  if (value == NULL || value->is_scalar)
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL, "output %u was not computed on rank %u", i,
                     number);
      return NULL;
    }
  size_bytes = hir_value_get_size_bytes (value);
  elements = g_malloc (size_bytes + 1);
  if (!rank->backend->klass->read (rank->backend, value, elements, error))
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&elements), size_bytes);
}

static char *
dup_scalar_text (HirSession *session, const char *name, GError **error)
{
  HirContainer *program = session->shown->program;

  for (guint i = 0; i < program->named.len; i++)
    {
      const HirScalar *scalar = program->named.items[i];
      if (g_str_equal (scalar->named, name))
        {
          g_autoptr (HirValue) value =
              hir_evaluator_evaluate (session->shown->evaluator, scalar, error);
          g_autofree char *text = value != NULL ? hir_value_describe (value) : NULL;
          return text != NULL ? g_strdup_printf ("%s = %s", name, text) : NULL;
        }
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "the program has no scalar named %s", name);
  return NULL;
}

char *
hir_session_dup_value_text (
    HirSession *session, guint64 id, const char *name, guint max_elements, GError **error)
{
  HirTensor *tensor;
  HirValue *value;

  if (name != NULL && *name != '\0')
    return dup_scalar_text (session, name, error);
  tensor = hir_container_lookup_tensor (session->shown->program, id);
  value =
      tensor != NULL ? hir_evaluator_lookup (session->shown->evaluator, HIR_VAL (tensor)) : NULL;
  if (value == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     tensor != NULL ? "T%d has no value now" : "the program has no such tensor",
                     tensor != NULL ? tensor->base.name : 0);
      return NULL;
    }
  if (!session->shown->backend->klass->synchronize (session->shown->backend, error))
    return NULL;

  g_autofree char *shape = hir_value_describe (value);
  g_autofree char *elements = dup_elements (session, value, max_elements, error);
  return elements != NULL ? g_strdup_printf ("T%d %s = %s", tensor->base.name, shape, elements)
                          : NULL;
}
