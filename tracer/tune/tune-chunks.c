#include "tune/tune-chunks.h"

#include "diagnostic.h"
#include "run/reference/inputs.h"
#include "schedule/id-map.h"

struct _HirTuneChunks
{
  HirRunInputs *inputs; /* without values */
  GArray *chunk_axes;   /* int, per input: position of the stream axis, or -1 */
  GArray *rest_axes;    /* int, per input: position of the axis that takes the rest, or -1 */
  gint64 size, rest;    /* sizes of the two axes */
};

/* A fusion and the axis of its chunks. */
typedef struct
{
  HirContainer *fusion;
  HirIdMap *map;
  HirIterDomain *chunk;
} Search;

/* Returns the position of the axis of @tensor that is mapped to @axis, or -1. */
static int
find_axis (const Search *search, const HirTensor *tensor, const HirIterDomain *axis)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  for (guint i = 0; i < n; i++)
    if (!hir_iter_domain_is_broadcast (ids[i]) && hir_id_map_are_mapped (search->map, ids[i], axis))
      return (int) i;
  return -1;
}

/* Finds the stream axis. All stream axes must be the same one, and no pieces of another axis. */
static gboolean
find_stream_axis (Search *search, GError **error)
{
  for (guint i = 0; i < search->fusion->tensors.len; i++)
    {
      const HirTensor *tensor = search->fusion->tensors.items[i];

      for (guint k = 0; k < tensor->loop.n; k++)
        {
          HirIterDomain *id = tensor->loop.ids[k];

          if (!hir_iter_domain_is_stream (id))
            continue;
          if (hir_domain_find (&tensor->logical, id) < 0)
            {
              hir_set_error (error, HIR_ERROR_INPUT, NULL,
                             "the script splits an axis into chunks, so the inputs do not "
                             "determine their number");
              return FALSE;
            }
          if (search->chunk != NULL && !hir_id_map_are_mapped (search->map, search->chunk, id))
            {
              hir_set_error (error, HIR_ERROR_INPUT, NULL, "the program has several stream axes");
              return FALSE;
            }
          search->chunk = id;
        }
    }
  if (search->chunk == NULL)
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "the program has no stream axis");
  return search->chunk != NULL;
}

/* Returns whether each tensor has both axes or none of them, so that its size stays the same. */
static gboolean
is_beside_chunks (const Search *search, const HirIterDomain *axis, const HirVec *values)
{
  for (guint i = 0; i < values->len; i++)
    {
      const HirVal *val = values->items[i];

      if (val->kind == HIR_VAL_TENSOR && (find_axis (search, HIR_TENSOR (val), search->chunk) >=
                                          0) != (find_axis (search, HIR_TENSOR (val), axis) >= 0))
        return FALSE;
    }
  return TRUE;
}

/* Returns an axis of @tensor that can take the rest, or NULL. */
static HirIterDomain *
find_rest (const Search *search, const HirTensor *tensor)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  for (guint i = 0; i < n; i++)
    if (!hir_iter_domain_is_device (ids[i]) && !hir_iter_domain_is_broadcast (ids[i]) &&
        !hir_id_map_are_mapped (search->map, ids[i], search->chunk) &&
        is_beside_chunks (search, ids[i], &search->fusion->inputs) &&
        is_beside_chunks (search, ids[i], &search->fusion->outputs))
      return ids[i];
  return NULL;
}

/* Returns whether an input is sharded along the axis of the chunks. */
static gboolean
is_over_devices (const Search *search)
{
  for (guint i = 0; i < search->fusion->inputs.len; i++)
    {
      const HirVal *val = search->fusion->inputs.items[i];
      int axis =
          val->kind == HIR_VAL_TENSOR ? find_axis (search, HIR_TENSOR (val), search->chunk) : -1;
      guint n;
      g_autofree HirIterDomain **ids =
          axis >= 0 ? hir_tensor_dup_no_reductions (HIR_TENSOR (val), &n) : NULL;

      if (ids != NULL && hir_iter_domain_is_device (ids[axis]))
        return TRUE;
    }
  return FALSE;
}

