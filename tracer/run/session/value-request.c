/* Payloads of LOOK and SUMMARY frames. */
#include "run/session/value-request.h"

#include "diagnostic.h"

GVariant *
hir_value_request_to_variant (const HirValueRequest *request)
{
  return g_variant_new ("(uit@(axxxuuuuu))", request->number, request->rank, request->tensor_id,
                        hir_value_query_to_variant (&request->query));
}

static GVariant *
pack_error (guint number, const char *message)
{
  g_autofree char *text = g_utf8_make_valid (message, -1);

  return g_variant_new ("(ubv)", number, FALSE, g_variant_new_string (text));
}

GVariant *
hir_value_answer_new (guint number, const HirValueSummary *summary, const GError *error)
{
  return summary != NULL
             ? g_variant_new ("(ubv)", number, TRUE, hir_value_summary_to_variant (summary))
             : pack_error (number, error->message);
}

gboolean
hir_value_request_read (GVariant *payload, HirValueRequest *request, GError **error)
{
  g_autoptr (GVariant) query = NULL;

  g_variant_get (payload, "(uit@(axxxuuuuu))", &request->number, &request->rank,
                 &request->tensor_id, &query);
  return hir_value_query_read (&request->query, query, error);
}

GVariant *
hir_value_request_answer (GVariant *payload,
                          HirSession *session,
                          const char *why,
                          GCancellable *cancellable)
{
  g_autoptr (HirValueSummary) summary = NULL;
  g_autoptr (GError) error = NULL;
  HirValueRequest request;
  gboolean ok = hir_value_request_read (payload, &request, &error);

  if (session == NULL)
    return pack_error (request.number, why);
  if (ok && request.query.what != HIR_VALUE_OF_RANK)
    hir_set_error (&error, HIR_ERROR_UNSUPPORTED, NULL,
                   "available only while debugging (F6); stop after the instruction");
  else if (ok)
    summary = hir_session_dup_summary (session, request.rank, request.tensor_id, &request.query,
                                       cancellable, &error);
  return hir_value_answer_new (request.number, summary, error);
}

HirValueSummary *
hir_value_answer_read (GVariant *payload, guint *number, GError **error)
{
  g_autoptr (GVariant) content = NULL;
  gboolean is_summary;

  g_variant_get (payload, "(ubv)", number, &is_summary, &content);
  if (is_summary)
    return hir_value_summary_new_from_variant (content, error);
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s",
                 g_variant_is_of_type (content, G_VARIANT_TYPE_STRING)
                     ? g_variant_get_string (content, NULL)
                     : "the run process sent an invalid answer");
  return NULL;
}
