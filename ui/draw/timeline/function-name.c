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
