/* HirScript: release and positions. */
#include "script/parse/script-private.h"

#include <string.h>

void
hir_script_free (HirScript *script)
{
  hir_source_unref (script->source);
  g_hash_table_unref (script->names);
  g_hash_table_unref (script->top_level);
  g_ptr_array_unref (script->functions);
  g_array_unref (script->line_starts);
  hir_arena_free (script->arena);
  g_free (script);
}

HirSource *
hir_script_get_source (HirScript *script)
{
  return script->source;
}

guint
hir_script_get_n_errors (const HirScript *script)
{
  return script->n_errors;
}

HirPos
hir_script_get_pos (const HirScript *script, guint offset)
{
  const guint *starts = (const guint *) script->line_starts->data;
  const char *text = script->source->text;
  guint low = 0, high = script->line_starts->len, column = 1;

  offset = MIN (offset, script->source->length);
  while (high - low > 1)
    {
      guint middle = (low + high) / 2;

      if (starts[middle] <= offset)
        low = middle;
      else
        high = middle;
    }
  for (guint i = starts[low]; i < offset; i++)
    column += ((guchar) text[i] & 0xc0) != 0x80;
  return (HirPos){ low + 1, column };
}

char *
hir_script_dup_text (const HirScript *script, const HirAst *node)
{
  return g_strndup (script->source->text + node->start, node->end - node->start);
}
