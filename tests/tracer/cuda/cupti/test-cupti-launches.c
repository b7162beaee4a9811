#include "cuda/cupti/cupti-buffers.h"
#include "cuda/cupti/cupti-ids.h"
#include "cuda/cupti/cupti-launches.h"

#define N_THREADS 4
#define N_LAUNCHES 20000

static gpointer
add_many (gpointer data)
{
  HirCuptiLaunches *launches = data;
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint64));

  for (guint i = 0; i < N_LAUNCHES; i++)
    {
      HirEvent event = { .instruction = i, .iteration = (gint32) i };
      guint64 id = hir_cupti_launches_add (launches, &event);

      g_array_append_val (ids, id);
    }
  return ids;
}

static void
count (const HirCuptiLaunch *launch, gpointer user_data)
{
  (*(guint *) user_data)++;
}

static void
test_launches (void)
{
  HirCuptiLaunches *launches = hir_cupti_launches_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  GThread *threads[N_THREADS];
  guint n = 0;

  hir_cupti_launches_prepare (launches);
  for (guint t = 0; t < N_THREADS; t++)
    threads[t] = g_thread_new ("launcher", add_many, launches);
  for (guint i = 0; i < 100; i++)
    hir_cupti_launches_prepare (launches);
  for (guint t = 0; t < N_THREADS; t++)
    {
      g_autoptr (GArray) ids = g_thread_join (threads[t]);

      for (guint i = 0; i < ids->len; i++)
        {
          guint64 id = g_array_index (ids, guint64, i);

          g_assert_true (g_hash_table_add (seen, GSIZE_TO_POINTER (id)));
          g_assert_cmpuint (hir_cupti_launches_lookup (launches, id)->instruction, ==, i);
        }
    }
  g_assert_cmpuint (hir_cupti_launches_get_n (launches), ==, N_THREADS * N_LAUNCHES);
  g_assert_null (hir_cupti_launches_lookup (launches, 0));
  g_assert_null (hir_cupti_launches_lookup (launches, N_THREADS * N_LAUNCHES + 1));
  hir_cupti_launches_retire (launches, 10000, count, &n);
  g_assert_cmpuint (n, ==, 8192); /* only whole chunks are retired */
  g_assert_null (hir_cupti_launches_lookup (launches, 8192));
  g_assert_nonnull (hir_cupti_launches_lookup (launches, 8193));
  hir_cupti_launches_retire (launches, N_THREADS * N_LAUNCHES, count, &n);
  g_assert_cmpuint (n, ==, N_THREADS * N_LAUNCHES);
  hir_cupti_launches_free (launches);
}

static void
test_ids (void)
{
  HirCuptiIds *ids = hir_cupti_ids_new (100);

  hir_cupti_ids_set (ids, 5, 50);
  hir_cupti_ids_set (ids, G_MAXUINT32, 60);
  hir_cupti_ids_tick (ids, 200, 50);
  hir_cupti_ids_set (ids, 5000, HIR_CUPTI_NOBODY);
  g_assert_cmpuint (hir_cupti_ids_get (ids, 5), ==, 50);
  g_assert_cmpuint (hir_cupti_ids_get (ids, 6), ==, 0);
  g_assert_cmpuint (hir_cupti_ids_get (ids, G_MAXUINT32), ==, 60);
  hir_cupti_ids_tick (ids, 300, 150);
  g_assert_cmpuint (hir_cupti_ids_get (ids, 5), ==, 0);
  g_assert_cmpuint (hir_cupti_ids_get (ids, 5000), ==, HIR_CUPTI_NOBODY);
  hir_cupti_ids_free (ids);
}

/* Requests buffers like CUPTI, checks that they are zeroed, fills them with garbage and completes
 * them. */
static gpointer
use_buffers (gpointer data)
{
  for (guint i = 0; i < 50; i++)
    {
      uint8_t *bytes;
      size_t size, max;

      hir_cupti_buffers_request (&bytes, &size, &max);
      g_assert_nonnull (bytes);
      g_assert_cmpuint ((gsize) bytes % 8, ==, 0);
      for (gsize at = 0; at < size; at += 509)
        g_assert_cmpuint (bytes[at], ==, 0);
      for (gsize at = 0; at < size; at += 509)
        bytes[at] = 0xff;
      hir_cupti_buffers_complete (NULL, 0, bytes, size, 1000);
    }
  return NULL;
}

static void
test_buffers (void)
{
  HirCuptiBuffers *buffers = hir_cupti_buffers_get ();
  GThread *threads[N_THREADS];
  HirCuptiBuffer buffer;
  guint n = 0;

  g_assert_false (hir_cupti_buffers_pop (buffers, 0, &buffer));
  hir_cupti_buffers_fill (buffers);
  for (guint t = 0; t < N_THREADS; t++)
    threads[t] = g_thread_new ("launcher", use_buffers, NULL);
  while (n < 50 * N_THREADS)
    {
      g_assert_true (hir_cupti_buffers_pop (buffers, 60 * G_USEC_PER_SEC, &buffer));
      g_assert_cmpuint (buffer.valid, ==, 1000);
      hir_cupti_buffers_recycle (buffers, &buffer);
      n++;
    }
  for (guint t = 0; t < N_THREADS; t++)
    g_thread_join (threads[t]);
  g_assert_false (hir_cupti_buffers_pop (buffers, 1000, &buffer));
  hir_cupti_buffers_wake (buffers);
  g_assert_false (hir_cupti_buffers_pop (buffers, 600 * G_USEC_PER_SEC, &buffer));
  g_assert_cmpuint (hir_cupti_buffers_get_n_refused (buffers), ==, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cupti/launches", test_launches);
  g_test_add_func ("/cupti/ids", test_ids);
  g_test_add_func ("/cupti/buffers", test_buffers);
  return g_test_run ();
}
