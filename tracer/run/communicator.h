/* How ranks exchange data (docs/host-ir.md#communication): one communicator a rank, behind a table
 * that `local` (threads of one process), and later MPI or NCCL, implement.
 *
 * The host thread posts, in program order, and never waits. What it gets is work, which it queues
 * on an internal stream (a channel): there is one a team, and one for messages. There the work
 * waits for the other ranks and moves the data. */
#pragma once

#include "container.h"
#include "run/values/value.h"

G_BEGIN_DECLS

/* A send or a receive. */
typedef struct
{
  const HirExpr *expr;
  gboolean is_send;
  gint64 peer;
  HirValue *value; /* owned */
} HirCommMessage;

/* What is posted: a collective, or one or more messages that make progress together. */
typedef struct
{
  const HirExpr *expr; /* the Communication, P2P or EndCoalescing; borrowed */
  char *label;         /* "Allgather T5"; a GRefString */
  gint32 iteration;    /* of the innermost loop; -1: none */
  int rank;
  char *where;         /* see hir_comm_post_get_where() */
  HirValue *in, *out;  /* of a collective; nullable where this rank has no part in them */
  GArray *messages;    /* HirCommMessage; NULL: a collective */
} HirCommPost;

/* @label: a GRefString, which it shares; nullable. */
HirCommPost *hir_comm_post_new (const HirExpr *expr, char *label, gint32 iteration, int rank);
/* Makes @to, any post, or all zero, what @from is. */
void hir_comm_post_assign (HirCommPost *to, const HirCommPost *from);
HirCommPost *hir_comm_post_copy (const HirCommPost *post);
/* Values, messages and names are let go of. */
void hir_comm_post_clear (HirCommPost *post);
/* "Allgather T5 in iteration 1 on rank 0", for messages; made when it is first asked for. Borrowed.
 * One thread at a time. */
const char *hir_comm_post_get_where (const HirCommPost *post);
/* HIR_ERROR_RUN at @post's place: @rank is over, and will never do its part, which is @what ("posting it"). */
void hir_comm_post_set_ended_error (const HirCommPost *post, gint64 rank, const char *what, GError **error);
/* The same as hir_comm_post_get_where() of its parts; newly allocated. */
char *hir_comm_dup_where (const char *label, gint32 iteration, int rank);
/* Takes no ownership of @value. */
void hir_comm_post_add_message (
    HirCommPost *post, const HirExpr *expr, gboolean is_send, gint64 peer, HirValue *value);
void hir_comm_post_free (HirCommPost *post);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCommPost, hir_comm_post_free)

typedef struct _HirCommunicator HirCommunicator;
typedef struct _HirCommWork HirCommWork;
typedef struct _HirCommPersistent HirCommPersistent;

typedef struct
{
  /* Nullable. Main thread, once, when all communicators of this process are there and before the
   * first begin(): what @program needs and takes long to make is made now. */
  gboolean (*prepare) (HirCommunicator *communicator, HirContainer *program, GError **error);
  /* Host thread. The program begins: what was posted before is forgotten. All ranks must have come
   * to their end before. */
  void (*begin) (HirCommunicator *communicator);
  /* Host thread. Copies what it needs of @post. NULL and HIR_ERROR_RUN where it can't fit what
   * other ranks post: both places are named. */
  HirCommWork *(*post) (HirCommunicator *communicator, const HirCommPost *post, GError **error);
  /* Any thread; blocks until the data has moved. FALSE: it never will, and why. */
  gboolean (*run) (HirCommWork *work, GError **error);
  /* Nullable: instead of run(), host thread: puts the work on @native_stream, see HirTask. */
  gboolean (*issue) (HirCommWork *work, gpointer native_stream, GError **error);
  /* Nullable, with issue(), before begin(): some ranks may be held while others go on, so nothing is
   * launched that would keep a device until a rank comes. */
  void (*set_may_be_held) (HirCommunicator *communicator);
  /* With set_may_be_held(). Any thread: 0, or this rank's host thread stands in issue(), and the rank
   * it waits for has not come; then the number of this wait, greater than all before it. */
  guint64 (*get_wait) (HirCommunicator *communicator);
  void (*free_work) (HirCommWork *work);
  /* All nullable, with issue(), host thread: a collective that is posted again and again.
   * get_repeat(): what is to be known of @post but for its iteration and the addresses of its values;
   * the communicator's, until the next begin(); NULL: it must go by post(). post_repeat() is as
   * post(), issue_repeat() as issue(): of the @post that is there then, whose values are borrowed. */
  HirCommPersistent *(*get_repeat) (HirCommunicator *communicator, const HirCommPost *post);
  gboolean (*post_repeat) (HirCommPersistent *repeat, const HirCommPost *post, GError **error);
  gboolean (*issue_repeat) (HirCommPersistent *repeat,
                            const HirCommPost *post,
                            gpointer native_stream,
                            GError **error);
  /* Host thread: this rank posts nothing more. FALSE where another rank has posted, or posts later,
   * what needs this one: that is an error of all. */
  gboolean (*end) (HirCommunicator *communicator, GError **error);
  /* Nullable. Host thread, once this rank's streams are done: waits for the other ranks to be so
   * too. FALSE where one of them failed. */
  gboolean (*finish) (HirCommunicator *communicator, GError **error);
  /* Any thread: nobody waits any longer; the first error is kept. */
  void (*abort) (HirCommunicator *communicator, const GError *error);
  /* Nullable. Any thread: a copy of the first error of any rank; NULL: none. */
  GError *(*dup_error) (HirCommunicator *communicator);
  void (*free) (HirCommunicator *communicator);
} HirCommunicatorClass;

struct _HirCommunicator
{
  const HirCommunicatorClass *klass;
  int rank;
  int n_ranks;
};

void hir_communicator_free (HirCommunicator *communicator);

/* Locks @lock, which is held for less time than it takes to be woken. */
void hir_comm_lock (GMutex *lock);

/* Members of a collective's team without repetition, in order: newly allocated, *@n of them. */
gint64 *hir_comm_dup_members (const HirExpr *communication, guint *n);
gboolean hir_comm_has_member (const HirExpr *communication, gint64 rank);
/* What @rank gives and gets by the table of docs/host-ir.md#communication; both FALSE outside of
 * the team. */
gboolean hir_comm_reads (const HirExpr *communication, gint64 rank);
gboolean hir_comm_writes (const HirExpr *communication, gint64 rank);

G_END_DECLS
