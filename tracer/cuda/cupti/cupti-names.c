#include "cuda/cupti/cupti-names.h"

#include <string.h>

#define MAX_CHARS 48

/* Reads a length and that many characters, and moves *@at behind them. Returns FALSE if there are
 * none. */
static gboolean
read_part (const char **at, const char **part, gsize *n)
{
  const char *digits = *at;
  gsize length = 0;

  while (g_ascii_isdigit (*digits) && length < 100000)
    length = length * 10 + (gsize) (*digits++ - '0');
  if (digits == *at || length == 0 || strnlen (digits, length) < length)
    return FALSE;
  *part = digits;
  *n = length;
  *at = digits + length;
  return TRUE;
}

static gboolean
is_wrapper (const char *part, gsize n)
{
  static const char *const names[] = { "Kernel", "Kernel2", "device_kernel", NULL };

  for (guint i = 0; names[i] != NULL; i++)
    if (strlen (names[i]) == n && strncmp (names[i], part, n) == 0)
      return TRUE;
  return FALSE;
}

/* Returns whether a name is meaningless without its namespace. */
static gboolean
is_vague (const char *part, gsize n)
{
  return n == strlen ("kernel") && strncmp (part, "kernel", n) == 0;
}

/* Returns the last part of the (nested) name of a C++ symbol, or the first template argument if the
 * template only wraps a kernel. Returns NULL if @symbol is not mangled. */
static char *
demangle (const char *symbol)
{
  const char *at = symbol + 2, *part, *argument, *before = NULL;
  gsize n, n_argument, n_before = 0;
  gboolean is_nested;

  if (!g_str_has_prefix (symbol, "_Z"))
    return NULL;
  is_nested = *at == 'N';
  if (is_nested)
    at++;
  if (!read_part (&at, &part, &n))
    return NULL;
  while (is_nested && read_part (&at, &argument, &n_argument))
    {
      before = part;
      n_before = n;
      part = argument;
      n = n_argument;
    }
  if (*at == 'I' && is_wrapper (part, n))
    {
      at++;
      if (*at == 'N')
        at++;
      if (read_part (&at, &argument, &n_argument))
        return g_strndup (argument, n_argument);
    }
  if (before != NULL && is_vague (part, n))
    return g_strdup_printf ("%.*s::kernel", (int) n_before, before);
  return g_strndup (part, n);
}

/* Cuts a long @name at the last `_` in its second half. */
static char *
shorten (const char *name)
{
  gsize n = MAX_CHARS - 1;

  if (g_utf8_strlen (name, -1) <= MAX_CHARS)
    return g_strdup (name);
  while (n > MAX_CHARS / 2 && name[n] != '_')
    n--;
  if (name[n] != '_')
    n = MAX_CHARS - 1;
  while (n > 0 && ((guchar) name[n] & 0xc0) == 0x80)
    n--;
  return g_strdup_printf ("%.*s…", (int) n, name);
}

char *
hir_kernel_dup_short_name (const char *symbol)
{
  g_autofree char *name = demangle (symbol);
  g_autofree char *valid = NULL;
  char *end;

  if (name == NULL)
    name = g_strdup (symbol);
  /* An already demangled symbol has arguments. */
  end = strpbrk (name, "(<");
  if (end != NULL && end > name)
    *end = '\0';
  valid = g_utf8_make_valid (g_str_has_prefix (name, "void ") ? name + 5 : name, -1);
  return shorten (valid);
}
