#include "command-output.h"

#include <gio/gunixoutputstream.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "command.h"

void
hir_command_begin_output (HirTextOut *out)
{
  hir_text_out_init (out, g_unix_output_stream_new (STDOUT_FILENO, FALSE), NULL);
}

gboolean
hir_command_is_same_file (const char *a, const char *b)
{
  GStatBuf info_a, info_b;

  return g_stat (a, &info_a) == 0 && g_stat (b, &info_b) == 0 && info_a.st_dev == info_b.st_dev &&
         info_a.st_ino == info_b.st_ino;
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
