#include <string.h>

#include "generate-private.h"

guint64
hir_generator_next (HirGenerator *g)
{
  guint64 z = (g->state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15));

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

guint
hir_generator_pick (HirGenerator *g, guint n)
{
  return (guint) (hir_generator_next (g) % n);
}

gboolean
hir_generator_chance (HirGenerator *g, guint percent)
{
  return hir_generator_pick (g, 100) < percent;
}

static gint64
pick_size (HirGenerator *g)
{
  static const gint64 sizes[] = { 2, 2, 3, 3, 4, 4, 5, 6, 8 };

  /* Many axes with one or two elements per device. */
  if (g->fusion->n_devices > 1 && hir_generator_chance (g, 60))
    return (gint64) g->fusion->n_devices * (hir_generator_chance (g, 30) ? 2 : 1);
  return sizes[hir_generator_pick (g, G_N_ELEMENTS (sizes))];
}

HirRandomStep *
hir_generator_get_step (HirGenerator *g, guint i)
{
  return &g_array_index (g->fusion->steps, HirRandomStep, i);
}

static HirRandomAxis
axis_new (HirGenerator *g, gint64 size)
{
  return (HirRandomAxis){ .size = size, .class_id = g->next_class++ };
}

/* Returns the axes of tensor @i without reductions, and their number. */
static guint
get_kept (HirGenerator *g, guint i, HirRandomAxis *kept)
{
  const HirRandomStep *step = hir_generator_get_step (g, i);
  guint n = 0;

  for (guint k = 0; k < step->n_axes; k++)
    {
      if (!step->axes[k].is_reduced)
        kept[n++] = step->axes[k];
    }
  return n;
}

/* Results of fused ops are inside a HostUnit unless another op reads them. */
gboolean
hir_random_is_fused (HirRandomKind kind)
{
  return kind == HIR_RANDOM_UNARY || kind == HIR_RANDOM_BROADCAST || kind == HIR_RANDOM_SQUEEZE ||
         kind == HIR_RANDOM_PERMUTE || kind == HIR_RANDOM_RESHAPE || kind == HIR_RANDOM_CAST;
}

static gboolean
may_read (HirGenerator *g, guint i)
{
  const HirRandomStep *step = hir_generator_get_step (g, i);

  return !hir_random_is_fused (step->kind) || step->n_uses == 0 || g->reuse_hidden;
}

static guint
add_step (HirGenerator *g, HirRandomStep *step)
{
  for (guint i = 0; i < step->n_inputs; i++)
    {
      if (i == 0 || step->inputs[i] != step->inputs[i - 1])
        hir_generator_get_step (g, step->inputs[i])->n_uses++;
    }
  g_array_append_val (g->fusion->steps, *step);
  return g->fusion->steps->len - 1;
}

static guint
add_input (HirGenerator *g, const gint64 *sizes, guint n, HirRandomDType dtype)
{
  HirRandomStep step = { .kind = HIR_RANDOM_INPUT, .dtype = dtype, .n_axes = n };

  for (guint i = 0; i < n; i++)
    {
      step.axes[i] = axis_new (g, sizes[i]);
      step.axes[i].is_broadcast = sizes[i] == 1 && !g->fusion->is_symbolic;
    }
  return add_step (g, &step);
}

/* Creates a step that reads @operand, with the axes of the operand. */
static HirRandomStep
step_like (HirGenerator *g, HirRandomKind kind, guint operand)
{
  HirRandomStep step = { .kind = kind, .inputs = { operand }, .n_inputs = 1 };

  step.dtype = hir_generator_get_step (g, operand)->dtype;
  step.n_axes = get_kept (g, operand, step.axes);
  return step;
}

/* Picks an earlier tensor of at least @min_rank; recent ones more often, so that chains form. */
static gboolean
pick_operand (HirGenerator *g, guint min_rank, guint *operand)
{
  HirRandomAxis kept[HIR_RANDOM_MAX_RANK + 1];
  guint n = g->fusion->steps->len;

  for (guint attempt = 0; attempt < 8; attempt++)
    {
      guint i = hir_generator_chance (g, 65) ? n - 1 - hir_generator_pick (g, MIN (n, 2))
                                             : hir_generator_pick (g, n);

      if (may_read (g, i) && get_kept (g, i, kept) >= min_rank)
        {
          *operand = i;
          return TRUE;
        }
    }
  return FALSE;
}

static void
add_set (HirGenerator *g, guint operand)
{
  HirRandomStep step = step_like (g, HIR_RANDOM_SET, operand);

  add_step (g, &step);
}

/* Smooth ops with bounded growth, so that rounding errors stay small. */
static void
add_unary (HirGenerator *g, guint operand)
{
  static const char *const ops[] = { "abs", "neg", "relu", "sigmoid", "sin", "cos", "tanh" };
  HirRandomStep step = step_like (g, HIR_RANDOM_UNARY, operand);

  step.op = ops[hir_generator_pick (g, G_N_ELEMENTS (ops))];
  add_step (g, &step);
}

