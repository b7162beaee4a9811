/* Internal declarations for finding and opening libraries. */
#pragma once

#include "cuda/driver/libs.h"

G_BEGIN_DECLS

/* A function of a library. */
typedef struct
{
  const char *name;
  gsize offset; /* of its field in HirCudaLibs */
  gboolean is_optional;
} HirLibSymbol;

/* Description of a library. */
typedef struct
{
  const char *label;              /* name for messages */
  const char *purpose;            /* what needs the library */
  const char *install;            /* advice if it is missing */
  const char *const *sonames;     /* newest first, NULL-terminated */
  const char *const *pip_folders; /* below site-packages/nvidia, NULL-terminated */
  const HirLibSymbol *symbols;    /* the last row has no name */
} HirLibInfo;

/* libs-table.c: returns the description of @id (borrowed). */
const HirLibInfo *hir_lib_get_info (HirLibId id);

/* libs-find.c: finds and opens a library. Returns its handle and sets *@path, or returns NULL. Sets
 * *@tried to the searched folders, as text for a message. The caller frees both strings. */
gpointer hir_lib_find (const HirLibInfo *info, char **path, char **tried);

G_END_DECLS
