#include "draw/timeline/function-name.h"

#include <string.h>

char *
hir_dup_function_name (const char *name)
{
  static const char unnamed[] = "(anonymous namespace)";
  const char *start = g_str_has_prefix (name, "void ") ? name + 5 : name, *end = start;

  while (*end != '\0' && *end != '<')
    {
      if (g_str_has_prefix (end, unnamed))
        end += strlen (unnamed);
      else if (*end == '(')
        break;
      else if (g_str_has_prefix (end, "::"))
        {
          end += 2;
          start = end;
        }
      else
        end++;
    }
  return *end != '\0' && end > start ? g_strndup (start, (gsize) (end - start)) : NULL;
}

char *
hir_dup_op_name (const char *name)
{
  const char *end = strchr (name, ' '), *start = strchr (name, '_'), *last = g_strrstr (name, ": ");

  if (last != NULL && last[2] != '\0')
    return g_strconcat ("\342\200\246", last + 2, NULL);
  if (end != NULL && end > name)
    return g_strndup (name, (gsize) (end - name));
  if (name[0] == 'T' && g_ascii_isdigit (name[1]) && start != NULL && start[1] != '\0')
    return g_strdup (start + 1);
  return NULL;
}

const char *
hir_get_abbreviation (const char *name)
{
  static const char *const known[][2] = {
    { "Allgather", "AG" }, { "Allreduce", "AR" },     { "ReduceScatter", "RS" },
    { "Broadcast", "BC" }, { "Synchronize", "sync" }, { "SendRecv", "SR" },
    { "matmul", "MM" },    { "Gather", "GA" },        { "Scatter", "SC" },
    { "Reduce", "RD" },
  };
  g_autofree char *op = hir_dup_op_name (name);

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_ascii_strcasecmp (op != NULL ? op : name, known[i][0]) == 0)
      return known[i][1];
  return NULL;
}