static gboolean
has_same_sizes (HirGenerator *g, guint a, guint b)
{
  HirRandomAxis x[HIR_RANDOM_MAX_RANK + 1], y[HIR_RANDOM_MAX_RANK + 1];
  guint n = get_kept (g, a, x);

  if (n != get_kept (g, b, y) ||
      hir_generator_get_step (g, a)->dtype != hir_generator_get_step (g, b)->dtype)
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      if (x[i].size != y[i].size)
        return FALSE;
    }
  return TRUE;
}

static guint
pick_partner (HirGenerator *g, guint operand)
{
  HirRandomAxis kept[HIR_RANDOM_MAX_RANK + 1];
  gint64 sizes[HIR_RANDOM_MAX_RANK + 1];
  guint n = get_kept (g, operand, kept);
  guint dropped = n > 1 && hir_generator_chance (g, 20) ? 1 : 0;

  for (guint attempt = 0; attempt < 6; attempt++)
    {
      guint i = hir_generator_pick (g, g->fusion->steps->len);

      if ((i != operand || hir_generator_get_step (g, i)->kind == HIR_RANDOM_INPUT) &&
          may_read (g, i) && has_same_sizes (g, operand, i))
        return i;
    }
  /* A matching input; sometimes of lower rank, so that the op broadcasts it. */
  for (guint i = dropped; i < n; i++)
    sizes[i - dropped] = kept[i].size;
  return add_input (g, sizes, n - dropped, hir_generator_get_step (g, operand)->dtype);
}

/* The axes of the result are those of the first operand, or of the second where the first is a
 * broadcast. */
static void
add_binary (HirGenerator *g, guint operand)
{
  static const char *const ops[] = { "add", "add", "mul", "sub" };
  guint partner = pick_partner (g, operand);
  HirRandomStep step = step_like (g, HIR_RANDOM_BINARY, operand);
  HirRandomAxis other[HIR_RANDOM_MAX_RANK + 1];
  guint n = get_kept (g, partner, other);

  step.op = ops[hir_generator_pick (g, G_N_ELEMENTS (ops))];
  step.inputs[1] = partner;
  step.n_inputs = 2;
  for (guint i = step.n_axes - n, k = 0; i < step.n_axes; i++, k++)
    {
      if (step.axes[i].is_broadcast && !other[k].is_broadcast)
        step.axes[i] = other[k];
    }
  add_step (g, &step);
}

static void
add_binary_scalar (HirGenerator *g, guint operand)
{
  static const char *const ops[] = { "add", "mul", "sub" };
  HirRandomStep step = step_like (g, HIR_RANDOM_BINARY_SCALAR, operand);

  step.op = ops[hir_generator_pick (g, G_N_ELEMENTS (ops))];
  step.value = 0.5 + hir_generator_pick (g, 4) * 0.25;
  add_step (g, &step);
}

/* Reduces one axis. Broadcast axes would be squeezed instead. */
static void
add_sum (HirGenerator *g, guint operand)
{
  HirRandomStep step = step_like (g, HIR_RANDOM_SUM, operand);
  guint axis = hir_generator_pick (g, step.n_axes);

  if (step.axes[axis].is_broadcast)
    {
      add_set (g, operand);
      return;
    }
  step.axes[axis].is_reduced = TRUE;
  step.dims[0] = axis;
  step.n_dims = 1;
  add_step (g, &step);
}

/* Returns TRUE if the last axis can be summed over; matmul does not sum over a broadcast. */
static gboolean
has_k (HirGenerator *g, guint operand)
{
  HirRandomAxis kept[HIR_RANDOM_MAX_RANK + 1];
  guint n = get_kept (g, operand, kept);

  return n >= 2 && n <= 3 && !kept[n - 1].is_broadcast;
}

static void
add_matmul (HirGenerator *g, guint operand)
{
  HirRandomStep step = step_like (g, HIR_RANDOM_MATMUL, operand);
  guint n = step.n_axes;
  HirRandomAxis k = step.axes[n - 1];
  gboolean batched = n == 3 && hir_generator_chance (g, 25);
  gint64 sizes[3] = { step.axes[0].size, k.size, pick_size (g) };
  HirRandomAxis other[HIR_RANDOM_MAX_RANK + 1];
  guint b, n_b;

  b = add_input (g, batched ? sizes : sizes + 1, batched ? 3 : 2, step.dtype);
  n_b = get_kept (g, b, other);
  step.inputs[1] = b;
  step.n_inputs = 2;
  step.axes[n - 1] = other[n_b - 1];
  if (batched && step.axes[0].is_broadcast && !other[0].is_broadcast)
    step.axes[0] = other[0];
  k.is_reduced = TRUE;
  step.axes[n] = k;
  step.n_axes = n + 1;
  add_step (g, &step);
}

