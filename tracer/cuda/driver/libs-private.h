/* Shared by the files that find and fill in libraries. */
#pragma once

#include "cuda/driver/libs.h"

G_BEGIN_DECLS

typedef struct
{
  const char *name;
  gsize offset; /* of the function's field in HirCudaLibs */
  gboolean is_optional;
} HirLibSymbol;

typedef struct
{
  const char *label;
  const char *purpose;
  const char *install;            /* what to do where it is missing */
  const char *const *sonames;     /* newest first, NULL-terminated */
  const char *const *pip_folders; /* below site-packages/nvidia, NULL-terminated */
  const HirLibSymbol *symbols;    /* ended by a row without a name */
} HirLibInfo;

const HirLibInfo *hir_lib_get_info (HirLibId id); /* libs-table.c */

/* libs-find.c: an open handle and *@path (owned by the caller), or NULL and *@tried, where it was
 * looked for, in words. */
gpointer hir_lib_find (const HirLibInfo *info, char **path, char **tried);

G_END_DECLS
