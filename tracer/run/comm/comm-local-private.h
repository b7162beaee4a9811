/* Internal declarations of the local communicator. */
#pragma once

#include "run/comm/comm-collective.h"
#include "run/comm/comm-local.h"

G_BEGIN_DECLS

/* A collective that at least one member has posted. */
typedef struct
{
  HirCommWorld *world;
  const gint64 *members; /* of the team */
  guint n, n_room;       /* of works */
  /* one per member; NULL: not posted yet. References, until all have posted */
  HirCommWork **works;
  guint n_posted;
  guint n_arrived; /* number of members whose stream has arrived */
  guint n_refs;    /* of the works, and of the team until all have posted */
  gboolean done;
} HirLocalOp;

/* A message that at least one side has posted. */
typedef struct
{
  gint64 from, to;
  HirCommWork *works[2]; /* of the sender and the receiver */
  HirValue *values[2];
  gboolean arrived[2];
  gboolean done;
} HirLocalMessage;

struct _HirCommWork
{
  HirCommWorld *world;
  int rank;
  HirCommPost *post; /* &own_post */
  HirCommPost own_post;
  HirLocalOp *op;           /* nullable: collective (a reference) */
  GPtrArray *messages;      /* nullable: HirLocalMessage* of a group (borrowed) */
  gboolean is_matched_only; /* see hir_comm_world_match() */
  HirValue shapes[2];       /* if only matched: `in` and `out` of own_post, without memory */
  guint n_refs;             /* of the world, the queue, the op and the messages */
};

/* A ring entry: one persistent post. */
typedef struct
{
  HirLocalPersistent *persistent; /* NULL if empty */
  gint32 iteration;
} HirLocalQuick;

/* Collectives of one team. Collectives that are only matched are forgotten when all members have
 * posted them, because a program may post for hours. */
typedef struct
{
  gint64 *members;
  guint n;
  guint *n_posted; /* number of posts of each member */
  GPtrArray *ops;  /* HirLocalOp*, incomplete ones; the first @n_gone are NULL */
  guint n_gone;
  guint n_before; /* number of ops that were removed from the array */
  /* comm-local-persistent.c: ring of the posts after those in @ops: row number % room has @n
   * entries. */
  HirLocalQuick *quick;
  guint n_quick_room;     /* rows; 0, or a power of two */
  guint n_quick;          /* number of entries */
  GPtrArray *persistents; /* HirLocalPersistent*, owned */
} HirLocalTeam;

struct _HirLocalPersistent
{
  HirCommWorld *world;
  HirLocalTeam *team;
  guint member;     /* of the member in the team */
  HirCommPost post; /* the first post, without memory */
  HirValue shapes[2];
  HirLocalPersistent **matches; /* one per member: posts that match this one; NULL: not known yet */
};

struct _HirCommWorld
{
  int n_ranks;
  GMutex lock; /* guards the following fields */
  GCond moved_cond;
  GHashTable *teams;            /* "0,1,2" -> HirLocalTeam */
  GHashTable *team_by_expr;     /* const HirExpr* -> HirLocalTeam, borrowed */
  GPtrArray *messages;          /* all HirLocalMessage* */
  GHashTable *unmatched;        /* "from>to" -> GQueue of HirLocalMessage* */
  GPtrArray *works;             /* HirCommWork* that are run */
  GPtrArray *spare, *spare_ops; /* HirCommWork* and HirLocalOp* for reuse */
  GPtrArray *waiting;           /* HirCommWork* whose stream is blocked */
  gboolean *ended;              /* one per rank */
  HirBackend **backends;        /* one per rank; nullable */
  guint64 n_moved;
  GError *error; /* first error of any rank */
};

/* Returns the team of a collective, which is created on first use. Call with the lock. */
HirLocalTeam *hir_local_lookup_team (HirCommWorld *world, const HirExpr *communication);

/* Returns the index of @rank in @team, or the size of @team if it is not a member. */
guint hir_local_find_member (const HirLocalTeam *team, gint64 rank);

/* comm-local-match.c; call with the lock. Matches the new @work with the posts of other ranks.
 * Returns FALSE and sets @error on a mismatch. */
gboolean hir_local_match_collective (HirCommWorld *world, HirCommWork *work, GError **error);
/* Like hir_local_match_collective(), for messages. */
gboolean hir_local_match_messages (HirCommWorld *world, HirCommWork *work, GError **error);
/* Fails if another rank has posted something that needs @rank, which has ended. */
gboolean hir_local_check_end (HirCommWorld *world, int rank, GError **error);

/* Returns the difference between two collectives ("have different roots"), or NULL. */
const char *hir_local_find_difference (const HirExpr *x, const HirExpr *y);

/* comm-local-persistent.c; call with the lock. Expands the persistent posts of the team if the next
 * post of @rank, @expr, must be matched with them. */
gboolean hir_local_expand_for_post (HirCommWorld *world,
                                    int rank,
                                    const HirExpr *expr,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Expands the persistent posts of all teams; aborts @world on a mismatch. Call with the lock. */
void hir_local_expand (HirCommWorld *world);

/* Creates the work of @post. Returns a new reference. */
HirCommWork *hir_local_work_new (HirCommWorld *world,
                                 int rank,
                                 const HirCommPost *post,
                                 gboolean is_matched_only);
/* Replaces *@value by @shape, a copy without memory that is never freed. */
void hir_local_keep_shape (HirValue *shape, HirValue **value);

/* comm-local-wait.c; call with the lock. Waits for the other ranks and moves the data. */
gboolean hir_local_run_collective (HirCommWorld *world, HirCommWork *work, GError **error);
/* Like hir_local_run_collective(), for messages. */
gboolean hir_local_run_messages (HirCommWorld *world, HirCommWork *work, GError **error);

/* Releases a reference. Call with the lock. */
void hir_local_work_unref (HirCommWork *work);
/* Releases the works of @op and the reference of its team. */
void hir_local_op_drop (HirLocalOp *op);

/* Stores the first error and wakes all waiting streams. */
void hir_local_abort (HirCommWorld *world, const GError *error);
/* Sets @error to a copy of the error of @world. */
void hir_local_set_error (HirCommWorld *world, GError **error);

G_END_DECLS
