/* Names of a JSON text as a builder's strings: equal bytes are looked up once, without a copy. */
#pragma once

#include "trace/json-scan.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _HirChromeNames HirChromeNames;

/* Borrows @builder. Keeps the bytes of what is looked up. NULL where memory can't be had. */
HirChromeNames *hir_chrome_names_new (HirTraceBuilder *builder);
void hir_chrome_names_free (HirChromeNames *names);
/* Names longer than 64 KB, which are cut. */
guint64 hir_chrome_names_get_n_cut (const HirChromeNames *names);
guint32 hir_chrome_names_intern (HirChromeNames *names, const HirJsonText *text);
/* Whether it has "nccl" in it, in any case: answered from the table too. */
gboolean hir_chrome_names_is_nccl (HirChromeNames *names, const HirJsonText *text);

G_END_DECLS
