/* Programs of several processes in one log. */
#include "program/log-ranks.h"

#include <string.h>

#define MAX_SHOWN_CHARS 160

gint64
hir_log_get_rank (const HirDump *dump)
{
  gint64 rank = -1;

  for (const char *at = dump->tag; *at != '\0'; at++)
    if (g_ascii_isdigit (*at) && (at == dump->tag || !g_ascii_isdigit (at[-1])))
      rank = g_ascii_strtoll (at, NULL, 10);
  return rank;
}

void
hir_log_put_first (GPtrArray *dumps, gint64 rank)
{
  const char *tag = NULL;
  guint n_first = 0;

  for (guint i = 0; i < dumps->len && tag == NULL; i++)
    if (hir_log_get_rank (dumps->pdata[i]) == rank)
      tag = ((const HirDump *) dumps->pdata[i])->tag;
  for (guint i = 0; i < dumps->len && tag != NULL; i++)
    {
      HirDump *dump = dumps->pdata[i];

      if (!g_str_equal (dump->tag, tag))
        continue;
      memmove (dumps->pdata + n_first + 1, dumps->pdata + n_first,
               (i - n_first) * sizeof (gpointer));
      dumps->pdata[n_first++] = dump;
    }
}

/* Returns the dump after number *@i with @tag, or NULL. */
static const HirDump *
next_of (const GPtrArray *dumps, const char *tag, guint *i)
{
  while (*i < dumps->len)
    {
      const HirDump *dump = dumps->pdata[(*i)++];

      if (g_str_equal (dump->tag, tag))
        return dump;
    }
  return NULL;
}

static char *
dup_shown (const char *line)
{
  g_autofree char *stripped = g_strstrip (g_strdup (line));

  if (g_utf8_strlen (stripped, -1) <= MAX_SHOWN_CHARS)
    return g_steal_pointer (&stripped);
  *g_utf8_offset_to_pointer (stripped, MAX_SHOWN_CHARS) = '\0';
  return g_strconcat (stripped, "\xe2\x80\xa6", NULL);
}

/* Returns NULL if both programs print the same. The format of 2025 has no addresses of streams,
 * which differ between processes. */
static char *
dup_difference (const HirDump *a, const HirDump *b)
{
  g_autofree char *text_a = hir_container_print (a->container, HIR_FORMAT_2025, NULL);
  g_autofree char *text_b = hir_container_print (b->container, HIR_FORMAT_2025, NULL);
  g_auto (GStrv) lines_a = g_strsplit (text_a, "\n", -1);
  g_auto (GStrv) lines_b = g_strsplit (text_b, "\n", -1);
  g_autofree char *line_a = NULL, *line_b = NULL;
  guint i = 0;

  if (strcmp (text_a, text_b) == 0)
    return NULL;
  while (lines_a[i] != NULL && lines_b[i] != NULL && strcmp (lines_a[i], lines_b[i]) == 0)
    i++;
  line_a = dup_shown (lines_a[i] != NULL ? lines_a[i] : "");
  line_b = dup_shown (lines_b[i] != NULL ? lines_b[i] : "");
  return g_strdup_printf ("`%s` instead of `%s`", line_b, line_a);
}

/* Adds a note where the programs with @tag differ from the first ones. Returns TRUE if there are as
 * many and all are equal. */
static gboolean
compare (const GPtrArray *dumps, const HirDump *first, const HirDump *other, GPtrArray *notes)
{
  guint i = 0, k = 0;

  for (;;)
    {
      const HirDump *a = next_of (dumps, first->tag, &i), *b = next_of (dumps, other->tag, &k);
      g_autofree char *difference = NULL;
      HirPos pos = { b != NULL ? b->line : other->line, 1 };

      if (a == NULL && b == NULL)
        return TRUE;
      if (a != NULL && b != NULL && (difference = dup_difference (a, b)) == NULL)
        continue;
      if (difference == NULL)
        difference =
            g_strdup_printf ("the log has %s programs of it", a != NULL ? "fewer" : "more");
      g_ptr_array_add (
          notes,
          hir_diagnostic_new (HIR_ERROR_INPUT, pos,
                              "the program%s%s of the process '%s' differs from that of '%s': %s",
                              a != NULL && a->pass_name != NULL ? " after " : "",
                              a != NULL && a->pass_name != NULL ? a->pass_name : "", other->tag,
                              first->tag, difference));
      return FALSE;
    }
}

void
hir_log_compare (const GPtrArray *dumps, GPtrArray *notes)
{
  g_autoptr (GHashTable) tags = g_hash_table_new (g_str_hash, g_str_equal);
  const HirDump *first = dumps->pdata[0];
  HirPos pos = { first->line, 1 };
  guint n_shown = 0, n_equal = 0, at = notes->len;

  for (guint i = 0; i < dumps->len; i++)
    {
      const HirDump *dump = dumps->pdata[i];

      n_shown += g_str_equal (dump->tag, first->tag);
      if (g_hash_table_add (tags, dump->tag) && i > 0 && !g_str_equal (dump->tag, first->tag))
        n_equal += compare (dumps, first, dump, notes);
    }
  if (n_shown < dumps->len)
    g_ptr_array_insert (
        notes, (int) at,
        hir_diagnostic_new (HIR_ERROR_INPUT, pos,
                            "the log has dumps of %u processes; only the %u with the line prefix "
                            "'%s' are shown; %u of the others have equal programs",
                            g_hash_table_size (tags), n_shown, first->tag, n_equal));
}
