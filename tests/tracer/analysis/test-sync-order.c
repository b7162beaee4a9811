/* Tests vector clocks against reachability, on random programs with several ranks. */
#include "analysis/sync-order.h"

#include <string.h>

#include "analysis/sync-trace-private.h"

#define N_STEPS 60
#define N_RANKS 3
#define N_QUEUES 9 /* three per rank */

/* Creates steps in one legal order; ranks are interleaved. */
static void
add_step (HirSyncTrace *trace, GRand *rand, guint *tails)
{
  guint index = trace->steps->len, queue = (guint) g_rand_int_range (rand, 0, N_QUEUES);
  HirSyncStep step = { .kind = HIR_SYNC_WORK,
                       .rank = (int) queue / 3,
                       .queue = queue,
                       .current = queue,
                       .previous = tails[queue],
                       .after = HIR_SYNC_NONE };
  guint other = queue / 3 * 3 + (guint) g_rand_int_range (rand, 0, 3);

  switch (g_rand_int_range (rand, 0, 5))
    {
    case 0:
      step.kind = HIR_SYNC_WAIT;
      step.after = other != queue ? tails[other] : HIR_SYNC_NONE;
      break;
    case 1:
      step.kind = HIR_SYNC_POST;
      step.after = other != queue ? tails[other] : HIR_SYNC_NONE;
      break;
    case 2:
      step.kind = HIR_SYNC_TAKE;
      step.first_need = trace->needs->len;
      for (guint i = 0; i < 2 && index > 0; i++, step.n_needs++)
        {
          guint give = (guint) g_rand_int_range (rand, 0, (gint32) index);

          g_array_append_val (trace->needs, give);
        }
      break;
    default:
      break;
    }
  tails[queue] = index;
  g_array_append_val (trace->steps, step);
  g_array_append_val (trace->order, index);
}

static HirSyncTrace *
make_trace (GRand *rand)
{
  HirSyncTrace *trace = g_new0 (HirSyncTrace, 1);
  guint tails[N_QUEUES];

  trace->programs = g_ptr_array_new ();
  trace->steps = g_array_new (FALSE, FALSE, sizeof (HirSyncStep));
  trace->instances = g_array_new (FALSE, FALSE, sizeof (HirSyncInstance));
  trace->accesses = g_array_new (FALSE, FALSE, sizeof (HirSyncAccess));
  trace->ranges = g_array_new (FALSE, FALSE, sizeof (HirByteRange));
  trace->needs = g_array_new (FALSE, FALSE, sizeof (guint));
  trace->queues = g_array_new (FALSE, TRUE, sizeof (HirSyncQueue));
  trace->buffers = g_array_new (FALSE, FALSE, sizeof (HirSyncBuffer));
  trace->order = g_array_new (FALSE, FALSE, sizeof (guint));
  trace->faults = g_ptr_array_new ();
  trace->held = g_ptr_array_new ();
  trace->frees = g_array_new (FALSE, FALSE, sizeof (HirSyncFree));
  trace->tapes = g_ptr_array_new ();
  g_array_set_size (trace->queues, N_QUEUES);
  memset (tails, 0xff, sizeof tails);
  for (guint i = 0; i < N_STEPS; i++)
    add_step (trace, rand, tails);
  return trace;
}

/* reach[a * N_STEPS + b]: b is after a. */
static void
find_reachable (const HirSyncTrace *trace, const guint8 *left_out, guint8 *reach)
{
  memset (reach, 0, N_STEPS * N_STEPS);
  for (guint b = 0; b < N_STEPS; b++)
    {
      const HirSyncStep *step = hir_sync_trace_get_step (trace, b);
      guint from[4] = { step->previous, left_out[b] ? HIR_SYNC_NONE : step->after, HIR_SYNC_NONE,
                        HIR_SYNC_NONE };

      for (guint i = 0; i < step->n_needs; i++)
        from[2 + i] = g_array_index (trace->needs, guint, step->first_need + i);
      for (guint i = 0; i < 4; i++)
        for (guint a = 0; from[i] != HIR_SYNC_NONE && a < N_STEPS; a++)
          reach[a * N_STEPS + b] |= a == from[i] || reach[a * N_STEPS + from[i]];
    }
}

