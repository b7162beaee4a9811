/* Interns names of a JSON text as strings of a trace builder. Equal bytes are looked up without a
 * copy. */
#pragma once

#include "trace/json-scan.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _HirChromeNames HirChromeNames;

/* Creates a table of names. Borrows @builder and copies looked-up bytes. Returns NULL if memory is
 * short. */
HirChromeNames *hir_chrome_names_new (HirTraceBuilder *builder);
/* Frees @names. */
void hir_chrome_names_free (HirChromeNames *names);
/* Returns the number of names that were truncated to 64 KB. */
guint64 hir_chrome_names_get_n_cut (const HirChromeNames *names);
/* Returns the builder's string id of @text. */
guint32 hir_chrome_names_intern (HirChromeNames *names, const HirJsonText *text);

G_END_DECLS
