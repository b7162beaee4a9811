#include "debugger/debug-breaks.h"

#include <string.h>

#include "brief.h"
#include "diagnostic.h"

#define WATCH "watch "

void
hir_break_free (HirBreak *item)
{
  g_free (item->where);
  g_free (item->iteration);
  g_free (item->rank);
  g_free (item->stream);
  g_free (item->condition);
  g_free (item->label);
  g_free (item->why);
  g_array_unref (item->ids);
  g_free (item);
}

GPtrArray *
hir_debug_breaks_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) hir_break_free);
}

static const char *
skip_space (const char *at)
{
  while (g_ascii_isspace (*at))
    at++;
  return at;
}

/* Returns the word at *@at and moves *@at to the next word. */
static char *
take_word (const char **at)
{
  gsize n = strcspn (*at, " \t");
  char *word = g_strndup (*at, n);

  *at = skip_space (*at + n);
  return word;
}

static char **
get_restriction (HirBreak *item, const char *word)
{
  return g_str_equal (word, "iteration") ? &item->iteration
         : g_str_equal (word, "rank")    ? &item->rank
         : g_str_equal (word, "stream")  ? &item->stream
         : g_str_equal (word, "if")      ? &item->condition
                                         : NULL;
}

static void
fill_blanks (HirBreak *item)
{
  char **parts[] = { &item->where, &item->iteration, &item->rank, &item->stream, &item->condition };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (*parts[i] == NULL)
      *parts[i] = g_strdup ("");
}

/* Splits valid text; invalid parts are ignored. */
static HirBreak *
split (const char *text, gboolean is_watch)
{
  HirBreak *item = g_new0 (HirBreak, 1);
  const char *at = skip_space (text);
  gboolean is_first = TRUE;

  item->is_watch = is_watch;
  item->ids = g_array_new (FALSE, FALSE, sizeof (guint64));
  for (; *at != '\0'; is_first = FALSE)
    {
      g_autofree char *word = take_word (&at);
      char **restriction = get_restriction (item, word);

      if (restriction != NULL && g_str_equal (word, "if"))
        {
          *restriction = g_strchomp (g_strdup (at));
          break;
        }
      if (restriction != NULL)
        {
          g_free (*restriction);
          *restriction = take_word (&at);
        }
      else if (is_first)
        {
          item->where = g_steal_pointer (&word);
        }
    }
  fill_blanks (item);
  return item;
}

/* Returns the instruction from the first program that has it, or NULL. *@number is its line in
 * the first program, or 0. */
static const HirExpr *
find_instruction (const HirBreakPrograms *programs, guint64 id, guint *number)
{
  *number = 0;
  for (guint i = 0; i < programs->n_programs; i++)
    {
      g_autoptr (GPtrArray) numbers = hir_instruction_numbers (programs->programs[i]);
      guint found = hir_instruction_find (numbers, id);

      if (found == 0)
        continue;
      *number = i == 0 ? found : 0;
      return numbers->pdata[found - 1];
    }
  return NULL;
}

static void
take_ids (HirBreak *item, GHashTable *ids)
{
  GHashTableIter iter;
  gpointer id;

  g_array_set_size (item->ids, 0);
  if (ids == NULL)
    return;
  g_hash_table_iter_init (&iter, ids);
  while (g_hash_table_iter_next (&iter, &id, NULL))
    g_array_append_val (item->ids, *(guint64 *) id);
}

/* Binds a breakpoint to the instructions of @programs. A watchpoint stops after each writer; the
 * writers known in advance are displayed. */
static void
bind (HirBreak *item, const HirBreakPrograms *programs, GError **error)
{
  HirDebugView view = { NULL, 0, programs->programs, programs->n_programs };
  const HirBreakScope scope = { programs->programs, programs->n_programs, NULL };
  g_autofree char *line = hir_break_dup_line (item);
  g_autoptr (HirBreakpoint) breakpoint = NULL;
  const HirExpr *expr;
  HirDebugNames names;
  guint number;

  /* The instructions of a recording are identified by id only. */
  if (programs->n_programs == 0)
    {
      g_array_set_size (item->ids, 0);
      if (item->id != 0)
        g_array_append_val (item->ids, item->id);
      return;
    }
  hir_debug_view_init_names (&view, &names);
  breakpoint = hir_breakpoint_new (item->is_watch ? HIR_WATCH : HIR_BREAK,
                                   skip_space (strchr (line, ' ')), &scope, &names, error);
  take_ids (item, breakpoint != NULL ? breakpoint->ids : NULL);
  if (item->id == 0)
    return;
  expr = find_instruction (programs, item->id, &number);
  g_free (item->where);
  item->where = number > 0 ? g_strdup_printf ("%u", number) : g_strdup ("");
  if (expr == NULL)
    return;
  g_free (item->label);
  item->label = hir_brief_expr_label (expr);
}

