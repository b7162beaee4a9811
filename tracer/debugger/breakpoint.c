#include "debugger/breakpoint.h"

#include <string.h>

#include "print/print.h"

typedef struct
{
  const char *text, *at;
  const HirBreakScope *scope;
  GError **error;
} Reader;

static gboolean
add_expr (HirExpr *expr, guint depth, gpointer user_data)
{
  g_hash_table_insert (user_data, &expr->node.id, expr);
  return TRUE;
}

/* All formats break lines in the same places. */
GPtrArray *
hir_instruction_numbers (HirContainer *program)
{
  GPtrArray *numbers = g_ptr_array_new ();
  g_autoptr (GHashTable) exprs = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GArray) spans = NULL;
  g_autofree char *text = hir_container_print (program, HIR_FORMAT_2025, &spans);
  guint line = 1, offset = 0;

  hir_container_foreach_expr (program, add_expr, exprs);
  for (guint i = 0; i < spans->len; i++)
    {
      const HirSpan *span = &g_array_index (spans, HirSpan, i);
      gpointer expr = NULL;

      for (; offset < span->start; offset++)
        line += text[offset] == '\n';
      /* An IF has another span for its ELSE. */
      if (!span->is_expr || !g_hash_table_steal_extended (exprs, &span->id, NULL, &expr))
        continue;
      g_ptr_array_set_size (numbers, (int) line);
      numbers->pdata[line - 1] = expr;
    }
  return numbers;
}

guint
hir_instruction_find (const GPtrArray *numbers, guint64 id)
{
  for (guint i = 0; i < numbers->len; i++)
    if (numbers->pdata[i] != NULL && ((const HirExpr *) numbers->pdata[i])->node.id == id)
      return i + 1;
  return 0;
}

void
hir_breakpoint_free (HirBreakpoint *breakpoint)
{
  g_clear_pointer (&breakpoint->condition, hir_debug_expr_free);
  g_clear_pointer (&breakpoint->ids, g_hash_table_unref);
  g_free (breakpoint->stream);
  g_free (breakpoint->text);
  g_free (breakpoint->failure);
  g_free (breakpoint);
}

static gboolean
reject (const Reader *reader, const char *at, HirErrorCode code, const char *what)
{
  const HirPos pos = { 1, 1 + (guint) g_utf8_pointer_to_offset (reader->text, at) };

  hir_set_error (reader->error, code, &pos, "%s", what);
  return FALSE;
}

static void
skip_space (Reader *reader)
{
  while (g_ascii_isspace (*reader->at))
    reader->at++;
}

/* Returns the next word, or "" at the end. */
static char *
dup_word (const Reader *reader)
{
  return g_strndup (reader->at, strcspn (reader->at, " \t"));
}

