/* What ranks that are processes tell each other about a post before any data moves, so that what
 * does not fit is named instead of mixed up. */
#pragma once

#include "run/communicator.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean is_collective, is_send;
  guint32 epoch;    /* of the repeat */
  guint32 sequence; /* among the posts of this team, or from this sender to this receiver */
  guint32 tag;      /* of the data that the rank sends for it */
  gint32 type;      /* HirCommType; of a message 0, as those that follow */
  gint32 root;
  gint32 op; /* HirBinaryOp of a reduction, else 0 */
  gint32 dtype;
  gboolean gives, takes; /* its part in the data */
  gint64 count;          /* elements of a piece (comm-collective.h), or of the message; -1: no part */
  char *team;            /* "0,1,": members in order; of a message "0>1" */
  char *where;           /* "Allgather T5 in iteration 1 on rank 0" */
  char *text;            /* "float[4, 8]" */
} HirCommHeader;

/* Of @post, which is @rank's @sequence-th of its team. HIR_ERROR_RUN where this rank's own part does
 * not fit the collective. */
HirCommHeader *hir_comm_header_new_collective (const HirCommPost *post,
                                               int rank,
                                               guint epoch,
                                               guint sequence,
                                               guint tag,
                                               GError **error);
/* Of one @message of @post, @rank's @sequence-th to, or from, that peer. */
HirCommHeader *hir_comm_header_new_message (const HirCommPost *post,
                                            const HirCommMessage *message,
                                            int rank,
                                            guint epoch,
                                            guint sequence,
                                            guint tag);
void hir_comm_header_free (HirCommHeader *header);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCommHeader, hir_comm_header_free)
/* The name of a communication's team. Newly allocated. */
char *hir_comm_header_dup_team (const HirExpr *communication);

/* Floating. */
GVariant *hir_comm_header_to_variant (const HirCommHeader *header);
/* NULL where @variant is no header: it comes from another version. */
HirCommHeader *hir_comm_header_from_variant (GVariant *variant);

/* Whether the @sequence-th collective of a team is the same for both. @communication is mine, and
 * gives the error its place. HIR_ERROR_RUN naming both places and what differs. */
gboolean hir_comm_header_check_collective (const HirCommHeader *mine,
                                           const HirCommHeader *theirs,
                                           const HirExpr *communication,
                                           gint64 their_rank,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* @expr gives the error its place. */
gboolean hir_comm_header_check_message (const HirCommHeader *sent,
                                        const HirCommHeader *received,
                                        const HirExpr *expr,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