HirBreak *
hir_break_new (const char *text, const HirBreakPrograms *programs, GError **error)
{
  const char *at = skip_space (text);
  gboolean is_watch = g_str_has_prefix (at, WATCH);
  g_autoptr (HirBreakpoint) breakpoint = NULL;
  HirDebugView view = { NULL, 0, programs->programs, programs->n_programs };
  const HirBreakScope scope = { programs->programs, programs->n_programs, NULL };
  HirBreak *item;
  HirDebugNames names;
  GError *cause = NULL;

  at = is_watch ? skip_space (at + strlen (WATCH)) : at;
  if (programs->n_programs == 0)
    {
      item = split (at, is_watch);
      if (*item->where == '@')
        {
          item->id = g_ascii_strtoull (item->where + 1, NULL, 16);
          *item->where = '\0';
        }
      bind (item, programs, NULL);
      return item;
    }
  hir_debug_view_init_names (&view, &names);
  breakpoint = hir_breakpoint_new (is_watch ? HIR_WATCH : HIR_BREAK, at, &scope, &names, &cause);
  if (breakpoint == NULL)
    {
      HirPos pos = hir_error_get_pos (cause);

      pos.column += (guint) g_utf8_pointer_to_offset (text, at);
      hir_set_error (error, (HirErrorCode) cause->code, &pos, "%s", cause->message);
      g_error_free (cause);
      return NULL;
    }
  item = split (at, is_watch);
  take_ids (item, breakpoint->ids);
  if ((g_ascii_isdigit (*item->where) || *item->where == '@') && item->ids->len == 1)
    item->id = g_array_index (item->ids, guint64, 0);
  bind (item, programs, NULL);
  return item;
}

static void
append_restrictions (const HirBreak *item, GString *out)
{
  const struct
  {
    const char *word, *value;
  } all[] = { { "iteration", item->iteration },
              { "rank", item->rank },
              { "stream", item->stream },
              { "if", item->condition } };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (*all[i].value != '\0')
      g_string_append_printf (out, "%s%s %s", out->len > 0 ? " " : "", all[i].word, all[i].value);
}

char *
hir_break_dup_text (const HirBreak *item)
{
  GString *out = g_string_new (*item->where != '\0' || item->id == 0 ? item->where
                               : item->label != NULL                 ? item->label
                                                                     : "?");

  append_restrictions (item, out);
  if (item->is_watch)
    g_string_prepend (out, WATCH);
  return g_string_free (out, FALSE);
}

char *
hir_break_dup_line (const HirBreak *item)
{
  g_autoptr (GString) rest = g_string_new (NULL);
  g_autofree char *id = g_strdup_printf ("@%016" G_GINT64_MODIFIER "x", item->id);

  g_string_append (rest, item->id != 0 ? id : item->where);
  append_restrictions (item, rest);
  return g_strdup_printf ("%s %s", item->is_watch ? "watch" : "break", rest->str);
}

void
hir_debug_breaks_add (GPtrArray *breaks, HirBreak *item)
{
  guint last = 0;

  for (guint i = 0; i < breaks->len; i++)
    last = MAX (last, ((const HirBreak *) breaks->pdata[i])->key);
  item->key = last + 1;
  g_ptr_array_add (breaks, item);
}

HirBreak *
hir_debug_breaks_lookup (GPtrArray *breaks, guint key)
{
  for (guint i = 0; i < breaks->len; i++)
    if (((const HirBreak *) breaks->pdata[i])->key == key)
      return breaks->pdata[i];
  return NULL;
}

void
hir_debug_breaks_replace (GPtrArray *breaks, guint key, HirBreak *item)
{
  HirBreak *old = hir_debug_breaks_lookup (breaks, key);
  guint i;

  g_return_if_fail (old != NULL && g_ptr_array_find (breaks, old, &i));
  item->key = key;
  item->number = old->number;
  item->is_disabled = old->is_disabled;
  hir_break_free (old);
  breaks->pdata[i] = item;
}

gboolean
hir_debug_breaks_remove (GPtrArray *breaks, guint key)
{
  HirBreak *item = hir_debug_breaks_lookup (breaks, key);

  return item != NULL && g_ptr_array_remove (breaks, item);
}

