#include "command-output.h"

#include <gio/gunixoutputstream.h>
#include <unistd.h>

#include "command.h"

void
hir_command_begin_output (HirTextOut *out)
{
  hir_text_out_init (out, g_unix_output_stream_new (STDOUT_FILENO, FALSE), NULL);
}

int
hir_command_end_output (HirTextOut *out)
{
  g_autoptr (GOutputStream) stream = out->stream;
  g_autoptr (GError) error = NULL;

  return hir_text_out_finish (out, &error)
             ? HIR_EXIT_DONE
             : hir_command_fail ("standard output: %s", error->message);
}

void
hir_command_add_lines (HirJsonOut *json, const char *key, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text != NULL ? text : "", "\n", -1);

  hir_json_out_begin (json, key, '[');
  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '\0')
      hir_json_out_add_string (json, NULL, lines[i]);
  hir_json_out_end (json, ']');
}
