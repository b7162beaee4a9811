/* Fake NCCL: kernels for ranks in several processes. Each rank writes its data to files and waits
 * for the files of the others. */
#include "fake-nccl.h"

#include <string.h>

#define PAUSE_US 200

static char *
dup_path (const FakeWorld *world, const char *kind, int from, int to, guint number)
{
  return g_strdup_printf ("%s/%s.%s.%d.%d.%u", world->folder, world->id, kind, from, to, number);
}

static void
put (const char *path, gconstpointer data, gsize bytes)
{
  g_autoptr (GError) error = NULL;

  /* CONSISTENT writes a temporary file and renames it, so that readers never see partial data. */
  if (!g_file_set_contents_full (path, data != NULL ? data : "", (gssize) bytes,
                                 G_FILE_SET_CONTENTS_CONSISTENT, 0600, &error))
    g_error ("%s", error->message);
}

static gboolean
is_aborted (FakeWorld *world)
{
  gboolean aborted;

  g_mutex_lock (&world->lock);
  aborted = world->aborted;
  g_mutex_unlock (&world->lock);
  return aborted;
}

/* Waits for @path and returns its content, or NULL if @world is aborted. */
static char *
get (FakeWorld *world, const char *path, gsize *bytes)
{
  char *data = NULL;

  while (!is_aborted (world))
    {
      if (g_file_get_contents (path, &data, bytes, NULL))
        return data;
      g_usleep (PAUSE_US);
    }
  return NULL;
}

static gsize
get_given (const FakeCall *call)
{
  gsize bytes = call->count * fake_nccl_type_size (call->type);

  switch (call->kind)
    {
    case FAKE_REDUCE_SCATTER:
      return bytes * (gsize) call->comm->world->n_ranks;
    case FAKE_BROADCAST:
      return call->comm->rank == call->peer ? bytes : 0;
    default:
      return bytes;
    }
}

static void
run_collective (const FakeCall *call)
{
  FakeWorld *world = call->comm->world;
  guint number = call->comm->n_collectives++;
  g_autoptr (GPtrArray) keep = g_ptr_array_new_with_free_func (g_free);
  FakeMeeting meeting = { .n_arrived = 0 };
  g_autofree char *mine = dup_path (world, "all", call->comm->rank, 0, number);

  put (mine, call->in, get_given (call));
  for (int i = 0; i < world->n_ranks; i++)
    {
      g_autofree char *path = dup_path (world, "all", i, 0, number);
      gsize bytes;
      char *data = get (world, path, &bytes);
      gpointer unused = g_malloc (call->count * 8 * (gsize) world->n_ranks + 1);

      g_ptr_array_add (keep, data);
      g_ptr_array_add (keep, unused);
      if (data == NULL)
        return;
      meeting.in[i] = data;
      meeting.out[i] = i == call->comm->rank ? call->out : unused;
    }
  fake_nccl_move_collective (call, &meeting);
}

static void
run_messages (const FakeCall *calls, guint n)
{
  FakeWorld *world = calls[0].comm->world;
  int me = calls[0].comm->rank;

  for (guint i = 0; i < n; i++)
    if (calls[i].kind == FAKE_SEND)
      {
        g_autofree char *path =
            dup_path (world, "to", me, calls[i].peer, world->n_mailed[me][calls[i].peer]++);

        put (path, calls[i].in, calls[i].count * fake_nccl_type_size (calls[i].type));
      }
  for (guint i = 0; i < n; i++)
    if (calls[i].kind == FAKE_RECV)
      {
        g_autofree char *path =
            dup_path (world, "to", calls[i].peer, me, world->n_mailed[calls[i].peer][me]++);
        gsize bytes;
        g_autofree char *data = get (world, path, &bytes);

        if (data != NULL)
          memcpy (calls[i].out, data,
                  MIN (bytes, calls[i].count * fake_nccl_type_size (calls[i].type)));
      }
}

void
fake_nccl_run_files (const FakeCall *calls, guint n)
{
  if (calls[0].kind == FAKE_SEND || calls[0].kind == FAKE_RECV)
    run_messages (calls, n);
  else
    run_collective (calls);
}
