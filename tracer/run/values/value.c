/* Buffers, values and views. */
#include "run/values/value.h"

#include <stdlib.h>
#include <string.h>

#include "diagnostic.h"

#define ALIGNMENT 64
/* Smaller buffers are allocated without a check. */
#define LARGE_BYTES ((gsize) 256 << 20)

static void
free_host (gpointer data, gpointer user_data)
{
  free (data);
}

static guint64
read_kib (const char *meminfo, const char *key)
{
  const char *at = strstr (meminfo, key);

  return at != NULL ? g_ascii_strtoull (at + strlen (key), NULL, 10) : 0;
}

/* Returns TRUE if memory is available. Linux overcommits, and kills a process that uses the
 * memory. */
static gboolean
is_memory_available (gsize size_bytes)
{
  g_autofree char *meminfo = NULL;

  if (size_bytes < LARGE_BYTES || !g_file_get_contents ("/proc/meminfo", &meminfo, NULL, NULL) ||
      strstr (meminfo, "MemAvailable:") == NULL)
    return TRUE;
  return size_bytes / 1024 < read_kib (meminfo, "MemAvailable:") + read_kib (meminfo, "SwapFree:");
}

static gpointer
host_alloc (gsize size_bytes, GError **error)
{
  gsize padded = size_bytes > G_MAXSIZE - ALIGNMENT ? 0 : (size_bytes / ALIGNMENT + 1) * ALIGNMENT;
  gpointer data =
      padded > 0 && is_memory_available (padded) ? aligned_alloc (ALIGNMENT, padded) : NULL;

  if (data == NULL)
    hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                   "not enough memory for a buffer of %" G_GSIZE_FORMAT
                   " bytes; use smaller --input sizes",
                   size_bytes);
  return data;
}

HirBuffer *
hir_buffer_new_deferred (gsize size_bytes)
{
  HirBuffer *buffer = g_new0 (HirBuffer, 1);

  g_atomic_ref_count_init (&buffer->ref_count);
  buffer->size_bytes = size_bytes;
  buffer->free_data = free_host;
  return buffer;
}

gboolean
hir_buffer_ensure (HirBuffer *buffer, GError **error)
{
  if (buffer->data == NULL)
    buffer->data = host_alloc (buffer->size_bytes, error);
  return buffer->data != NULL;
}

HirBuffer *
hir_buffer_new (gsize size_bytes, GError **error)
{
  g_autoptr (HirBuffer) buffer = hir_buffer_new_deferred (size_bytes);

  if (!hir_buffer_ensure (buffer, error))
    return NULL;
  return g_steal_pointer (&buffer);
}

HirBuffer *
hir_buffer_new_device (gpointer data,
                       gsize size_bytes,
                       void (*free_data) (gpointer data, gpointer user_data),
                       gpointer user_data)
{
  HirBuffer *buffer = g_new0 (HirBuffer, 1);

  g_atomic_ref_count_init (&buffer->ref_count);
  buffer->place = HIR_PLACE_CUDA;
  buffer->data = data;
  buffer->size_bytes = size_bytes;
  buffer->free_data = free_data;
  buffer->user_data = user_data;
  return buffer;
}

HirBuffer *
hir_buffer_ref (HirBuffer *buffer)
{
  g_atomic_int_inc (&buffer->ref_count);
  return buffer;
}

void
hir_buffer_unref (HirBuffer *buffer)
{
  if (!g_atomic_int_dec_and_test (&buffer->ref_count))
    return;
  if (buffer->data != NULL)
    buffer->free_data (buffer->data, buffer->user_data);
  g_free (buffer);
}

static HirValue *
value_new (HirDType dtype)
{
  HirValue *value = g_new0 (HirValue, 1);

  g_atomic_ref_count_init (&value->ref_count);
  value->dtype = dtype;
  return value;
}

HirValue *
hir_value_new_int (gint64 i, HirDType dtype)
{
  HirValue *value = value_new (dtype);

  value->is_scalar = TRUE;
  value->i = i;
  value->d = (double) i;
  return value;
}

