/* Internal declarations of the GPU communicators. */
#pragma once

#include "cuda/comm/comm-cuda.h"
#include "cuda/comm/comm-ipc.h"
#include "cuda/comm/comm-mailbox.h"

G_BEGIN_DECLS

typedef struct _HirCommRendezvous HirCommRendezvous;
typedef struct _HirCommSharing HirCommSharing;

/* The communicator of one rank. */
typedef struct
{
  HirCommunicator base;
  HirCommHub *hub;
  HirCommunicator *matcher; /* owned; matches the posts of all ranks */
  HirCommWorld *world;      /* NULL over MPI */
  HirBackend *backend;
  HirCudaDevice *device; /* referenced */
  GPtrArray *events;     /* HirCuEvent, unused; guarded by hub->lock */
  /* The fields below belong to the host thread. */
  GHashTable *teams;  /* const HirExpr* -> HirCommTeam, borrowed */
  GPtrArray *spare;   /* HirCudaWork*, for reuse */
  GPtrArray *repeats; /* HirCommPersistent*, owned */
} HirCudaComm;

/* A posted communication that is not on a stream yet. */
typedef struct
{
  HirCudaComm *comm;
  HirCommWork *matched; /* owned work of the matcher; NULL unless over MPI */
  HirCommPost post;     /* a copy; its values are released once the work is issued */
} HirCudaWork;

/* State of one member of a rendezvous that the other members read. Written before `stage` is set,
 * read afterwards. */
typedef struct
{
  gint stage;      /* last stage that the member has reached; atomic */
  HirCuAddress in; /* message to send or input of the collective; copy engines only */
  gsize in_bytes;
  HirCuContext context;
  HirCuEvent ready; /* the input is computed, and earlier readers of the output are done */
  HirCuEvent done;  /* this member has read the data of the others */
} HirCommMember;

/* Synchronizes the host threads of the members of a team for its k-th collective, or of a sender
 * and a receiver for their k-th message. */
struct _HirCommRendezvous
{
  guint n;
  const gint64 *members; /* borrowed from the team */
  guint n_left;          /* number of members that have left; guarded by hub->lock */
  HirCommMember cards[]; /* one per member */
};

/* Per-rank call state, padded to avoid false sharing between rank threads. */
typedef struct
{
  gint n_calls;   /* NCCL calls in progress; atomic */
  gint iteration; /* iteration of the last call; atomic */
  guint8 apart[120];
} HirCommCallState;

/* Ranks whose operations with each other are ordered: a team, or a sender and its receiver. */
typedef struct
{
  gint64 *members;
  guint n;
  guint64 *n_issued;       /* per member: number of rendezvous that it has entered */
  GQueue places;           /* HirCommRendezvous*, those that are not finished */
  guint64 n_gone;          /* number of finished rendezvous */
  HirNcclComm *nccl;       /* one per member; NULL if not created or of another process */
  HirCommCallState *seats; /* one per member */
  char **labels;    /* per member: label of the last call (GRefString); guarded by hub->lock */
  guint32 hash;     /* hash of the key; equal in all processes */
  guint32 n_shared; /* operations with other processes, over all repetitions */
  gboolean made;    /* the NCCL communicators exist; atomic, set with make_lock held */
} HirCommTeam;

struct _HirCommHub
{
  HirCudaLibs *libs;
  HirCommSettings settings;
  int n_ranks;
  gint64 spin_us;
  HirMpiModule *mpi;       /* NULL if all ranks are in this process */
  HirCommSharing *sharing; /* nullable; for copies between processes */
  char *name;
  GMutex lock; /* guards the fields below unless stated otherwise */
  GCond moved;
  GHashTable *teams;     /* "0,1," or "0>1" -> HirCommTeam */
  HirCudaComm **comms;   /* one per rank; NULL for ranks of other processes */
  gboolean *ended;       /* one per rank: it posts nothing more */
  GHashTable *known;     /* set of char*: keys of the teams in the programs */
  gboolean has_messages; /* a program has messages */
  gboolean has_no_peers; /* some devices cannot access each other's memory */
  gboolean always_meets; /* ranks may be held; set before the first run */
  GPtrArray *waiting;    /* HirCommWait*, one per sleeping host thread */
  guint64 n_waits;       /* total number of waits */
  guint64 n_moved;       /* arrivals at a stage while a host thread slept */
  gint n_sleeping;       /* number of sleeping host threads; atomic */
  gint failed;           /* `error` is set; atomic */
  gint stopped;          /* NCCL and the waits for other processes were stopped; atomic */
  gint running;          /* a run has started, and not all of its streams are idle; atomic */
  GError *error;         /* the first error */
  GMutex make_lock;
  GThread *watch; /* nullable; the watchdog, see hir_comm_hub_start_watchdog() */
  gboolean stopping;
  GCond stop;
};

