/* Stores data about each document in a key file in the user's state folder (hirscope/NAME): one
 * group per document, for the 100 documents that were changed last. Main thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _HirDocumentMemory HirDocumentMemory;

/* Reads the file @name. A missing or unreadable file is an empty memory. */
HirDocumentMemory *hir_document_memory_new (const char *name);

/* Writes pending changes and frees @self. */
void hir_document_memory_free (HirDocumentMemory *self);

/* Also stores the data in the note @note (recording-note.h, a static string) of documents that are
 * writable recordings. */
void hir_document_memory_set_note (HirDocumentMemory *self, const char *note);

/* Returns the stored data of @document (transfer full), which is in *@group (transfer full) of it.
 * The note of a recording has priority. Do not change it. */
GKeyFile *
hir_document_memory_dup_data (HirDocumentMemory *self, const char *document, char **group);

/* Returns the key file (borrowed). The caller may change the groups of its own documents. */
GKeyFile *hir_document_memory_get_file (HirDocumentMemory *self);

/* Returns the group of @document (transfer full), a hash of its path. */
char *hir_document_memory_dup_group (const char *document);

/* Writes the group of @document within 1 s, after it was changed. If the file cannot be written,
 * the changes remain only in memory. */
void hir_document_memory_keep (HirDocumentMemory *self, const char *document);

G_END_DECLS
