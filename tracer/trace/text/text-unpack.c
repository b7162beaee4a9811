#include "trace/text/text-unpack.h"

#include <string.h>

#include "config.h"
#include "diagnostic.h"

#if HIR_HAVE_ZSTD
#include <zstd.h>
#endif
#if HIR_HAVE_LZMA
#include <lzma.h>
#endif

/* Windows of `zstd --long=31` are the largest. */
#define WINDOW_LOG_MAX 31
#define XZ_MEMORY_BYTES (G_GUINT64_CONSTANT (1) << 30)

static const char unexpected_end[] = "unexpected end of file";

struct _HirTextUnpack
{
  HirUnpackKind kind;
  gboolean is_whole; /* the last frame has ended */
#if HIR_HAVE_ZSTD
  ZSTD_DStream *zstd;
#endif
#if HIR_HAVE_LZMA
  lzma_stream xz;
#endif
};

HirUnpackKind
hir_text_unpack_sniff (const char *bytes, gsize n)
{
  static const char zstd[] = "\x28\xb5\x2f\xfd", xz[] = "\xfd\x37zXZ";

  if (n >= 4 && memcmp (bytes, zstd, 4) == 0)
    return HIR_UNPACK_ZSTD;
  return n >= 6 && memcmp (bytes, xz, 6) == 0 ? HIR_UNPACK_XZ : HIR_UNPACK_NONE;
}

/* Returns FALSE if the library is missing or fails. */
static gboolean
begin (HirTextUnpack *self)
{
#if HIR_HAVE_ZSTD
  if (self->kind == HIR_UNPACK_ZSTD)
    {
      self->zstd = ZSTD_createDStream ();
      return self->zstd != NULL &&
             !ZSTD_isError (
                 ZSTD_DCtx_setParameter (self->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX));
    }
#endif
#if HIR_HAVE_LZMA
  if (self->kind == HIR_UNPACK_XZ)
    {
      self->xz = (lzma_stream) LZMA_STREAM_INIT;
      return lzma_stream_decoder (&self->xz, XZ_MEMORY_BYTES, LZMA_CONCATENATED) == LZMA_OK;
    }
#endif
  return FALSE;
}

HirTextUnpack *
hir_text_unpack_new (HirUnpackKind kind, const char *name, GError **error)
{
  HirTextUnpack *self = g_new0 (HirTextUnpack, 1);
  gboolean is_zstd = kind == HIR_UNPACK_ZSTD;

  self->kind = kind;
  if (begin (self))
    return self;
  hir_text_unpack_free (self);
  if (is_zstd ? HIR_HAVE_ZSTD : HIR_HAVE_LZMA)
    hir_set_error (error, HIR_ERROR_LIMIT, NULL, "%s: out of memory before the first event", name);
  else
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "%s is compressed with %s, which this build does not read; decompress it with: "
                   "%s %s",
                   name, is_zstd ? "zstd" : "xz", is_zstd ? "zstd -d" : "xz -dk", name);
  return NULL;
}

void
hir_text_unpack_free (HirTextUnpack *self)
{
  if (self == NULL)
    return;
#if HIR_HAVE_ZSTD
  ZSTD_freeDStream (self->zstd);
#endif
#if HIR_HAVE_LZMA
  if (self->kind == HIR_UNPACK_XZ)
    lzma_end (&self->xz);
#endif
  g_free (self);
}

#if HIR_HAVE_ZSTD
static gsize
run_zstd (HirTextUnpack *self, HirUnpackIn *in, char *out, gsize size, const char **problem)
{
  ZSTD_inBuffer input = { in->bytes, in->n, in->at };
  ZSTD_outBuffer output = { out, size, 0 };
  gsize state = ZSTD_decompressStream (self->zstd, &output, &input);

  in->at = input.pos;
  self->is_whole = state == 0;
  if (ZSTD_isError (state))
    *problem = ZSTD_getErrorName (state);
  return output.pos;
}
#endif

#if HIR_HAVE_LZMA
static gsize
run_xz (HirTextUnpack *self,
        HirUnpackIn *in,
        gboolean is_last,
        char *out,
        gsize size,
        const char **problem)
{
  lzma_ret state;

  self->xz.next_in = (const guint8 *) in->bytes + in->at;
  self->xz.avail_in = in->n - in->at;
  self->xz.next_out = (guint8 *) out;
  self->xz.avail_out = size;
  state = lzma_code (&self->xz, is_last ? LZMA_FINISH : LZMA_RUN);
  in->at = in->n - self->xz.avail_in;
  self->is_whole = state == LZMA_STREAM_END;
  if (state == LZMA_MEMLIMIT_ERROR || state == LZMA_MEM_ERROR)
    *problem = "it requires more than 1 GiB of memory";
  else if (state != LZMA_OK && state != LZMA_STREAM_END && state != LZMA_BUF_ERROR)
    *problem = "invalid data";
  return size - self->xz.avail_out;
}
#endif

gsize
hir_text_unpack_run (HirTextUnpack *self,
                     HirUnpackIn *in,
                     gboolean is_last,
                     char *out,
                     gsize size,
                     const char **problem)
{
  gsize n = 0;

  *problem = NULL;
  if (self->is_whole && in->at == in->n)
    return 0;
#if HIR_HAVE_ZSTD
  if (self->kind == HIR_UNPACK_ZSTD)
    n = run_zstd (self, in, out, size, problem);
#endif
#if HIR_HAVE_LZMA
  if (self->kind == HIR_UNPACK_XZ)
    n = run_xz (self, in, is_last, out, size, problem);
#endif
  if (n == 0 && is_last && in->at == in->n && !self->is_whole && *problem == NULL)
    *problem = unexpected_end;
  return n;
}