HirValue *
hir_value_new_double (double d, HirDType dtype)
{
  HirValue *value = value_new (dtype);

  value->is_scalar = TRUE;
  value->d = d;
  value->i = hir_dtype_saturate (HIR_DTYPE_INT, d);
  return value;
}

HirValue *
hir_value_new_tensor (
    HirDType dtype, guint n_dims, const gint64 *sizes, const gint64 *strides, HirBuffer *buffer)
{
  HirValue *value = value_new (dtype);

  g_assert (n_dims <= HIR_MAX_DIMS);
  value->n_dims = n_dims;
  if (n_dims > 0)
    memcpy (value->sizes, sizes, sizeof (gint64) * n_dims);
  if (strides != NULL && n_dims > 0)
    memcpy (value->strides, strides, sizeof (gint64) * n_dims);
  else
    hir_sizes_contiguous_strides (sizes, n_dims, value->strides);
  value->buffer = hir_buffer_ref (buffer);
  return value;
}

HirValue *
hir_value_ref (HirValue *value)
{
  g_atomic_int_inc (&value->ref_count);
  return value;
}

void
hir_value_unref (HirValue *value)
{
  if (!g_atomic_int_dec_and_test (&value->ref_count))
    return;
  g_clear_pointer (&value->buffer, hir_buffer_unref);
  g_free (value);
}

static HirValue *
view_of (const HirValue *tensor)
{
  HirValue *view = value_new (tensor->dtype);

  g_assert (!tensor->is_scalar);
  view->n_dims = tensor->n_dims;
  memcpy (view->sizes, tensor->sizes, sizeof view->sizes);
  memcpy (view->strides, tensor->strides, sizeof view->strides);
  view->offset = tensor->offset;
  view->buffer = hir_buffer_ref (tensor->buffer);
  return view;
}

HirValue *
hir_value_drop_axis (const HirValue *tensor, guint axis)
{
  HirValue *view = view_of (tensor);

  g_assert (axis < tensor->n_dims);
  view->n_dims--;
  for (guint i = axis; i < view->n_dims; i++)
    {
      view->sizes[i] = tensor->sizes[i + 1];
      view->strides[i] = tensor->strides[i + 1];
    }
  return view;
}

HirValue *
hir_value_select (const HirValue *tensor, guint axis, gint64 index)
{
  HirValue *view = hir_value_drop_axis (tensor, axis);

  g_assert (index >= 0 && index < tensor->sizes[axis]);
  view->offset += index * tensor->strides[axis];
  return view;
}

HirValue *
hir_value_permute (const HirValue *tensor, const guint *order)
{
  HirValue *view = view_of (tensor);

  for (guint i = 0; i < tensor->n_dims; i++)
    {
      view->sizes[i] = tensor->sizes[order[i]];
      view->strides[i] = tensor->strides[order[i]];
    }
  return view;
}

HirValue *
hir_value_slice (const HirValue *tensor, guint axis, gint64 start, gint64 size, gint64 step)
{
  HirValue *view = view_of (tensor);

  g_assert (axis < tensor->n_dims && start >= 0 && size >= 0 && step >= 1);
  g_assert (size == 0 || start + (size - 1) * step < tensor->sizes[axis]);
  view->sizes[axis] = size;
  view->strides[axis] *= step;
  if (size > 0)
    view->offset += start * tensor->strides[axis];
  return view;
}

HirValue *
hir_value_insert_axis (const HirValue *tensor, guint axis)
{
  HirValue *view = view_of (tensor);

  g_assert (axis <= tensor->n_dims && tensor->n_dims < HIR_MAX_DIMS);
  for (guint i = tensor->n_dims; i > axis; i--)
    {
      view->sizes[i] = tensor->sizes[i - 1];
      view->strides[i] = tensor->strides[i - 1];
    }
  view->n_dims++;
  view->sizes[axis] = 1;
  view->strides[axis] = 0;
  return view;
}

