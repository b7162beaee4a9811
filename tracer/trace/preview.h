/* Previews of a trace while it is loaded. A copy of the events read so far is periodically made
 * into a trace on a separate thread. Previews use at most about 2% of the CPU time of loading, for
 * any size of trace. None is made if memory is short. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* A trace may be loaded into several builders, its parts, each on its own thread. */
typedef struct
{
  HirTraceBuilder *builder; /* a copy, owned by the maker of the preview; NULL: nothing has been
                             * read yet */
  gconstpointer extra;      /* data passed to hir_preview_offer(); borrowed; NULL: none */
} HirPreviewPart;

typedef struct
{
  guint n_parts;
  gsize extra_bytes; /* size of the data passed with a builder */
  /* Makes a trace from the copies of all parts (transfer full). Called on the preview thread.
   * Returns NULL for no preview. May be NULL if there is one part: the part is finished. */
  HirTrace *(*make) (HirPreviewPart *parts, gpointer user_data);
  /* Displays @trace (borrowed, immutable). Called on the preview thread. */
  void (*show) (HirTrace *trace, gpointer user_data);
  gpointer user_data;
} HirPreviewClass;

typedef struct _HirPreview HirPreview;

/* Starts the clock of previews; creates no thread yet. */
HirPreview *hir_preview_new (const HirPreviewClass *klass);
/* Waits for the preview thread; no callback is called afterwards. @preview: (nullable). */
void hir_preview_free (HirPreview *preview);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirPreview, hir_preview_free)

/* Reports the state of part @part, which is copied if a preview is due. Call often, on the thread
 * that adds to @builder. @extra: extra_bytes of data, NULL if that is 0. @preview: (nullable), here
 * and below. */
void hir_preview_offer (HirPreview *preview,
                        guint part,
                        const HirTraceBuilder *builder,
                        gconstpointer extra);
/* Like hir_preview_offer(), but makes a preview at once and returns after it was displayed. For
 * tests that pause loading. */
void hir_preview_force (HirPreview *preview,
                        guint part,
                        const HirTraceBuilder *builder,
                        gconstpointer extra);
/* Reports that part @part is complete. @builder must stay unchanged until the preview is freed.
 * @builder: NULL if loading the part failed. */
void hir_preview_end (HirPreview *preview,
                      guint part,
                      const HirTraceBuilder *builder,
                      gconstpointer extra);

G_END_DECLS
