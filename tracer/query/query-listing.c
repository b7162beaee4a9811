#include "query/query-listing.h"

#include <string.h>

#include "diagnostic.h"
#include "query/query-private.h"

typedef enum
{
  SOME_NAME,  /* the name contains the text */
  WHOLE_NAME, /* the name is the text */
  COMPARISON,
} WordKind;

/* A typed word. */
typedef struct
{
  WordKind kind;
  char *text;                   /* without quotes; the right side of a comparison */
  const HirQueryColumn *column; /* of a comparison */
  char op[3];
  gboolean is_quoted;
  guint at; /* its position, in characters from 1 */
} Word;

static void
word_clear (Word *word)
{
  g_free (word->text);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Word, word_clear)

static const HirQueryTable *
lookup_table (const char *name)
{
  for (const HirQueryTable *table = hir_query_get_event_tables (); table->name != NULL; table++)
    if (g_str_equal (table->name, name))
      return table;
  return NULL;
}

/* Finds the column whose name, without a unit, is the first @n bytes of @text. */
static const HirQueryColumn *
lookup_column (const HirQueryTable *table, const char *text, gsize n)
{
  for (const HirQueryColumn *column = table->columns; column->name != NULL; column++)
    {
      gsize length = strlen (column->name);

      if (strncmp (column->name, text, n) == 0 &&
          (length == n || g_str_equal (column->name + n, "_ns") ||
           g_str_equal (column->name + n, "_bytes")))
        return column;
    }
  return NULL;
}

/* Moves @at behind a text in quotes, in which "" is a quote. */
static char *
take_quoted (const char **at)
{
  GString *text = g_string_new (NULL);

  for (++*at; **at != '\0'; ++*at)
    {
      if (**at == '"' && (*at)[1] != '"')
        {
          ++*at;
          break;
        }
      *at += **at == '"';
      g_string_append_c (text, **at);
    }
  return g_string_free (text, FALSE);
}

static char *
take_plain (const char **at)
{
  const char *start = *at;

  while (**at != '\0' && **at != ' ')
    ++*at;
  return g_strndup (start, (gsize) (*at - start));
}

/* Reads the next word. Returns FALSE at the end. */
static gboolean
take_word (const HirQueryTable *table, const char *typed, const char **at, Word *word)
{
  static const char *const ops[] = { "!=", "<=", ">=", "=", "<", ">" };
  gsize n;

  while (**at == ' ')
    ++*at;
  if (**at == '\0')
    return FALSE;
  word->at = (guint) g_utf8_pointer_to_offset (typed, *at) + 1;
  n = strspn (*at, "abcdefghijklmnopqrstuvwxyz_");
  word->column = n > 0 ? lookup_column (table, *at, n) : NULL;
  for (guint i = 0; word->column != NULL && i < G_N_ELEMENTS (ops); i++)
    if (g_str_has_prefix (*at + n, ops[i]))
      {
        word->kind = COMPARISON;
        g_strlcpy (word->op, ops[i], sizeof word->op);
        *at += n + strlen (ops[i]);
        word->is_quoted = **at == '"';
        word->text = word->is_quoted ? take_quoted (at) : take_plain (at);
        return TRUE;
      }
  word->kind = **at == '"' ? WHOLE_NAME : SOME_NAME;
  word->text = word->kind == WHOLE_NAME ? take_quoted (at) : take_plain (at);
  return TRUE;
}

static void
append_text (GString *sql, const char *text)
{
  g_string_append_c (sql, '\'');
  for (; *text != '\0'; text++)
    g_string_append_printf (sql, *text == '\'' ? "''" : "%c", *text);
  g_string_append_c (sql, '\'');
}

/* Appends a number with a unit of time or size. Returns FALSE if the text is none. */
static gboolean
append_number (GString *sql, const char *text)
{
  static const struct
  {
    const char *unit;
    double factor;
  } units[] = { { "", 1 },
                { "ns", 1 },
                { "us", 1e3 },
                { "\302\265s", 1e3 },
                { "ms", 1e6 },
                { "s", 1e9 },
                { "B", 1 },
                { "KiB", 1024 },
                { "KB", 1e3 },
                { "MB", 1e6 },
                { "MiB", 1024 * 1024 } };
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  char *end;
  double value = g_ascii_strtod (text, &end);
  gint64 whole;
  char *end_whole;

  if (end == text || !(value >= -1e18 && value <= 1e18))
    return FALSE;
  /* Ids do not fit into a double. */
  whole = g_ascii_strtoll (text, &end_whole, 10);
  if (*end_whole == '\0')
    {
      g_string_append_printf (sql, "%" G_GINT64_FORMAT, whole);
      return TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_str_equal (end, units[i].unit))
      {
        g_string_append (sql,
                         g_ascii_formatd (buffer, sizeof buffer, "%.17g", value * units[i].factor));
        return TRUE;
      }
  return FALSE;
}

