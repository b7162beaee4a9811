/* Token access and errors of the dump reader. */
#include "dump/read-dump-internal.h"

#include <string.h>

#define MAX_SHOWN 40

HirDumpNames *
hir_dump_names_new (HirContainer *container)
{
  HirDumpNames *names = g_new0 (HirDumpNames, 1);

  names->container = container;
  names->scalars = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  names->axes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  names->tensors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return names;
}

void
hir_dump_names_free (HirDumpNames *names)
{
  g_hash_table_unref (names->scalars);
  g_hash_table_unref (names->axes);
  g_hash_table_unref (names->tensors);
  g_free (names);
}

const HirDumpToken *
hir_dump_peek_at (const HirDumpReader *reader, guint ahead)
{
  guint at = MIN (reader->at + ahead, reader->tokens->len - 1);

  return &g_array_index (reader->tokens, HirDumpToken, at);
}

const HirDumpToken *
hir_dump_peek (const HirDumpReader *reader)
{
  return hir_dump_peek_at (reader, 0);
}

gboolean
hir_dump_at (const HirDumpReader *reader, const char *text)
{
  return hir_dump_token_is (hir_dump_peek (reader), text);
}

const HirDumpToken *
hir_dump_next (HirDumpReader *reader)
{
  const HirDumpToken *token = hir_dump_peek (reader);

  if (token->kind != HIR_DUMP_END)
    reader->at++;
  return token;
}

gboolean
hir_dump_accept (HirDumpReader *reader, const char *text)
{
  if (!hir_dump_at (reader, text))
    return FALSE;
  hir_dump_next (reader);
  return TRUE;
}

gboolean
hir_dump_expect (HirDumpReader *reader, const char *texts)
{
  while (*texts != '\0')
    {
      gsize n = strcspn (texts, " ");
      const HirDumpToken *token = hir_dump_peek (reader);

      if (token->length != n || memcmp (token->text, texts, n) != 0)
        {
          g_autofree char *what = g_strdup_printf ("`%.*s`", (int) n, texts);

          return hir_dump_fail_expected (reader, what);
        }
      hir_dump_next (reader);
      texts += n;
      texts += strspn (texts, " ");
    }
  return TRUE;
}

gboolean
hir_dump_fail (
    HirDumpReader *reader, const HirDumpToken *token, HirErrorCode code, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  /* The first error is the cause. */
  if (reader->error != NULL)
    return FALSE;
  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  hir_set_error (&reader->error, code, &token->pos, "%s", message);
  return FALSE;
}

gboolean
hir_dump_fail_expected (HirDumpReader *reader, const char *what)
{
  const HirDumpToken *token = hir_dump_peek (reader);

  if (token->kind == HIR_DUMP_END)
    return hir_dump_fail (reader, token, HIR_ERROR_SYNTAX, "expected %s, but the dump ends here",
                          what);
  return hir_dump_fail (reader, token, HIR_ERROR_SYNTAX, "expected %s, found `%.*s%s`", what,
                        (int) MIN (token->length, MAX_SHOWN), token->text,
                        token->length > MAX_SHOWN ? "..." : "");
}

gboolean
hir_dump_refuse (HirDumpReader *reader, const HirDumpToken *token, const char *what)
{
  return hir_dump_fail (reader, token, HIR_ERROR_UNSUPPORTED,
                        "%s is not supported by this version; remove it to see the rest", what);
}

char *
hir_dump_dup_text (const HirDumpReader *reader, guint from)
{
  GString *text = g_string_new (NULL);

  for (guint i = from; i < reader->at; i++)
    {
      const HirDumpToken *token = &g_array_index (reader->tokens, HirDumpToken, i);

      /* Without a blank, adjacent words or numbers would merge. */
      if (i > from && token->kind != HIR_DUMP_PUNCT && token[-1].kind != HIR_DUMP_PUNCT)
        g_string_append_c (text, ' ');
      g_string_append_len (text, token->text, token->length);
    }
  return g_string_free (text, FALSE);
}

void
hir_dump_stamp (HirDumpReader *reader, const HirDumpToken *token, const char *name)
{
  HirContainer *container = reader->names->container;

  hir_maker_begin (container, "dump", hir_hash_text (0, name));
  hir_maker_set_pos (container, token->pos);
}

gboolean
hir_dump_read_int (HirDumpReader *reader, gint64 *value)
{
  gboolean is_negative = hir_dump_accept (reader, "-");
  const HirDumpToken *token = hir_dump_peek (reader);
  gint64 n = 0;

  if (token->kind != HIR_DUMP_NUMBER)
    return hir_dump_fail_expected (reader, "a whole number");
  for (guint i = 0; i < token->length; i++)
    {
      if (!g_ascii_isdigit (token->text[i]))
        return hir_dump_fail_expected (reader, "a whole number");
      if (__builtin_mul_overflow (n, 10, &n) ||
          __builtin_add_overflow (n, token->text[i] - '0', &n))
        return hir_dump_fail (reader, token, HIR_ERROR_INPUT, "the number needs more than 64 bits");
    }
  *value = is_negative ? -n : n;
  hir_dump_next (reader);
  return TRUE;
}

gboolean
hir_dump_read_bool (HirDumpReader *reader, gboolean *value)
{
  *value = hir_dump_at (reader, "true");
  if (!*value && !hir_dump_at (reader, "false"))
    return hir_dump_fail_expected (reader, "true or false");
  hir_dump_next (reader);
  return TRUE;
}

gboolean
hir_dump_read_devices (HirDumpReader *reader, const char *close, GArray *devices)
{
  while (!hir_dump_accept (reader, close))
    {
      gint64 device;

      if (!hir_dump_read_int (reader, &device))
        return FALSE;
      g_array_append_val (devices, device);
      /* Older texts have commas. */
      hir_dump_accept (reader, ",");
    }
  return TRUE;
}

HirExpr *
hir_dump_new_expr (HirDumpReader *reader,
                   const HirDumpToken *start,
                   const char *name,
                   HirExprKind kind,
                   HirVal *const *inputs,
                   guint n_inputs,
                   HirTensor *out)
{
  g_autofree char *own = NULL;

  if (name == NULL && out != NULL)
    name = own = g_strdup_printf ("T%d", out->base.name);
  hir_dump_stamp (reader, start, name != NULL ? name : "");
  return hir_expr_new (reader->names->container, kind, inputs, n_inputs,
                       (HirVal *[]){ HIR_VAL (out) }, out != NULL ? 1 : 0);
}

HirExpr *
hir_dump_new_bare (HirDumpReader *reader,
                   const HirDumpToken *start,
                   HirExprKind kind,
                   const char *name)
{
  return hir_dump_new_expr (reader, start, name, kind, NULL, 0, NULL);
}
