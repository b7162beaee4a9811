/* Tests that members read through a layout are those that the scanner reads: random objects of a
 * few kinds, with other keys, other white space, members that occur twice, and broken text. */
#include "trace/json-layout.h"

#include <string.h>

#define N_TEXTS 400
#define N_OBJECTS 40

static guint8
identify (const HirJsonText *key)
{
  return key->length == 0 ? 0 : (guint8) (1 + (key->length * 7 + (guint8) *key->at) % 200);
}

typedef struct
{
  HirJson json;
  guint n_members, n_twice;
} Reading;

/* Reads the members of the next object with the scanner only. */
static gboolean
read_plain (Reading *reading, guint64 *numbers)
{
  gboolean first = TRUE, has_twice = FALSE;
  HirJsonNames names;
  HirJsonText key;

  hir_json_names_init (&names);
  if (!hir_json_enter (&reading->json))
    return FALSE;
  while (hir_json_next_member (&reading->json, &first, &key))
    {
      *numbers = *numbers * 31 + identify (&key);
      has_twice |= hir_json_names_add (&names, &key);
      reading->n_members++;
      hir_json_skip (&reading->json);
    }
  reading->n_twice += has_twice;
  return reading->json.error == NULL;
}

static gboolean
read_learned (Reading *reading, HirJsonLayout *layout, guint64 *numbers)
{
  HirJsonMembers members;
  guint number;

  if (!hir_json_enter (&reading->json))
    return FALSE;
  hir_json_members_init (&members, layout);
  while (hir_json_members_next (&members, &reading->json, &number))
    {
      *numbers = *numbers * 31 + number;
      reading->n_members++;
      hir_json_skip (&reading->json);
    }
  reading->n_twice += members.has_twice;
  return reading->json.error == NULL;
}

/* Reads an array of objects in both ways. Returns the number of members. */
static guint
compare (const char *text, gsize length, guint *n_twice)
{
  g_autofree HirJsonLayout *layout = g_new (HirJsonLayout, 1);
  Reading plain = { 0 }, learned = { 0 };
  gboolean first = TRUE, first_learned = TRUE, goes_on;

  hir_json_layout_init (layout, identify);
  hir_json_init (&plain.json, text, length);
  hir_json_init (&learned.json, text, length);
  goes_on = hir_json_enter (&plain.json);
  g_assert_cmpint (hir_json_enter (&learned.json), ==, goes_on);
  while (goes_on)
    {
      guint64 numbers = 0, numbers_learned = 0;

      goes_on = hir_json_next_element (&plain.json, &first) && read_plain (&plain, &numbers);
      g_assert_cmpint (hir_json_next_element (&learned.json, &first_learned) &&
                           read_learned (&learned, layout, &numbers_learned),
                       ==, goes_on);
      g_assert_cmpuint (numbers_learned, ==, numbers);
      g_assert_cmpuint (learned.n_members, ==, plain.n_members);
      g_assert_cmpuint (learned.n_twice, ==, plain.n_twice);
      g_assert_true (learned.json.at == plain.json.at);
    }
  g_assert_true (learned.json.error == plain.json.error);
  g_assert_true (learned.json.error_at == plain.json.error_at);
  g_assert_cmpint (learned.json.is_cut, ==, plain.json.is_cut);
  *n_twice += plain.n_twice;
  return plain.n_members;
}

static const char *const keys[] = {
  "ph",
  "",
  "a",
  "name",
  "External id",
  "registers per thread",
  "est. achieved occupancy %",
  "a name that is longer than the text of a node can be, so that it is never learned",
  "x\\\"y",
  "a",
  "pid",
  "tid",
};
static const char *const spaces[] = { "", " ", "\n    ", "\r\n\t\t", "            " };
static const char *const values[] = { "1", "-2.5e3", "\"s\"", "{\"a\": [1, {}]}", "[ ]", "null" };

#define PICK(rand, array) array[g_rand_int_range (rand, 0, G_N_ELEMENTS (array))]

/* Appends an object. The kind decides its keys and white space, apart from one change in a while.
 */
