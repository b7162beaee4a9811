/* Lists of written views per buffer. */
#include "run/written.h"

#include <string.h>

#include "run/values/odometer.h"

/* Elements of a buffer, and the first step that wrote them. */
typedef struct
{
  guint64 step;
  guint n_dims;
  gint64 sizes[HIR_MAX_DIMS], strides[HIR_MAX_DIMS], offset;
} View;

struct _HirWritten
{
  GHashTable *buffers; /* const HirBuffer* -> GArray of View, in the order of steps */
};

HirWritten *
hir_written_new (void)
{
  HirWritten *written = g_new0 (HirWritten, 1);

  written->buffers = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  return written;
}

void
hir_written_free (HirWritten *written)
{
  g_hash_table_unref (written->buffers);
  g_free (written);
}

void
hir_written_add_fresh (HirWritten *written, const HirBuffer *buffer)
{
  /* A freed buffer may have had this address. */
  g_hash_table_replace (written->buffers, (gpointer) buffer,
                        g_array_new (FALSE, FALSE, sizeof (View)));
}

static gboolean
is_of (const View *view, const HirValue *value)
{
  gsize size = sizeof *view->sizes * view->n_dims;

  return view->n_dims == value->n_dims && view->offset == value->offset &&
         memcmp (view->sizes, value->sizes, size) == 0 &&
         memcmp (view->strides, value->strides, size) == 0;
}

void
hir_written_add (HirWritten *written, const HirValue *value, guint64 step)
{
  GArray *views = g_hash_table_lookup (written->buffers, value->buffer);
  View view = { step, value->n_dims, { 0 }, { 0 }, value->offset };

  if (views == NULL)
    return;
  while (views->len > 0 && g_array_index (views, View, views->len - 1).step > step)
    g_array_set_size (views, views->len - 1);
  for (guint i = 0; i < views->len; i++)
    if (is_of (&g_array_index (views, View, i), value))
      return;
  memcpy (view.sizes, value->sizes, sizeof *view.sizes * value->n_dims);
  memcpy (view.strides, value->strides, sizeof *view.strides * value->n_dims);
  g_array_append_val (views, view);
}

void
hir_written_forget (HirWritten *written)
{
  g_hash_table_remove_all (written->buffers);
}

static gint64
count_elements (const View *view)
{
  gint64 n = 1;

  for (guint d = 0; d < view->n_dims; d++)
    n *= view->sizes[d];
  return n;
}

/* Sets the bytes of the written elements of a buffer with @n elements. */
static void
mark (const GArray *views, guint64 n_steps, guint8 *marks, gint64 n)
{
  for (guint i = 0; i < views->len; i++)
    {
      const View *view = &g_array_index (views, View, i);

      for (gint64 k = 0, count = view->step < n_steps ? count_elements (view) : 0; k < count; k++)
        {
          gint64 at =
              view->offset + hir_odometer_locate (k, view->sizes, view->strides, view->n_dims);

          if (at >= 0 && at < n)
            marks[at] = TRUE;
        }
    }
}

HirValue *
hir_written_dup_missing (const HirWritten *written,
                         const HirValue *value,
                         guint64 n_steps,
                         GError **error)
{
  const GArray *views =
      value->is_scalar ? NULL : g_hash_table_lookup (written->buffers, value->buffer);
  gint64 n_all = 0, n = hir_value_get_n_elements (value);
  g_autoptr (HirBuffer) marks = NULL;
  g_autoptr (HirBuffer) buffer = NULL;
  gboolean any = FALSE;

  if (views == NULL || hir_dtype_get_size_bytes (value->dtype) == 0)
    return NULL;
  n_all = (gint64) (value->buffer->size_bytes / hir_dtype_get_size_bytes (value->dtype));
  marks = hir_buffer_new ((gsize) n_all + 1, error);
  buffer = marks != NULL ? hir_buffer_new ((gsize) n + 1, error) : NULL;
  if (buffer == NULL)
    return NULL;
  memset (marks->data, 0, (gsize) n_all + 1);
  mark (views, n_steps, marks->data, n_all);
  for (gint64 k = 0; k < n; k++)
    {
      gint64 at =
          value->offset + hir_odometer_locate (k, value->sizes, value->strides, value->n_dims);

      buffer->data[k] = at >= 0 && at < n_all && !marks->data[at];
      any |= buffer->data[k];
    }
  return any ? hir_value_new_tensor (HIR_DTYPE_BOOL, value->n_dims, value->sizes, NULL, buffer)
             : NULL;
}
