/* Shared by the files of the communicator over MPI. All with the module's lock but where it says
 * otherwise. */
#pragma once

#include "run/comm/comm-collective.h"
#include "run/comm/comm-header.h"
#include "run/mpi/comm-mpi.h"
#include "run/mpi/mpi-private.h"

G_BEGIN_DECLS

/* The collectives of one team; posts of each member in their order. */
typedef struct
{
  gint64 *members;
  guint n;
  GPtrArray **posted; /* one a member: HirCommHeader* */
  GPtrArray *works;   /* HirCommWork*, borrowed: this rank's */
} HirMpiTeam;

/* Messages from one rank to another; one side or both are this rank. */
typedef struct
{
  gint64 from, to;
  GPtrArray *sent, *received; /* HirCommHeader* */
  GArray *send_works;         /* HirMpiMessage: this rank's */
  GArray *receive_works;
} HirMpiLine;

typedef struct
{
  HirCommunicator base;
  HirMpi *mpi;
  guint epoch;             /* of the repeat; 0: none has begun */
  guint *begun, *finished; /* one a rank: its epoch */
  gboolean is_over;        /* no repeat is going on: what stops now stops alone */
  gboolean *ended;         /* one a rank: posts nothing more in this epoch */
  GHashTable *teams;       /* "0,1," -> HirMpiTeam */
  GHashTable *lines;       /* "0>1" -> HirMpiLine */
  GPtrArray *works;        /* HirCommWork*, all of this epoch */
} HirMpiComm;

struct _HirCommWork
{
  HirMpiComm *comm;
  HirCommPost *post;
  HirMpiTeam *team; /* of a collective */
  guint sequence;
  GPtrArray *lines;   /* of messages: HirMpiLine*, one a message, in order */
  GArray *sequences;  /* guint */
  guint n_refs;       /* the communicator's and the queue's */
};

/* One of a post's messages, in a line. */
typedef struct
{
  HirCommWork *work;
  const HirCommMessage *message;
} HirMpiMessage;

/* comm-mpi-match.c. FALSE and @error: what does not fit. The others are told of this post. */
gboolean hir_mpi_match_collective (HirMpiComm *comm, HirCommWork *work, GError **error);
gboolean hir_mpi_match_messages (HirMpiComm *comm, HirCommWork *work, GError **error);
/* @header, taken, came from rank @from. */
gboolean
hir_mpi_match_header (HirMpiComm *comm, int from, HirCommHeader *header, GError **error);
/* @rank posts nothing more. */
gboolean hir_mpi_match_end (HirMpiComm *comm, int rank, GError **error);
void hir_mpi_team_free (HirMpiTeam *team);
void hir_mpi_line_free (HirMpiLine *line);

/* comm-mpi-move.c, comm-mpi-wait.c; without the lock. On the stream's thread; block. */
gboolean hir_mpi_run_collective (HirCommWork *work, GError **error);
gboolean hir_mpi_run_messages (HirCommWork *work, GError **error);
/* All headers of @work are there. @until_us: monotonic; G_MAXINT64: for ever. */
gboolean hir_mpi_await_posts (HirCommWork *work, gint64 until_us, GError **error);
/* Submits @batch and waits for the last byte. */
gboolean
hir_mpi_await_batch (HirCommWork *work, HirMpiBatch *batch, gint64 until_us, GError **error);

G_END_DECLS
