#include "trace/short-names.h"

#include <string.h>

#include "print/printable.h"

#define MAX_ROUNDS 4   /* of making equal short names different */
#define MAX_CONTEXT 16 /* characters before the first one that differs */
#define ELLIPSIS "\342\200\246"

typedef struct
{
  const char *name; /* borrowed */
  char *full;       /* printable */
  char *plain;      /* without what few names differ in */
  char *shown;
} Entry;

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  g_free (entry->full);
  g_free (entry->plain);
  g_free (entry->shown);
  g_free (entry);
}

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

/* Returns the end of the parentheses that start at @at, or NULL if they have none. */
static const char *
find_end (const char *at)
{
  guint depth = 0;

  for (; *at != '\0'; at++)
    {
      depth += *at == '(';
      depth -= *at == ')';
      if (depth == 0)
        return at + 1;
    }
  return NULL;
}

/* Returns the end of a part that starts at @at and is left out, or NULL. @before: the character
 * before it. */
static const char *
skip_part (const char *at, char before)
{
  static const char *const parts[] = { "<unnamed>::", "(anonymous namespace)::",
                                       "::operator ()() const" };
  const char *end = at;
  gboolean starts = before == '\0' || before == '<' || before == ' ';

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (g_str_has_prefix (at, parts[i]))
      return at + strlen (parts[i]);
  if (starts && g_str_has_prefix (at, "void "))
    return at + 5;
  if (*at == '(')
    {
      end = find_end (at);
      /* The parameters of a function, or a cast, "(int)128". */
      return end != NULL && (is_word (before) || before == '>' ||
                             (starts && (g_ascii_isdigit (*end) || *end == '-')))
                 ? end
                 : NULL;
    }
  while (is_word (*end))
    end++;
  /* A namespace. */
  return end > at && !is_word (before) && g_str_has_prefix (end, "::") &&
                 (is_word (end[2]) || end[2] == '<' || end[2] == '(')
             ? end + 2
             : NULL;
}

/* Returns a name without namespaces, casts, parameters of functions and "void". */
static char *
dup_plain (const char *name)
{
  GString *plain = g_string_new (NULL);

  while (*name != '\0')
    {
      char before = plain->len > 0 ? plain->str[plain->len - 1] : '\0';
      const char *end = g_str_has_suffix (plain->str, "[lambda") ? NULL : skip_part (name, before);

      if (end != NULL)
        name = end;
      else
        g_string_append_c (plain, *name++);
    }
  return g_string_free (plain, FALSE);
}

/* Returns the first @head characters of @text, and those from @from, at most @max in all. */
static char *
dup_cut (const char *text, glong head, glong from, glong max)
{
  glong n = g_utf8_strlen (text, -1), rest = MIN (from, n), start = MIN (head, rest);
  glong room = max - start - (rest > start);
  gboolean is_cut = n - rest > room;
  g_autofree char *first = g_utf8_substring (text, 0, start);
  g_autofree char *last = g_utf8_substring (text, rest, is_cut ? rest + room - 1 : n);

  return g_strconcat (first, rest > start ? ELLIPSIS : "", last, is_cut ? ELLIPSIS : "", NULL);
}

static const char *
get_basis (const Entry *entry, gboolean is_full)
{
  return is_full ? entry->full : entry->plain;
}

/* Returns the number of characters with which the names of all @group start. */
static glong
get_common (const GPtrArray *group, gboolean is_full)
{
  const char *first = get_basis (g_ptr_array_index (group, 0), is_full);
  gsize n = strlen (first);

  for (guint i = 1; i < group->len; i++)
    {
      const char *other = get_basis (g_ptr_array_index (group, i), is_full);
      gsize k = 0;

      while (k < n && first[k] == other[k])
        k++;
      n = k;
    }
  while (n > 0 && (first[n] & 0xc0) == 0x80)
    n--;
  return g_utf8_pointer_to_offset (first, first + n);
}