HirValue *
hir_value_expand (const HirValue *tensor, const gint64 *sizes)
{
  g_autoptr (HirValue) view = view_of (tensor);

  for (guint i = 0; i < tensor->n_dims; i++)
    {
      if (view->sizes[i] == sizes[i])
        continue;
      if (view->sizes[i] != 1)
        return NULL;
      view->sizes[i] = sizes[i];
      view->strides[i] = 0;
    }
  return g_steal_pointer (&view);
}

HirValue *
hir_value_reshape (const HirValue *tensor, guint n_dims, const gint64 *sizes)
{
  gint64 count = 1;

  g_assert (n_dims <= HIR_MAX_DIMS);
  for (guint i = 0; i < n_dims; i++)
    count *= sizes[i];
  if (!hir_value_is_contiguous (tensor) || count != hir_value_get_n_elements (tensor))
    return NULL;

  HirValue *view = hir_value_new_tensor (tensor->dtype, n_dims, sizes, NULL, tensor->buffer);
  view->offset = tensor->offset;
  return view;
}

gint64
hir_value_get_n_elements (const HirValue *tensor)
{
  gint64 count = 1;

  for (guint i = 0; i < tensor->n_dims; i++)
    count *= tensor->sizes[i];
  return count;
}

gsize
hir_value_get_size_bytes (const HirValue *tensor)
{
  return (gsize) hir_value_get_n_elements (tensor) * hir_dtype_get_size_bytes (tensor->dtype);
}

gboolean
hir_value_is_contiguous (const HirValue *tensor)
{
  gint64 expected = 1;

  for (guint i = tensor->n_dims; i-- > 0;)
    {
      if (tensor->sizes[i] != 1 && tensor->strides[i] != expected)
        return FALSE;
      expected *= tensor->sizes[i];
    }
  return TRUE;
}

gpointer
hir_value_get_data (const HirValue *tensor)
{
  if (tensor->buffer == NULL || tensor->buffer->data == NULL)
    return NULL;
  return tensor->buffer->data + tensor->offset * (gint64) hir_dtype_get_size_bytes (tensor->dtype);
}

gboolean
hir_value_same_sizes (const HirValue *a, const HirValue *b)
{
  return a->n_dims == b->n_dims && memcmp (a->sizes, b->sizes, sizeof (gint64) * a->n_dims) == 0;
}

gboolean
hir_value_is_slice (const HirValue *slice, const HirValue *whole, guint axis)
{
  if (slice->is_scalar || slice->buffer != whole->buffer || slice->dtype != whole->dtype ||
      slice->n_dims + 1 != whole->n_dims)
    return FALSE;
  for (guint i = 0; i < slice->n_dims; i++)
    if (slice->sizes[i] != whole->sizes[i + (i >= axis)] ||
        slice->strides[i] != whole->strides[i + (i >= axis)])
      return FALSE;
  return TRUE;
}

gboolean
hir_sizes_check (
    const gint64 *sizes, guint n_dims, HirDType dtype, gsize *size_bytes, GError **error)
{
  gint64 bytes = (gint64) hir_dtype_get_size_bytes (dtype);
  gboolean overflow = FALSE;

  if (n_dims > HIR_MAX_DIMS)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL, "a tensor has %u axes; at most %d are supported",
                     n_dims, HIR_MAX_DIMS);
      return FALSE;
    }
  for (guint i = 0; i < n_dims; i++)
    {
      if (sizes[i] < 0)
        {
          hir_set_error (error, HIR_ERROR_RUN, NULL,
                         "axis %u has the negative size %" G_GINT64_FORMAT, i, sizes[i]);
          return FALSE;
        }
      if (bytes != 0 && sizes[i] > G_MAXINT64 / 4 / bytes)
        overflow = TRUE;
      else
        bytes *= sizes[i];
    }
  if (overflow && bytes != 0)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                     "a tensor is larger than the address space; use smaller --input sizes");
      return FALSE;
    }
  *size_bytes = (gsize) bytes;
  return TRUE;
}

void
hir_sizes_contiguous_strides (const gint64 *sizes, guint n_dims, gint64 *strides)
{
  gint64 stride = 1;

  for (guint i = n_dims; i-- > 0;)
    {
      strides[i] = stride;
      stride *= MAX (sizes[i], 1);
    }
}
