/* How text-stream.c makes what text-source.c reads. */
#pragma once

#include <zlib.h>

#include "trace/text-source.h"

G_BEGIN_DECLS

#define HIR_GZIP_WINDOW 32768

/* Where unpacking can begin anew. */
typedef struct
{
  guint64 out; /* place in the text */
  guint64 in;  /* in the file: the first byte that is not used up */
  guint8 bits; /* of the byte before that, which are not used up */
  guint n_window;
  guint8 *window; /* NULL: a member begins here */
} HirGzipPoint;

typedef enum
{
  HIR_TEXT_MEMORY,
  HIR_TEXT_FILE,
  HIR_TEXT_GZIP,
} HirTextKind;

/* A piece that was unpacked lately. */
typedef struct
{
  guint64 offset;
  gsize length;
  char *text;
  guint64 used; /* by the count of uses */
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
  gboolean is_ours; /* nobody else can change it */
  guint64 file_size;
  gint64 changed_s, changed_ns; /* last change, when loading ended */
  GPtrArray *points;            /* HirGzipPoint* */
  GMutex mutex;
  HirTextPiece pieces[HIR_TEXT_PIECES];
  guint64 n_uses;
};

HirTextSource *hir_text_source_new (HirTextKind kind, const char *name);
/* Takes size and time of the file as those that must stay. */
void hir_text_source_seal (HirTextSource *source);

G_END_DECLS
