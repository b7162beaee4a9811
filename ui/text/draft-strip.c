#include "text/draft-strip.h"

#include <glib/gstdio.h>

#include "text/offer-strip.h"

GtkWidget *
hir_draft_strip_new (void)
{
  static const HirOfferButton buttons[] = {
    { "Restore", "win.draft-restore", "Continue with this text, without saving it" },
    { "Discard", "win.draft-discard", "Delete these changes" },
    { "Next", "win.draft-next", "Show the unsaved changes of the next document" },
  };

  return hir_offer_strip_new (buttons, G_N_ELEMENTS (buttons));
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

/* Returns when the file of @draft was saved, in us since 1970, if that was later; otherwise 0. */
static gint64
get_later_save (const HirLeftDraft *draft)
{
  GStatBuf info;

  if (draft->file == NULL || g_stat (draft->file, &info) != 0 ||
      (gint64) info.st_mtime * G_USEC_PER_SEC <= draft->time_us)
    return 0;
  return (gint64) info.st_mtime * G_USEC_PER_SEC;
}

void
hir_draft_strip_set (GtkWidget *strip, const HirLeftDraft *draft)
{
  g_autofree char *name = NULL, *time = NULL;
  gint64 saved_us;
  GString *text;

  if (draft == NULL)
    {
      hir_offer_strip_set (strip, NULL);
      return;
    }
  name = g_path_get_basename (draft->request->source->path);
  time = dup_time (draft->time_us);
  text = g_string_new (NULL);
  g_string_append_printf (text, "Unsaved changes of %s from %s", name, time);
  saved_us = get_later_save (draft);
  if (saved_us > 0)
    {
      g_autofree char *saved = dup_time (saved_us);

      g_string_append_printf (text, ", older than the file, which was saved at %s", saved);
    }
  if (draft->n_older > 0)
    g_string_append_printf (text, " \302\267 the newest of %u versions, Discard shows the next",
                            draft->n_older + 1);
  if (draft->n_others > 0)
    g_string_append_printf (text, " \302\267 %u more document%s unsaved changes, see Next",
                            draft->n_others, draft->n_others == 1 ? " has" : "s have");
  hir_offer_strip_set (strip, text->str);
  gtk_widget_set_visible (gtk_widget_get_last_child (strip), draft->n_others > 0);
  g_string_free (text, TRUE);
}
