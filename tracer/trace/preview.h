/* Pictures of a trace while it is loaded: now and then a copy of what was read, made into a trace in a thread of
 * its own, so that there is something to see before the end. What they cost is held well below a twentieth of the
 * CPU time that loading costs, however large the trace is, and none is made where memory is short. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* A trace may be loaded into several builders, its parts, each by a thread of its own. */
typedef struct
{
  HirTraceBuilder *builder; /* a copy, owned by who makes the trace; NULL: nothing of it was read yet */
  gconstpointer extra;      /* what hir_preview_offer() gave with it; borrowed; NULL: nothing */
} HirPreviewPart;

typedef struct
{
  guint n_parts;
  gsize extra_bytes; /* of what is given with a builder */
  /* Makes one trace of the copies of all parts, and takes them. In the preview's thread. Nullable result. NULL,
   * where there is one part: it is finished. */
  HirTrace *(*make) (HirPreviewPart *parts, gpointer user_data);
  /* Shows @trace, which is borrowed and immutable. In the preview's thread. */
  void (*show) (HirTrace *trace, gpointer user_data);
  gpointer user_data;
} HirPreviewClass;

typedef struct _HirPreview HirPreview;

HirPreview *hir_preview_new (const HirPreviewClass *klass);
/* Waits for its thread; no call comes afterwards. NULL is allowed. */
void hir_preview_free (HirPreview *preview);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirPreview, hir_preview_free)

/* What part @part is by now; copied where it is time for a picture. To be called often, in the thread that adds to
 * @builder. @extra: extra_bytes of them, nullable where that is 0. NULL is allowed for @preview, here and below. */
void hir_preview_offer (HirPreview *preview,
                        guint part,
                        const HirTraceBuilder *builder,
                        gconstpointer extra);
/* The same, at once and whatever it costs; returns when the picture was shown. For tests, which hold loading
 * still. */
void hir_preview_force (HirPreview *preview,
                        guint part,
                        const HirTraceBuilder *builder,
                        gconstpointer extra);
/* Nothing more comes. @builder stays as it is until the preview is freed; NULL: the part could not be loaded. */
void hir_preview_end (HirPreview *preview,
                      guint part,
                      const HirTraceBuilder *builder,
                      gconstpointer extra);

G_END_DECLS
