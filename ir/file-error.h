/* Reports files that cannot be opened or read, with what to do. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Sets HIR_ERROR_INPUT: "cannot VERB PATH", the text of @code (a value of errno), and a remedy. */
void hir_set_file_error (GError **error, const char *verb, const char *path, int code);

G_END_DECLS