static void
add_linear (HirGenerator *g, guint operand)
{
  HirRandomStep step = step_like (g, HIR_RANDOM_LINEAR, operand);
  guint n = step.n_axes;
  HirRandomAxis k = step.axes[n - 1];
  gint64 sizes[2] = { pick_size (g), k.size };

  step.inputs[1] = add_input (g, sizes, 2, step.dtype);
  step.n_inputs = 2;
  step.axes[n - 1] = hir_generator_get_step (g, step.inputs[1])->axes[0];
  if (hir_generator_chance (g, 50))
    step.inputs[step.n_inputs++] = add_input (g, sizes, 1, step.dtype);
  k.is_reduced = TRUE;
  step.axes[n] = k;
  step.n_axes = n + 1;
  add_step (g, &step);
}

static void
add_broadcast (HirGenerator *g, guint operand)
{
  HirRandomStep step = step_like (g, HIR_RANDOM_BROADCAST, operand);
  HirRandomAxis kept[HIR_RANDOM_MAX_RANK + 1];
  guint n = get_kept (g, operand, kept);
  guint at = hir_generator_pick (g, n + 1);

  for (guint i = 0, k = 0; i < n + 1; i++)
    {
      step.flags[i] = i == at;
      step.axes[i] = i == at ? axis_new (g, 1) : kept[k++];
    }
  step.axes[at].is_broadcast = TRUE;
  step.n_axes = step.n_dims = n + 1;
  add_step (g, &step);
}

/* Returns FALSE if there is no axis to squeeze. */
static gboolean
add_squeeze (HirGenerator *g, guint operand)
{
  HirRandomStep step = step_like (g, HIR_RANDOM_SQUEEZE, operand);

  for (guint i = 0; i < step.n_axes && step.n_axes > 1; i++)
    {
      if (!step.axes[i].is_broadcast)
        continue;
      step.dims[0] = i;
      step.n_dims = 1;
      memmove (&step.axes[i], &step.axes[i + 1], sizeof step.axes[0] * (step.n_axes - i - 1));
      step.n_axes--;
      add_step (g, &step);
      return TRUE;
    }
  return FALSE;
}

static void
add_permute (HirGenerator *g, guint operand)
{
  HirRandomStep step = step_like (g, HIR_RANDOM_PERMUTE, operand);
  HirRandomAxis kept[HIR_RANDOM_MAX_RANK + 1];
  guint n = get_kept (g, operand, kept);

  for (guint i = 0; i < n; i++)
    {
      step.dims[i] = (i + 1) % n;
      step.axes[i] = kept[step.dims[i]];
      step.axes[i].class_id = g->next_class++;
    }
  step.n_dims = n;
  add_step (g, &step);
}

/* Splits an even axis in two or merges two axes of known sizes. Returns FALSE if there is nothing
 * to reshape. */
static gboolean
add_reshape (HirGenerator *g, guint operand)
{
  HirRandomStep step = step_like (g, HIR_RANDOM_RESHAPE, operand);
  guint n = step.n_axes;

  for (guint i = 0; i < n; i++)
    {
      if (g->fusion->is_symbolic || step.axes[i].is_broadcast)
        return FALSE;
    }
  if (n < HIR_RANDOM_MAX_RANK - 1 && step.axes[0].size % 2 == 0 && step.axes[0].size > 2)
    {
      memmove (&step.axes[1], &step.axes[0], sizeof step.axes[0] * n);
      step.axes[0].size = 2;
      step.axes[1].size /= 2;
      step.n_axes = n + 1;
    }
  else if (n >= 2)
    {
      step.axes[1].size *= step.axes[0].size;
      memmove (&step.axes[0], &step.axes[1], sizeof step.axes[0] * (n - 1));
      step.n_axes = n - 1;
    }
  else
    return FALSE;
  for (guint i = 0; i < step.n_axes; i++)
    {
      step.axes[i].class_id = g->next_class++;
      step.dims[i] = step.axes[i].size;
    }
  step.n_dims = step.n_axes;
  add_step (g, &step);
  return TRUE;
}

/* Casts to another type and, by a second step, mostly back, so that operands of one type remain. */
static void
add_cast (HirGenerator *g, guint operand)
{
  HirRandomStep step = step_like (g, HIR_RANDOM_CAST, operand);
  HirRandomDType before = step.dtype;
  guint made;

  step.dtype = (HirRandomDType) ((before + 1 + hir_generator_pick (g, 2)) % 3);
  made = add_step (g, &step);
  if (hir_generator_chance (g, 70))
    {
      step = step_like (g, HIR_RANDOM_CAST, made);
      step.dtype = before;
      add_step (g, &step);
    }
}

