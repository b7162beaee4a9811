#include "file-error.h"

#include <errno.h>

#include "diagnostic.h"

void
hir_set_file_error (GError **error, const char *verb, const char *path, int code)
{
  const char *remedy = code == ENOENT || code == ENOTDIR ? "check the name"
                       : code == EACCES || code == EPERM ? "check its permissions"
                                                         : "check the file system it is on";

  hir_set_error (error, HIR_ERROR_INPUT, NULL, "cannot %s %s: %s; %s", verb, path,
                 g_strerror (code), remedy);
}