/* The wait of a host thread for the other members of its rendezvous. */
typedef struct
{
  const HirCudaWork *work;
  HirCommRendezvous **places;
  const guint *sides; /* index of this rank's card in each place */
  guint n;
  gint stage;
  guint64 number; /* number of the wait, set if the thread goes to sleep */
} HirCommWait;

/* comm-rendezvous.c. Returns the team of the sender and the receiver of @message, which rank @rank
 * posts (borrowed).
 */
HirCommTeam *hir_comm_hub_get_pair (HirCommHub *hub, gint64 rank, const HirCommMessage *message);
/* Returns the team with key @key (borrowed). Creates it with @members, in that order, if it does
 * not exist. */
HirCommTeam *
hir_comm_hub_get_team (HirCommHub *hub, const char *key, const gint64 *members, guint n);
/* Returns the next rendezvous of @rank in @team (borrowed). *@side gets the index of its card. If
 * @team is a pair, @is_receiver selects the card, because both members can be the same rank. Call
 * with hub->lock held. */
HirCommRendezvous *hir_comm_hub_enter_locked (
    HirCommHub *hub, HirCommTeam *team, gint64 rank, gboolean is_receiver, guint *side);
/* Declares that a member no longer needs @place. Once all members have left, frees @place and makes
 * its events available again. */
void hir_comm_hub_leave (HirCommHub *hub, HirCommTeam *team, HirCommRendezvous *place);
/* Sets the stage of this rank in all rendezvous of @meeting and waits until the other members have
 * reached it. Returns FALSE and sets the first error of any rank if a rank has failed or if the
 * ranks wait for each other. Call on the host thread. */
gboolean hir_comm_hub_rendezvous (HirCommHub *hub, const HirCommWait *meeting, GError **error);
/* Returns the number of the wait in which the host thread of @comm is blocked, or 0. Any thread. */
guint64 hir_comm_hub_get_wait (HirCommHub *hub, const HirCudaComm *comm);
/* Fails the run: stores @error if it is the first one, wakes the host threads and stops the kernels
 * of NCCL. Any thread. */
void hir_comm_hub_fail (HirCommHub *hub, const GError *error);
/* Stores @error if it is the first one and wakes the host threads. The caller stops the rest. */
void hir_comm_hub_set_error (HirCommHub *hub, const GError *error);
/* Copies the first error to @error. There must be one. */
void hir_comm_hub_give_error (HirCommHub *hub, GError **error);
/* Discards all rendezvous before a repetition. */
void hir_comm_hub_reset (HirCommHub *hub);
/* Declares that @rank posts nothing more. */
void hir_comm_hub_set_ended (HirCommHub *hub, int rank);
/* comm-hub.c. Starts the watchdog thread unless it runs. The watchdog fails the run on asynchronous
 * errors of NCCL and on errors of other processes. hir_comm_hub_free() stops it. Returns FALSE and
 * sets @error if no thread can be created. */
gboolean hir_comm_hub_start_watchdog (HirCommHub *hub, GError **error);
/* Returns an unused event, or creates one. Returns NULL and sets @error on failure. */
HirCuEvent hir_comm_take_event (HirCudaComm *comm, GError **error);

/* comm-nccl-team.c. Creates the NCCL communicators of @team unless they exist, for its members in
 * this process. @where is for error messages. */
gboolean hir_comm_nccl_make (HirCommHub *hub, HirCommTeam *team, const char *where, GError **error);
/* Call before each NCCL call, or group of calls, on the communicator of member @place. An abort
 * then waits for the end of the call. Returns FALSE and sets @error if the run has failed. */
gboolean
hir_comm_nccl_begin (const HirCudaWork *work, HirCommTeam *team, guint place, GError **error);
/* Call after the NCCL calls that hir_comm_nccl_begin() announced. */
void hir_comm_nccl_end (HirCommTeam *team, guint place);
/* Returns TRUE if @result is a success. Otherwise sets @error to NCCL's text, or to the first error
 * if the run has failed. @what is the name of the call. @comm is nullable. */
