/* What is remembered of each document, in a key file of the user's state folder (hirscope/NAME), a group a document:
 * of the 100 that were changed last. Main thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _HirDocumentMemory HirDocumentMemory;

/* Reads the file; one that is not there, or can't be read, is an empty memory. */
HirDocumentMemory *hir_document_memory_new (const char *name);
/* Writes what is not written yet. */
void hir_document_memory_free (HirDocumentMemory *self);

/* Called when the group of @document, in @file, is written: it can then go with the document, too. @at_end: nothing runs
 * after it. */
typedef void (*HirDocumentAlso) (const char *document, GKeyFile *file, const char *group, gboolean at_end);
void hir_document_memory_set_also (HirDocumentMemory *self, HirDocumentAlso also);
/* To read, and to change in one's own group. Borrowed. */
GKeyFile *hir_document_memory_get_file (HirDocumentMemory *self);
/* The group of @document: what tells it from others, as its path, may have what a group's name may not. Newly allocated. */
char *hir_document_memory_dup_group (const char *document);
/* The group of @document was changed: written within a second. A file that can't be written is no error: it is kept
 * in memory alone. */
void hir_document_memory_keep (HirDocumentMemory *self, const char *document);

G_END_DECLS