static void
append_object (GString *text, GRand *rand, guint32 kind, guint n_changes)
{
  g_autoptr (GRand) of_kind = g_rand_new_with_seed (kind);
  gint32 n = g_rand_int_range (of_kind, 0, kind % 5 == 0 ? 80 : 12);

  g_string_append_c (text, '{');
  for (gint32 i = 0; i < n; i++)
    {
      gboolean is_changed = n_changes > 0 && g_rand_int_range (rand, 0, 12) == 0;
      GRand *from = is_changed ? rand : of_kind;
      const char *space = PICK (of_kind, spaces), *key = PICK (of_kind, keys);
      gboolean has_number = g_rand_int_range (of_kind, 0, 2) == 0;

      if (is_changed)
        space = PICK (from, spaces), key = PICK (from, keys);
      g_string_append_printf (text, "%s%s\"%s", i > 0 ? "," : "", space, key);
      if (has_number)
        g_string_append_printf (text, "%d", is_changed ? g_rand_int_range (rand, 0, 1000) : i);
      g_string_append_printf (text, "\"%s:%s%s", i % 3 == 0 ? space : "", i % 2 == 0 ? space : "",
                              PICK (rand, values));
    }
  g_string_append (text, PICK (of_kind, spaces));
  g_string_append_c (text, '}');
}

static GString *
make_text (GRand *rand, guint n_kinds, guint n_changes)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < N_OBJECTS; i++)
    {
      append_object (text, rand, (guint32) g_rand_int_range (rand, 0, (gint32) n_kinds), n_changes);
      g_string_append (text, i + 1 < N_OBJECTS ? ", " : "]");
    }
  return text;
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint n_members = 0, n_twice = 0;

  for (guint i = 0; i < N_TEXTS; i++)
    {
      GString *text = make_text (rand, 1 + i % 20, i % 3);

      n_members += compare (text->str, text->len, &n_twice);
      g_string_free (text, TRUE);
    }
  g_assert_cmpuint (n_members, >, 10 * N_TEXTS);
  g_assert_cmpuint (n_twice, >, N_TEXTS);
}

/* Changes a byte, or cuts the text; without a byte behind it, so that sanitizers see each read. */
static void
test_broken (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  guint n_twice = 0;

  for (guint i = 0; i < N_TEXTS; i++)
    {
      GString *text = make_text (rand, 1 + i % 6, i % 2);
      gsize length = (gsize) g_rand_int_range (rand, 1, (gint32) text->len);
      g_autofree char *copy = NULL;

      if (i % 2 == 0)
        text->str[length] = PICK (rand, "{}[]\",: \\1a");
      else
        g_string_truncate (text, length);
      copy = g_memdup2 (text->str, text->len);
      compare (copy, text->len, &n_twice);
      g_string_free (text, TRUE);
    }
}

/* The second object is known from its first to its last bracket. */
static void
test_learned (void)
{
  static const char text[] = "{\"ph\": \"X\",\n  \"dur\":1 , \"ph\":2 }"
                             "{\"ph\": \"E\",\n  \"dur\":3 , \"ph\":4 }"
                             "                                                            ";
  g_autofree HirJsonLayout *layout = g_new (HirJsonLayout, 1);
  Reading reading = { 0 };
  guint64 numbers = 0;
  guint n;

  hir_json_layout_init (layout, identify);
  hir_json_init (&reading.json, text, strlen (text));
  g_assert_true (read_learned (&reading, layout, &numbers));
  n = layout->n;
  g_assert_cmpuint (n, ==, 5);
  g_assert_true (read_learned (&reading, layout, &numbers));
  g_assert_cmpuint (layout->n, ==, n);
  g_assert_cmpuint (reading.n_members, ==, 6);
  g_assert_cmpuint (reading.n_twice, ==, 2);
  g_assert_cmpint (reading.json.at[-1], ==, '}');
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-layout/learned", test_learned);
  g_test_add_func ("/json-layout/random", test_random);
  g_test_add_func ("/json-layout/broken", test_broken);
  return g_test_run ();
}
