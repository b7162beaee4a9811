/* Internal declarations of the MPI communicator. Call all functions with the lock of the module,
 * unless documented otherwise. */
#pragma once

#include "run/comm/comm-collective.h"
#include "run/comm/comm-header.h"
#include "run/mpi/comm-mpi.h"
#include "run/mpi/mpi-private.h"

G_BEGIN_DECLS

/* Collectives of one team: the posts of each member in order. */
typedef struct
{
  gint64 *members;
  guint n;
  GPtrArray **posted; /* one array per member: HirCommHeader* */
  GPtrArray *works;   /* HirCommWork* of this rank, borrowed */
} HirMpiTeam;

/* Messages from one rank to another; at least one side is this rank. */
typedef struct
{
  gint64 from, to;
  GPtrArray *sent, *received; /* HirCommHeader* */
  GArray *send_works;         /* HirMpiMessage of this rank */
  GArray *receive_works;
} HirMpiLine;

typedef struct
{
  HirCommunicator base;
  HirMpi *mpi;
  guint epoch;             /* number of the repetition; 0: none has started */
  guint *begun, *finished; /* epoch of each rank */
  gboolean is_over;        /* no repetition is in progress: errors do not abort other ranks */
  gboolean *ended;         /* per rank: posts nothing more in this epoch */
  GHashTable *teams;       /* "0,1," -> HirMpiTeam */
  GHashTable *lines;       /* "0>1" -> HirMpiLine */
  GPtrArray *works;        /* HirCommWork* of this epoch */
} HirMpiComm;

struct _HirCommWork
{
  HirMpiComm *comm;
  HirCommPost *post;
  HirMpiTeam *team; /* of a collective; otherwise NULL */
  guint sequence;
  GPtrArray *lines;  /* of messages: one HirMpiLine* per message, in order */
  GArray *sequences; /* guint, one per message */
  guint n_refs;      /* of the communicator and the queue */
};

/* A message of a post, in a line. */
typedef struct
{
  HirCommWork *work;
  const HirCommMessage *message;
} HirMpiMessage;

/* comm-mpi-match.c. Matches the new @work and sends its header to the other ranks. Returns FALSE
 * and sets @error on a mismatch. */
gboolean hir_mpi_match_collective (HirMpiComm *comm, HirCommWork *work, GError **error);
/* Like hir_mpi_match_collective(), for messages. */
gboolean hir_mpi_match_messages (HirMpiComm *comm, HirCommWork *work, GError **error);
/* Matches @header from rank @from (takes ownership). */
gboolean hir_mpi_match_header (HirMpiComm *comm, int from, HirCommHeader *header, GError **error);
/* Fails if this rank has posted something that needs @rank, which posts nothing more. */
gboolean hir_mpi_match_end (HirMpiComm *comm, int rank, GError **error);
/* Frees @team. */
void hir_mpi_team_free (HirMpiTeam *team);
/* Frees @line. */
void hir_mpi_line_free (HirMpiLine *line);

/* comm-mpi-move.c, comm-mpi-wait.c. Waits for the other ranks and moves the data. Call without the
 * lock on the stream's thread; blocks. */
gboolean hir_mpi_run_collective (HirCommWork *work, GError **error);
/* Like hir_mpi_run_collective(), for messages. */
gboolean hir_mpi_run_messages (HirCommWork *work, GError **error);
/* Waits for the headers of all ranks of @work. @until_us: monotonic time; G_MAXINT64 for no
 * limit. */
gboolean hir_mpi_await_posts (HirCommWork *work, gint64 until_us, GError **error);
/* Submits @batch and waits until all bytes are transferred. */
gboolean
hir_mpi_await_batch (HirCommWork *work, HirMpiBatch *batch, gint64 until_us, GError **error);

G_END_DECLS
