/* Headers of posts, which ranks in different processes exchange before any data moves, so that
 * mismatches are reported instead of mixing up data. */
#pragma once

#include "run/communicator.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean is_collective, is_send;
  guint32 epoch;    /* number of the repetition */
  guint32 sequence; /* among the posts of this team, or from this sender to this receiver */
  guint32 tag;      /* tag of the data that the rank sends for this post */
  gint32 type;      /* HirCommType; 0 for a message, like the next three */
  gint32 root;
  gint32 op; /* HirBinaryOp of a reduction, otherwise 0 */
  gint32 dtype;
  gboolean gives, takes; /* whether it sends and receives data */
  /* elements of a piece (comm-collective.h) or of the message; -1: no part */
  gint64 count;
  char *team;  /* "0,1,": members in order; "0>1" for a message */
  char *where; /* "Allgather T5 in iteration 1 on rank 0" */
  char *text;  /* "float[4, 8]" */
} HirCommHeader;

/* Creates the header of @post, number @sequence of @rank in its team. Sets HIR_ERROR_RUN if the
 * part of this rank does not match the collective. */
HirCommHeader *hir_comm_header_new_collective (
    const HirCommPost *post, int rank, guint epoch, guint sequence, guint tag, GError **error);
/* Creates the header of @message of @post, number @sequence from @rank to its peer or from the
 * peer. */
HirCommHeader *hir_comm_header_new_message (const HirCommPost *post,
                                            const HirCommMessage *message,
                                            int rank,
                                            guint epoch,
                                            guint sequence,
                                            guint tag);
/* Frees @header. */
void hir_comm_header_free (HirCommHeader *header);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCommHeader, hir_comm_header_free)
/* Returns the name of the team of a communication; newly allocated. */
char *hir_comm_header_dup_team (const HirExpr *communication);

/* Serializes @header (floating). */
GVariant *hir_comm_header_to_variant (const HirCommHeader *header);
/* Returns NULL if @variant is not a header: it comes from another version. */
HirCommHeader *hir_comm_header_from_variant (GVariant *variant);

/* Checks that two headers of the same number describe the same collective. @communication, of
 * @mine, provides the position of the error. Sets HIR_ERROR_RUN, naming both posts and the
 * difference. */
gboolean hir_comm_header_check_collective (const HirCommHeader *mine,
                                           const HirCommHeader *theirs,
                                           const HirExpr *communication,
                                           gint64 their_rank,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Like hir_comm_header_check_collective(), for the two headers of a message. @expr provides the
 * position of the error. */
gboolean hir_comm_header_check_message (const HirCommHeader *sent,
                                        const HirCommHeader *received,
                                        const HirExpr *expr,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
