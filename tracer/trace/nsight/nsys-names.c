#include "trace/nsight/nsys-names.h"

#include <string.h>

/* By number. The names are those of libkineto/src/cupti_strings.cpp; unified memory has none. */
static const char *const copies[] = { "",     "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD",
                                      "DtoA", "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD" };
static const char *const memories[] = { "Pageable", "Pinned",        "Device",         "Array",
                                        "Managed",  "Device Static", "Managed Static", "Unknown" };
static const char *const syncs[] = { "Unknown Sync", "Event Sync", "Stream Wait Event",
                                     "Stream Sync", "Context Sync" };

/* Returns the number of the name that @text starts with, or -1. Longer names count first. */
static gint64
find_prefix (const char *const *names, guint n, const char *text)
{
  gint64 found = -1;

  for (guint i = 0; i < n; i++)
    if (*names[i] != '\0' && g_str_has_prefix (text, names[i]) &&
        (found < 0 || strlen (names[i]) > strlen (names[found])))
      found = i;
  return found;
}

static const char *
get_memory (gint64 number)
{
  return number >= 0 && number < (gint64) G_N_ELEMENTS (memories) ? memories[number] : "Unknown";
}

char *
hir_nsys_dup_copy_name (gint64 copy, gint64 from, gint64 to)
{
  const char *way = copy > 0 && copy < (gint64) G_N_ELEMENTS (copies) ? copies[copy] : NULL;

  if (way == NULL)
    return g_strdup ("Memcpy");
  if (from < 0 || to < 0)
    return g_strdup_printf ("Memcpy %s", way);
  return g_strdup_printf ("Memcpy %s (%s -> %s)", way, get_memory (from), get_memory (to));
}

char *
hir_nsys_dup_fill_name (gint64 memory)
{
  return memory < 0 ? g_strdup ("Memset") : g_strdup_printf ("Memset (%s)", get_memory (memory));
}

const char *
hir_nsys_get_sync_name (gint64 type)
{
  return type > 0 && type < (gint64) G_N_ELEMENTS (syncs) ? syncs[type] : NULL;
}

gsize
hir_nsys_get_call_length (const char *name)
{
  gsize n = strlen (name), n_digits = 0;

  while (n_digits < n && g_ascii_isdigit (name[n - n_digits - 1]))
    n_digits++;
  /* "cuMemcpyAsync_v2" has a version of the function. */
  if (n_digits < 4 || n < n_digits + 3 || strncmp (name + n - n_digits - 2, "_v", 2) != 0)
    return n;
  return n - n_digits - 2;
}

void
hir_nsys_parse_copy_name (const char *name, gint64 *copy, gint64 *from, gint64 *to)
{
  const char *memory, *arrow;

  *copy = 0;
  *from = *to = -1;
  if (!g_str_has_prefix (name, "Memcpy "))
    return;
  *copy = MAX (find_prefix (copies, G_N_ELEMENTS (copies), name + strlen ("Memcpy ")), 0);
  memory = strchr (name, '(');
  arrow = strstr (name, " -> ");
  if (memory == NULL || arrow == NULL)
    return;
  *from = find_prefix (memories, G_N_ELEMENTS (memories), memory + 1);
  *to = find_prefix (memories, G_N_ELEMENTS (memories), arrow + strlen (" -> "));
}

gint64
hir_nsys_parse_fill_name (const char *name)
{
  static const char prefix[] = "Memset (";

  return g_str_has_prefix (name, prefix)
             ? find_prefix (memories, G_N_ELEMENTS (memories), name + strlen (prefix))
             : -1;
}

gint64
hir_nsys_parse_sync_name (const char *name)
{
  return MAX (find_prefix (syncs, G_N_ELEMENTS (syncs), name), 0);
}
