#include "join/join-extents.h"

#include <string.h>

#include "expr.h"
#include "iter-domain.h"
#include "tensor.h"
#include "trace/collective.h"
#include "trace/event-args.h"

#define MAX_READINGS 8 /* events that are read per instruction */
#define UNKNOWN (-1)
#define CONFLICT (-2)

/* The number of elements of a tensor on one device. */
typedef struct
{
  const HirTensor *tensor;
  gint64 n_elements;
} Count;

/* The grid of a kernel with one thread per some elements of a tensor. */
typedef struct
{
  const HirTensor *tensor;
  gint64 n_blocks, per_block; /* per_block: elements */
} Grid;

/* What grids allow for an extent. */
typedef struct
{
  const HirScalar *extent;
  gint64 least, most;
} Range;

typedef struct
{
  const HirJoin *join;
  GHashTable *sizes; /* key of a symbol -> gint64*, or CONFLICT */
  GArray *counts;    /* Count */
  GArray *grids;     /* Grid */
  gboolean reads_guesses;
} Reader;

/* A symbol has one id in the fusion and in the programs that were lowered from it. */
static gpointer
get_key (const HirScalar *symbol)
{
  return symbol->base.node.id != 0 ? GSIZE_TO_POINTER ((gsize) symbol->base.node.id)
                                   : (gpointer) symbol;
}

static gint64
get_size (const Reader *reader, const HirScalar *symbol)
{
  const gint64 *size = g_hash_table_lookup (reader->sizes, get_key (symbol));

  return size != NULL ? *size : UNKNOWN;
}

/* Returns whether the size is new. */
static gboolean
learn (Reader *reader, const HirScalar *extent, gint64 size)
{
  gint64 known;

  if (extent->kind != HIR_SCALAR_SYMBOL || size <= 0)
    return FALSE;
  known = get_size (reader, extent);
  if (known == size || known == CONFLICT)
    return FALSE;
  if (known != UNKNOWN)
    size = CONFLICT;
  g_hash_table_replace (reader->sizes, get_key (extent), g_memdup2 (&size, sizeof size));
  return TRUE;
}

static const HirScalar *
get_extent (const HirIterDomain *id)
{
  return id->expanded_extent != NULL ? id->expanded_extent : id->extent;
}

/* Returns whether the tensor that a device has is smaller than its logical domain says, because
 * devices or streams share a part of an axis. */
static gboolean
is_cut (const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    if (tensor->loop.ids[i]->parallel_type != HIR_PARALLEL_SERIAL &&
        hir_domain_find (&tensor->logical, tensor->loop.ids[i]) < 0)
      return TRUE;
  return FALSE;
}

/* --- shapes of operands ----------------------------------------------------------------------- */

/* Returns whether a shape fits what is known. */
static gboolean
is_plausible (const Reader *reader, HirIterDomain *const *ids, const GArray *list)
{
  for (guint k = 0; k < list->len; k++)
    {
      const HirScalar *extent = get_extent (ids[k]);
      gint64 size = g_array_index (list, gint64, k);
      gint64 known = hir_scalar_is_const (extent)        ? extent->i
                     : extent->kind == HIR_SCALAR_SYMBOL ? get_size (reader, extent)
                                                         : UNKNOWN;

      if (known >= 0 && known != size && !hir_iter_domain_is_device (ids[k]))
        return FALSE;
    }
  return TRUE;
}

static void
learn_shape (Reader *reader, const HirTensor *tensor, const GArray *list)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  if (n != list->len || is_cut (tensor) ||
      (reader->reads_guesses && !is_plausible (reader, ids, list)))
    return;
  for (guint k = 0; k < n; k++)
    if (!hir_iter_domain_is_device (ids[k]))
      learn (reader, get_extent (ids[k]), g_array_index (list, gint64, k));
}

/* The operands of an ATen op are in the order of those of the instruction; numbers and tensors
 * without axes have empty shapes. */
