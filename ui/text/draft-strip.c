#include "text/draft-strip.h"

#include "text/offer-strip.h"

GtkWidget *
hir_draft_strip_new (void)
{
  static const HirOfferButton buttons[] = {
    { "Restore", "win.draft-restore", "Continue with this text, without saving it" },
    { "Discard", "win.draft-discard", "Delete these changes" },
  };

  return hir_offer_strip_new (buttons);
}

/* Returns "14:03", or with the day if that is another one (transfer full). */
static char *
dup_time (gint64 time_us)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (time_us / G_USEC_PER_SEC);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();

  if (time == NULL)
    return g_strdup ("");
  return g_date_time_format (time, g_date_time_get_year (time) == g_date_time_get_year (now) &&
                                           g_date_time_get_day_of_year (time) ==
                                               g_date_time_get_day_of_year (now)
                                       ? "%H:%M"
                                       : "%e %b %Y %H:%M");
}

void
hir_draft_strip_set (GtkWidget *strip, const HirLeftDraft *draft)
{
  g_autofree char *name = NULL, *time = NULL, *text = NULL;

  if (draft != NULL)
    {
      name = g_path_get_basename (draft->request->source->path);
      time = dup_time (draft->time_us);
      text = g_strdup_printf ("Unsaved changes of %s from %s", name, time);
    }
  hir_offer_strip_set (strip, text);
}
