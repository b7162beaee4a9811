/* Decompresses zstd and xz. Both libraries are optional. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  HIR_UNPACK_NONE,
  HIR_UNPACK_ZSTD,
  HIR_UNPACK_XZ,
} HirUnpackKind;

/* A buffer of compressed bytes: [at, n) are left. */
typedef struct
{
  const char *bytes;
  gsize at, n;
} HirUnpackIn;

typedef struct _HirTextUnpack HirTextUnpack;

/* Returns the compression of a file by its first @n bytes. */
HirUnpackKind hir_text_unpack_sniff (const char *bytes, gsize n);
/* Starts to decompress. @name: of the file, for the message. Errors: HIR_ERROR_INPUT if this build
 * lacks the library; the message gives the command that decompresses. HIR_ERROR_LIMIT. */
HirTextUnpack *hir_text_unpack_new (HirUnpackKind kind, const char *name, GError **error);
/* Frees @self (nullable). */
void hir_text_unpack_free (HirTextUnpack *self);
/* Decompresses from @in into @out. @is_last: no bytes follow those of @in. Returns the number of
 * bytes written, and in *@problem (borrowed) why the data is damaged, or NULL. */
gsize hir_text_unpack_run (HirTextUnpack *self,
                           HirUnpackIn *in,
                           gboolean is_last,
                           char *out,
                           gsize size,
                           const char **problem);

G_END_DECLS
