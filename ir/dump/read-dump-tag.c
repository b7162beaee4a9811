/* What precedes a program on its lines: time stamps, and tags of processes. */
#include "dump/read-dump-internal.h"

#include <string.h>

/* A text of which the next characters are taken one by one. */
typedef struct
{
  const char *at;
  gsize left;
} Rest;

/* Takes the characters of @pattern: `9` is a digit, `a` a letter, `_` a digit or a blank; any other
 * character is itself. Takes nothing and returns FALSE if they do not follow. */
static gboolean
take (Rest *rest, const char *pattern)
{
  gsize n = strlen (pattern);

  if (rest->left < n)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      char c = rest->at[i];

      if (pattern[i] == '9'   ? !g_ascii_isdigit (c)
          : pattern[i] == 'a' ? !g_ascii_isalpha (c)
          : pattern[i] == '_' ? !g_ascii_isdigit (c) && c != ' '
                              : c != pattern[i])
        return FALSE;
    }
  rest->at += n;
  rest->left -= n;
  return TRUE;
}

static void
take_digits (Rest *rest)
{
  while (take (rest, "9"))
    ;
}

/* Takes 12:00:00, with a fraction and a zone. */
static gboolean
take_time (Rest *rest)
{
  if (!take (rest, "99:99:99"))
    return FALSE;
  if (take (rest, ".9") || take (rest, ",9"))
    take_digits (rest);
  if (!take (rest, "Z") && !take (rest, "+99:99") && !take (rest, "-99:99") &&
      !take (rest, "+9999"))
    take (rest, "-9999");
  return TRUE;
}

/* Takes seconds with at least 3 digits of a fraction: since 1970, or since the start. Blanks may
 * precede them in brackets only, where no number of a program is. */
static gboolean
take_seconds (Rest *rest, gboolean in_brackets)
{
  Rest next = *rest;

  while (in_brackets && take (&next, " "))
    ;
  if (!take (&next, "9"))
    return FALSE;
  take_digits (&next);
  if (!take (&next, ".999"))
    return FALSE;
  take_digits (&next);
  *rest = next;
  return TRUE;
}

/* Takes a date and a time, or one of them: ISO 8601, of syslog (`Apr  3`), of ctime, of glog. */
static gboolean
take_stamp (Rest *rest, gboolean in_brackets)
{
  Rest next = *rest;
  gboolean is_ctime = FALSE;

  if (take (&next, "9999-99-99") || take (&next, "9999/99/99") || take (&next, "99/99/9999"))
    {
      if (!take (&next, "T") && !take (&next, " ") && !take (&next, "-"))
        return FALSE;
    }
  else
    {
      if (take (&next, "aaa ") && !(is_ctime = take (&next, "aaa _9 ")) && !take (&next, "_9 "))
        return FALSE;
      if (next.at == rest->at)
        take (&next, "a9999 ");
    }
  if (!take_time (&next))
    {
      next = *rest;
      if (!take_seconds (&next, in_brackets))
        return FALSE;
    }
  else if (is_ctime)
    take (&next, " 9999");
  *rest = next;
  return TRUE;
}

/* Returns the length of the time stamp at the start of @text, with a blank behind it; 0 if there is
 * none. */
static gsize
stamp_length (const char *text, gsize length)
{
  static const char *const brackets[] = { "[]", "()", "<>" };
  Rest rest = { text, length };
  const char *open = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (brackets) && length > 0; i++)
    if (*text == brackets[i][0])
      {
        open = brackets[i];
        rest.at++;
        rest.left--;
      }
  if (rest.left == 0 || !take_stamp (&rest, open != NULL))
    return 0;
  if (open != NULL && !take (&rest, (const char[]){ open[1], '\0' }))
    return 0;
  if (rest.left == 0)
    return length;
  /* A number that continues is none, but a tag may follow at once. */
  if (g_ascii_isalnum (*rest.at) || *rest.at == '_')
    return 0;
  take (&rest, ":");
  take (&rest, " ");
  return length - rest.left;
}

char *
hir_dump_dup_tag (const char *text, gsize length)
{
  GString *tag = g_string_new (NULL);

  for (gsize at = 0; at < length;)
    {
      gsize n = stamp_length (text + at, length - at);

      if (n == 0)
        g_string_append_c (tag, text[at++]);
      at += n;
    }
  return g_strchomp (g_string_free (tag, FALSE));
}

gboolean
hir_dump_skip_tag (const char *tag, const char *text, gsize length, gsize *from, gsize *stamps)
{
  *from = *stamps = 0;
  for (;;)
    {
      gsize n = *from < length ? stamp_length (text + *from, length - *from) : 0;

      *from += n;
      *stamps += n;
      if (n > 0)
        continue;
      if (*tag == '\0')
        {
          /* The blanks before a time that follows the tag. */
          for (n = *from; n > 0 && n < length && text[n] == ' ';)
            n++;
          if (n == *from || n >= length || stamp_length (text + n, length - n) == 0)
            return TRUE;
          *stamps += n - *from;
          *from = n;
          continue;
        }
      if (*from >= length || text[*from] != *tag)
        return FALSE;
      ++*from;
      tag++;
    }
}
