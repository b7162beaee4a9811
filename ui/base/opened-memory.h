/* Stores the function, the number of devices and the pipeline with which a script was displayed
 * last, so that opening it again in the window continues with them. Main thread. */
#pragma once

#include "base/document-memory.h"
#include "program/request.h"

G_BEGIN_DECLS

HirDocumentMemory *hir_opened_memory_new (void);

/* Stores the options of @request for the file @path, if they have changed. */
void
hir_opened_memory_keep (HirDocumentMemory *memory, const char *path, const HirRequest *request);

/* Sets the stored options of @path in @request, except those that it has already. Ignores a
 * function that the script does not have any more. */
void hir_opened_memory_restore (HirDocumentMemory *memory, const char *path, HirRequest *request);

G_END_DECLS