gboolean hir_comm_nccl_check (HirCommHub *hub,
                              HirNcclResult result,
                              HirNcclComm comm,
                              const char *what,
                              const char *where,
                              GError **error);
/* Aborts the NCCL communicators of this process, which stops their kernels. Any thread. */
void hir_comm_nccl_abort (HirCommHub *hub);
/* Destroys the NCCL communicators of this process. */
void hir_comm_nccl_destroy (HirCommHub *hub);

/* Returns the position of @rank among the members, or -1. */
static inline int
hir_comm_team_find (const HirCommTeam *team, gint64 rank)
{
  for (guint i = 0; i < team->n; i++)
    if (team->members[i] == rank)
      return (int) i;
  return -1;
}

/* Returns the mesh of tensor @val (borrowed). */
static inline const HirMesh *
hir_comm_get_mesh (const HirVal *val)
{
  return ((const HirTensor *) val)->mesh;
}

/* Returns a description of @work for error messages (borrowed). */
static inline const char *
hir_cuda_work_get_where (const HirCudaWork *work)
{
  return hir_comm_post_get_where (&work->post);
}

/* Like hir_comm_nccl_make(), but creates no text if the communicators exist. */
static inline gboolean
hir_comm_nccl_ensure (const HirCudaWork *work, HirCommTeam *team, GError **error)
{
  return g_atomic_int_get (&team->made) ||
         hir_comm_nccl_make (work->comm->hub, team, hir_cuda_work_get_where (work), error);
}

/* Like hir_comm_nccl_check(), but creates no text on success. */
static inline gboolean
hir_comm_nccl_done (const HirCudaWork *work,
                    HirNcclResult result,
                    HirNcclComm comm,
                    const char *what,
                    GError **error)
{
  return result == HIR_NCCL_SUCCESS || hir_comm_nccl_check (work->comm->hub, result, comm, what,
                                                            hir_cuda_work_get_where (work), error);
}

/* Like hir_cu_check(), but creates no text on success. */
static inline gboolean
hir_comm_cu_done (const HirCudaWork *work, HirCuResult result, const char *what, GError **error)
{
  return result == HIR_CU_SUCCESS ||
         hir_cu_check (work->comm->hub->libs, result, error, "%s for %s", what,
                       hir_cuda_work_get_where (work));
}

/* What a call moves. A reduction without NCCL has one or two steps, see comm-reduction.c. */
typedef enum
{
  HIR_COMM_STEP_MOVE,    /* from inputs to outputs */
  HIR_COMM_STEP_COLLECT, /* contributions to a reduction, from inputs to scratch memory */
  HIR_COMM_STEP_SPREAD,  /* reduced chunks to outputs */
} HirCommStep;

/* A collective that is put on a stream. Its values are contiguous and allocated. */
typedef struct
{
  HirCudaWork *work;
  HirCommTeam *team;
  guint place; /* position of this rank in the team */
  int root;    /* position of the root in the team; -1 if it is not a member */
  HirCuStream stream;
  HirCuAddress in, out;      /* 0 for none */
  gsize in_bytes, out_bytes; /* of the collective, not of the step */
  HirBuffer *source;         /* borrowed: memory of @in; NULL if the call is repeated */
  HirCommStep step;
  gboolean is_split; /* reduction: each member reduces a part of the result */
} HirCommCall;

/* Puts one step of a collective on the stream. Work that is queued on the stream afterwards runs
 * after all members have read the data of this rank. */
typedef gboolean (*HirCommExchange) (HirCommCall *call, GError **error);

/* A part of a member's data that another member receives. */
typedef struct
{
  gsize offset, at; /* position in the input of the sender and in the output of the receiver */
  gsize bytes;
} HirCommPiece;

/* comm-piece.c. Gets the piece that member @to receives from member @from; one of them is this
 * rank. Returns FALSE if there is none. */
gboolean
hir_comm_call_get_piece (const HirCommCall *call, guint from, guint to, HirCommPiece *piece);
/* Returns TRUE if each member reduces a part of the result. All members decide alike. */
gboolean hir_comm_call_is_split (const HirCommCall *call);
/* Gets the part of the result that member @place reduces. */
void hir_comm_call_get_chunk (const HirCommCall *call, guint place, gsize *offset, gsize *bytes);
/* Returns the number of members before @place that contribute to a reduction. */
gint32 hir_comm_call_count_inputs (const HirCommCall *call, guint place);
/* comm-reduction.c. Issues a reduction whose data @exchange moves. Sets HIR_ERROR_UNSUPPORTED if
 * there is no kernel for it. */
