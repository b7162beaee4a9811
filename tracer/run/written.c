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

typedef struct
{
  GPtrArray *views;  /* View*, in the order of steps */
  GHashTable *known; /* set of these View*; ignores the step */
} Buffer;

struct _HirWritten
{
  GHashTable *buffers; /* const HirBuffer* -> Buffer */
};

static guint
view_hash (gconstpointer data)
{
  const View *view = data;
  guint64 hash = (guint64) view->offset;

  for (guint d = 0; d < view->n_dims; d++)
    hash = hash * 31 + (guint64) view->sizes[d] * 1000003 + (guint64) view->strides[d];
  return (guint) (hash ^ hash >> 32);
}

static gboolean
view_equal (gconstpointer a, gconstpointer b)
{
  const View *x = a, *y = b;
  gsize size = sizeof *x->sizes * x->n_dims;

  return x->n_dims == y->n_dims && x->offset == y->offset &&
         memcmp (x->sizes, y->sizes, size) == 0 && memcmp (x->strides, y->strides, size) == 0;
}

static void
buffer_free (gpointer data)
{
  Buffer *buffer = data;

  g_hash_table_unref (buffer->known);
  g_ptr_array_unref (buffer->views);
  g_free (buffer);
}

HirWritten *
hir_written_new (void)
{
  HirWritten *written = g_new0 (HirWritten, 1);

  written->buffers = g_hash_table_new_full (NULL, NULL, NULL, buffer_free);
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
  Buffer *fresh = g_new0 (Buffer, 1);

  fresh->views = g_ptr_array_new_with_free_func (g_free);
  fresh->known = g_hash_table_new (view_hash, view_equal);
  /* A freed buffer may have had this address. */
  g_hash_table_replace (written->buffers, (gpointer) buffer, fresh);
}

void
hir_written_add (HirWritten *written, const HirValue *value, guint64 step)
{
  Buffer *buffer = g_hash_table_lookup (written->buffers, value->buffer);
  View view = { step, value->n_dims, { 0 }, { 0 }, value->offset };
  View *last;

  if (buffer == NULL)
    return;
  while (buffer->views->len > 0 &&
         (last = g_ptr_array_index (buffer->views, buffer->views->len - 1))->step > step)
    {
      g_hash_table_remove (buffer->known, last);
      g_ptr_array_set_size (buffer->views, (int) buffer->views->len - 1);
    }
  memcpy (view.sizes, value->sizes, sizeof *view.sizes * value->n_dims);
  memcpy (view.strides, value->strides, sizeof *view.strides * value->n_dims);
  if (g_hash_table_contains (buffer->known, &view))
    return;
  last = g_memdup2 (&view, sizeof view);
  g_ptr_array_add (buffer->views, last);
  g_hash_table_add (buffer->known, last);
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
mark (const GPtrArray *views, guint64 n_steps, guint8 *marks, gint64 n)
{
  for (guint i = 0; i < views->len; i++)
    {
      const View *view = g_ptr_array_index (views, i);

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
  const Buffer *known =
      value->is_scalar ? NULL : g_hash_table_lookup (written->buffers, value->buffer);
  gint64 n_all = 0, n = hir_value_get_n_elements (value);
  g_autoptr (HirBuffer) marks = NULL;
  g_autoptr (HirBuffer) buffer = NULL;
  gboolean any = FALSE;

  if (known == NULL || hir_dtype_get_size_bytes (value->dtype) == 0)
    return NULL;
  n_all = (gint64) (value->buffer->size_bytes / hir_dtype_get_size_bytes (value->dtype));
  marks = hir_buffer_new ((gsize) n_all + 1, error);
  buffer = marks != NULL ? hir_buffer_new ((gsize) n + 1, error) : NULL;
  if (buffer == NULL)
    return NULL;
  memset (marks->data, 0, (gsize) n_all + 1);
  mark (known->views, n_steps, marks->data, n_all);
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
