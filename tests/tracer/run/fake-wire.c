#include "fake-wire.h"

#include <string.h>

typedef struct
{
  int from, tag;
  gpointer data;
  gsize size;
} Message;

struct _HirMpiWireOp
{
  gboolean is_send;
  int from, tag;
  gpointer data;
  gsize size;
};

typedef struct
{
  HirMpiWire base;
  FakeHub *hub;
  int rank;
} Wire;

struct _FakeHub
{
  int n;
  GMutex lock;
  Wire *wires;
  GQueue *boxes; /* Message*, one queue per rank, in the order of arrival */
  gboolean *silent;
};

static void
message_free (gpointer data)
{
  g_free (((Message *) data)->data);
  g_free (data);
}

static char *
start (HirMpiWire *self, int *rank, int *size)
{
  *rank = ((Wire *) self)->rank;
  *size = ((Wire *) self)->hub->n;
  return NULL;
}

static HirMpiWireOp *
send_to (HirMpiWire *self, gconstpointer data, gsize size, int to, int tag)
{
  Wire *wire = (Wire *) self;
  HirMpiWireOp *op = g_new0 (HirMpiWireOp, 1);
  Message *message = g_new0 (Message, 1);

  op->is_send = TRUE;
  message->from = wire->rank;
  message->tag = tag;
  message->data = g_memdup2 (data, size);
  message->size = size;
  g_mutex_lock (&wire->hub->lock);
  if (wire->hub->silent[wire->rank])
    message_free (message);
  else
    g_queue_push_tail (&wire->hub->boxes[to], message);
  g_mutex_unlock (&wire->hub->lock);
  return op;
}

static HirMpiWireOp *
receive_from (HirMpiWire *self, gpointer data, gsize size, int from, int tag)
{
  HirMpiWireOp *op = g_new0 (HirMpiWireOp, 1);

  op->from = from;
  op->tag = tag;
  op->data = data;
  op->size = size;
  return op;
}

/* Messages of one sender and tag arrive in order; the caller tests receives in the order in which
 * it started them. */
static gboolean
take (Wire *wire, const HirMpiWireOp *op)
{
  GQueue *box = &wire->hub->boxes[wire->rank];

  for (GList *link = box->head; link != NULL; link = link->next)
    {
      Message *message = link->data;

      if (message->from != op->from || message->tag != op->tag)
        continue;
      g_assert_cmpuint (message->size, ==, op->size);
      if (op->size > 0)
        memcpy (op->data, message->data, op->size);
      message_free (message);
      g_queue_delete_link (box, link);
      return TRUE;
    }
  return FALSE;
}

static int
test (HirMpiWire *self, HirMpiWireOp *op)
{
  Wire *wire = (Wire *) self;
  gboolean done = op->is_send;

  g_mutex_lock (&wire->hub->lock);
  if (!done)
    done = take (wire, op);
  g_mutex_unlock (&wire->hub->lock);
  if (done)
    g_free (op);
  return done;
}

static void
cancel (HirMpiWire *self, HirMpiWireOp *op)
{
  g_free (op);
}

static gboolean
probe (HirMpiWire *self, gboolean tag_zero, int *from, int *tag, gsize *size)
{
  Wire *wire = (Wire *) self;
  gboolean found = FALSE;

  g_mutex_lock (&wire->hub->lock);
  for (GList *link = wire->hub->boxes[wire->rank].head; link != NULL && !found; link = link->next)
    {
      const Message *message = link->data;

      found = (message->tag == 0) == tag_zero;
      *from = message->from;
      *tag = message->tag;
      *size = message->size;
    }
  g_mutex_unlock (&wire->hub->lock);
  return found;
}

static void
stop (HirMpiWire *self)
{
}

FakeHub *
fake_hub_new (int n)
{
  FakeHub *hub = g_new0 (FakeHub, 1);

  hub->n = n;
  hub->wires = g_new0 (Wire, n);
  hub->boxes = g_new0 (GQueue, n);
  hub->silent = g_new0 (gboolean, n);
  g_mutex_init (&hub->lock);
  for (int i = 0; i < n; i++)
    {
      g_queue_init (&hub->boxes[i]);
      hub->wires[i] = (Wire){ { HIR_MPI_WIRE_VERSION, "a test", start, send_to, receive_from, test,
                                cancel, probe, stop },
                              hub,
                              i };
    }
  return hub;
}

void
fake_hub_free (FakeHub *hub)
{
  for (int i = 0; i < hub->n; i++)
    g_queue_clear_full (&hub->boxes[i], message_free);
  g_free (hub->boxes);
  g_free (hub->wires);
  g_free (hub->silent);
  g_mutex_clear (&hub->lock);
  g_free (hub);
}

HirMpiWire *
fake_hub_get_wire (FakeHub *hub, int rank)
{
  return &hub->wires[rank].base;
}

void
fake_hub_silence (FakeHub *hub, int rank, gboolean silent)
{
  g_mutex_lock (&hub->lock);
  hub->silent[rank] = silent;
  g_mutex_unlock (&hub->lock);
}

static gpointer
start_module (gpointer wire)
{
  g_autoptr (GError) error = NULL;
  HirMpiModule *module = hir_mpi_module_new_on_wire (wire, 0, &error);

  g_assert_no_error (error);
  return module;
}

void
fake_hub_start (FakeHub *hub, HirMpiModule **modules)
{
  g_autofree GThread **threads = g_new (GThread *, hub->n);

  for (int i = 0; i < hub->n; i++)
    threads[i] = g_thread_new ("start", start_module, &hub->wires[i].base);
  for (int i = 0; i < hub->n; i++)
    modules[i] = g_thread_join (threads[i]);
}

static gpointer
stop_module (gpointer module)
{
  return GINT_TO_POINTER (hir_mpi_module_free (module));
}

gboolean
fake_hub_stop (FakeHub *hub, HirMpiModule **modules)
{
  g_autofree GThread **threads = g_new (GThread *, hub->n);
  gboolean ok = TRUE;

  for (int i = 0; i < hub->n; i++)
    threads[i] = g_thread_new ("stop", stop_module, modules[i]);
  for (int i = 0; i < hub->n; i++)
    ok &= GPOINTER_TO_INT (g_thread_join (threads[i]));
  return ok;
}