gboolean
hir_comm_reduce_collective (const HirCommCall *call, HirCommExchange exchange, GError **error);

/* comm-nccl.c. Waits until all members have reached the collective. Returns at once if the programs
 * have only one team and no messages: then no order of posts can deadlock, and a mismatch is found
 * by the last rank to post, which stops the kernels of the others. Always waits if ranks may be
 * held. */
gboolean hir_comm_meet_team (HirCommCall *call, GError **error);
/* Like hir_comm_meet_team(), but over MPI and also for messages: waits until the posts of all peers
 * are known and match. Returns FALSE if they do not match or the time limit is exceeded. */
gboolean hir_comm_await_posts (HirCudaWork *work, GError **error);

/* comm-nccl.c. Issues a collective with NCCL's collectives. Sets HIR_ERROR_UNSUPPORTED if NCCL does
 * not have the reduction. */
gboolean hir_comm_nccl_collective (HirCommCall *call, GError **error);
/* comm-p2p.c. Issues a step of a collective as a group of NCCL's sends and receives. */
gboolean hir_comm_p2p_collective (HirCommCall *call, GError **error);
/* comm-copy.c. Issues a step of a collective as copies between ranks of this process. */
gboolean hir_comm_copy_collective (HirCommCall *call, GError **error);
/* comm-p2p.c. Issues messages as a group of NCCL's sends and receives. */
gboolean hir_comm_nccl_messages (HirCudaWork *work, HirCuStream stream, GError **error);
/* comm-messages.c. Issues messages as copies between ranks of this process. */
gboolean hir_comm_copy_messages (HirCudaWork *work, HirCuStream stream, GError **error);
/* comm-copy.c. Copies within the device or from imported memory. Does nothing if the addresses are
 * equal. */
gboolean hir_comm_copy_own (HirCudaWork *work,
                            HirCuAddress to,
                            HirCuAddress from,
                            gsize bytes,
                            HirCuStream stream,
                            GError **error);
/* Copies @bytes from @offset of the input of @card with a copy engine. */
gboolean hir_comm_copy_from (HirCudaWork *work,
                             HirCuAddress to,
                             const HirCommMember *card,
                             gsize offset,
                             gsize bytes,
                             HirCuStream stream,
                             GError **error);
/* Records a new event on @stream. *@event, a field of a card, becomes available again with its
 * card. */
gboolean hir_comm_record (HirCudaWork *work, HirCuEvent *event, HirCuStream stream, GError **error);
/* Makes @stream wait for @event. */
gboolean
hir_comm_wait_for (HirCudaWork *work, HirCuEvent event, HirCuStream stream, GError **error);
/* comm-share.c. Issues a step of a collective as copies between processes. */
gboolean hir_comm_share_collective (HirCommCall *call, GError **error);
/* Issues messages as copies between processes. */
gboolean hir_comm_share_messages (HirCudaWork *work, HirCuStream stream, GError **error);
/* Creates the shared memory for copies between processes. All ranks call this at the same time,
 * before the first post. */
gboolean hir_comm_share_prepare (HirCudaComm *comm, GError **error);
/* Ends all waits of streams for other processes after the run has failed. Any thread. */
void hir_comm_share_release (HirCommHub *hub);
/* Closes the imported memory. The streams must be idle, and nothing more may be copied. */
void hir_comm_share_leave (HirCommHub *hub);
/* Frees the shared memory. Waits for a few seconds until the other processes have closed it. */
void hir_comm_share_free (HirCommHub *hub);

/* comm-messages.c. Waits until the peers of all messages have reached them. */
gboolean hir_comm_meet_peers (HirCudaWork *work, GError **error);
/* comm-p2p.c. Copies the messages of the rank to itself. Sets HIR_ERROR_RUN if one is not received
 * in the same group. */
gboolean hir_comm_move_own_messages (HirCudaWork *work, HirCuStream stream, GError **error);
/* Creates the communicator of all ranks, which messages use. Over MPI, all ranks call this at the
 * same time. */
gboolean hir_comm_nccl_make_world (HirCommHub *hub, GError **error);
/* Gets the NCCL type of @dtype. Returns FALSE if there is none; an element can then only be moved,
 * as *@n_units units of *@type. */
gboolean hir_comm_nccl_get_type (HirDType dtype, HirNcclType *type, gsize *n_units);

G_END_DECLS