/* Cuts the first axis of known size 3 or more. Returns FALSE if there is none. */
static gboolean
add_slice (HirGenerator *g, guint operand)
{
  HirRandomStep step = step_like (g, HIR_RANDOM_SLICE, operand);
  gboolean cut = FALSE;

  for (guint i = 0; i < step.n_axes; i++)
    {
      if (g->fusion->is_symbolic || step.axes[i].is_broadcast)
        return FALSE;
      step.dims[i] = 0;
      step.stops[i] = step.axes[i].size;
      if (cut || step.axes[i].size < 3 || (i + 1 < step.n_axes && hir_generator_chance (g, 50)))
        continue;
      cut = TRUE;
      step.dims[i] = 1;
      step.axes[i] = axis_new (g, step.axes[i].size - 1);
    }
  step.n_dims = step.n_axes;
  if (cut)
    add_step (g, &step);
  return cut;
}

static void
add_random_step (HirGenerator *g)
{
  guint operand, rank;
  HirRandomAxis kept[HIR_RANDOM_MAX_RANK + 1];
  guint what = hir_generator_pick (g, 100);

  if (!pick_operand (g, 1, &operand))
    return;
  rank = get_kept (g, operand, kept);
  if (what < 26)
    add_set (g, operand);
  else if (what < 46)
    add_binary (g, operand);
  else if (what < 54)
    add_binary_scalar (g, operand);
  else if (what < 64)
    add_unary (g, operand);
  else if (what < 70 && rank >= 2)
    add_sum (g, operand);
  else if (what < 78 && has_k (g, operand))
    add_matmul (g, operand);
  else if (what < 82 && has_k (g, operand))
    add_linear (g, operand);
  else if (what < 86 && rank <= 2)
    add_broadcast (g, operand);
  else if (what < 90 && rank >= 2)
    add_permute (g, operand);
  else if (what < 94)
    add_cast (g, operand);
  else if (what < 96 && add_squeeze (g, operand))
    return;
  else if (what < 98 && add_slice (g, operand))
    return;
  else if (!add_reshape (g, operand))
    add_set (g, operand);
}

/* Makes unread tensors outputs, and sometimes tensors that are read. */
static void
mark_outputs (HirGenerator *g)
{
  for (guint i = 0; i < g->fusion->steps->len; i++)
    {
      HirRandomStep *step = hir_generator_get_step (g, i);

      if (step->kind == HIR_RANDOM_INPUT)
        continue;
      step->is_output =
          step->n_uses == 0 || (!hir_random_is_fused (step->kind) && hir_generator_chance (g, 10));
    }
}

static HirRandomFusion *
fusion_new (guint64 seed, gboolean is_sharded)
{
  HirRandomFusion *fusion = g_new0 (HirRandomFusion, 1);
  HirGenerator g = { .fusion = fusion, .state = seed };
  gint64 sizes[3];
  guint rank, n_ops;

  fusion->seed = seed;
  if (is_sharded)
    hir_generator_pick_meshes (&g);
  fusion->steps = g_array_new (FALSE, FALSE, sizeof (HirRandomStep));
  fusion->schedule = g_array_new (FALSE, FALSE, sizeof (HirRandomSchedule));
  fusion->is_symbolic = hir_generator_chance (&g, 50);
  g.reuse_hidden = hir_generator_chance (&g, 10);
  rank = 1 + hir_generator_pick (&g, 3);
  rank = MAX (rank, 1 + hir_generator_pick (&g, 3));
  for (guint i = 0; i < 3; i++)
    sizes[i] = pick_size (&g);
  add_input (&g, sizes, rank,
             hir_generator_chance (&g, 85) ? HIR_RANDOM_FLOAT : HIR_RANDOM_BFLOAT16);
  n_ops = 1 + hir_generator_pick (&g, is_sharded ? 6 : 9);
  for (guint i = 0; i < n_ops; i++)
    add_random_step (&g);
  if (fusion->steps->len == 1)
    add_set (&g, 0);
  mark_outputs (&g);
  hir_generator_schedule_streams (&g);
  if (hir_generator_chance (&g, is_sharded ? 3 : 10))
    hir_generator_schedule_refused (&g);
  if (is_sharded)
    hir_generator_schedule_devices (&g);
  hir_generator_schedule_copies (&g);
  return fusion;
}

HirRandomFusion *
hir_random_fusion_new (guint64 seed)
{
  return fusion_new (seed, FALSE);
}

HirRandomFusion *
hir_random_fusion_new_sharded (guint64 seed)
{
  return fusion_new (seed, TRUE);
}

void
hir_random_fusion_free (HirRandomFusion *fusion)
{
  if (fusion == NULL)
    return;
  g_array_unref (fusion->steps);
  g_array_unref (fusion->schedule);
  g_free (fusion);
}
