/* Tests watched expressions: values, marks of changes, and displays that are added and deleted by
 * the console. */
#include "debugger/debug-watches.h"

/* @displays is a list such as "[(1, 'T5', '0.5', 'all of it', false, 7)]". */
static void
take (HirDebugWatches *watches, const char *displays, gboolean has_moved)
{
  g_autoptr (GVariant) all =
      g_variant_parse (G_VARIANT_TYPE ("a(usssbt)"), displays, NULL, NULL, NULL);
  g_autoptr (GVariant) variant = NULL;
  g_autoptr (HirDebugState) state = NULL;
  GVariantDict dict;

  g_assert_nonnull (all);
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "displays", all);
  variant = g_variant_ref_sink (g_variant_dict_end (&dict));
  state = hir_debug_state_new_from_variant (variant);
  hir_debug_watches_take (watches, state, has_moved);
}

/* Returns one line per watch: "T5#1=0.5*" (changed), "T5#1!why" (an error), "T5#0" (no value). */
static char *
dup_text (const HirDebugWatches *watches)
{
  const GPtrArray *items = hir_debug_watches_get (watches);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < items->len; i++)
    {
      const HirWatch *watch = items->pdata[i];

      g_string_append_printf (text, "%s%s#%u%s%s%s", i > 0 ? " " : "", watch->text, watch->number,
                              watch->value == NULL ? ""
                              : watch->is_error    ? "!"
                                                   : "=",
                              watch->value != NULL ? watch->value : "",
                              watch->is_changed ? "*" : "");
    }
  return g_string_free (text, FALSE);
}

static void
check (const HirDebugWatches *watches, const char *expected)
{
  g_autofree char *text = dup_text (watches);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_changes (void)
{
  HirDebugWatches *watches = hir_debug_watches_new ();

  g_assert_nonnull (hir_debug_watches_add (watches, "  T5 "));
  g_assert_null (hir_debug_watches_add (watches, "T5"));
  g_assert_null (hir_debug_watches_add (watches, "  "));
  check (watches, "T5#0");
  take (watches, "[(1, 'T5', 'a', '', false, 7)]", TRUE);
  check (watches, "T5#1=a");
  take (watches, "[(1, 'T5', 'a', '', false, 7)]", TRUE);
  check (watches, "T5#1=a");
  /* The line has few elements; the digest has all. */
  take (watches, "[(1, 'T5', 'a', '', false, 8)]", TRUE);
  check (watches, "T5#1=a*");
  /* Another command does not move: the mark stays. */
  take (watches, "[(1, 'T5', 'a', '', false, 8)]", FALSE);
  check (watches, "T5#1=a*");
  take (watches, "[(1, 'T5', 'no memory', '', true, 0)]", TRUE);
  check (watches, "T5#1!no memory*");
  hir_debug_watches_end (watches);
  check (watches, "T5#0");
  /* The first stop of another session marks nothing. */
  take (watches, "[(1, 'T5', 'b', '', false, 9)]", TRUE);
  check (watches, "T5#1=b");
  hir_debug_watches_clear (watches);
  check (watches, "");
  hir_debug_watches_free (watches);
}

static void
test_console (void)
{
  HirDebugWatches *watches = hir_debug_watches_new ();

  hir_debug_watches_add (watches, "T5");
  hir_debug_watches_add (watches, "x +");
  hir_debug_watches_reject (watches, "x +", "ends too early");
  hir_debug_watches_reject (watches, "T7", "there is no such watch");
  take (watches, "[(1, 'T5', 'a', '', false, 7), (2, 'i', '0', '', false, 1)]", TRUE);
  check (watches, "T5#1=a x +#0!ends too early i#2=0");
  /* A state that was sent before the program has deleted the display. */
  g_assert_cmpuint (hir_debug_watches_remove (watches, "i"), ==, 2);
  take (watches, "[(1, 'T5', 'a', '', false, 7), (2, 'i', '0', '', false, 1)]", FALSE);
  check (watches, "T5#1=a x +#0!ends too early");
  /* undisplay 1 */
  take (watches, "[]", FALSE);
  check (watches, "x +#0!ends too early");
  g_assert_cmpuint (hir_debug_watches_remove (watches, "x +"), ==, 0);
  g_assert_cmpuint (hir_debug_watches_remove (watches, "x +"), ==, 0);
  /* The same expression twice, as `display` allows, is one watch. */
  take (watches, "[(3, 'T5', 'a', '', false, 7), (4, 'T5', 'a', '', false, 7)]", TRUE);
  check (watches, "T5#4=a");
  hir_debug_watches_free (watches);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/debug-watches/changes", test_changes);
  g_test_add_func ("/debug-watches/console", test_console);
  return g_test_run ();
}