static gboolean
append_word (GString *sql, const Word *word, GError **error)
{
  const HirPos pos = { 1, word->at };

  if (word->kind == WHOLE_NAME)
    {
      g_string_append (sql, "name = ");
      append_text (sql, word->text);
      return TRUE;
    }
  if (word->kind == SOME_NAME)
    {
      g_autoptr (GString) pattern = g_string_new ("%");

      for (const char *at = word->text; *at != '\0'; at++)
        g_string_append_printf (pattern, strchr ("%_\\", *at) != NULL ? "\\%c" : "%c", *at);
      g_string_append_c (pattern, '%');
      g_string_append (sql, "name LIKE ");
      append_text (sql, pattern->str);
      g_string_append (sql, " ESCAPE '\\'");
      return TRUE;
    }
  if (!word->is_quoted && g_str_equal (word->text, "none") && strpbrk (word->op, "<>") == NULL)
    {
      g_string_append_printf (sql, "%s IS %sNULL", word->column->name,
                              word->op[0] == '!' ? "NOT " : "");
      return TRUE;
    }
  g_string_append_printf (sql, "%s %s ", word->column->name, word->op);
  if (g_str_equal (word->column->type, "TEXT"))
    append_text (sql, word->text);
  else if (!append_number (sql, word->text))
    {
      hir_set_error (error, HIR_ERROR_INPUT, &pos,
                     "'%s' is not a number for column %s; write, for example, %s%s%s", word->text,
                     word->column->name, word->column->name, word->op,
                     g_str_has_suffix (word->column->name, "_ns") ? "10us" : "1");
      return FALSE;
    }
  return TRUE;
}

static gboolean
append_conditions (GString *sql, const HirListing *listing, GError **error)
{
  const HirQueryTable *table = lookup_table (listing->table);
  const char *joint = " WHERE ", *at = listing->filter;

  g_return_val_if_fail (table != NULL, FALSE);
  if (listing->start_ns < listing->end_ns)
    {
      g_string_append_printf (sql,
                              "%sstart_ns < %" G_GINT64_FORMAT " AND end_ns > %" G_GINT64_FORMAT,
                              joint, listing->end_ns, listing->start_ns);
      joint = " AND ";
    }
  for (guint i = 0; listing->tracks != NULL && i < listing->tracks->len; i++)
    g_string_append_printf (sql, "%s%s%u", i > 0 ? ", " : joint, i > 0 ? "" : "track IN (",
                            g_array_index (listing->tracks, guint, i));
  if (listing->tracks != NULL)
    {
      g_string_append_c (sql, ')');
      joint = " AND ";
    }
  for (;;)
    {
      g_auto (Word) word = { 0 };

      if (!take_word (table, listing->filter, &at, &word))
        return TRUE;
      g_string_append (sql, joint);
      joint = " AND ";
      if (!append_word (sql, &word, error))
        return FALSE;
    }
}

char *
hir_listing_dup_sql (const HirListing *listing, const char *columns, GError **error)
{
  static const struct
  {
    const char *columns, *by;
  } groups[] = {
    [HIR_LISTING_NO_GROUP] = { NULL, NULL },
    [HIR_LISTING_BY_NAME] = { "name", "name" },
    [HIR_LISTING_BY_STREAM] = { "rank, stream, (SELECT t.name FROM tracks AS t WHERE t.id = "
                                "e.track) AS name, track",
                                "track" },
    [HIR_LISTING_BY_RANK] = { "rank", "rank" },
    [HIR_LISTING_BY_INSTRUCTION] = { "CASE WHEN e.instruction IS NULL THEN '(no instruction)' ELSE "
                                     "(SELECT i.label FROM instructions AS i WHERE i.id = "
                                     "e.instruction LIMIT 1) END AS label, instruction",
                                     "instruction" },
  };
  gboolean is_group = listing->group != HIR_LISTING_NO_GROUP;
  g_autoptr (GString) sql = g_string_new ("SELECT ");

  g_string_append (sql, is_group ? groups[listing->group].columns : columns);
  if (is_group)
    g_string_append (sql, ", count(*) AS n, sum(dur_ns) AS sum_ns, CAST(avg(dur_ns) AS INTEGER) AS "
                          "mean_ns, min(dur_ns) AS min_ns, max(dur_ns) AS max_ns");
  g_string_append_printf (sql, " FROM %s AS e", listing->table);
  if (!append_conditions (sql, listing, error))
    return NULL;
  if (is_group)
    g_string_append_printf (sql, " GROUP BY e.%s", groups[listing->group].by);
  if (listing->order != NULL)
    g_string_append_printf (sql, " ORDER BY %s%s", listing->order,
                            listing->is_descending ? " DESC" : "");
  else
    g_string_append (sql, is_group ? " ORDER BY sum_ns DESC" : " ORDER BY start_ns");
  /* Equal rows keep an order that does not depend on the column. */
  if (is_group)
    g_string_append_printf (sql, ", e.%s", groups[listing->group].by);
  else if (listing->order != NULL)
    g_string_append (sql, ", e.start_ns");
  return g_string_free (g_steal_pointer (&sql), FALSE);
}

char *
hir_listing_dup_name_word (const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "\"", -1);
  g_autofree char *doubled = g_strjoinv ("\"\"", parts);

  return g_strdup_printf ("\"%s\"", doubled);
}

const char *
hir_listing_get_column (const char *table, guint i)
{
  const HirQueryColumn *column = lookup_table (table)->columns;

  while (i > 0 && column->name != NULL)
    {
      column++;
      i--;
    }
  return column->name;
}
