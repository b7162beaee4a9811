/* Shared by the files of the GPUs' communicators. */
#pragma once

#include "cuda/comm/comm-cuda.h"
#include "cuda/comm/comm-ipc.h"
#include "cuda/comm/comm-mailbox.h"

G_BEGIN_DECLS

typedef struct _HirCommRendezvous HirCommRendezvous;
typedef struct _HirCommSharing HirCommSharing;

/* One rank. */
typedef struct
{
  HirCommunicator base;
  HirCommHub *hub;
  HirCommunicator *matcher; /* owned: fits posts together */
  HirCommWorld *world;      /* nullable */
  HirBackend *backend;
  HirCudaDevice *device; /* referenced */
  GPtrArray *events;     /* HirCuEvent: free ones; under hub->lock */
  /* Of the host thread only. */
  GHashTable *teams;  /* const HirExpr* -> HirCommTeam, borrowed */
  GPtrArray *spare;   /* HirCudaWork*, to be used again */
  GPtrArray *repeats; /* HirCommPersistent*, owned */
} HirCudaComm;

/* What has been posted, and is to be put on a stream. */
typedef struct
{
  HirCudaComm *comm;
  HirCommWork *matched; /* nullable: over MPI, the matcher's; owned */
  HirCommPost post;     /* a copy; its values are dropped once they are not needed */
} HirCudaWork;

/* A member's part in a place: what the others need of it. Written before the member's stage is set,
 * read after. */
typedef struct
{
  gint stage;      /* atomic */
  HirCuAddress in; /* of a message, or of a collective's input: copy engines */
  gsize in_bytes;
  HirCuContext context;
  HirCuEvent ready; /* its data is there, and what reads its output before is done */
  HirCuEvent done;  /* it has read the others' data */
} HirCommMember;

/* The k-th collective of a team, or the k-th message from one rank to another: where the host
 * threads of its members meet. */
struct _HirCommRendezvous
{
  guint n;
  const gint64 *members; /* borrowed, of the team */
  guint n_left;          /* members that need it no more; under hub->lock */
  HirCommMember cards[]; /* one a member */
};

/* What each rank's thread writes for each call lies far from what the others write: their
 * processors would take the line from each other. */
typedef struct
{
  gint n_calls;   /* into NCCL, that have not returned; atomic */
  gint iteration; /* of the last one; atomic */
  guint8 apart[120];
} HirCommCallState;

/* What happens in order between the same ranks: a team, or a sender and its receiver. */
typedef struct
{
  gint64 *members;
  guint n;
  guint64 *n_issued;       /* by each member */
  GQueue places;           /* HirCommRendezvous*: those that are not over */
  guint64 n_gone;          /* places before those */
  HirNcclComm *nccl;       /* one a member; NULL: not made, or of another process */
  HirCommCallState *seats; /* one a member */
  char **labels;           /* one a member: GRefString, of the last call; under hub->lock */
  guint32 hash;            /* of its name: the same in all processes */
  guint32 n_shared;        /* by this process's member, between processes; over all repeats */
  gboolean made;           /* the NCCL communicators; under make_lock */
} HirCommTeam;

struct _HirCommHub
{
  HirCudaLibs *libs;
  HirCommSettings settings;
  int n_ranks;
  gint64 spin_us;
  HirMpiModule *mpi;       /* nullable */
  HirCommSharing *sharing; /* nullable: copies between processes */
  char *name;
  GMutex lock; /* guards what follows */
  GCond moved;
  GHashTable *teams;     /* "0,1," or "0>1" -> HirCommTeam */
  HirCudaComm **comms;   /* one a rank; NULL: not of this process */
  gboolean *ended;       /* one a rank */
  GHashTable *known;     /* a set of char*: teams that the programs have */
  gboolean has_messages; /* so has one of the programs */
  gboolean has_no_peers; /* some devices don't see each other's memory */
  gboolean always_meets; /* ranks may be held; set before a run begins */
  GPtrArray *waiting;    /* HirCommWait*: host threads that wait */
  guint64 n_waits;       /* so far */
  guint64 n_moved;
  gint n_sleeping; /* atomic */
  gint failed;     /* atomic */
  gint stopped;    /* atomic: NCCL and the waits of other processes were stopped */
  gint running;    /* atomic: a run has begun, and not all of its streams are done */
  GError *error;   /* the first */
  GMutex make_lock;
  GThread *watch; /* nullable: looks for errors of NCCL and of other processes */
  gboolean stopping;
  GCond stop;
};

