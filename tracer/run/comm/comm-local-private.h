/* Shared by the files of the local communicator. */
#pragma once

#include "run/comm/comm-collective.h"
#include "run/comm/comm-local.h"

G_BEGIN_DECLS

/* A collective that some members have posted. */
typedef struct
{
  HirCommWorld *world;
  const gint64 *members; /* the team's */
  guint n, n_room;       /* of works */
  HirCommWork **works;   /* one a member; NULL: not posted yet. References, until all have posted */
  guint n_posted;
  guint n_arrived; /* members whose stream is there */
  guint n_refs;    /* the works', and the team's until all have posted */
  gboolean done;
} HirLocalOp;

/* A message, posted by one side or both. */
typedef struct
{
  gint64 from, to;
  HirCommWork *works[2]; /* of the sender, of the receiver */
  HirValue *values[2];
  gboolean arrived[2];
  gboolean done;
} HirLocalMessage;

struct _HirCommWork
{
  HirCommWorld *world;
  int rank;
  HirCommPost *post; /* own_post */
  HirCommPost own_post;
  HirLocalOp *op;      /* of a collective; a reference */
  GPtrArray *messages; /* HirLocalMessage*, borrowed; of a group */
  gboolean is_matched_only; /* see hir_comm_world_match() */
  HirValue shapes[2];  /* then own_post's `in` and `out`: without memory, which is the rank's */
  guint n_refs;        /* the world's, the queue's, the op's, the messages' */
};

/* A post that is one of many of its kind. */
typedef struct
{
  HirLocalPersistent *again; /* NULL: none */
  gint32 iteration;
} HirLocalQuick;

/* The collectives of one team. Of those that are only matched, what all have posted is forgotten: a
 * program may post for hours. */
typedef struct
{
  gint64 *members;
  guint n;
  guint *n_posted; /* by each member */
  GPtrArray *ops; /* HirLocalOp*, those that are still posted; the first @n_gone of them are NULL */
  guint n_gone;
  guint n_before; /* ops that are not in the array any more */
  /* comm-local-persistent.c: what was posted after those, a row of @n a number, at number % room. */
  HirLocalQuick *quick;
  guint n_quick_room; /* rows; 0, or a power of two */
  guint n_quick;      /* posts that are there */
  GPtrArray *agains;  /* HirLocalPersistent*, owned */
} HirLocalTeam;

struct _HirLocalPersistent
{
  HirCommWorld *world;
  HirLocalTeam *team;
  guint place;      /* in the team */
  HirCommPost post; /* without memory; of the first iteration */
  HirValue shapes[2];
  HirLocalPersistent **fits; /* one a member: whose were found to fit; NULL: none was yet */
};

struct _HirCommWorld
{
  int n_ranks;
  GMutex lock; /* guards what follows */
  GCond moved_cond;
  GHashTable *teams;     /* "0,1,2" -> HirLocalTeam */
  GHashTable *team_by_expr; /* const HirExpr* -> the same, borrowed */
  GPtrArray *messages;   /* HirLocalMessage*, all */
  GHashTable *unmatched; /* "from>to" -> GQueue of HirLocalMessage* */
  GPtrArray *works;      /* HirCommWork*, all that are run */
  GPtrArray *spare, *spare_ops; /* HirCommWork*, HirLocalOp*: to be used again */
  GPtrArray *waiting;    /* HirCommWork* whose stream waits */
  gboolean *ended;       /* one a rank */
  HirBackend **backends; /* one a rank; nullable */
  guint64 n_moved;
  GError *error; /* the first */
};

/* The team of a collective; made at first sight. With the lock. */
HirLocalTeam *hir_local_lookup_team (HirCommWorld *world, const HirExpr *communication);

/* The place of @rank in @team; the size of @team if it is no member. */
guint hir_local_find_member (const HirLocalTeam *team, gint64 rank);

/* comm-local-match.c; with the lock. FALSE: what does not fit is in @error. */
gboolean hir_local_match_collective (HirCommWorld *world, HirCommWork *work, GError **error);
gboolean hir_local_match_messages (HirCommWorld *world, HirCommWork *work, GError **error);
/* @rank has ended: what others have posted and it has not. */
gboolean hir_local_check_end (HirCommWorld *world, int rank, GError **error);

/* What two collectives of a team differ in so that they can't be one ("have different roots"); NULL:
 * nothing. */
const char *hir_local_find_difference (const HirExpr *x, const HirExpr *y);

/* comm-local-persistent.c; with the lock. All that was posted again becomes posts as others are: of
 * @team, or of all, where what does not fit is the world's error. */
/* Before @rank posts @expr in the ordinary way. */
gboolean hir_local_expand_for_post (HirCommWorld *world,
                                    int rank,
                                    const HirExpr *expr,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_local_expand (HirCommWorld *world);

/* A new reference. */
HirCommWork *hir_local_work_new (HirCommWorld *world,
                                 int rank,
                                 const HirCommPost *post,
                                 gboolean is_matched_only);
/* Puts @shape, which is never freed, in the place of *@value, without its memory. */
void hir_local_keep_shape (HirValue *shape, HirValue **value);

/* comm-local-wait.c; with the lock. */
gboolean hir_local_run_collective (HirCommWorld *world, HirCommWork *work, GError **error);
gboolean hir_local_run_messages (HirCommWorld *world, HirCommWork *work, GError **error);

/* Drops a reference; with the lock. */
void hir_local_work_unref (HirCommWork *work);
/* Its team has it no more. */
void hir_local_op_drop (HirLocalOp *op);

void hir_local_abort (HirCommWorld *world, const GError *error);
void hir_local_give_error (HirCommWorld *world, GError **error);

G_END_DECLS
