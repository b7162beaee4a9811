/* Queries of values in another process: the payloads of LOOK and SUMMARY frames. */
#pragma once

#include "run/session/session-summary.h"

G_BEGIN_DECLS

/* LOOK: number of the query, rank, tensor, HirValueQuery. */
#define HIR_VALUE_REQUEST_TYPE "(uit(axxxuuuuu))"
/* SUMMARY: number of the query, success, and the summary or the text of an error. */
#define HIR_VALUE_ANSWER_TYPE "(ubv)"

typedef struct
{
  guint number;
  int rank;
  guint64 tensor_id;
  HirValueQuery query;
} HirValueRequest;

/* Serializes @request (floating). */
GVariant *hir_value_request_to_variant (const HirValueRequest *request);
/* Answers the @payload of a LOOK with a value of @session; floating. If @session is NULL, the
 * answer is the error @why. Blocks; the session must be idle. */
GVariant *hir_value_request_answer (GVariant *payload,
                                    HirSession *session,
                                    const char *why,
                                    GCancellable *cancellable);
/* Returns the answer to query @number: @summary or, if it is NULL, @error. Floating. */
GVariant *hir_value_answer_new (guint number, const HirValueSummary *summary, const GError *error);
/* Reads the query in @payload. Returns FALSE, with only the number set, if it is invalid. */
gboolean hir_value_request_read (GVariant *payload,
                                 HirValueRequest *request,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Reads an answer. Returns NULL and sets @error if the answer is an error, or HIR_ERROR_INPUT if it
 * is invalid. Always sets *@number. */
HirValueSummary *
hir_value_answer_read (GVariant *payload, guint *number, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
