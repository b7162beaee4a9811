/* The shared module hirscope-mpi.so: HirMpiWire on top of MPI. */
#include "run/mpi/mpi-wire.h"

#include <mpi.h>
#include <string.h>

/* MPI counts are int. */
#define PIECE_BYTES ((gsize) 1 << 30)

struct _HirMpiWireOp
{
  MPI_Request *requests;
  int n;
};

typedef struct
{
  HirMpiWire base;
  MPI_Comm control, data; /* for tag 0 and for other tags */
} MpiWire;

/* Describes an MPI error, with MPI's text if available. */
static char *
describe (const char *what, int code)
{
  char text[MPI_MAX_ERROR_STRING + 1] = { 0 };
  int length;

  if (MPI_Error_string (code, text, &length) != MPI_SUCCESS)
    return g_strdup (what);
  return g_strdup_printf ("%s: %s", what, text);
}

static char *
mpi_start (HirMpiWire *self, int *rank, int *size)
{
  MpiWire *wire = (MpiWire *) self;
  int given, code = MPI_Init_thread (NULL, NULL, MPI_THREAD_FUNNELED, &given);

  if (code != MPI_SUCCESS)
    return describe ("cannot start MPI", code);
  /* One thread makes all calls, but the process has other threads. */
  if (given < MPI_THREAD_FUNNELED)
    return g_strdup ("this MPI supports only single-threaded programs");
  MPI_Comm_set_errhandler (MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (MPI_Comm_rank (MPI_COMM_WORLD, rank) != MPI_SUCCESS ||
      MPI_Comm_size (MPI_COMM_WORLD, size) != MPI_SUCCESS ||
      MPI_Comm_dup (MPI_COMM_WORLD, &wire->control) != MPI_SUCCESS ||
      MPI_Comm_dup (MPI_COMM_WORLD, &wire->data) != MPI_SUCCESS)
    return g_strdup ("MPI cannot create communicators for Hirscope");
  return NULL;
}

static HirMpiWireOp *
op_new (gsize size)
{
  HirMpiWireOp *op = g_new0 (HirMpiWireOp, 1);

  op->n = (int) MAX ((size + PIECE_BYTES - 1) / PIECE_BYTES, 1);
  op->requests = g_new (MPI_Request, op->n);
  for (int i = 0; i < op->n; i++)
    op->requests[i] = MPI_REQUEST_NULL;
  return op;
}

static void
op_free (HirMpiWireOp *op)
{
  g_free (op->requests);
  g_free (op);
}

static MPI_Comm
get_comm (HirMpiWire *self, int tag)
{
  return tag == 0 ? ((MpiWire *) self)->control : ((MpiWire *) self)->data;
}

/* Starts a transfer in pieces, which arrive in order. If a call fails, there is no request, and
 * mpi_test() reports it. */
static void
begin (HirMpiWireOp *op, gboolean is_send, char *data, gsize size, int peer, int tag, MPI_Comm comm)
{
  for (int i = 0; i < op->n; i++)
    {
      gsize at = (gsize) i * PIECE_BYTES;
      int length = (int) MIN (size - at, PIECE_BYTES);
      int code = is_send
                     ? MPI_Isend (data + at, length, MPI_BYTE, peer, tag, comm, &op->requests[i])
                     : MPI_Irecv (data + at, length, MPI_BYTE, peer, tag, comm, &op->requests[i]);

      if (code != MPI_SUCCESS)
        op->n = -1;
    }
}

static HirMpiWireOp *
mpi_send (HirMpiWire *self, gconstpointer data, gsize size, int to, int tag)
{
  HirMpiWireOp *op = op_new (size);

  begin (op, TRUE, (char *) data, size, to, tag, get_comm (self, tag));
  return op;
}

static HirMpiWireOp *
mpi_receive (HirMpiWire *self, gpointer data, gsize size, int from, int tag)
{
  HirMpiWireOp *op = op_new (size);

  begin (op, FALSE, data, size, from, tag, get_comm (self, tag));
  return op;
}

static int
mpi_test (HirMpiWire *self, HirMpiWireOp *op)
{
  int done = 0;

  if (op->n > 0 && MPI_Testall (op->n, op->requests, &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
    op->n = -1;
  if (op->n > 0 && !done)
    return 0;
  done = op->n > 0 ? 1 : -1;
  op_free (op);
  return done;
}

static void
mpi_cancel (HirMpiWire *self, HirMpiWireOp *op)
{
  for (int i = 0; i < op->n; i++)
    if (op->requests[i] != MPI_REQUEST_NULL)
      {
        MPI_Cancel (&op->requests[i]);
        MPI_Wait (&op->requests[i], MPI_STATUS_IGNORE);
      }
  op_free (op);
}

static gboolean
mpi_probe (HirMpiWire *self, gboolean tag_zero, int *from, int *tag, gsize *size)
{
  MPI_Status status;
  int found = 0, count = 0;

  if (MPI_Iprobe (MPI_ANY_SOURCE, MPI_ANY_TAG, get_comm (self, tag_zero ? 0 : 1), &found,
                  &status) != MPI_SUCCESS ||
      !found)
    return FALSE;
  MPI_Get_count (&status, MPI_BYTE, &count);
  *from = status.MPI_SOURCE;
  *tag = status.MPI_TAG;
  *size = (gsize) MAX (count, 0);
  return TRUE;
}

static void
mpi_stop (HirMpiWire *self)
{
  MpiWire *wire = (MpiWire *) self;

  MPI_Comm_free (&wire->control);
  MPI_Comm_free (&wire->data);
  MPI_Finalize ();
}

/* A process has one MPI. */
__attribute__ ((visibility ("default"))) HirMpiWire *hir_mpi_wire_get (void);

HirMpiWire *
hir_mpi_wire_get (void)
{
  MpiWire *wire = g_new0 (MpiWire, 1);

  wire->base = (HirMpiWire)
  {
    .version = HIR_MPI_WIRE_VERSION,
#if defined(OMPI_MAJOR_VERSION)
    .built_for = "Open MPI " G_STRINGIFY (OMPI_MAJOR_VERSION) "." G_STRINGIFY (OMPI_MINOR_VERSION),
#elif defined(MPICH_VERSION)
    .built_for = "MPICH " MPICH_VERSION,
#else
    .built_for = "MPI",
#endif
    .start = mpi_start, .send = mpi_send, .receive = mpi_receive, .test = mpi_test,
    .cancel = mpi_cancel, .probe = mpi_probe, .stop = mpi_stop,
  };
  return &wire->base;
}
