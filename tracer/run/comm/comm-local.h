/* Communicator of virtual devices: ranks are threads of one process. */
#pragma once

#include "run/backend.h"
#include "run/communicator.h"

G_BEGIN_DECLS

/* State shared by all ranks. Posts are matched when they are made, in the order in which each rank
 * makes them: collective k of a team with collective k of each other member, send k from a to b
 * with receive k. Mismatches are therefore found at once, without a timeout. A deadlock is reported
 * when all programs have been issued, nothing runs and nothing has moved for 0.6 s. */
typedef struct _HirCommWorld HirCommWorld;

/* Creates the state of @n_ranks ranks. */
HirCommWorld *hir_comm_world_new (int n_ranks);
/* Frees @world. Its communicators and queued work must be freed before. */
void hir_comm_world_free (HirCommWorld *world);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCommWorld, hir_comm_world_free)
/* Creates the communicator of @rank, which borrows @world. Its begin() forgets the posts of all
 * ranks; call it for one rank only. */
HirCommunicator *hir_comm_local_new (HirCommWorld *world, int rank);
/* Matches @post of @rank without running it, for communicators that move data themselves. Returns
 * FALSE and sets an error on all ranks if it does not match. */
gboolean hir_comm_world_match (HirCommWorld *world,
                               int rank,
                               const HirCommPost *post,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Handle of a persistent post: everything about a post except its iteration. */
typedef struct _HirLocalPersistent HirLocalPersistent;
/* Returns the handle of @post, owned by @world until the next begin(), or NULL if @post cannot be
 * persistent. */
HirLocalPersistent *
hir_comm_world_get_persistent (HirCommWorld *world, int rank, const HirCommPost *post);
/* Like hir_comm_world_match(), for the post of @persistent in @iteration. */
gboolean hir_comm_world_match_persistent (HirCommWorld *world,
                                          HirLocalPersistent *persistent,
                                          gint32 iteration,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Sets the back end (borrowed; nullable) whose running tasks count as progress of @rank. */
void hir_comm_world_set_backend (HirCommWorld *world, int rank, HirBackend *backend);
/* Returns a copy of the first error of any rank, or NULL. Any thread. */
GError *hir_comm_world_dup_error (HirCommWorld *world);

/* Status of an incomplete collective or message. Messages of the same posts between the same ranks,
 * as of a coalesced exchange, are one. */
typedef struct
{
  const HirExpr *expr; /* of its first post */
  char *where;         /* "Allgather T5 in iteration 1 on rank 0" */
  /* gint64 ranks that have posted, in the order of the team, or sender and receiver */
  GArray *posted;
  GArray *missing;
  gboolean is_waited_in; /* a stream is blocked in it; otherwise it is queued behind other work */
} HirCommStatus;

/* Returns the incomplete communications as an array of HirCommStatus*, collectives in the order of
 * posting. Any thread. */
GPtrArray *hir_comm_world_look (HirCommWorld *world);
/* Returns the number of streams of @rank that are blocked until another rank acts. */
guint hir_comm_world_count_blocked (HirCommWorld *world, int rank);
/* Forgets the last @n_posts[rank] posts of each rank. Returns FALSE and changes nothing if one of
 * them is not done or was matched with a post that stays. Streams must be idle. */
gboolean hir_comm_world_forget (HirCommWorld *world, const guint *n_posts);
/* Sets whether the program of @rank has ended. */
void hir_comm_world_set_ended (HirCommWorld *world, int rank, gboolean ended);

G_END_DECLS