static gboolean
is_any_of (const char *word, const char *const *names)
{
  for (; *names != NULL; names++)
    if (g_ascii_strcasecmp (word, *names) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_called (const HirExpr *expr, const char *word)
{
  const HirExprInfo *info = hir_expr_kind_get_info (expr->kind);
  const char *collective = expr->kind == HIR_EXPR_COMMUNICATION
                               ? hir_comm_type_get_name (expr->u.comm.type)
                           : expr->kind == HIR_EXPR_P2P ? (expr->u.p2p.is_send ? "send" : "recv")
                                                        : "";

  return is_any_of (word, (const char *const[]){ info->name, info->cpp_name,
                                                 hir_expr_get_op_name (expr), collective, NULL });
}

static gboolean
writes_tensor (const HirExpr *expr, int name)
{
  const HirTensor *result = hir_expr_get_result (expr);

  for (guint i = 0; i < expr->n_outputs; i++)
    if (HIR_IS_TENSOR (expr->outputs[i]) && expr->outputs[i]->name == name)
      return TRUE;
  if (expr->kind == HIR_EXPR_P2P && !expr->u.p2p.is_send)
    result = expr->u.p2p.buffer;
  return result != NULL && result->base.name == name && expr->kind != HIR_EXPR_DEALLOCATE;
}

static gboolean
comes_from_line (const HirExpr *expr, guint line)
{
  if (expr->node.pos.line == line)
    return TRUE;
  if (hir_expr_posts_unit (expr))
    for (guint i = 0; i < expr->u.post.unit->fusion->exprs.len; i++)
      if (((const HirExpr *) expr->u.post.unit->fusion->exprs.items[i])->node.pos.line == line)
        return TRUE;
  return FALSE;
}

/* The parsed WHERE of a breakpoint. */
typedef struct
{
  guint64 id;     /* 0: none */
  guint64 number; /* 0: none */
  int tensor;     /* -1: none */
  guint line;     /* 0: none */
  const char *word;
} Where;

typedef struct
{
  HirBreakpoint *breakpoint;
  const Where *where;
} Collection;

static gboolean
collect_expr (HirExpr *expr, guint depth, gpointer user_data)
{
  const Collection *it = user_data;
  const Where *where = it->where;
  gboolean fits = where->id != 0       ? expr->node.id == where->id
                  : where->tensor >= 0 ? writes_tensor (expr, where->tensor)
                  : where->line > 0    ? comes_from_line (expr, where->line)
                                       : is_called (expr, where->word);

  if (fits)
    g_hash_table_add (it->breakpoint->ids, g_memdup2 (&expr->node.id, sizeof expr->node.id));
  return TRUE;
}

static void
collect (HirBreakpoint *breakpoint, HirContainer *program, const Where *where)
{
  g_autoptr (GPtrArray) numbers = NULL;
  Where found = { .tensor = -1 };

  if (where->number == 0)
    {
      hir_container_foreach_expr (program, collect_expr, &(Collection){ breakpoint, where });
      return;
    }
  numbers = hir_instruction_numbers (program);
  if (where->number > numbers->len || numbers->pdata[where->number - 1] == NULL)
    return;
  found.id = ((const HirExpr *) numbers->pdata[where->number - 1])->node.id;
  hir_container_foreach_expr (program, collect_expr, &(Collection){ breakpoint, &found });
}

/* Parses "FILE:LINE"; FILE is the full path of the source, its base name, or empty. */
static gboolean
read_line (const Reader *reader, const char *word, const HirContainer *program, Where *where)
{
  const char *colon = strrchr (word, ':');
  g_autofree char *file = colon != NULL ? g_strndup (word, (gsize) (colon - word)) : NULL;
  g_autofree char *base = NULL;
  g_autofree char *what = NULL;
  const char *path = program->source != NULL ? program->source->path : "";
  guint64 line;

  if (colon == NULL || !g_ascii_string_to_unsigned (colon + 1, 10, 1, G_MAXINT, &line, NULL))
    return FALSE;
  base = g_path_get_basename (path);
  where->line = (guint) line;
  if (*file == '\0' || g_str_equal (file, path) || g_str_equal (file, base))
    return TRUE;
  what = g_strdup_printf ("the program was read from %s, not from %s", path, file);
  return reject (reader, reader->at, HIR_ERROR_INPUT, what);
}

/* Parses "T5" or a printed name, "T5_g_float". Returns -1 if @word is no tensor. */
static int
read_tensor (const char *word)
{
  guint64 number;
  g_autofree char *digits = g_strndup (word + 1, strcspn (word + 1, "_"));

  if ((word[0] != 'T' && word[0] != 't') ||
      !g_ascii_string_to_unsigned (digits, 10, 0, G_MAXINT, &number, NULL))
    return -1;
  return (int) number;
}

/* Replaces the id in the text of the breakpoint by the line of the instruction. */
static void
name_by_number (HirBreakpoint *breakpoint, HirContainer *program, guint64 id)
{
  g_autoptr (GPtrArray) numbers = hir_instruction_numbers (program);
  guint number = hir_instruction_find (numbers, id);
  g_autofree char *text = g_steal_pointer (&breakpoint->text);

  breakpoint->text = number > 0 ? g_strdup_printf ("%u%s", number, text + strcspn (text, " \t"))
                                : g_steal_pointer (&text);
}

static gboolean
read_where (Reader *reader, HirBreakpoint *breakpoint)
{
  HirContainer *const *programs = reader->scope->programs;
  g_autofree char *word = dup_word (reader);
  g_autofree char *what = NULL;
  Where where = { .tensor = read_tensor (word), .word = word };
  gboolean is_number = g_ascii_string_to_unsigned (word, 10, 1, G_MAXINT, &where.number, NULL);
  gboolean is_id =
      *word == '@' && g_ascii_string_to_unsigned (word + 1, 16, 1, G_MAXUINT64, &where.id, NULL);

  if (!is_number && where.tensor < 0 && strchr (word, ':') != NULL &&
      !read_line (reader, word, programs[0], &where))
    return *reader->error == NULL
               ? reject (reader, reader->at, HIR_ERROR_SYNTAX, "invalid location; use FILE:LINE")
               : FALSE;
  breakpoint->ids = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  breakpoint->tensor = is_number ? -1 : where.tensor;
  for (guint i = 0; i < (is_number ? 1 : reader->scope->n_programs); i++)
    collect (breakpoint, programs[i], &where);
  if (breakpoint->kind == HIR_WATCH && (where.tensor < 0 || is_number))
    return reject (reader, reader->at, HIR_ERROR_SYNTAX,
                   "watch requires a tensor, for example: watch T5");
  if (g_hash_table_size (breakpoint->ids) > 0)
    {
      /* Watch the memory: other tensors may share it. */
      if (breakpoint->kind == HIR_WATCH)
        g_clear_pointer (&breakpoint->ids, g_hash_table_unref);
      reader->at += strlen (word);
      if (is_id)
        name_by_number (breakpoint, programs[0], where.id);
      return TRUE;
    }
  what = g_strdup_printf (is_number           ? "no instruction starts in program line %s; see list"
                          : where.tensor >= 0 ? "no instruction writes %s; see list"
                          : where.line > 0    ? "no instruction comes from %s; see list"
                                              : "there is no instruction, kind or op named %s in "
                                                "this program; see list and help break",
                          word);
  return reject (reader, reader->at, HIR_ERROR_INPUT, what);
}

static gboolean
read_number (Reader *reader, const char *name, gint64 *number)
{
  g_autofree char *word = NULL;
  g_autofree char *what = NULL;

  word = dup_word (reader);
  if (g_ascii_string_to_signed (word, 10, 0, G_MAXINT, number, NULL))
    {
      reader->at += strlen (word);
      return TRUE;
    }
  what = g_strdup_printf ("%s takes a number, 0 or more", name);
  return reject (reader, reader->at, HIR_ERROR_SYNTAX, what);
}

static gboolean
read_condition (Reader *reader, HirBreakpoint *breakpoint, const HirDebugNames *names)
{
  g_autoptr (GError) cause = NULL;
  HirPos pos;

  skip_space (reader);
  breakpoint->condition = hir_debug_expr_parse (reader->at, &cause);
  if (breakpoint->condition != NULL && hir_debug_expr_check (breakpoint->condition, names, &cause))
    {
      reader->at += strlen (reader->at);
      return TRUE;
    }
  pos = hir_error_get_pos (cause);
  return reject (reader, g_utf8_offset_to_pointer (reader->at, pos.column > 0 ? pos.column - 1 : 0),
                 (HirErrorCode) cause->code, cause->message);
}

/* Returns why no instruction of @breakpoint can have @number (transfer full), or NULL. */
static char *
reject_number (const HirBreakScope *scope,
               const HirBreakpoint *breakpoint,
               const char *name,
               gint64 number)
{
  if (scope->sizes == NULL)
    return NULL;
  return *name == 'i'   ? hir_break_scope_reject_iteration (scope, breakpoint->ids, number)
         : *name == 's' ? hir_break_scope_reject_stream (scope, number)
                        : hir_break_scope_reject_rank (scope, number);
}

/* Parses one of "iteration N", "rank N", "stream N", "if EXPR". */
static gboolean
read_restriction (Reader *reader, HirBreakpoint *breakpoint, const HirDebugNames *names)
{
  g_autofree char *word = dup_word (reader);
  const char *start = reader->at;
  g_autofree char *why = NULL;
  gint64 number;

  reader->at += strlen (word);
  if (g_str_equal (word, "if"))
    return read_condition (reader, breakpoint, names);
  if (!is_any_of (word, (const char *const[]){ "iteration", "rank", "stream", NULL }))
    return reject (reader, start, HIR_ERROR_SYNTAX,
                   "unknown condition; use iteration N, rank N, stream N or if EXPR");
  skip_space (reader);
  start = reader->at;
  if (!read_number (reader, word, &number))
    return FALSE;
  why = reject_number (reader->scope, breakpoint, word, number);
  if (why != NULL)
    return reject (reader, start, HIR_ERROR_INPUT, why);
  if (*word == 'i')
    breakpoint->iteration = number;
  else if (*word == 'r')
    breakpoint->rank = number;
  else
    {
      g_free (breakpoint->stream);
      breakpoint->stream = g_strdup_printf ("Stream %" G_GINT64_FORMAT, number);
    }
  return TRUE;
}

static gboolean
is_restriction (const char *word)
{
  return is_any_of (word, (const char *const[]){ "iteration", "rank", "stream", "if", NULL });
}

HirBreakpoint *
hir_breakpoint_new (HirBreakKind kind,
                    const char *text,
                    const HirBreakScope *scope,
                    const HirDebugNames *names,
                    GError **error)
{
  g_autoptr (HirBreakpoint) breakpoint = g_new0 (HirBreakpoint, 1);
  g_autoptr (GError) local = NULL;
  Reader reader = { text, text, scope, &local };
  g_autofree char *first = NULL;
  gboolean ok;

  breakpoint->kind = kind;
  breakpoint->text = g_strstrip (g_strdup (text));
  breakpoint->tensor = breakpoint->iteration = breakpoint->rank = -1;
  skip_space (&reader);
  first = dup_word (&reader);
  if (*first == '\0')
    ok = reject (&reader, reader.at, HIR_ERROR_SYNTAX, "no location given; see help break");
  else
    ok = (kind == HIR_BREAK && is_restriction (first)) || read_where (&reader, breakpoint);
  skip_space (&reader);
  while (ok && *reader.at != '\0')
    {
      ok = read_restriction (&reader, breakpoint, names);
      skip_space (&reader);
    }
  breakpoint->is_after =
      kind == HIR_WATCH || (breakpoint->tensor >= 0 && breakpoint->condition != NULL &&
                            hir_debug_expr_reads (breakpoint->condition, breakpoint->tensor));
  if (ok)
    return g_steal_pointer (&breakpoint);
  g_propagate_error (error, g_steal_pointer (&local));
  return NULL;
}
