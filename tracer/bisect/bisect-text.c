/* Finds the first program that matches a pattern, or no longer does. */
#include "bisect/bisect-private.h"
#include "diagnostic.h"

static guint
count_matches (GRegex *regex, const char *text, GCancellable *cancellable)
{
  g_autoptr (GMatchInfo) match = NULL;
  guint n = 0;

  g_regex_match (regex, text, 0, &match);
  while (g_match_info_matches (match))
    {
      n++;
      if (g_cancellable_is_cancelled (cancellable) || !g_match_info_next (match, NULL))
        break;
    }
  return n;
}

HirBisect *
hir_bisect_new_by_text (HirProgram *program,
                        const char *pattern,
                        GCancellable *cancellable,
                        GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_MULTILINE | G_REGEX_OPTIMIZE, 0, &why);
  HirBisect *bisect;

  if (regex == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s", why->message);
      return NULL;
    }
  bisect = hir_bisect_new_empty ();
  for (guint i = 0; i < program->views->len && bisect->guilty < 0; i++)
    {
      const HirProgramView *view = program->views->pdata[i];
      HirBisectStep *step = g_new0 (HirBisectStep, 1);
      guint n = count_matches (regex, view->text, cancellable);

      step->pass_name = g_strdup (view->pass_name);
      step->text =
          n == 0 ? g_strdup ("no match") : g_strdup_printf ("%u match%s", n, n == 1 ? "" : "es");
      step->verdict = n > 0 ? HIR_BISECT_MATCH : HIR_BISECT_NO_MATCH;
      g_ptr_array_add (bisect->steps, step);
      if (step->verdict == ((HirBisectStep *) bisect->steps->pdata[0])->verdict)
        bisect->last_right = (int) i;
      else
        bisect->guilty = (int) i;
    }
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    g_clear_pointer (&bisect, hir_bisect_free);
  return bisect;
}