static void
read_operands (Reader *reader, const HirJoinedEvent *event)
{
  g_autoptr (GArray) args =
      hir_trace_dup_event_args (reader->join->trace, event->track, event->index, NULL);

  for (guint i = 0; args != NULL && i < args->len; i++)
    {
      const HirEventArg *arg = &g_array_index (args, HirEventArg, i);
      g_autoptr (GPtrArray) lists = NULL;
      guint n = 0;

      if (!g_str_equal (arg->key, "Input Dims"))
        continue;
      lists = hir_join_read_lists (arg->value);
      for (guint k = 0; k < event->expr->n_inputs && n < lists->len; k++)
        if (HIR_IS_TENSOR (event->expr->inputs[k]) &&
            HIR_TENSOR (event->expr->inputs[k])->logical.n > 0)
          learn_shape (reader, HIR_TENSOR (event->expr->inputs[k]), g_ptr_array_index (lists, n++));
    }
}

/* --- numbers of elements ---------------------------------------------------------------------- */

static void
add_count (Reader *reader, const HirVal *val, gint64 n_elements)
{
  const Count count = { HIR_TENSOR (val), n_elements };

  if (HIR_IS_TENSOR (val) && n_elements > 0 && !is_cut (HIR_TENSOR (val)))
    g_array_append_val (reader->counts, count);
}

static gboolean
lookup_size (const HirScalar *leaf, gint64 *value, gpointer user_data)
{
  *value = leaf->kind == HIR_SCALAR_SYMBOL ? get_size (user_data, leaf) : UNKNOWN;
  return *value >= 0;
}

/* Returns the only extent of @tensor that is not known, or NULL. *@product: that of the others. */
static const HirScalar *
find_unknown (Reader *reader, const HirTensor *tensor, gint64 *product)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);
  const HirScalar *unknown = NULL;

  *product = 1;
  for (guint k = 0; k < n; k++)
    {
      const HirScalar *extent = get_extent (ids[k]);
      gint64 size;

      if (hir_iter_domain_is_device (ids[k]))
        continue;
      if (hir_scalar_evaluate (extent, lookup_size, reader, &size, NULL))
        {
          if (size <= 0 || *product > G_MAXINT64 / size)
            return NULL;
          *product *= size;
        }
      else if (unknown != NULL)
        return NULL;
      else
        unknown = extent;
    }
  return unknown;
}

/* If one axis of the tensor is unknown, the others and the number of elements tell its size.
 * Returns whether it was learned. */
static gboolean
solve (Reader *reader, const Count *count)
{
  gint64 product;
  const HirScalar *unknown = find_unknown (reader, count->tensor, &product);

  return unknown != NULL && count->n_elements % product == 0 &&
         learn (reader, unknown, count->n_elements / product);
}

/* --- grids ------------------------------------------------------------------------------------ */

static gboolean
has_broadcasts (const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->logical.n; i++)
    if (hir_iter_domain_is_broadcast (tensor->logical.ids[i]))
      return TRUE;
  return FALSE;
}

/* Adds the grid of an elementwise kernel, for its result and for the operands of the same shape. */
static void
read_grid (Reader *reader, const HirJoinedEvent *event)
{
  const HirExpr *expr = event->expr;
  guint n_axes = HIR_IS_TENSOR (expr->outputs[0]) ? HIR_TENSOR (expr->outputs[0])->logical.n : 0;
  gint64 n_blocks, per_block;

  if (!hir_join_read_grid (reader->join->trace, event->track, event->index, &n_blocks, &per_block))
    return;
  for (guint i = 0; i <= expr->n_inputs; i++)
    {
      const HirVal *val = i < expr->n_inputs ? expr->inputs[i] : expr->outputs[0];
      const Grid grid = { HIR_TENSOR (val), n_blocks, per_block };

      if (HIR_IS_TENSOR (val) && HIR_TENSOR (val)->logical.n == n_axes &&
          !has_broadcasts (HIR_TENSOR (val)) && !is_cut (HIR_TENSOR (val)))
        g_array_append_val (reader->grids, grid);
    }
}

/* Learns the extents for which all grids together leave one size. Returns whether there are any. */
static gboolean
solve_grids (Reader *reader)
{
  g_autoptr (GHashTable) ranges = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  GHashTableIter iter;
  gpointer value;
  gboolean is_new = FALSE;

  for (guint i = 0; i < reader->grids->len; i++)
    {
      const Grid *grid = &g_array_index (reader->grids, Grid, i);
      gint64 product;
      const HirScalar *unknown = find_unknown (reader, grid->tensor, &product);
      Range *range = unknown != NULL ? g_hash_table_lookup (ranges, get_key (unknown)) : NULL;

      if (unknown == NULL)
        continue;
      if (range == NULL)
        {
          range = g_new (Range, 1);
          *range = (Range){ unknown, 1, G_MAXINT64 };
          g_hash_table_insert (ranges, get_key (unknown), range);
        }
      range->least = MAX (range->least, (grid->n_blocks - 1) * grid->per_block / product + 1);
      range->most = MIN (range->most, grid->n_blocks * grid->per_block / product);
    }
  g_hash_table_iter_init (&iter, ranges);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Range *range = value;

      if (range->least == range->most)
        is_new |= learn (reader, range->extent, range->least);
    }
  return is_new;
}