static void
test_reachability (void)
{
  GRand *rand = g_rand_new_with_seed (7);
  guint8 reach[N_STEPS * N_STEPS], left_out[N_STEPS] = { 0 };
  guint n_ordered = 0, n_idle = 0;

  for (guint round = 0; round < 400; round++)
    {
      g_autoptr (HirSyncTrace) trace = make_trace (rand);
      g_autoptr (GError) error = NULL;
      g_autoptr (HirSyncOrder) order = hir_sync_order_new (trace, &error);

      g_assert_no_error (error);
      for (guint i = 0; i < N_STEPS; i++)
        left_out[i] = round % 2 == 1 && hir_sync_trace_get_step (trace, i)->kind == HIR_SYNC_WAIT &&
                      g_rand_boolean (rand);
      hir_sync_order_update (order, left_out);
      find_reachable (trace, left_out, reach);
      for (guint a = 0; a < N_STEPS; a++)
        for (guint b = 0; b < N_STEPS; b++)
          {
            g_assert_cmpint (hir_sync_order_is_before (order, a, b), ==, reach[a * N_STEPS + b]);
            n_ordered += reach[a * N_STEPS + b];
          }
      for (guint i = 0; i < N_STEPS; i++)
        {
          const HirSyncStep *step = hir_sync_trace_get_step (trace, i);
          gboolean adds =
              step->after != HIR_SYNC_NONE && !left_out[i] &&
              (step->previous == HIR_SYNC_NONE || !reach[step->after * N_STEPS + step->previous]);

          if (step->kind == HIR_SYNC_WAIT)
            g_assert_cmpint (order->is_idle[i], ==, !adds);
          n_idle += order->is_idle[i];
        }
    }
  g_assert_cmpuint (n_ordered, >, 400 * N_STEPS);
  g_assert_cmpuint (n_idle, >, 400);
  g_rand_free (rand);
}

/* Tests that two views overlap exactly if they have a common element. */
static void
add_access (HirSyncTrace *trace, const HirValue *value)
{
  HirSyncAccess access = { 0, TRUE, 0, trace->ranges->len, 0 };

  hir_sync_add_ranges (value, trace->ranges);
  access.n_ranges = trace->ranges->len - access.first_range;
  g_array_append_val (trace->accesses, access);
}

static HirValue *
make_view (GRand *rand, HirBuffer *buffer)
{
  const gint64 sizes[] = { 4, 6, 5 };
  g_autoptr (HirValue) value = hir_value_new_tensor (HIR_DTYPE_FLOAT, 3, sizes, NULL, buffer);

  for (guint axis = 0; axis < 3; axis++)
    {
      gint64 size = value->sizes[axis], start = g_rand_int_range (rand, 0, (gint32) size);
      gint64 step = g_rand_int_range (rand, 1, 4);
      gint64 n = 1 + (size - 1 - start) / step;
      HirValue *next = hir_value_slice (value, axis, start,
                                        g_rand_int_range (rand, 0, 10) == 0
                                            ? 0
                                            : g_rand_int_range (rand, 1, (gint32) n + 1),
                                        step);

      hir_value_unref (value);
      value = next;
    }
  return g_steal_pointer (&value);
}

static void
mark (const HirValue *value, guint8 *bytes)
{
  for (gint64 i = 0; i < value->sizes[0]; i++)
    for (gint64 k = 0; k < value->sizes[1]; k++)
      for (gint64 m = 0; m < value->sizes[2]; m++)
        memset (bytes + 4 * (value->offset + i * value->strides[0] + k * value->strides[1] +
                             m * value->strides[2]),
                1, 4);
}

static void
test_ranges (void)
{
  GRand *rand = g_rand_new_with_seed (3);
  guint n_met = 0;

  for (guint round = 0; round < 2000; round++)
    {
      g_autoptr (HirSyncTrace) trace = make_trace (rand);
      g_autoptr (HirBuffer) buffer = hir_buffer_new_deferred (480);
      guint8 bytes[2][480] = { { 0 } };
      gboolean meet = FALSE;
      HirByteRange common = { 0, 0 };

      for (guint i = 0; i < 2; i++)
        {
          g_autoptr (HirValue) view = make_view (rand, buffer);

          add_access (trace, view);
          mark (view, bytes[i]);
        }
      for (guint i = 0; i < 480; i++)
        meet |= bytes[0][i] && bytes[1][i];
      g_assert_cmpint (hir_sync_trace_overlaps (trace, hir_sync_trace_get_access (trace, 0),
                                                hir_sync_trace_get_access (trace, 1), &common),
                       ==, meet);
      for (gint64 i = common.from; i < common.to; i++)
        g_assert_true (bytes[0][i] && bytes[1][i]);
      n_met += meet;
    }
  g_assert_cmpuint (n_met, >, 50);
  g_assert_cmpuint (n_met, <, 1900);
  g_rand_free (rand);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sync-order/reachability", test_reachability);
  g_test_add_func ("/sync-order/ranges", test_ranges);
  return g_test_run ();
}
