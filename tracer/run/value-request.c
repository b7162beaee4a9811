#include "run/value-request.h"

#include "diagnostic.h"

GVariant *
hir_value_request_to_variant (const HirValueRequest *request)
{
  return g_variant_new ("(uit@(axxxuuuu))", request->number, request->rank, request->tensor_id,
                        hir_value_look_to_variant (&request->look));
}

static GVariant *
pack_error (guint number, const char *message)
{
  g_autofree char *text = g_utf8_make_valid (message, -1);

  return g_variant_new ("(ubv)", number, FALSE, g_variant_new_string (text));
}

GVariant *
hir_value_request_answer (GVariant *payload,
                          HirSession *session,
                          const char *why,
                          GCancellable *cancellable)
{
  g_autoptr (GVariant) look_variant = NULL;
  g_autoptr (HirValueSummary) summary = NULL;
  g_autoptr (GError) error = NULL;
  HirValueRequest request;

  g_variant_get (payload, "(uit@(axxxuuuu))", &request.number, &request.rank, &request.tensor_id,
                 &look_variant);
  if (session == NULL)
    return pack_error (request.number, why);
  if (hir_value_look_read (&request.look, look_variant, &error))
    summary = hir_session_dup_summary (session, request.rank, request.tensor_id, &request.look,
                                       cancellable, &error);
  if (summary == NULL)
    return pack_error (request.number, error->message);
  return g_variant_new ("(ubv)", request.number, TRUE, hir_value_summary_to_variant (summary));
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
                     : "the run's process gave an answer that makes no sense");
  return NULL;
}