/* Reads the size of a copy, of a communication or of a kernel. */
static void
read_work (Reader *reader, const HirJoinedEvent *event)
{
  const HirExpr *expr = event->expr;
  HirCollective collective;
  HirEvent work;

  if (expr->n_inputs == 0 || expr->n_outputs == 0)
    return;
  hir_trace_get_event (reader->join->trace, event->track, event->index, &work);
  if (expr->kind == HIR_EXPR_SET && work.kind == HIR_EVENT_MEMCPY)
    {
      gint64 size = (gint64) hir_dtype_get_size_bytes (expr->outputs[0]->dtype);

      if (size > 0 && work.bytes % size == 0)
        add_count (reader, expr->outputs[0], work.bytes / size);
    }
  else if (work.kind == HIR_EVENT_KERNEL &&
           (expr->kind == HIR_EXPR_SET || expr->kind == HIR_EXPR_UNARY ||
            expr->kind == HIR_EXPR_BINARY || expr->kind == HIR_EXPR_TERNARY))
    read_grid (reader, event);
  else if (work.kind == HIR_EVENT_COMMUNICATION &&
           hir_trace_lookup_collective (reader->join->trace, event->track, event->index,
                                        &collective) &&
           collective.n_messages <= 1)
    {
      add_count (reader, expr->inputs[0], collective.in_elements);
      add_count (reader, expr->outputs[0], collective.out_elements);
    }
}

/* --- inputs ----------------------------------------------------------------------------------- */

/* Views cost so little that they are always guessed, but only they have the axis of a loop. */
static gboolean
is_select (const HirJoinedEvent *event)
{
  return event->is_host &&
         (event->expr->kind == HIR_EXPR_SELECT || event->expr->kind == HIR_EXPR_ALIAS_SELECT);
}

/* Reads tied events, at most MAX_READINGS of each instruction. */
static void
read_events (Reader *reader)
{
  g_autoptr (GHashTable) n_read = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < reader->join->events->len; i++)
    {
      const HirJoinedEvent *event = &g_array_index (reader->join->events, HirJoinedEvent, i);
      gpointer key;
      guint n;

      if (event->expr == NULL || event->confidence <= 0 ||
          (event->confidence < HIR_JOIN_BY_ORDER) != reader->reads_guesses ||
          (reader->reads_guesses && !is_select (event)))
        continue;
      /* An instruction has events on the host and on the device. */
      key = event->is_host ? (gpointer) event->expr : (gpointer) &event->expr->inputs;
      n = GPOINTER_TO_UINT (g_hash_table_lookup (n_read, key));
      if (n >= MAX_READINGS)
        continue;
      g_hash_table_insert (n_read, key, GUINT_TO_POINTER (n + 1));
      if (event->is_host)
        read_operands (reader, event);
      else
        read_work (reader, event);
    }
}

/* Grids tell only what nothing else does. */
static void
solve_all (Reader *reader)
{
  gboolean is_new = TRUE;

  while (is_new)
    {
      is_new = FALSE;
      for (guint i = 0; i < reader->counts->len; i++)
        is_new |= solve (reader, &g_array_index (reader->counts, Count, i));
      is_new = is_new || (reader->reads_guesses && solve_grids (reader));
    }
}

/* The devices of a mesh share an axis one by one. */
static void
read_mesh (Reader *reader, const HirTensor *tensor)
{
  for (guint k = 0; tensor->mesh != NULL && k < tensor->logical.n; k++)
    if (hir_iter_domain_is_device (tensor->logical.ids[k]))
      learn (reader, get_extent (tensor->logical.ids[k]),
             hir_mesh_get_axis_size (tensor->mesh, tensor->logical.ids[k]->parallel_type));
}

