/* A table of the accepted kinds of events per rank and step. */
#include "record/replay-filter.h"

#define STEP_BITS 34
#define RANK_BITS 6
#define N_RANKS (1u << RANK_BITS)
#define EPOCH_BITS (64 - STEP_BITS - RANK_BITS)
#define MAX_STEPS (G_GUINT64_CONSTANT (1) << 28)

/* Bits of HirEventKind that were accepted for a step: in epoch `epoch`, and before. */
typedef struct
{
  guint32 epoch; /* of `now` */
  guint16 now, before;
} Step;

G_STATIC_ASSERT (HIR_N_EVENT_KINDS <= 16);

struct _HirReplayFilter
{
  GArray *steps[N_RANKS]; /* Step; nullable */
  GHashTable *records;    /* HirCommRecord* */
  GHashTable *edges;      /* HirEdge* */
};

guint64
hir_replay_filter_stamp (guint32 epoch, int rank, guint64 step)
{
  const guint64 last_step = (G_GUINT64_CONSTANT (1) << STEP_BITS) - 1;
  const guint64 last_epoch = (G_GUINT64_CONSTANT (1) << EPOCH_BITS) - 1;

  g_return_val_if_fail (epoch > 0 && rank >= 0 && rank < (int) N_RANKS, 0);
  return MIN (epoch, last_epoch) << (STEP_BITS + RANK_BITS) | (guint64) rank << STEP_BITS |
         MIN (step, last_step);
}

static guint
hash_record (gconstpointer key)
{
  const HirCommRecord *record = key;

  return (record->key * 31 + record->sequence) * 31 + (guint) record->rank * 4 + record->side;
}

static gboolean
equal_records (gconstpointer a, gconstpointer b)
{
  const HirCommRecord *x = a, *y = b;

  return x->key == y->key && x->sequence == y->sequence && x->rank == y->rank && x->side == y->side;
}

HirReplayFilter *
hir_replay_filter_new (void)
{
  HirReplayFilter *filter = g_new0 (HirReplayFilter, 1);

  filter->records = g_hash_table_new_full (hash_record, equal_records, g_free, NULL);
  filter->edges = g_hash_table_new_full (hir_edge_hash, hir_edge_equal, g_free, NULL);
  return filter;
}

void
hir_replay_filter_free (HirReplayFilter *filter)
{
  for (guint i = 0; i < N_RANKS; i++)
    g_clear_pointer (&filter->steps[i], g_array_unref);
  g_hash_table_unref (filter->records);
  g_hash_table_unref (filter->edges);
  g_free (filter);
}

static Step *
get_step (HirReplayFilter *filter, guint rank, guint64 number)
{
  if (filter->steps[rank] == NULL)
    filter->steps[rank] = g_array_new (FALSE, TRUE, sizeof (Step));
  if (number >= filter->steps[rank]->len)
    g_array_set_size (filter->steps[rank], (guint) number + 1);
  return &g_array_index (filter->steps[rank], Step, number);
}

gboolean
hir_replay_filter_accept_event (HirReplayFilter *filter, HirEvent *event)
{
  guint64 stamp = event->source, number = stamp & ((G_GUINT64_CONSTANT (1) << STEP_BITS) - 1);
  guint32 epoch = (guint32) (stamp >> (STEP_BITS + RANK_BITS));
  guint16 bit = (guint16) (1u << event->kind);
  Step *step;

  event->source = 0;
  /* Events that cannot be distinguished are all kept. */
  if (stamp == 0 || number >= MAX_STEPS)
    return TRUE;
  step = get_step (filter, (stamp >> STEP_BITS) & (N_RANKS - 1), number);
  if (epoch > step->epoch)
    {
      step->before |= step->now;
      step->now = 0;
      step->epoch = epoch;
    }
  if ((step->before & bit) != 0)
    return FALSE;
  /* A late event of an earlier epoch may have been replayed already. */
  if (epoch < step->epoch)
    {
      step->before |= bit;
      return (step->now & bit) == 0;
    }
  step->now |= bit;
  return TRUE;
}

gboolean
hir_replay_filter_accept_comm_record (HirReplayFilter *filter, const HirCommRecord *record)
{
  return !g_hash_table_contains (filter->records, record) &&
         g_hash_table_add (filter->records, g_memdup2 (record, sizeof *record));
}

gboolean
hir_replay_filter_accept_edge (HirReplayFilter *filter, const HirEdge *edge)
{
  return !g_hash_table_contains (filter->edges, edge) &&
         g_hash_table_add (filter->edges, g_memdup2 (edge, sizeof *edge));
}
