/* Tests which words of a text become links. */
#include "base/links.h"

#include "draw/link-text.h"

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
  check ("before program line 12, in line 7",
         "before <a href=\"instruction/12\">program line 12</a>, in <a href=\"line/7\">line 7</a>");
  check ("Stream 2", "<a href=\"stream/2\">Stream 2</a>");
  check ("Default stream (Stream 0 in the program)",
         "<a href=\"stream/999\">Default stream</a> (Stream 0 in the program)");
  check ("Stream 0 (the default stream) at",
         "Stream 0 (the <a href=\"stream/999\">default stream</a>) at");
  check ("Stream 0x0 in the program", NULL);
  check ("ranks 0,12-3", "ranks <a href=\"rank/0\">0</a>,<a href=\"rank/12\">12</a>-"
                         "<a href=\"rank/3\">3</a>");
  check ("ranks 1 and 2 of 4", "ranks <a href=\"rank/1\">1</a> and <a href=\"rank/2\">2</a> of 4");
}

/* Words that only look like names. */
static void
test_not_found (void)
{
  check ("t5 MAT5 T5x rank3 ranks 3 line 0 streams 2 a.cc:60", NULL);
  check ("rank 12345678901", NULL);
}

/* Given words are links where they are not part of another word, and come first. */
static void
test_words (void)
{
  const HirLinkWords words[] = {
    { "a", "node/1" }, { "Allgather T5", "node/2" }, { "", "node/3" }, { NULL, "node/4" }
  };
  const char *text = "saab a1 a Allgather T5 a T5";
  g_autoptr (GRegex) pattern = hir_link_text_create_pattern ();
  g_autoptr (GArray) links = hir_link_text_find (pattern, text, words, G_N_ELEMENTS (words));
  const HirLink expected[] = { { 8, 9, (char *) "node/1" },
                               { 10, 22, (char *) "node/2" },
                               { 25, 27, (char *) "tensor/5" } };

  g_assert_cmpuint (links->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < links->len; i++)
    {
      const HirLink *link = &g_array_index (links, HirLink, i);

      g_assert_cmpuint (link->start, ==, expected[i].start);
      g_assert_cmpuint (link->end, ==, expected[i].end);
      g_assert_cmpstr (link->target, ==, expected[i].target);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/links/found", test_found);
  g_test_add_func ("/links/not-found", test_not_found);
  g_test_add_func ("/links/words", test_words);
  return g_test_run ();
}
