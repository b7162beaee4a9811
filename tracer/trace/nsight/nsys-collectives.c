#include "trace/nsight/nsys-collectives.h"

#include <string.h>

#include "trace/collective-names.h"
#include "trace/collective.h"
#include "trace/comm-records.h"
#include "trace/headroom.h"
#include "trace/trace-builder-private.h"

#define CHECK_EVERY 4096 /* kernels between two checks of the memory that is left */

typedef struct
{
  gint64 start_ns;
  guint32 correlation, op; /* op: string of the builder */
  guint track;
  int rank;
} Kernel;

/* Returns the name of the collective that a kernel computes, "AllReduce", or NULL. */
static char *
dup_op (const char *name)
{
  static const char *const prefixes[] = { "ncclDevKernel_", "ncclKernel_" };
  g_autofree char *op = NULL;
  HirCollectiveKind kind;

  for (guint i = 0; i < G_N_ELEMENTS (prefixes) && op == NULL; i++)
    if (g_str_has_prefix (name, prefixes[i]))
      op = g_strndup (name + strlen (prefixes[i]), strcspn (name + strlen (prefixes[i]), "_(<"));
  if (op == NULL)
    return NULL;
  kind = hir_collective_get_kind (op);
  if (kind == HIR_COLLECTIVE_OTHER || kind == HIR_COLLECTIVE_SEND_RECV)
    return NULL;
  return g_steal_pointer (&op);
}

/* Returns the string of the op of a kernel, or 0. @ops caches it by the string of the name. */
static guint32
lookup_op (HirTraceBuilder *builder, GHashTable *ops, guint32 name)
{
  g_autofree char *op = NULL;
  gpointer found;

  if (g_hash_table_lookup_extended (ops, GUINT_TO_POINTER (name), NULL, &found))
    return GPOINTER_TO_UINT (found);
  op = dup_op (hir_trace_builder_get_string (builder, name));
  found = GUINT_TO_POINTER (op != NULL ? hir_trace_builder_intern (builder, op) : 0);
  g_hash_table_insert (ops, GUINT_TO_POINTER (name), found);
  return GPOINTER_TO_UINT (found);
}

static int
compare_kernels (gconstpointer a, gconstpointer b)
{
  const Kernel *x = a, *y = b;

  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static GArray *
find_kernels (HirTraceBuilder *builder)
{
  GArray *kernels = g_array_new (FALSE, FALSE, sizeof (Kernel));
  g_autoptr (GHashTable) ops = g_hash_table_new (NULL, NULL);

  for (guint t = 0; t < builder->trace->tracks->len; t++)
    {
      const HirTrackData *track = g_ptr_array_index (builder->trace->tracks, t);
      const HirColumns *columns = &track->columns;

      for (guint i = 0; track->info.kind == HIR_TRACK_STREAM && i < columns->n; i++)
        {
          guint32 name = hir_column_value (columns, HIR_COLUMN_NAME, guint32, i);
          Kernel kernel = { .start_ns = hir_columns_get_start (columns, i),
                            .correlation =
                                hir_column_value (columns, HIR_COLUMN_CORRELATION, guint32, i),
                            .track = t,
                            .rank = track->info.rank };

          if (kernel.correlation == 0 || (kernel.op = lookup_op (builder, ops, name)) == 0)
            continue;
          if (kernels->len % CHECK_EVERY == 0 && !hir_has_headroom ())
            return kernels;
          g_array_append_val (kernels, kernel);
        }
    }
  g_array_sort (kernels, compare_kernels);
  return kernels;
}

void
hir_nsys_add_collectives (HirTraceBuilder *builder)
{
  g_autoptr (GHashTable) numbers =
      g_hash_table_new (NULL, NULL);                           /* track -> number of the stream */
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL); /* correlations of the rank */
  g_autoptr (GArray) kernels = NULL;

  if (builder->trace == NULL || builder->trace->meetings->len > 0)
    return;
  kernels = find_kernels (builder);
  for (guint i = 0; i < kernels->len; i++)
    {
      const Kernel *kernel = &g_array_index (kernels, Kernel, i);
      HirCommRecord record = { .correlation = kernel->correlation,
                               .sequence = HIR_COMM_RECORD_UNNUMBERED,
                               .rank = kernel->rank,
                               .side = HIR_COMM_SIDE_TEAM,
                               .op = kernel->op,
                               .root = -1 };
      g_autofree char *stream = NULL, *team = NULL;

      if (i > 0 && kernel->rank != kernel[-1].rank)
        {
          g_hash_table_remove_all (numbers);
          g_hash_table_remove_all (seen);
        }
      if (!g_hash_table_contains (numbers, GUINT_TO_POINTER (kernel->track)))
        g_hash_table_insert (numbers, GUINT_TO_POINTER (kernel->track),
                             GUINT_TO_POINTER (g_hash_table_size (numbers)));
      /* All kernels of a CUDA graph have one correlation, so their times are those of the graph. */
      if (!g_hash_table_add (seen, GUINT_TO_POINTER (kernel->correlation)))
        continue;
      stream =
          g_strdup_printf ("NCCL's stream %u",
                           GPOINTER_TO_UINT (
                               g_hash_table_lookup (numbers, GUINT_TO_POINTER (kernel->track))));
      team = hir_comm_record_dup_group_key ("", stream, 0);
      record.key = hir_trace_builder_intern (builder, team);
      hir_trace_builder_add_comm_record (builder, &record);
    }
}