/* Reads the sizes of an input that are not "?". */
static void
read_given (Reader *reader, const HirTensor *tensor, const char *shape)
{
  g_auto (GStrv) sizes = g_strsplit (shape, "x", -1);
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  for (guint k = 0; k < n && sizes[k] != NULL; k++)
    if (!hir_iter_domain_is_device (ids[k]))
      learn (reader, get_extent (ids[k]), g_ascii_strtoll (sizes[k], NULL, 10));
}

/* Fills in the sizes "?" of an input. */
static char *
dup_filled (const Reader *reader, const HirTensor *tensor, const char *shape)
{
  g_auto (GStrv) sizes = g_strsplit (shape, "x", -1);
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  for (guint k = 0; k < n && sizes[k] != NULL; k++)
    {
      const HirScalar *extent = get_extent (ids[k]);
      gint64 size = extent->kind == HIR_SCALAR_SYMBOL ? get_size (reader, extent) : UNKNOWN;

      if (!g_str_equal (sizes[k], "?") || size < 0)
        continue;
      g_free (sizes[k]);
      sizes[k] = g_strdup_printf ("%" G_GINT64_FORMAT, size);
    }
  return g_strjoinv ("x", sizes);
}

char **
hir_join_dup_recorded_inputs (const HirJoin *join,
                              const HirContainer *fusion,
                              const char *const *inputs)
{
  Reader reader = { .join = join,
                    .sizes = g_hash_table_new_full (NULL, NULL, NULL, g_free),
                    .counts = g_array_new (FALSE, FALSE, sizeof (Count)),
                    .grids = g_array_new (FALSE, FALSE, sizeof (Grid)) };
  GPtrArray *filled = g_ptr_array_new ();

  for (guint i = 0; i < fusion->inputs.len; i++)
    if (HIR_IS_TENSOR (fusion->inputs.items[i]))
      {
        read_mesh (&reader, HIR_TENSOR (fusion->inputs.items[i]));
        if (i < g_strv_length ((char **) inputs))
          read_given (&reader, HIR_TENSOR (fusion->inputs.items[i]), inputs[i]);
      }
  read_events (&reader);
  solve_all (&reader);
  reader.reads_guesses = TRUE;
  read_events (&reader);
  solve_all (&reader);
  for (guint i = 0; inputs[i] != NULL; i++)
    {
      const HirVal *val = i < fusion->inputs.len ? fusion->inputs.items[i] : NULL;

      g_ptr_array_add (filled, val != NULL && HIR_IS_TENSOR (val)
                                   ? dup_filled (&reader, HIR_TENSOR (val), inputs[i])
                                   : g_strdup (inputs[i]));
    }
  g_ptr_array_add (filled, NULL);
  g_hash_table_unref (reader.sizes);
  g_array_unref (reader.counts);
  g_array_unref (reader.grids);
  return (char **) g_ptr_array_free (filled, FALSE);
}

gboolean
hir_join_sizes_differ (const char *const *found, const char *const *recorded)
{
  for (guint i = 0; found[i] != NULL && recorded[i] != NULL; i++)
    {
      g_auto (GStrv) a = g_strsplit (found[i], "x", -1), b = g_strsplit (recorded[i], "x", -1);

      for (guint k = 0; a[k] != NULL && b[k] != NULL; k++)
        if (!g_str_equal (b[k], "?") && !g_str_equal (a[k], "?") && !g_str_equal (a[k], b[k]))
          return TRUE;
    }
  return FALSE;
}

void
hir_join_note_sizes (HirJoin *join, const HirContainer *fusion, const char *const *given)
{
  g_autoptr (GString) known = g_string_new (NULL), unknown = g_string_new (NULL);
  char **inputs = join->inputs;

  for (guint i = 0; inputs[i] != NULL && i < fusion->inputs.len; i++)
    {
      const HirVal *val = fusion->inputs.items[i];
      GString *list = strchr (inputs[i], '?') != NULL ? unknown : known;

      if (HIR_IS_TENSOR (val) && (list == unknown || !g_str_equal (inputs[i], given[i])))
        g_string_append_printf (list, "%sT%d (%s)", list->len > 0 ? ", " : "", val->name,
                                inputs[i]);
    }
  if (known->len > 0)
    g_ptr_array_add (join->notes, g_strdup_printf ("the trace gives the sizes of %s", known->str));
  if (unknown->len > 0)
    g_ptr_array_add (join->notes,
                     g_strdup_printf ("neither the trace nor --input gives all sizes of %s; the "
                                      "work is tied without them",
                                      unknown->str));
}