/* What a host thread waits for: other members of its places. */
typedef struct
{
  const HirCudaWork *work;
  HirCommRendezvous **places;
  const guint *sides; /* this rank's card in each */
  guint n;
  gint stage;
  guint64 number; /* of the wait, where it comes to one */
} HirCommWait;

/* comm-hub.c. The team with these members, in that order. */
/* The team of the sender and the receiver of @message, which rank @rank posts. */
HirCommTeam *hir_comm_hub_get_pair (HirCommHub *hub, gint64 rank, const HirCommMessage *message);
HirCommTeam *
hir_comm_hub_get_team (HirCommHub *hub, const char *key, const gint64 *members, guint n);
/* This rank's next place in @team; *@side: its card there. With hub->lock. */
HirCommRendezvous *hir_comm_hub_enter_locked (
    HirCommHub *hub, HirCommTeam *team, gint64 rank, gboolean is_receiver, guint *side);
/* @place is not needed by this member any more; its events go back. */
void hir_comm_hub_leave (HirCommHub *hub, HirCommTeam *team, HirCommRendezvous *place);
/* FALSE and the first error of any rank where one failed, or where the ranks wait for each other.
 * Sets this rank's stage in all places, then waits for the others to come to it. */
gboolean hir_comm_hub_rendezvous (HirCommHub *hub, const HirCommWait *meeting, GError **error);
/* The number of that of @comm which is under way, and to which not all have come; 0: none. */
guint64 hir_comm_hub_get_wait (HirCommHub *hub, const HirCudaComm *comm);
/* The run is over: everybody is told, NCCL's kernels are stopped. The first error is kept. */
void hir_comm_hub_fail (HirCommHub *hub, const GError *error);
/* Keeps the first error and wakes the host threads; the caller stops the rest. */
void hir_comm_hub_set_error (HirCommHub *hub, const GError *error);
void hir_comm_hub_give_error (HirCommHub *hub, GError **error);
/* A new repeat: places are forgotten. */
void hir_comm_hub_reset (HirCommHub *hub);
void hir_comm_hub_set_ended (HirCommHub *hub, int rank);
/* Starts a thread that fails the run on errors that no call reports. Freeing the hub stops it. */
void hir_comm_hub_start_watchdog (HirCommHub *hub);
HirCuEvent hir_comm_take_event (HirCudaComm *comm, GError **error);

/* comm-nccl-team.c. @team's NCCL communicators, made now if they are not; those of all its members
 * that are of this process. */
gboolean hir_comm_nccl_make (HirCommHub *hub, HirCommTeam *team, const char *where, GError **error);
/* Around each call into @team's communicator of that place, or group of them: nobody frees it
 * meanwhile. FALSE where the run has failed. */
gboolean
hir_comm_nccl_begin (const HirCudaWork *work, HirCommTeam *team, guint place, GError **error);
void hir_comm_nccl_end (HirCommTeam *team, guint place);
/* TRUE for success; else a GError with NCCL's words. @what: the call. @comm: nullable. */
gboolean hir_comm_nccl_check (HirCommHub *hub,
                              HirNcclResult result,
                              HirNcclComm comm,
                              const char *what,
                              const char *where,
                              GError **error);
void hir_comm_nccl_abort (HirCommHub *hub);
void hir_comm_nccl_destroy (HirCommHub *hub);

/* Position of @rank among the members; -1: none. */
static inline int
hir_comm_team_find (const HirCommTeam *team, gint64 rank)
{
  for (guint i = 0; i < team->n; i++)
    if (team->members[i] == rank)
      return (int) i;
  return -1;
}

static inline const HirMesh *
hir_comm_get_mesh (const HirVal *val)
{
  return ((const HirTensor *) val)->mesh;
}

/* For messages; borrowed. */
static inline const char *
hir_cuda_work_get_where (const HirCudaWork *work)
{
  return hir_comm_post_get_where (&work->post);
}

/* The same as hir_comm_nccl_make(), hir_comm_nccl_check() and hir_cu_check(): where all is well,
 * and it mostly is, no text is made. */
static inline gboolean
hir_comm_nccl_ensure (const HirCudaWork *work, HirCommTeam *team, GError **error)
{
  return g_atomic_int_get (&team->made) ||
         hir_comm_nccl_make (work->comm->hub, team, hir_cuda_work_get_where (work), error);
}

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

