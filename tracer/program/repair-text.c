/* Places are found from the positions of instructions and the indentation of lines. */
#include "program/repair-text.h"

#include <string.h>

#include "analysis/sync-check.h"

/* Where an instruction may be inserted: before an instruction, or at the end of a block. */
typedef struct
{
  int at;
  guint indent;
  int parent;          /* line that starts the block */
  const HirExpr *next; /* NULL at the end of a block */
} Place;

/* A loop of the text that selects a stream. */
typedef struct
{
  int line, parent;
  const char *header;
  char *inner;        /* the stream that the body selects first */
  const char *getter; /* nullable: the line of the body that names the current stream */
} Loop;

HirRepairEdit *
hir_repair_edit_new (int at, guint indent, const char *lines, int gone)
{
  HirRepairEdit *edit = g_new0 (HirRepairEdit, 1);

  *edit = (HirRepairEdit){ .at = at, .gone = gone, .indent = indent, .lines = g_strdup (lines) };
  edit->n_lines = *lines != '\0';
  for (const char *c = lines; *c != '\0'; c++)
    edit->n_lines += *c == '\n';
  return edit;
}

void
hir_repair_edit_free (HirRepairEdit *edit)
{
  g_free (edit->lines);
  g_free (edit->frees);
  g_free (edit);
}

static const char *
get_line (const HirRepairText *text, int i)
{
  return g_ptr_array_index (text->lines, i);
}

static guint
get_indent (const HirRepairText *text, int i)
{
  return (guint) strspn (get_line (text, i), " ");
}

/* Returns line @i without its indentation. */
static const char *
get_words (const HirRepairText *text, int i)
{
  return get_line (text, i) + get_indent (text, i);
}

/* Returns the first line after statement @i, including its block, that is indented at most as far
 * as the statement. */
static int
find_end (const HirRepairText *text, int i)
{
  guint indent = get_indent (text, i);
  int end = i + 1;

  while (end < (int) text->lines->len &&
         (*get_words (text, end) == '\0' || get_indent (text, end) > indent))
    end++;
  return end;
}

static int
find_parent (const HirRepairText *text, int at, guint indent)
{
  int parent = at - 1;

  while (parent > 0 && (*get_words (text, parent) == '\0' || get_indent (text, parent) >= indent))
    parent--;
  return parent;
}

static gboolean
add_places (HirExpr *expr, guint depth, gpointer user_data)
{
  HirRepairText *text = user_data;
  int line = (int) expr->node.pos.line - 1;
  Place place;
  int end;

  if (line <= 0 || line >= (int) text->lines->len)
    return TRUE;
  place = (Place){ line, get_indent (text, line), 0, expr };
  place.parent = find_parent (text, line, place.indent);
  g_array_append_val (text->places, place);
  end = find_end (text, line);
  if (end < (int) text->lines->len && get_indent (text, end) < place.indent)
    {
      place.at = end;
      place.next = NULL;
      g_array_append_val (text->places, place);
    }
  return TRUE;
}

/* The last place first, inner blocks before outer ones. */
static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Place *x = a, *y = b;

  if (x->at != y->at)
    return x->at > y->at ? -1 : 1;
  return x->indent > y->indent ? -1 : x->indent < y->indent;
}

/* Returns the stream that a line selects, waits for or names (transfer full), or NULL. @word: the
 * instruction. */
static char *
dup_operand (const HirRepairText *text, int i, const char *word)
{
  const char *words = get_words (text, i);
  char *operand;

  if (!g_str_has_prefix (words, word))
    return NULL;
  operand = g_strstrip (g_strdup (words + strlen (word)));
  if (g_str_has_suffix (word, "(") && g_str_has_suffix (operand, ")"))
    operand[strlen (operand) - 1] = '\0';
  return operand;
}

static char *
dup_set_stream (const HirRepairText *text, int i)
{
  return dup_operand (text, i, text->is_2026 ? "SetCurrentStream(" : "SetCurrentStream to ");
}

static char *
dup_stream (const HirRepairText *text, int i)
{
  const char *words = get_words (text, i), *at = strstr (words, " = GetCurrentStream()");
  char *stream = dup_set_stream (text, i);

  if (at != NULL && g_str_has_prefix (words, "Stream "))
    stream = g_strndup (words, (gsize) (at - words));
  if (stream == NULL)
    stream = dup_operand (text, i, text->is_2026 ? "Synchronize(" : "Synchronize ");
  if (stream == NULL)
    stream = dup_operand (text, i, "GetCurrentStream into ");
  return stream;
}

