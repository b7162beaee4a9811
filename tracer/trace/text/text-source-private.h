/* Internal declarations of text-stream.c and text-source.c. */
#pragma once

#include <zlib.h>

#include "trace/text/text-source.h"

G_BEGIN_DECLS

#define HIR_GZIP_WINDOW 32768

/* A position at which decompression can start. */
typedef struct
{
  guint64 out; /* position in the text */
  guint64 in;  /* position of the first unused byte in the file */
  guint8 bits; /* number of unused bits of the byte before */
  guint n_window;
  guint8 *window; /* NULL: a gzip member starts here */
} HirGzipPoint;

typedef enum
{
  HIR_TEXT_MEMORY,
  HIR_TEXT_FILE,
  HIR_TEXT_GZIP,
} HirTextKind;

/* A recently read or decompressed chunk of text. */
typedef struct
{
  guint64 offset;
  gsize length;
  char *text;
  guint64 used; /* use counter, for eviction */
} HirTextPiece;

#define HIR_TEXT_PIECES 4

struct _HirTextSource
{
  gatomicrefcount ref_count;
  HirTextKind kind;
  char *name;
  const char *text; /* HIR_TEXT_MEMORY: borrowed */
  guint64 length;   /* of the text; known at the end */
  int fd;
  gboolean is_ours; /* a temporary file that no other process can change */
  guint64 file_size;
  gint64 changed_s, changed_ns; /* modification time when loading ended */
  GPtrArray *points;            /* HirGzipPoint* */
  GMutex mutex;
  HirTextPiece pieces[HIR_TEXT_PIECES]; /* a plain file uses only the first */
  guint64 n_uses;
};

/* Creates a source with one reference. */
HirTextSource *hir_text_source_new (HirTextKind kind, const char *name);
/* Stores size and modification time of the file; later reads require that they are unchanged. */
void hir_text_source_seal (HirTextSource *source);

G_END_DECLS
