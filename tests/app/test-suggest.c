#include "suggest.h"

static void
test_distance (void)
{
  static const struct
  {
    const char *a, *b;
    guint distance;
  } rows[] = {
    { "", "", 0 },         { "run", "run", 0 },
    { "run", "RUN", 0 },   { "", "run", 3 },
    { "rnu", "run", 1 },   { "lowr", "lower", 1 },
    { "dif", "diff", 1 },  { "exprot", "export", 1 },
    { "run", "lower", 5 }, { "kitten", "sitting", 3 },
    { "ca", "abc", 3 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_assert_cmpuint (hir_suggest_distance (rows[i].a, rows[i].b), ==, rows[i].distance);
      g_assert_cmpuint (hir_suggest_distance (rows[i].b, rows[i].a), ==, rows[i].distance);
    }
}

static const char *
suggest (const char *typed)
{
  static const char *const names[] = { "lower", "run", "export", "doctor", "debug", "check" };
  HirSuggestion suggestion = { NULL, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    hir_suggestion_offer (&suggestion, typed, names[i]);
  return suggestion.best;
}

static void
test_offer (void)
{
  g_assert_cmpstr (suggest ("lowr"), ==, "lower");
  g_assert_cmpstr (suggest ("rnu"), ==, "run");
  g_assert_cmpstr (suggest ("exp"), ==, "export");
  g_assert_cmpstr (suggest ("doktor"), ==, "doctor");
  g_assert_null (suggest ("zzzzzz"));
  g_assert_null (suggest (""));
  g_assert_null (suggest ("x"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/suggest/distance", test_distance);
  g_test_add_func ("/suggest/offer", test_offer);
  return g_test_run ();
}
