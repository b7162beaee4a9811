/* Ranks that are threads of one process: virtual devices. */
#pragma once

#include "run/backend.h"
#include "run/communicator.h"

G_BEGIN_DECLS

/* What all ranks share. It matches posts in the order in which each rank makes them, when they are
 * made: the k-th collective of a team with the k-th of each other member, the k-th send from a to b
 * with the k-th receive. So what can't fit is found at once, without a clock. A circle of ranks
 * that wait for each other is found when all programs are at their ends, nothing runs and nothing
 * has moved for some time (0.6 s). */
typedef struct _HirCommWorld HirCommWorld;

HirCommWorld *hir_comm_world_new (int n_ranks);
/* Communicators must be gone, and work that is queued freed. */
void hir_comm_world_free (HirCommWorld *world);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCommWorld, hir_comm_world_free)
/* Borrows @world. Its begin() forgets the posts of all ranks: call it for one of them. */
HirCommunicator *hir_comm_local_new (HirCommWorld *world, int rank);
/* For communicators that move data themselves: what @rank posts is fitted to what the others post,
 * and is never run. FALSE and the error of all where it does not fit. */
gboolean hir_comm_world_match (HirCommWorld *world,
                               int rank,
                               const HirCommPost *post,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same, for a collective that is posted again and again: what is to be known of @post but for its
 * iteration; the world's, until the next begin(). NULL: it is none that can be posted so. */
typedef struct _HirLocalPersistent HirLocalPersistent;
HirLocalPersistent *hir_comm_world_get_persistent (HirCommWorld *world, int rank, const HirCommPost *post);
gboolean hir_comm_world_match_persistent (HirCommWorld *world,
                                     HirLocalPersistent *again,
                                     gint32 iteration,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Where the watch looks for what still runs on @rank; borrowed, NULL to take it back. */
void hir_comm_world_set_backend (HirCommWorld *world, int rank, HirBackend *backend);
/* The first error of any rank, a copy; NULL: none. Any thread. */
GError *hir_comm_world_dup_error (HirCommWorld *world);

/* A collective or a message that somebody has posted and that is not done. */
typedef struct
{
  const HirExpr *expr; /* of the first that posted it */
  char *where;         /* "Allgather T5 in iteration 1 on rank 0" */
  GArray *posted;      /* gint64 ranks, in the order of the team; of a message: sender, receiver */
  GArray *missing;
  gboolean is_waited_in; /* a stream stands in it; else it is queued behind other work */
} HirCommStatus;

/* Array of HirCommStatus*, collectives in the order of posting. Any thread. */
GPtrArray *hir_comm_world_look (HirCommWorld *world);
/* How many streams of @rank stand in a communication that can't go on before another rank acts. */
guint hir_comm_world_count_blocked (HirCommWorld *world, int rank);
/* Takes the last @n_posts[rank] posts of each rank back, all of which must be done. FALSE and nothing
 * has changed where one of them is not, or has met one that stays. Streams must be at rest. */
gboolean hir_comm_world_forget (HirCommWorld *world, const guint *n_posts);
/* Whether @rank's program is known to be at its end. */
void hir_comm_world_set_ended (HirCommWorld *world, int rank, gboolean ended);

G_END_DECLS