/* Finds the positions and sizes of both axes in all inputs. */
static gboolean
find_positions (HirTuneChunks *self, const Search *search, GError **error)
{
  const HirVec *inputs = &search->fusion->inputs;
  HirIterDomain *rest = NULL;
  gboolean has_chunks = FALSE;

  for (guint i = 0; i < inputs->len && rest == NULL; i++)
    {
      const HirVal *val = inputs->items[i];

      if (val->kind != HIR_VAL_TENSOR || find_axis (search, HIR_TENSOR (val), search->chunk) < 0)
        continue;
      has_chunks = TRUE;
      rest = find_rest (search, HIR_TENSOR (val));
    }
  if (rest != NULL && is_over_devices (search))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "there is one chunk per device");
      return FALSE;
    }
  if (rest == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     has_chunks
                         ? "no other axis of the inputs and outputs could take the rest of the work"
                         : "the stream axis is not an axis of an input");
      return FALSE;
    }
  for (guint i = 0; i < inputs->len; i++)
    {
      const HirVal *val = inputs->items[i];
      const HirValue *value = self->inputs->values->pdata[i];
      gboolean is_tensor = val->kind == HIR_VAL_TENSOR;
      int chunk = is_tensor ? find_axis (search, HIR_TENSOR (val), search->chunk) : -1;
      int other = is_tensor ? find_axis (search, HIR_TENSOR (val), rest) : -1;

      g_array_append_val (self->chunk_axes, chunk);
      g_array_append_val (self->rest_axes, other);
      if (chunk < 0)
        continue;
      self->size = value->sizes[chunk];
      self->rest = value->sizes[other];
    }
  return TRUE;
}

HirTuneChunks *
hir_tune_chunks_new (const HirProgram *program, GError **error)
{
  Search search = { .fusion = program->fusion };
  g_autoptr (HirTuneChunks) self = g_new0 (HirTuneChunks, 1);
  gboolean found;

  self->chunk_axes = g_array_new (FALSE, FALSE, sizeof (int));
  self->rest_axes = g_array_new (FALSE, FALSE, sizeof (int));
  if (program->fusion == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "the program is printed, so its loops are fixed");
      return NULL;
    }
  self->inputs = hir_run_inputs_new_dry (program->fusion,
                                         (const char *const *) program->request->inputs, 0, error);
  if (self->inputs == NULL)
    return NULL;
  search.map = hir_id_map_new (program->fusion);
  found = find_stream_axis (&search, error) && find_positions (self, &search, error);
  hir_id_map_free (search.map);
  return found ? g_steal_pointer (&self) : NULL;
}

void
hir_tune_chunks_free (HirTuneChunks *self)
{
  g_clear_pointer (&self->inputs, hir_run_inputs_free);
  g_array_unref (self->chunk_axes);
  g_array_unref (self->rest_axes);
  g_free (self);
}

gint64
hir_tune_chunks_get_size (const HirTuneChunks *self)
{
  return self->size;
}

gboolean
hir_tune_chunks_allow (const HirTuneChunks *self, gint64 size)
{
  return size > 0 && size <= self->size * self->rest && self->size * self->rest % size == 0;
}

static char *
dup_scalar (const HirValue *value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (hir_dtype_is_floating_point (value->dtype))
    return g_strdup (g_ascii_dtostr (text, sizeof text, value->d));
  return g_strdup_printf ("%" G_GINT64_FORMAT, value->i);
}

char **
hir_tune_chunks_dup_inputs (const HirTuneChunks *self, gint64 size)
{
  g_autoptr (GStrvBuilder) shapes = g_strv_builder_new ();

  for (guint i = 0; i < self->inputs->values->len; i++)
    {
      const HirValue *value = self->inputs->values->pdata[i];
      g_autoptr (GString) shape = g_string_new (NULL);
      g_autofree char *scalar = value->is_scalar ? dup_scalar (value) : NULL;

      for (guint k = 0; k < value->n_dims; k++)
        {
          gint64 axis = value->sizes[k];

          if ((int) k == g_array_index (self->chunk_axes, int, i))
            axis = size;
          else if ((int) k == g_array_index (self->rest_axes, int, i))
            axis = self->size * self->rest / size;
          g_string_append_printf (shape, "%s%" G_GINT64_FORMAT, k > 0 ? "x" : "", axis);
        }
      g_strv_builder_add (shapes, scalar != NULL ? scalar : shape->len > 0 ? shape->str : "()");
    }
  return g_strv_builder_end (shapes);
}
