/* What the cache stores of a run next to its recording, so that a later session can list the run
 * without reading it: FILE.hirs.run next to FILE.hirs. */
#pragma once

#include "document/run-entry.h"

G_BEGIN_DECLS

#define HIR_RUN_KEPT_SUFFIX ".run"

/* Returns the identity of a document (transfer full): of its file or example, whatever the text is;
 * otherwise of its name and the text that it was edited from. Reads the disk. */
char *hir_run_kept_dup_key (const HirRequest *request);
/* Returns the contents of the file for @entry (transfer full). */
char *hir_run_kept_dup_text (const HirRunEntry *entry);
/* Reads the file at @path. Returns NULL if it is not of the document with @key, or is damaged. */
HirRunEntry *hir_run_kept_read (const char *path, const char *key);

G_END_DECLS
