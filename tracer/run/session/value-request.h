/* Asking another process for a tensor's value: the payloads of LOOK and SUMMARY frames. */
#pragma once

#include "run/session/session-summary.h"

G_BEGIN_DECLS

/* Of LOOK: number of the question, rank, tensor, what to look at. */
#define HIR_VALUE_REQUEST_TYPE "(uit(axxxuuuuu))"
/* Of SUMMARY: number of the question, whether it is a summary, and that, or the text of an
 * error. */
#define HIR_VALUE_ANSWER_TYPE "(ubv)"

typedef struct
{
  guint number;
  int rank;
  guint64 tensor_id;
  HirValueQuery look;
} HirValueRequest;

/* Floating. */
GVariant *hir_value_request_to_variant (const HirValueRequest *request);
/* Answers a LOOK's @payload out of @session (nullable: there are no values, for the reason @why); floating. Blocks; the session is at
 * rest. */
GVariant *hir_value_request_answer (GVariant *payload, HirSession *session, const char *why, GCancellable *cancellable);
/* The answer to question @number: @summary, or @error where that is NULL; floating. */
GVariant *hir_value_answer_new (guint number, const HirValueSummary *summary, const GError *error);
/* What is asked in @payload. FALSE, and all but the number as it was, where it makes no sense. */
gboolean hir_value_request_read (GVariant *payload, HirValueRequest *request, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* NULL and @error where the answer is one, HIR_ERROR_INPUT also where it makes no sense. *@number is set in any
 * case. */
HirValueSummary *hir_value_answer_read (GVariant *payload, guint *number, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
