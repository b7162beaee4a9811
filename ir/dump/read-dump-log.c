/* Finds the dumps in a text: pass logs, tags of mpirun (docs/host-ir.md#pass-logs). */
#include "dump/read-dump-internal.h"

#include <string.h>

static const char host_word[] = "%HostIrContainer";
static const char pass_words[] = "Fusion after pass:";

/* Finds @needle in the @length bytes at @text. */
static const char *
find (const char *text, gsize length, const char *needle)
{
  return g_strstr_len (text, (gssize) length, needle);
}

static char *
dup_stripped (const char *text, gsize length)
{
  return g_strchomp (g_strndup (text, length));
}

/* Returns the text before @offset on the line if one of the next lines starts with it too (a tag),
 * otherwise "". */
static char *
dup_tag (const HirDumpLines *lines, guint line, guint offset)
{
  gsize length, from, stamps;
  const char *text = hir_dump_lines_get (lines, line, &length);
  g_autofree char *tag = hir_dump_dup_tag (text, offset);
  guint last = MIN (line + 256, hir_dump_lines_get_n (lines) - 1);

  if (tag[strspn (tag, " \t")] == '\0')
    return g_strdup ("");
  for (guint i = line + 1; i <= last; i++)
    {
      text = hir_dump_lines_get (lines, i, &length);
      if (hir_dump_skip_tag (tag, text, length, &from, &stamps))
        return g_steal_pointer (&tag);
    }
  return g_strdup ("");
}

/* Finds the first line of a program, also in a comment. The last one is `} // %HostIrContainer`. */
static gboolean
find_host_head (const char *text, gsize length, guint *offset)
{
  const char *at = find (text, length, host_word);
  g_autofree char *before = NULL;

  if (at == NULL)
    return FALSE;
  before = dup_stripped (text, (gsize) (at - text));
  *offset = (guint) (at - text);
  if (!g_str_has_suffix (before, "//"))
    return TRUE;
  before[strlen (before) - 2] = '\0';
  return !g_str_has_suffix (g_strchomp (before), "}");
}

/* Finds `Inputs:` at the start of a line's text, followed by `Outputs:` and `%kernel`. */
static gboolean
find_fusion_head (const HirDumpLines *lines, guint line, guint *offset)
{
  static const char word[] = "Inputs:";
  gsize length;
  const char *text = hir_dump_lines_get (lines, line, &length);
  const char *at = find (text, length, word);
  gboolean has_outputs = FALSE;

  if (at == NULL)
    return FALSE;
  *offset = (guint) (at - text);
  for (at += sizeof word - 1; at < text + length; at++)
    if (!g_ascii_isspace (*at))
      return FALSE;
  for (guint i = line + 1; i < hir_dump_lines_get_n (lines) && i < line + 4096; i++)
    {
      guint other;

      text = hir_dump_lines_get (lines, i, &length);
      if (find (text, length, "%kernel") != NULL)
        return has_outputs;
      if (find_host_head (text, length, &other) || find (text, length, pass_words) != NULL)
        return FALSE;
      has_outputs = has_outputs || find (text, length, "Outputs:") != NULL;
    }
  return FALSE;
}

/* Finds a pass name in a line: `Fusion after pass: NAME`, or `=== NAME ===` as `lower --print all`
 * prints it. Returns the name, and the text before the words as @tag; or NULL. */
static char *
dup_pass (const char *text, gsize length, char **tag)
{
  static const char unchanged[] = " (no change)";
  const char *at = find (text, length, pass_words);
  gboolean is_heading = at == NULL;
  g_autofree char *name = NULL;

  if (is_heading)
    at = find (text, length, "=== ");
  if (at == NULL)
    return NULL;
  *tag = hir_dump_dup_tag (text, (gsize) (at - text));
  at += is_heading ? 4 : strlen (pass_words);
  name = g_strstrip (g_strndup (at, length - (gsize) (at - text)));
  if (is_heading && !g_str_has_suffix (name, " ==="))
    {
      g_clear_pointer (tag, g_free);
      return NULL;
    }
  if (is_heading)
    name[strlen (name) - 4] = '\0';
  if (is_heading && g_str_has_suffix (name, unchanged))
    name[strlen (name) - strlen (unchanged)] = '\0';
  return g_steal_pointer (&name);
}

