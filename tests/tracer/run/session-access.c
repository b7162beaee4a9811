#include "session-access.h"

static void
append_element (GString *text, HirDType dtype, gconstpointer element)
{
  g_autoptr (HirValue) scalar =
      hir_dtype_is_floating_point (dtype)
          ? hir_value_new_double (hir_element_get_double (dtype, element), dtype)
          : hir_value_new_int (hir_element_get_int (dtype, element), dtype);
  g_autofree char *described = hir_value_describe (scalar);

  g_string_append (text, described);
}

char *
value_format (const HirValue *value, guint max)
{
  const guint8 *data = hir_value_get_data (value);
  gint64 count = hir_value_get_n_elements (value);
  gsize size = hir_dtype_get_size_bytes (value->dtype);

  if (value->is_scalar)
    return hir_value_describe (value);

  GString *text = g_string_new ("[");
  for (gint64 k = 0; k < count && k < (gint64) max && data != NULL; k++)
    {
      gint64 rest = k, at = 0;
      for (guint d = value->n_dims; d-- > 0;)
        {
          at += rest % value->sizes[d] * value->strides[d];
          rest /= value->sizes[d];
        }
      gconstpointer element = data + at * (gint64) size;
      if (k > 0)
        g_string_append (text, ", ");
      append_element (text, value->dtype, element);
    }
  g_string_append (text, count > (gint64) max ? ", ...]" : "]");
  return g_string_free (text, FALSE);
}

/* Returns the elements, copied to the host if necessary. All streams must be idle. */
static char *
dup_elements (HirSession *session, const HirValue *value, guint max_elements, GError **error)
{
  HirBackend *backend = session->shown->backend;
  g_autoptr (HirBuffer) buffer = NULL;
  g_autoptr (HirValue) host = NULL;

  if (value->is_scalar || value->buffer->place == HIR_PLACE_HOST)
    return value_format (value, max_elements);
  buffer = hir_buffer_new (hir_value_get_size_bytes (value), error);
  if (buffer == NULL || !backend->klass->read (backend, value, buffer->data, error))
    return NULL;
  host = hir_value_new_tensor (value->dtype, value->n_dims, value->sizes, NULL, buffer);
  return value_format (host, max_elements);
}

guint
session_get_n_outputs (HirSession *session, guint number)
{
  g_return_val_if_fail (number < session->ranks->len, 0);
  return ((HirRank *) g_ptr_array_index (session->ranks, number))->program->outputs.len;
}

GBytes *
session_dup_output (HirSession *session, guint number, guint i, GError **error)
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
session_dup_value_text (
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
