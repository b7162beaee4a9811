/* Tests which words of a text become links. */
#include "base/links.h"

static void
check (const char *text, const char *expected)
{
  g_autofree char *markup = hir_links_dup_markup (text);

  g_assert_cmpstr (markup, ==, expected);
}

static void
test_found (void)
{
  check ("", NULL);
  check ("nothing, in line with T and rank", NULL);
  check ("a < b in line 60", "a &lt; b in <a href=\"line/60\">line 60</a>");
  check ("dir/a-b.py:60:5: bad", "<a href=\"line/60\">dir/a-b.py:60:5</a>: bad");
  check ("Rank 3, line 7: T12 & T0",
         "<a href=\"rank/3\">Rank 3</a>, <a href=\"line/7\">line 7</a>: "
         "<a href=\"tensor/12\">T12</a> &amp; <a href=\"tensor/0\">T0</a>");
  check ("Stream 2", "<a href=\"stream/2\">Stream 2</a>");
}

/* Words that only look like names. */
static void
test_not_found (void)
{
  check ("t5 MAT5 T5x rank3 ranks 3 line 0 streams 2 a.cc:60", NULL);
  check ("rank 12345678901", NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/links/found", test_found);
  g_test_add_func ("/links/not-found", test_not_found);
  return g_test_run ();
}
