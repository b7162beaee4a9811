/* Prints the functions that the parser finds in the files named on standard input, as JSON lines.
 * Used by test-stdlib. */
#include "script/script.h"

#include <stdio.h>
#include <string.h>

static void
print_text (const char *text)
{
  if (text == NULL)
    {
      fputs ("null", stdout);
      return;
    }
  putchar ('"');
  for (const char *p = text; *p != '\0'; p++)
    if (*p == '"' || *p == '\\')
      printf ("\\%c", *p);
    else if ((guchar) *p < 0x20)
      printf ("\\u%04x", (guint) (guchar) *p);
    else
      putchar (*p);
  putchar ('"');
}

static void
print_function (const HirScriptFunction *function)
{
  fputs ("[", stdout);
  print_text (function->name);
  putchar (',');
  print_text (function->qualified_name);
  printf (",%u,%s,[", function->pos.line, function->is_async ? "true" : "false");
  for (guint i = 0; i < function->params->len; i++)
    {
      const HirScriptParam *param = function->params->pdata[i];

      printf (i > 0 ? ",[" : "[");
      print_text (param->name);
      printf (",%d,", param->kind);
      print_text (param->annotation);
      putchar (',');
      print_text (param->default_value);
      putchar (']');
    }
  fputs ("]]", stdout);
}

static void
list_file (const char *path)
{
  g_autoptr (GPtrArray) diagnostics =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free);
  g_autoptr (GPtrArray) functions = NULL;
  g_autoptr (HirScript) script = NULL;
  g_autoptr (HirSource) source = NULL;
  g_autoptr (GError) error = NULL;

  source = hir_script_load (path, &error);
  if (source != NULL)
    script = hir_script_parse (source, diagnostics);
  fputs ("{\"error\":", stdout);
  if (source == NULL)
    print_text (error->message);
  else if (diagnostics->len > 0)
    {
      g_autofree char *text = hir_diagnostic_format (diagnostics->pdata[0], source);

      print_text (text);
    }
  else
    print_text (NULL);
  fputs (",\"functions\":[", stdout);
  if (script != NULL)
    functions = hir_script_dup_functions (script);
  for (guint i = 0; functions != NULL && i < functions->len; i++)
    {
      if (i > 0)
        putchar (',');
      print_function (functions->pdata[i]);
    }
  puts ("]}");
}

int
main (void)
{
  char line[4096];

  while (fgets (line, sizeof line, stdin) != NULL)
    {
      line[strcspn (line, "\n")] = '\0';
      list_file (line);
    }
  return 0;
}