static void
collect_streams (HirRepairText *text)
{
  for (int i = 0; i < (int) text->lines->len; i++)
    {
      char *stream = dup_stream (text, i);

      if (stream == NULL ||
          g_ptr_array_find_with_equal_func (text->streams, stream, g_str_equal, NULL))
        g_free (stream);
      else
        g_ptr_array_add (text->streams, stream);
    }
}

static gboolean
is_2026 (const char *text)
{
  return strstr (text, "SetCurrentStream(") != NULL ||
         strstr (text, "GetCurrentStream()") != NULL || strstr (text, " Synchronize(") != NULL ||
         strstr (text, " Wait(") != NULL;
}

HirRepairText *
hir_repair_text_new (const char *text, HirContainer *container)
{
  HirRepairText *self = g_new0 (HirRepairText, 1);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  self->lines = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; lines[i] != NULL; i++)
    g_ptr_array_add (self->lines, g_strdup (lines[i]));
  self->places = g_array_new (FALSE, FALSE, sizeof (Place));
  self->streams = g_ptr_array_new_with_free_func (g_free);
  self->container = container;
  self->is_2026 = is_2026 (text);
  hir_container_foreach_expr (container, add_places, self);
  g_array_sort (self->places, compare_places);
  collect_streams (self);
  return self;
}

void
hir_repair_text_free (HirRepairText *text)
{
  g_ptr_array_unref (text->lines);
  g_array_unref (text->places);
  g_ptr_array_unref (text->streams);
  g_free (text);
}

/* Returns the line of the outermost block that contains line @i. */
static int
find_top (const HirRepairText *text, int i)
{
  for (int parent = find_parent (text, i, get_indent (text, i)); parent > 0;
       parent = find_parent (text, i, get_indent (text, i)))
    i = parent;
  return i;
}

void
hir_repair_text_get_range (const HirRepairText *text, int first, int second, int *from, int *to)
{
  *from = first >= 0 ? find_top (text, first) : 0;
  *to = second >= 0 ? find_end (text, find_top (text, second)) : (int) text->lines->len;
}

static char *
make_synchronize (const HirRepairText *text, const char *stream)
{
  return text->is_2026 ? g_strdup_printf ("Synchronize(%s)", stream)
                       : g_strdup_printf ("Synchronize %s", stream);
}

static void
add_edit (GPtrArray *edits, const Place *place, const char *lines, int gone)
{
  g_ptr_array_add (edits, hir_repair_edit_new (place->at, place->indent, lines, gone));
}

/* Adds each Synchronize at @place. */
static void
add_synchronize (const HirRepairText *text, const Place *place, GPtrArray *edits)
{
  for (guint s = 0; s < text->streams->len; s++)
    {
      g_autofree char *line = make_synchronize (text, g_ptr_array_index (text->streams, s));

      add_edit (edits, place, line, -1);
    }
}

/* Returns the name of the communication that line @i posts (transfer full), or NULL. */
static char *
dup_post (const HirRepairText *text, int i)
{
  static const char *const posts[] = { "Communication ", "P2PCommunication ", "EndCoalescing " };

  for (guint p = 0; p < G_N_ELEMENTS (posts); p++)
    if (g_str_has_prefix (get_words (text, i), posts[p]))
      {
        const char *name = get_words (text, i) + strlen (posts[p]);

        return g_strndup (name, strcspn (name, " ("));
      }
  return NULL;
}

static int
find_line (const HirRepairText *text, const char *words)
{
  for (int i = 0; i < (int) text->lines->len; i++)
    if (g_str_equal (get_words (text, i), words))
      return i;
  return -1;
}

/* Adds a Wait at @place for each post in its block, so that there is one Wait per post. Moves a
 * Wait that the text already has. */
static void
add_waits (const HirRepairText *text, const Place *place, GPtrArray *edits)
{
  for (int i = place->parent + 1; i < place->at; i++)
    {
      g_autofree char *name = dup_post (text, i);
      g_autofree char *wait = NULL;

      if (name == NULL || get_indent (text, i) != place->indent)
        continue;
      wait = g_strdup_printf (text->is_2026 ? "Wait(Communication %s)" : "Wait Communication %s",
                              name);
      add_edit (edits, place, wait, find_line (text, wait));
    }
}

static char *
make_set (const HirRepairText *text, const char *stream)
{
  return text->is_2026 ? g_strdup_printf ("SetCurrentStream(%s)", stream)
                       : g_strdup_printf ("SetCurrentStream to %s", stream);
}

/* Adds loops like @loop at @place that only synchronize @stream and the streams of the loop: the
 * current one or @stream waits for them, or they wait for @stream. If only the body of the loop
 * names its current stream, names it before. */