HirBreak *
hir_debug_breaks_find (GPtrArray *breaks, guint64 id)
{
  for (guint i = 0; i < breaks->len; i++)
    {
      HirBreak *item = breaks->pdata[i];

      if (id != 0 && item->id == id && !item->is_watch)
        return item;
    }
  return NULL;
}

void
hir_debug_breaks_bind (GPtrArray *breaks, const HirBreakPrograms *programs)
{
  for (guint i = 0; i < breaks->len; i++)
    {
      HirBreak *item = breaks->pdata[i];
      g_autoptr (GError) error = NULL;
      guint number;

      g_clear_pointer (&item->why, g_free);
      bind (item, programs, &error);
      if (error == NULL)
        continue;
      item->why =
          item->id != 0 && find_instruction (programs, item->id, &number) == NULL
              ? g_strdup ("instruction not in the current program; active again when it is back")
              : g_strdup (error->message);
    }
}

GArray *
hir_debug_breaks_dup_ids (GPtrArray *breaks, gboolean disabled)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint64));

  for (guint i = 0; i < breaks->len; i++)
    {
      const HirBreak *item = breaks->pdata[i];

      if (item->ids->len > 0 && !item->is_watch && item->is_disabled == disabled)
        g_array_append_vals (ids, item->ids->data, item->ids->len);
    }
  return ids;
}

static HirBreak *
find_number (GPtrArray *breaks, guint number)
{
  for (guint i = 0; number > 0 && i < breaks->len; i++)
    if (((const HirBreak *) breaks->pdata[i])->number == number)
      return breaks->pdata[i];
  return NULL;
}

static gboolean
has_number (const HirDebugState *state, guint number)
{
  for (guint i = 0; i < state->breakpoints->len; i++)
    if (((const HirDebugStateBreak *) state->breakpoints->pdata[i])->number == number)
      return TRUE;
  return FALSE;
}

gboolean
hir_debug_breaks_answer (GPtrArray *breaks, guint key, const HirDebugState *state)
{
  HirBreak *item = hir_debug_breaks_lookup (breaks, key);
  guint number = 0;

  if (item == NULL)
    return FALSE;
  item->is_pending = FALSE;
  if (state->error != NULL)
    {
      g_free (item->why);
      item->why = g_strdup (state->error);
      return FALSE;
    }
  /* Numbers increase: the largest one is new. */
  for (guint i = 0; i < state->breakpoints->len; i++)
    number = MAX (number, ((const HirDebugStateBreak *) state->breakpoints->pdata[i])->number);
  if (find_number (breaks, number) == NULL)
    item->number = number;
  return item->number > 0;
}

static void
adopt (GPtrArray *breaks, const HirDebugStateBreak *from, const HirBreakPrograms *programs)
{
  HirBreak *item = split (from->text, from->is_watch);

  if (from->ids->len > 0)
    g_array_append_vals (item->ids, from->ids->data, from->ids->len);
  if (g_ascii_isdigit (*item->where) && from->ids->len == 1)
    item->id = g_array_index (from->ids, guint64, 0);
  bind (item, programs, NULL);
  item->number = from->number;
  item->is_disabled = from->is_disabled;
  item->n_hits = from->n_hits;
  hir_debug_breaks_add (breaks, item);
}

void
hir_debug_breaks_take (GPtrArray *breaks,
                       const HirDebugState *state,
                       const HirBreakPrograms *programs)
{
  for (guint i = breaks->len; i-- > 0;)
    {
      HirBreak *item = breaks->pdata[i];

      if (item->number == 0 || has_number (state, item->number))
        continue;
      item->number = 0;
      if (!item->is_pending)
        g_ptr_array_remove_index (breaks, i);
    }
  for (guint i = 0; i < state->breakpoints->len; i++)
    {
      const HirDebugStateBreak *from = state->breakpoints->pdata[i];
      HirBreak *item = find_number (breaks, from->number);

      if (item == NULL && !from->is_temporary)
        adopt (breaks, from, programs);
      if (item == NULL)
        continue;
      item->n_hits = from->n_hits;
      item->is_disabled = from->is_disabled;
      if (item->id != 0 && programs->n_programs == 0 && g_ascii_isdigit (*from->text))
        {
          g_free (item->where);
          item->where = g_strndup (from->text, strspn (from->text, "0123456789"));
        }
    }
}

void
hir_debug_breaks_forget_numbers (GPtrArray *breaks)
{
  for (guint i = 0; i < breaks->len; i++)
    {
      HirBreak *item = breaks->pdata[i];

      item->number = 0;
      item->is_pending = FALSE;
    }
}