/* Returns whether two of @group are equal without what is left out. */
static gboolean
has_equal_plain (const GPtrArray *group)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < group->len; i++)
    if (!g_hash_table_add (seen, ((Entry *) g_ptr_array_index (group, i))->plain))
      return TRUE;
  return FALSE;
}

/* Shows of each of @group, which look alike, its start and the part that differs. */
static void
separate (const GPtrArray *group, glong max)
{
  gboolean is_full = has_equal_plain (group);
  const char *first = get_basis (g_ptr_array_index (group, 0), is_full);
  const char *arguments = strchr (first, '<');
  glong common = get_common (group, is_full), from = common;
  glong head = arguments != NULL ? g_utf8_pointer_to_offset (first, arguments) : max;

  head = CLAMP (head, max / 4, max / 2);
  while (from > 0 && common - from < MAX_CONTEXT &&
         is_word (*g_utf8_offset_to_pointer (first, from - 1)))
    from--;
  from = MAX (from, head);
  for (guint i = 0; i < group->len; i++)
    {
      Entry *entry = g_ptr_array_index (group, i);

      g_free (entry->shown);
      entry->shown = dup_cut (get_basis (entry, is_full), head, from, max);
    }
}

/* Returns the entries by what is shown: char* -> GPtrArray of Entry. */
static GHashTable *
group_by_shown (GPtrArray *entries)
{
  GHashTable *groups =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);

  for (guint i = 0; i < entries->len; i++)
    {
      Entry *entry = g_ptr_array_index (entries, i);
      GPtrArray *group = g_hash_table_lookup (groups, entry->shown);

      if (group == NULL)
        {
          group = g_ptr_array_new ();
          g_hash_table_insert (groups, g_strdup (entry->shown), group);
        }
      g_ptr_array_add (group, entry);
    }
  return groups;
}

/* Returns FALSE if no two entries look alike. */
static gboolean
separate_all (GPtrArray *entries, glong max)
{
  g_autoptr (GHashTable) groups = group_by_shown (entries);
  gboolean any = FALSE;
  GHashTableIter iter;
  gpointer group;

  g_hash_table_iter_init (&iter, groups);
  while (g_hash_table_iter_next (&iter, NULL, &group))
    if (((GPtrArray *) group)->len > 1)
      {
        any = TRUE;
        separate (group, max);
      }
  return any;
}

/* Numbers entries that still look alike. */
static void
number_all (GPtrArray *entries, glong max)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < entries->len; i++)
    {
      Entry *entry = g_ptr_array_index (entries, i);

      for (guint n = 2; g_hash_table_contains (seen, entry->shown); n++)
        {
          g_autofree char *number = g_strdup_printf (" (%u)", n);
          g_autofree char *start = dup_cut (entry->full, 0, 0, max - (glong) strlen (number));

          g_free (entry->shown);
          entry->shown = g_strconcat (start, number, NULL);
        }
      g_hash_table_add (seen, entry->shown);
    }
}

GHashTable *
hir_dup_short_names (const GPtrArray *names, guint max_chars)
{
  GHashTable *table = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  glong max = (glong) max_chars;

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      Entry *entry;

      if (!g_hash_table_insert (table, (gpointer) name, NULL))
        continue;
      entry = g_new0 (Entry, 1);
      entry->name = name;
      entry->full = hir_printable_dup (name);
      entry->plain = dup_plain (entry->full);
      entry->shown = g_utf8_strlen (entry->full, -1) <= max ? g_strdup (entry->full)
                                                            : dup_cut (entry->plain, 0, 0, max);
      g_ptr_array_add (entries, entry);
    }
  for (guint i = 0; i < MAX_ROUNDS && separate_all (entries, max); i++)
    continue;
  number_all (entries, max);
  for (guint i = 0; i < entries->len; i++)
    {
      Entry *entry = g_ptr_array_index (entries, i);

      g_hash_table_insert (table, (gpointer) entry->name, g_steal_pointer (&entry->shown));
    }
  return table;
}
