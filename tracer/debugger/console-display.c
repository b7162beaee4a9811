/* Displayed expressions: display, undisplay, and their values after each stop. */
#include "debugger/console-private.h"
#include "diagnostic.h"

static void
show_display (HirConsole *console, const HirConsoleDisplay *display, GString *out)
{
  const HirConsoleCall call = { console, display->text, 1, out };
  const char *text = display->text;
  g_autoptr (GError) error = NULL;
  HirConsoleWhose whose;

  g_string_append_printf (out, "%u: ", display->number);
  if (!hir_console_read_whose (&call, &text, &whose, &error) ||
      !hir_console_append_value (console, text, whose, out, NULL, &error))
    g_string_append_printf (out, "%s: %s\n", text, error->message);
}

static void
show_all (HirConsole *console, GString *out)
{
  for (guint i = 0; i < console->displays->len; i++)
    show_display (console, g_ptr_array_index (console->displays, i), out);
}

void
hir_console_show_displays (HirConsole *console, GString *out)
{
  if (!console->hides_displays)
    show_all (console, out);
}

void
hir_console_hide_displays (HirConsole *console)
{
  console->hides_displays = TRUE;
}

/* Returns (number, expression, line, all of the value, is an error, digest). */
static GVariant *
pack_display (HirConsole *console, const HirConsoleDisplay *display)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GString) line = g_string_new (NULL);
  const HirConsoleCall call = { console, display->text, 1, out };
  HirConsoleBrief brief = { line, 0 };
  const char *text = display->text;
  g_autoptr (GError) error = NULL;
  HirConsoleWhose whose;

  if (!hir_console_read_whose (&call, &text, &whose, &error) ||
      !hir_console_append_value (console, text, whose, out, &brief, &error))
    g_string_assign (line, error->message);
  return g_variant_new ("(usssbt)", display->number, display->text, line->str, out->str,
                        error != NULL, brief.digest);
}

GVariant *
hir_console_displays_to_variant (HirConsole *console)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(usssbt)"));
  for (guint i = 0; i < console->displays->len; i++)
    g_variant_builder_add_value (&builder,
                                 pack_display (console, g_ptr_array_index (console->displays, i)));
  return g_variant_builder_end (&builder);
}

gboolean
hir_console_display (const HirConsoleCall *call, int data, GError **error)
{
  HirConsole *console = call->console;
  const char *text = call->arguments;
  g_autoptr (HirDebugExpr) expr = NULL;
  HirConsoleDisplay *display;
  HirDebugNames names;
  GError *cause = NULL;
  HirConsoleWhose whose;

  if (*text == '\0')
    {
      show_all (console, call->out);
      return TRUE;
    }
  if (!hir_console_read_whose (call, &text, &whose, error))
    return FALSE;
  hir_debug_view_init_names (hir_debugger_get_view (console->debugger), &names);
  expr = hir_debug_expr_parse (text, &cause);
  if (expr == NULL || !hir_debug_expr_check (expr, &names, &cause))
    return hir_console_pass_error (call, (guint) g_utf8_pointer_to_offset (call->arguments, text),
                                   cause, error);
  display = g_new0 (HirConsoleDisplay, 1);
  display->number = ++console->n_displays;
  display->text = g_strdup (call->arguments);
  g_ptr_array_add (console->displays, display);
  if (hir_debugger_get_run (console->debugger) != NULL)
    show_display (console, display, call->out);
  return TRUE;
}

gboolean
hir_console_undisplay (const HirConsoleCall *call, int data, GError **error)
{
  HirConsole *console = call->console;
  g_auto (GStrv) words = g_strsplit_set (call->arguments, " \t,", -1);

  if (*call->arguments == '\0')
    g_ptr_array_set_size (console->displays, 0);
  for (guint i = 0; *call->arguments != '\0' && words[i] != NULL; i++)
    {
      gboolean found = FALSE;

      for (guint k = console->displays->len; k-- > 0 && !found;)
        {
          const HirConsoleDisplay *display = g_ptr_array_index (console->displays, k);

          found = g_ascii_strtoull (words[i], NULL, 10) == display->number;
          if (found)
            g_ptr_array_remove_index (console->displays, k);
        }
      if (!found && *words[i] != '\0')
        return hir_console_reject (call, 0, error, "there is no display %s; see info display",
                                   words[i]);
    }
  return TRUE;
}
