/* Fake NCCL: work of the kernels. */
#include "fake-nccl.h"

#include <string.h>

gsize
fake_nccl_type_size (HirNcclType type)
{
  static const gsize sizes[] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2 };

  return type < G_N_ELEMENTS (sizes) ? sizes[type] : 1;
}

static double
load (HirNcclType type, const guint8 *at)
{
  union
  {
    gint32 i;
    guint32 u;
    gint64 l;
    float f;
    double d;
  } value = { 0 };

  switch (type)
    {
    case HIR_NCCL_FLOAT32:
      memcpy (&value.f, at, sizeof value.f);
      return (double) value.f;
    case HIR_NCCL_FLOAT64:
      memcpy (&value.d, at, sizeof value.d);
      return value.d;
    case HIR_NCCL_BFLOAT16:
      value.u = (guint32) at[0] << 16 | (guint32) at[1] << 24;
      return (double) value.f;
    case HIR_NCCL_INT32:
      memcpy (&value.i, at, sizeof value.i);
      return value.i;
    case HIR_NCCL_INT64:
      memcpy (&value.l, at, sizeof value.l);
      return (double) value.l;
    default:
      return *at;
    }
}

static void
store (HirNcclType type, guint8 *at, double number)
{
  union
  {
    gint32 i;
    guint32 u;
    gint64 l;
    float f;
  } value = { 0 };

  switch (type)
    {
    case HIR_NCCL_FLOAT32:
      value.f = (float) number;
      memcpy (at, &value.f, sizeof value.f);
      break;
    case HIR_NCCL_FLOAT64:
      memcpy (at, &number, sizeof number);
      break;
    case HIR_NCCL_BFLOAT16:
      value.f = (float) number;
      value.u += 0x7fff + (value.u >> 16 & 1);
      at[0] = (guint8) (value.u >> 16);
      at[1] = (guint8) (value.u >> 24);
      break;
    case HIR_NCCL_INT32:
      value.i = (gint32) number;
      memcpy (at, &value.i, sizeof value.i);
      break;
    case HIR_NCCL_INT64:
      value.l = (gint64) number;
      memcpy (at, &value.l, sizeof value.l);
      break;
    default:
      *at = (guint8) number;
    }
}

static double
fold (HirNcclOp op, double a, double b)
{
  switch (op)
    {
    case HIR_NCCL_PROD:
      return a * b;
    case HIR_NCCL_MAX:
      return MAX (a, b);
    case HIR_NCCL_MIN:
      return MIN (a, b);
    default:
      return a + b;
    }
}

/* Reduces elements [@first, @first + @call->count) of all inputs into @out, which may be one of the
 * inputs. */
static void
reduce (const FakeCall *call, const FakeMeeting *meeting, int n, gsize first, guint8 *out)
{
  gsize size = fake_nccl_type_size (call->type);

  for (gsize k = 0; k < call->count; k++)
    {
      double sum = load (call->type, (const guint8 *) meeting->in[0] + (first + k) * size);

      for (int i = 1; i < n; i++)
        sum = fold (call->op, sum,
                    load (call->type, (const guint8 *) meeting->in[i] + (first + k) * size));
      store (call->type, out + k * size, sum);
    }
}

/* Inputs may alias outputs: compute all results before writing any of them. */
void
fake_nccl_move_collective (const FakeCall *call, FakeMeeting *meeting)
{
  int n = call->comm->world->n_ranks;
  gsize bytes = call->count * fake_nccl_type_size (call->type);
  gboolean gathers = call->kind == FAKE_ALL_GATHER;
  g_autofree guint8 *whole = g_malloc ((gsize) n * bytes + 1);

  for (int i = 0; i < n; i++)
    if (gathers)
      memcpy (whole + (gsize) i * bytes, meeting->in[i], bytes);
    else if (call->kind == FAKE_BROADCAST)
      memcpy (whole + (gsize) i * bytes, meeting->in[call->peer], bytes);
    else
      reduce (call, meeting, n, call->kind == FAKE_REDUCE_SCATTER ? (gsize) i * call->count : 0,
              whole + (gsize) i * bytes);
  for (int i = 0; i < n; i++)
    if (call->kind != FAKE_REDUCE || i == call->peer)
      memcpy (meeting->out[i], gathers ? whole : whole + (gsize) i * bytes,
              gathers ? (gsize) n * bytes : bytes);
}