static void
add_loops (const HirRepairText *text,
           const Place *place,
           const Loop *loop,
           const char *stream,
           GPtrArray *edits)
{
  g_autofree char *join = make_synchronize (text, loop->inner);
  g_autofree char *wait = make_synchronize (text, stream);
  g_autofree char *in = make_set (text, loop->inner);
  g_autofree char *out = make_set (text, stream);
  const char *const loops[][5] = {
    { loop->header, join },
    { loop->header, out, join },
    { loop->header, in, wait },
    { loop->header, in, wait, out },
  };

  for (guint b = 0; b < G_N_ELEMENTS (loops); b++)
    {
      g_autofree char *lines = g_strjoinv ("\n  ", (char **) loops[b]);
      g_autofree char *named =
          loop->getter != NULL ? g_strdup_printf ("%s\n%s", loop->getter, lines) : NULL;

      add_edit (edits, place, lines, -1);
      if (named != NULL)
        add_edit (edits, place, named, -1);
    }
}

static void
clear_loop (gpointer data)
{
  Loop *loop = data;

  g_free (loop->inner);
}

/* Returns the loops (Loop). */
static GArray *
dup_loops (const HirRepairText *text)
{
  GArray *loops = g_array_new (FALSE, FALSE, sizeof (Loop));

  g_array_set_clear_func (loops, clear_loop);
  for (int i = 1; i < (int) text->lines->len; i++)
    {
      Loop loop = { i, 0, get_words (text, i), NULL, NULL };

      if (!g_str_has_prefix (loop.header, "FOR "))
        continue;
      loop.parent = find_parent (text, i, get_indent (text, i));
      for (int k = i + 1; k < find_end (text, i) && loop.inner == NULL; k++)
        {
          loop.inner = dup_set_stream (text, k);
          if (strstr (get_words (text, k), "GetCurrentStream") != NULL)
            loop.getter = get_words (text, k);
        }
      if (loop.inner != NULL)
        g_array_append_val (loops, loop);
    }
  return loops;
}

/* The loop nearest to the line first. */
static int
compare_loops (gconstpointer a, gconstpointer b, gpointer line)
{
  const Loop *x = a, *y = b;

  return ABS (x->line - GPOINTER_TO_INT (line)) - ABS (y->line - GPOINTER_TO_INT (line));
}

/* Returns TRUE if the instruction before place @i only names memory: a change there has the effect
 * of the same change one place earlier, and is not slower. */
static gboolean
follows_alias (const HirRepairText *text, guint i)
{
  const Place *place = &g_array_index (text->places, Place, i);

  for (guint k = i + 1; k < text->places->len; k++)
    {
      const Place *before = &g_array_index (text->places, Place, k);

      if (before->parent == place->parent)
        return before->next->kind == HIR_EXPR_ALIAS_SELECT ||
               before->next->kind == HIR_EXPR_SHARD_BY_STREAM;
    }
  return FALSE;
}

GPtrArray *
hir_repair_text_dup_edits (const HirRepairText *text, int from, int to)
{
  GPtrArray *edits = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_repair_edit_free);
  g_autoptr (GArray) loops = dup_loops (text);

  for (guint i = 0; i < text->places->len; i++)
    {
      const Place *place = &g_array_index (text->places, Place, i);

      if (place->at < from || place->at > to || follows_alias (text, i))
        continue;
      add_synchronize (text, place, edits);
      add_waits (text, place, edits);
      g_array_sort_with_data (loops, compare_loops, GINT_TO_POINTER (place->at));
      for (guint k = 0; k < loops->len; k++)
        for (guint s = 0; s < text->streams->len; s++)
          if (g_array_index (loops, Loop, k).parent == place->parent)
            add_loops (text, place, &g_array_index (loops, Loop, k),
                       g_ptr_array_index (text->streams, s), edits);
    }
  return edits;
}

static void
append_lines (GString *out, const HirRepairEdit *edit)
{
  g_auto (GStrv) lines = g_strsplit (edit->lines, "\n", -1);

  for (guint i = 0; i < edit->n_lines; i++)
    g_string_append_printf (out, "%*s%s\n", (int) edit->indent, "", lines[i]);
}

char *
hir_repair_text_apply (const HirRepairText *text, HirRepairEdit *const *edits, guint n_edits)
{
  GString *out = g_string_new (NULL);

  for (int i = 0; i < (int) text->lines->len; i++)
    {
      gboolean is_gone = FALSE;

      for (guint k = 0; k < n_edits; k++)
        {
          is_gone |= edits[k]->gone == i;
          if (edits[k]->at == i)
            append_lines (out, edits[k]);
        }
      if (!is_gone)
        g_string_append_printf (out, "%s%s", get_line (text, i),
                                i + 1 < (int) text->lines->len ? "\n" : "");
    }
  return g_string_free (out, FALSE);
}

