/* Reads the numbers that a profiler recorded for an event as text: shapes, and the grids of
 * kernels. */
#include <string.h>

#include "join/join-extents.h"
#include "trace/event-args.h"

#define MAX_LISTS 64
#define MAX_PER_THREAD 1024

GPtrArray *
hir_join_read_lists (const char *text)
{
  GPtrArray *lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_auto (GStrv) parts = g_strsplit (text, "[", MAX_LISTS);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      GArray *list = g_array_new (FALSE, FALSE, sizeof (gint64));

      for (const char *p = parts[i]; *p != '\0' && *p != ']';)
        {
          char *end;
          gint64 number = g_ascii_strtoll (p, &end, 10);

          if (end == p)
            {
              p++;
              continue;
            }
          g_array_append_val (list, number);
          p = end;
        }
      if (list->len > 0)
        g_ptr_array_add (lists, list);
      else
        g_array_unref (list);
    }
  return lists;
}

/* Returns the elements per block of an elementwise kernel of PyTorch, 0 if its name does not tell:
 * "void at::native::elementwise_kernel<128, 4, ...". How many elements a thread of a vectorized
 * kernel has depends on the device and on the version. */
static gint64
get_per_block (const char *kernel, gint64 n_threads)
{
  const char *start = strstr (kernel, "::elementwise_kernel<");
  char *end;
  gint64 threads, per_thread;

  if (start == NULL)
    return 0;
  threads = g_ascii_strtoll (strchr (start, '<') + 1, &end, 10);
  if (threads != n_threads || *end != ',')
    return 0;
  per_thread = g_ascii_strtoll (end + 1, &end, 10);
  return *end == ',' && per_thread > 0 && per_thread <= MAX_PER_THREAD ? threads * per_thread : 0;
}

/* Returns the size along x of a "[64, 1, 1]", 0 if others are not 1. */
static gint64
get_x (const char *text)
{
  g_autoptr (GPtrArray) lists = hir_join_read_lists (text);
  const GArray *list = lists->len == 1 ? g_ptr_array_index (lists, 0) : NULL;
  gboolean is_flat = list != NULL && list->len == 3 && g_array_index (list, gint64, 1) == 1 &&
                     g_array_index (list, gint64, 2) == 1;

  return is_flat ? CLAMP (g_array_index (list, gint64, 0), 0, G_MAXINT32) : 0;
}

gboolean
hir_join_read_grid (
    const HirTrace *trace, guint track, guint index, gint64 *n_blocks, gint64 *per_block)
{
  g_autoptr (GArray) args = hir_trace_dup_event_args (trace, track, index, NULL);
  gint64 n_threads = 0;
  HirEvent event;

  *n_blocks = 0;
  for (guint i = 0; args != NULL && i < args->len; i++)
    {
      const HirEventArg *arg = &g_array_index (args, HirEventArg, i);

      if (g_str_equal (arg->key, "grid"))
        *n_blocks = get_x (arg->value);
      else if (g_str_equal (arg->key, "block"))
        n_threads = get_x (arg->value);
    }
  hir_trace_get_event (trace, track, index, &event);
  *per_block = get_per_block (hir_trace_get_string (trace, event.name), n_threads);
  return *n_blocks > 0 && *per_block > 0;
}