static void
run_collective (const FakeCall *call)
{
  FakeWorld *world = call->comm->world;
  FakeMeeting *meeting;
  guint number;

  g_mutex_lock (&world->lock);
  number = call->comm->n_collectives++;
  /* Ranks that arrived before the abort have returned, and their memory may be freed. */
  if (world->aborted)
    {
      g_mutex_unlock (&world->lock);
      return;
    }
  if (number >= world->meetings->len)
    g_ptr_array_add (world->meetings, g_new0 (FakeMeeting, 1));
  meeting = g_ptr_array_index (world->meetings, number);
  meeting->in[call->comm->rank] = call->in;
  meeting->out[call->comm->rank] = call->out;
  if (++meeting->n_arrived == (guint) world->n_ranks)
    {
      fake_nccl_move_collective (call, meeting);
      meeting->done = TRUE;
      g_cond_broadcast (&world->changed);
    }
  while (!meeting->done && !world->aborted)
    g_cond_wait (&world->changed, &world->lock);
  g_mutex_unlock (&world->lock);
}

static void
receive (FakeWorld *world, const FakeCall *call)
{
  GQueue *queue = &world->mail[call->peer][call->comm->rank];
  FakeMail *mail;

  while ((mail = g_queue_pop_head (queue)) == NULL && !world->aborted)
    g_cond_wait (&world->changed, &world->lock);
  if (mail == NULL)
    return;
  memcpy (call->out, mail->data, MIN (mail->bytes, call->count * fake_nccl_type_size (call->type)));
  mail->taken = TRUE;
  g_cond_broadcast (&world->changed);
}

/* Sends and receives of a group progress together and finish together. */
static void
run_messages (const FakeCall *calls, guint n)
{
  FakeWorld *world = calls[0].comm->world;
  g_autofree FakeMail *mails = g_new0 (FakeMail, n);

  g_mutex_lock (&world->lock);
  for (guint i = 0; i < n; i++)
    {
      if (calls[i].kind != FAKE_SEND)
        continue;
      mails[i].data = calls[i].in;
      mails[i].bytes = calls[i].count * fake_nccl_type_size (calls[i].type);
      g_queue_push_tail (&world->mail[calls[i].comm->rank][calls[i].peer], &mails[i]);
    }
  g_cond_broadcast (&world->changed);
  for (guint i = 0; i < n; i++)
    if (calls[i].kind == FAKE_RECV)
      receive (world, &calls[i]);
  for (guint i = 0; i < n; i++)
    while (calls[i].kind == FAKE_SEND && !mails[i].taken && !world->aborted)
      g_cond_wait (&world->changed, &world->lock);
  /* Remove untaken mail from the queues before this function frees it. */
  for (guint i = 0; i < n; i++)
    if (calls[i].kind == FAKE_SEND && !mails[i].taken)
      g_queue_remove (&world->mail[calls[i].comm->rank][calls[i].peer], &mails[i]);
  g_mutex_unlock (&world->lock);
}

void
fake_nccl_run (const FakeCall *calls, guint n)
{
  FakeWorld *world = calls[0].comm->world;

  if (calls[0].lost != HIR_NCCL_SUCCESS)
    {
      g_atomic_int_set (&calls[0].comm->error, (gint) calls[0].lost);
      g_mutex_lock (&world->lock);
      while (!world->aborted)
        g_cond_wait (&world->changed, &world->lock);
      g_mutex_unlock (&world->lock);
      return;
    }
  if (world->folder != NULL)
    fake_nccl_run_files (calls, n);
  else if (calls[0].kind == FAKE_SEND || calls[0].kind == FAKE_RECV)
    run_messages (calls, n);
  else
    run_collective (calls);
}