static void
head_clear (HirDumpHead *head)
{
  g_free (head->tag);
  g_free (head->pass_name);
}

/* Returns the last pass name before the dump from the same process. */
static char *
steal_pass (GHashTable *passes, const char *tag)
{
  gpointer key = NULL, name = NULL;
  GHashTableIter iter;

  if (!g_hash_table_steal_extended (passes, tag, &key, &name) && *tag == '\0' &&
      g_hash_table_size (passes) == 1)
    {
      g_hash_table_iter_init (&iter, passes);
      g_hash_table_iter_next (&iter, &key, &name);
      g_hash_table_iter_steal (&iter);
    }
  g_free (key);
  return name;
}

gboolean
hir_dump_sniff (const char *text, gssize length)
{
  return g_strstr_len (text, length, host_word) != NULL ||
         g_strstr_len (text, length, pass_words) != NULL ||
         g_strstr_len (text, length, "%kernel") != NULL;
}

/* A comment is not the tag of a process. */
static gboolean
is_comment (const char *tag)
{
  return g_str_equal (tag + strspn (tag, " \t"), "//");
}

static HirDump *
read_dump (HirDumpLines *lines, HirDumpHead *head, GError **error)
{
  g_autoptr (GArray) tokens = hir_dump_lex (lines, head);
  HirDump *dump = g_new0 (HirDump, 1);

  dump->container = hir_dump_read_tokens (tokens, head, lines->source, &dump->format, error);
  dump->line = head->line + 1;
  dump->tag = is_comment (head->tag) ? g_strdup ("") : g_steal_pointer (&head->tag);
  dump->pass_name = g_steal_pointer (&head->pass_name);
  if (dump->container != NULL)
    return dump;
  hir_dump_free (dump);
  return NULL;
}

/* Takes the math of the kernels of @dump from the last fusion before it from the same process. */
static void
attach_fusion (const GPtrArray *dumps, HirDump *dump)
{
  for (guint i = dumps->len; i-- > 0;)
    {
      const HirDump *before = g_ptr_array_index (dumps, i);

      if (before->container->kind != HIR_CONTAINER_FUSION || !g_str_equal (before->tag, dump->tag))
        continue;
      hir_dump_attach_kernels (dump->container, before->container);
      return;
    }
}

static GPtrArray *
read_dumps (HirSource *source, guint max, GError **error)
{
  g_autoptr (GPtrArray) dumps = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_dump_free);
  g_autoptr (HirDumpLines) lines = hir_dump_lines_new (source);
  g_autoptr (GHashTable) passes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  for (guint i = 0; i < hir_dump_lines_get_n (lines) && dumps->len < max; i++)
    {
      gsize length;
      const char *text = hir_dump_lines_get (lines, i, &length);
      HirDumpHead head = { .line = i };
      HirDump *dump;
      char *name, *tag;

      if (lines->used[i])
        continue;
      name = dup_pass (text, length, &tag);
      if (name != NULL)
        {
          g_hash_table_insert (passes, tag, name);
          continue;
        }
      head.is_host = find_host_head (text, length, &head.offset);
      if (!head.is_host && !find_fusion_head (lines, i, &head.offset))
        continue;
      head.tag = dup_tag (lines, i, head.offset);
      head.pass_name = steal_pass (passes, head.tag);
      dump = read_dump (lines, &head, error);
      head_clear (&head);
      if (dump == NULL)
        return NULL;
      if (dump->container->kind == HIR_CONTAINER_HOST)
        attach_fusion (dumps, dump);
      g_ptr_array_add (dumps, dump);
    }
  if (dumps->len > 0)
    return g_steal_pointer (&dumps);
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "%s contains no printed program; a program starts with %s {, or with Inputs: and "
                 "%%kernel",
                 source->path, host_word);
  return NULL;
}

GPtrArray *
hir_dump_read_all (HirSource *source, GError **error)
{
  return read_dumps (source, G_MAXUINT, error);
}

HirContainer *
hir_dump_read (HirSource *source, HirFormat *format, GError **error)
{
  g_autoptr (GPtrArray) dumps = read_dumps (source, 1, error);
  HirDump *dump;

  if (dumps == NULL)
    return NULL;
  dump = g_ptr_array_index (dumps, 0);
  if (format != NULL)
    *format = dump->format;
  return hir_container_ref (dump->container);
}
