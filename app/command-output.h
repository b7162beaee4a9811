/* Standard output as a HirTextOut, for commands that print tables and JSON. */
#pragma once

#include "trace/text-out.h"

G_BEGIN_DECLS

/* Initializes @out for standard output. Ends with hir_command_end_output(). */
void hir_command_begin_output (HirTextOut *out);
/* Writes the rest. Returns the exit status, after an error message if writing has failed. */
int hir_command_end_output (HirTextOut *out);
/* Returns whether two paths name one file, so that writing @b would replace the input @a. */
gboolean hir_command_is_same_file (const char *a, const char *b);
/* Adds the lines of @text (nullable) as an array of strings with @key. */
void hir_command_add_lines (HirJsonOut *json, const char *key, const char *text);

G_END_DECLS
