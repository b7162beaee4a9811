/* Exchange of data between ranks (docs/host-ir.md#communication). Each rank has one communicator,
 * implemented for threads of one process, for MPI processes and for GPUs.
 *
 * The host thread posts communications in program order without blocking. A post returns work,
 * which the host thread queues on an internal stream (a channel): one per team and one for
 * messages. On this stream the work waits for the other ranks and moves the data. */
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

/* A post: a collective, or one or more messages that make progress together. */
typedef struct
{
  const HirExpr *expr; /* the Communication, P2P or EndCoalescing; borrowed */
  char *label;         /* "Allgather T5"; a GRefString */
  gint32 iteration;    /* of the innermost loop; -1 outside of loops */
  int rank;
  char *where;        /* cache of hir_comm_post_get_where() */
  HirValue *in, *out; /* of a collective; NULL if this rank does not send or receive */
  GArray *messages;   /* HirCommMessage; NULL for a collective */
} HirCommPost;

/* Creates an empty post. @label is a GRefString (nullable); the post takes a reference. */
HirCommPost *hir_comm_post_new (const HirExpr *expr, char *label, gint32 iteration, int rank);
/* Sets @to, a post or zeroed memory, to a copy of @from. */
void hir_comm_post_assign (HirCommPost *to, const HirCommPost *from);
/* Returns a copy of @post. */
HirCommPost *hir_comm_post_copy (const HirCommPost *post);
/* Releases values, messages and names of @post. */
void hir_comm_post_clear (HirCommPost *post);
/* Returns "Allgather T5 in iteration 1 on rank 0" (borrowed). The text is created by the first
 * call; call from one thread at a time. */
const char *hir_comm_post_get_where (const HirCommPost *post);
/* Sets HIR_ERROR_RUN at the position of @post: the program of @rank has ended and will not do @what
 * ("posting it"). */
void hir_comm_post_set_ended_error (const HirCommPost *post,
                                    gint64 rank,
                                    const char *what,
                                    GError **error);
/* Like hir_comm_post_get_where(), but from the parts of a post; newly allocated. */
char *hir_comm_dup_where (const char *label, gint32 iteration, int rank);
/* Adds a send or receive to @post, with a reference to @value. */
void hir_comm_post_add_message (
    HirCommPost *post, const HirExpr *expr, gboolean is_send, gint64 peer, HirValue *value);
/* Frees @post (nullable). */
void hir_comm_post_free (HirCommPost *post);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCommPost, hir_comm_post_free)

typedef struct _HirCommunicator HirCommunicator;
typedef struct _HirCommWork HirCommWork;
typedef struct _HirCommPersistent HirCommPersistent;

typedef struct
{
  /* Optional. Prepares what @program needs and what takes long to create. Called once on the main
   * thread, after all communicators of this process exist and before the first begin(). */
  gboolean (*prepare) (HirCommunicator *communicator, HirContainer *program, GError **error);
  /* Starts a run of the program and forgets earlier posts. Call on the host thread, after all ranks
   * have ended the previous run. */
  void (*begin) (HirCommunicator *communicator);
  /* Posts a communication and returns its work. Call on the host thread; @post is copied as needed.
   * Returns NULL and sets HIR_ERROR_RUN if @post does not match the posts of other ranks; the
   * message names both posts. */
  HirCommWork *(*post) (HirCommunicator *communicator, const HirCommPost *post, GError **error);
  /* Blocks until the data has moved. Returns FALSE and sets @error if it never will. Any thread. */
  gboolean (*run) (HirCommWork *work, GError **error);
  /* Optional. Replaces run(): puts the work on @native_stream, see HirTask. Call on the host
   * thread. */
  gboolean (*issue) (HirCommWork *work, gpointer native_stream, GError **error);
  /* Optional, with issue(). Copies contiguous values of equal sizes and types on @native_stream,
   * for the communication @label in @iteration, which errors name. Call on the host thread. */
  gboolean (*copy) (HirCommunicator *communicator,
                    const char *label,
                    gint32 iteration,
                    const HirValue *out,
                    const HirValue *in,
                    gpointer native_stream,
                    GError **error);
  /* Optional, with issue(). Call before begin() if some ranks may be paused while others continue.
   * Nothing is launched then that occupies a device until another rank arrives. */
  void (*set_may_be_held) (HirCommunicator *communicator);
  /* With set_may_be_held(). Returns 0, or, if the host thread of this rank is blocked in issue()
   * because a rank has not posted, the number of this wait, which is greater than all earlier ones.
   * Any thread. */
  guint64 (*get_wait) (HirCommunicator *communicator);
  void (*free_work) (HirCommWork *work);
  /* Optional, with issue(); for a collective that a loop repeats. Call on the host thread.
   * get_repeat() returns everything about @post except its iteration and the addresses of its
   * values, owned by the communicator until the next begin(), or NULL if @post must go through
   * post(). post_repeat() and issue_repeat() are like post() and issue() for @post, whose values
   * are borrowed. */
  HirCommPersistent *(*get_repeat) (HirCommunicator *communicator, const HirCommPost *post);
  gboolean (*post_repeat) (HirCommPersistent *repeat, const HirCommPost *post, GError **error);
  gboolean (*issue_repeat) (HirCommPersistent *repeat,
                            const HirCommPost *post,
                            gpointer native_stream,
                            GError **error);
  /* Declares that this rank posts nothing more. Returns FALSE and sets an error on all ranks if
   * another rank has posted something that needs this rank, or does so later. Call on the host
   * thread. */
  gboolean (*end) (HirCommunicator *communicator, GError **error);
  /* Optional. Waits until the streams of all ranks are idle; those of this rank must be. Returns
   * FALSE if a rank failed. Call on the host thread. */
  gboolean (*finish) (HirCommunicator *communicator, GError **error);
  /* Wakes all waiting threads with @error; only the first error is kept. Any thread. */
  void (*abort) (HirCommunicator *communicator, const GError *error);
  /* Optional. Returns a copy of the first error of any rank, or NULL. Any thread. */
  GError *(*dup_error) (HirCommunicator *communicator);
  void (*free) (HirCommunicator *communicator);
} HirCommunicatorClass;

struct _HirCommunicator
{
  const HirCommunicatorClass *klass;
  int rank;
  int n_ranks;
};

/* Frees @communicator. */
void hir_communicator_free (HirCommunicator *communicator);

/* Locks @lock, spinning first: it is held for less time than a wake-up takes. */
void hir_comm_lock (GMutex *lock);

/* Returns the members of a collective's team in order and without duplicates, *@n of them; newly
 * allocated. */
gint64 *hir_comm_dup_members (const HirExpr *communication, guint *n);
/* Returns TRUE if @rank is in the team of a collective. */
gboolean hir_comm_has_member (const HirExpr *communication, gint64 rank);
/* Returns TRUE if @rank provides data, by the table of docs/host-ir.md#communication; FALSE outside
 * of the team. */
gboolean hir_comm_reads (const HirExpr *communication, gint64 rank);
/* Returns TRUE if @rank receives data; FALSE outside of the team. */
gboolean hir_comm_writes (const HirExpr *communication, gint64 rank);
/* Returns TRUE if @rank, if it has input and output, copies the input to the output on the current
 * stream and then takes part in place (docs/host-ir.md#communication). */
gboolean hir_comm_copies_first (const HirExpr *communication, gint64 rank);

G_END_DECLS
