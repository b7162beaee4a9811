#include "examples.h"

#include <string.h>

#include "script/script.h"

/* Written at build time by embed.py: the array hir_example_data, ended by a row without a name. */
#include "examples-data.h"

const HirExample *
hir_examples_get_table (void)
{
  return hir_example_data;
}

const HirExample *
hir_examples_lookup (const char *name)
{
  for (const HirExample *e = hir_example_data; e->name != NULL; e++)
    if (strcmp (e->name, name) == 0)
      return e;
  return NULL;
}

char **
hir_examples_dup_functions (const HirExample *example)
{
  g_autoptr (HirSource) source = hir_source_new (example->name, example->text, example->length);
  g_autoptr (HirScript) script = hir_script_parse (source, NULL);
  g_autoptr (GPtrArray) candidates = hir_script_dup_candidates (script);
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < candidates->len; i++)
    g_ptr_array_add (names,
                     g_strdup (
                         ((const HirScriptFunction *) g_ptr_array_index (candidates, i))->name));
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

const HirExample *
hir_examples_lookup_function (const char *function)
{
  for (const HirExample *e = hir_example_data; e->name != NULL; e++)
    {
      g_auto (GStrv) names = hir_examples_dup_functions (e);

      if (g_strv_contains ((const char *const *) names, function))
        return e;
    }
  return NULL;
}