static const Place *
find_place (const HirRepairText *text, const HirRepairEdit *edit)
{
  for (guint i = 0; i < text->places->len; i++)
    {
      const Place *place = &g_array_index (text->places, Place, i);

      if (place->at == edit->at && place->indent == edit->indent)
        return place;
    }
  return NULL;
}

/* Returns the inserted lines in one line (transfer full): "FOR i in iS0{8}: Synchronize Stream
 * i". */
static char *
dup_joined (const HirRepairEdit *edit)
{
  g_auto (GStrv) lines = g_strsplit (edit->lines, "\n", -1);
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < edit->n_lines; i++)
    {
      const char *last = out->len > 0 ? out->str + out->len - 1 : ":";

      g_string_append_printf (out, "%s%s",
                              *last != ':' ? "; "
                              : i > 0      ? " "
                                           : "",
                              g_strchug (lines[i]));
    }
  return g_string_free (out, FALSE);
}

/* Describes the place of @edit (transfer full): "before T5 = Set(T4) in program line 13". */
static char *
dup_place (const HirRepairText *text, const HirRepairEdit *edit)
{
  const Place *place = find_place (text, edit);
  g_autofree char *next =
      place != NULL && place->next != NULL ? hir_sync_dup_label (place->next) : NULL;

  if (next != NULL)
    return g_strdup_printf ("before %s in program line %d", next, edit->at + 1);
  if (place == NULL || place->parent <= 0)
    return g_strdup ("at the end of the program");
  return g_strdup_printf ("at the end of the block that starts in program line %d",
                          place->parent + 1);
}

/* Returns whether @edit waits for the default stream, whose name in the program is that of another
 * stream in traces. */
static gboolean
waits_for_default (const HirRepairText *text, const HirRepairEdit *edit)
{
  gboolean waits = FALSE;

  for (guint i = 0; i < text->places->len && !waits; i++)
    {
      const Place *place = &g_array_index (text->places, Place, i);
      g_autofree char *stream = NULL, *line = NULL;

      if (place->next == NULL || place->next->kind != HIR_EXPR_GET_CURRENT_STREAM ||
          !hir_stream_is_default (place->next->u.stream.stream))
        continue;
      stream = dup_stream (text, place->at);
      line = stream != NULL ? make_synchronize (text, stream) : NULL;
      waits = line != NULL && g_str_has_suffix (edit->lines, line);
    }
  return waits;
}

char *
hir_repair_text_describe (const HirRepairText *text, const HirRepairEdit *edit)
{
  g_autofree char *place = dup_place (text, edit);
  g_autofree char *lines = dup_joined (edit);

  if (edit->frees != NULL)
    return g_strdup_printf ("insert %s %s", edit->frees, place);
  if (edit->gone >= 0)
    return g_strdup_printf ("remove %s from line %d and insert it %s", lines, edit->gone + 1,
                            place);
  return g_strdup_printf (edit->n_lines > 1 ? "insert \"%s\"%s %s" : "insert %s%s %s", lines,
                          waits_for_default (text, edit) ? " (the default stream)" : "", place);
}

/* Returns the line, counting from 1, of the text with @edits in which edit @i inserts its lines. */
static int
find_new_line (HirRepairEdit *const *edits, guint n_edits, guint i)
{
  int line = edits[i]->at + 1;

  for (guint k = 0; k < n_edits; k++)
    {
      line += edits[k]->at < edits[i]->at || (edits[k]->at == edits[i]->at && k < i)
                  ? (int) edits[k]->n_lines
                  : 0;
      line -= edits[k]->gone >= 0 && edits[k]->gone < edits[i]->at;
    }
  return line;
}

char *
hir_repair_text_log (const HirRepairText *text, HirRepairEdit *const *edits, guint n_edits, guint i)
{
  const HirRepairEdit *edit = edits[i];
  g_autofree char *lines = dup_joined (edit);
  int line = find_new_line (edits, n_edits, i);

  if (edit->frees != NULL)
    return g_strdup_printf ("inserted %s in line %d", edit->frees, line);
  if (*edit->lines == '\0')
    return g_strdup_printf ("removed %s from line %d", get_words (text, edit->gone),
                            edit->gone + 1);
  if (edit->gone >= 0)
    return g_strdup_printf ("moved %s from line %d to line %d", lines, edit->gone + 1, line);
  return g_strdup_printf (edit->n_lines > 1 ? "inserted \"%s\" in line %d"
                                            : "inserted %s in line %d",
                          lines, line);
}
