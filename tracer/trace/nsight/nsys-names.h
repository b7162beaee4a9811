/* Names of Kineto for the numbers that Nsight Systems stores, and back. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns "Memcpy HtoD (Pageable -> Device)" for a number of ENUM_CUDA_MEMCPY_OPER and two of
 * ENUM_CUDA_MEM_KIND, -1 if unknown (transfer full). */
char *hir_nsys_dup_copy_name (gint64 copy, gint64 from, gint64 to);
/* Returns "Memset (Device)" for a number of ENUM_CUDA_MEM_KIND, or -1 (transfer full). */
char *hir_nsys_dup_fill_name (gint64 memory);
/* Returns "Stream Sync" for a number of ENUM_CUPTI_SYNC_TYPE, or NULL. */
const char *hir_nsys_get_sync_name (gint64 type);
/* Returns the length of the name of a call without the version of CUDA. */
gsize hir_nsys_get_call_length (const char *name);
/* Reads such names; unknown numbers are 0 for @copy and -1 for memory. */
void hir_nsys_parse_copy_name (const char *name, gint64 *copy, gint64 *from, gint64 *to);
/* Returns the memory in the name of a fill, or -1. */
gint64 hir_nsys_parse_fill_name (const char *name);
/* Returns the number of a synchronization with this name, or 0. */
gint64 hir_nsys_parse_sync_name (const char *name);

G_END_DECLS