static inline gboolean
hir_comm_cu_done (const HirCudaWork *work, HirCuResult result, const char *what, GError **error)
{
  return result == HIR_CU_SUCCESS ||
         hir_cu_check (work->comm->hub->libs, result, error, "%s for %s", what,
                       hir_cuda_work_get_where (work));
}

/* A collective on a stream; values are contiguous and there. */
typedef struct
{
  HirCudaWork *work;
  HirCommTeam *team;
  guint place; /* this rank's, in the team */
  int root;    /* the root's place in the team; -1 */
  HirCuStream stream;
  HirCuAddress in, out; /* 0: none */
  gsize in_bytes, out_bytes;
} HirCommCall;

/* comm-nccl.c. Waits until all members have come to it; not where the programs have one team and no
 * messages, for then no order of theirs can make a circle, and what does not fit is found by
 * whoever posts last, which stops the kernels of the others. Where ranks may be held, always. */
gboolean hir_comm_meet_team (HirCommCall *call, GError **error);
/* The same over MPI: their posts are known, and fit. */
gboolean hir_comm_await_posts (HirCudaWork *work, GError **error);

/* comm-nccl.c, comm-p2p.c, comm-copy.c. */
gboolean hir_comm_nccl_collective (HirCommCall *call, GError **error);
gboolean hir_comm_p2p_collective (HirCommCall *call, GError **error);
/* @post is a collective. HIR_ERROR_UNSUPPORTED naming it where it can't be carried out so. */
gboolean hir_comm_p2p_check (const HirCommPost *post, GError **error);
gboolean hir_comm_copy_check (const HirCommPost *post, GError **error);
gboolean hir_comm_copy_collective (HirCommCall *call, GError **error);
gboolean hir_comm_nccl_messages (HirCudaWork *work, HirCuStream stream, GError **error);
gboolean hir_comm_copy_messages (HirCudaWork *work, HirCuStream stream, GError **error);
/* Within the device; nothing where both are one. */
gboolean hir_comm_copy_own (HirCudaWork *work,
                            HirCuAddress to,
                            HirCuAddress from,
                            gsize bytes,
                            HirCuStream stream,
                            GError **error);
/* Out of a member's memory, @offset bytes into it, by a copy engine. */
gboolean hir_comm_copy_from (HirCudaWork *work,
                             HirCuAddress to,
                             const HirCommMember *card,
                             gsize offset,
                             gsize bytes,
                             HirCuStream stream,
                             GError **error);
/* *@event: a new one; it goes back with its card. */
gboolean hir_comm_record (HirCudaWork *work, HirCuEvent *event, HirCuStream stream, GError **error);
gboolean
hir_comm_wait_for (HirCudaWork *work, HirCuEvent event, HirCuStream stream, GError **error);
/* comm-copy.c. The part of member @from's input that member @to gets, in pieces: where it is put,
 * and where it lies; FALSE where it gets none. Bytes of a piece. */
gboolean
hir_comm_copy_get_piece (const HirCommCall *call, guint from, guint to, gsize *at, gsize *offset);
gsize hir_comm_copy_get_piece_bytes (const HirCommCall *call);

/* comm-share.c: copies between processes. */
gboolean hir_comm_share_collective (HirCommCall *call, GError **error);
gboolean hir_comm_share_messages (HirCudaWork *work, HirCuStream stream, GError **error);
/* All ranks at once, before the first post. */
gboolean hir_comm_share_prepare (HirCudaComm *comm, GError **error);
/* Once the run has failed: streams do not wait for those of other processes. Any thread. */
void hir_comm_share_release (HirCommHub *hub);
/* The streams are idle, and no more is copied. */
void hir_comm_share_leave (HirCommHub *hub);
void hir_comm_share_free (HirCommHub *hub);

/* comm-messages.c. Waits until all peers of the messages have come to them. */
gboolean hir_comm_meet_peers (HirCudaWork *work, GError **error);
/* comm-p2p.c. Those to the rank itself, which must be received in the same group. */
gboolean hir_comm_move_own_messages (HirCudaWork *work, HirCuStream stream, GError **error);
/* The communicator of all ranks, which messages go by: over MPI all must make it at
 * once. */
gboolean hir_comm_nccl_make_world (HirCommHub *hub, GError **error);
/* NCCL's name of @dtype; FALSE where it has none. *@n_units: for moves, how many of *@type an
 * element is. */
gboolean hir_comm_nccl_get_type (HirDType dtype, HirNcclType *type, gsize *n_units);

G_END_DECLS
