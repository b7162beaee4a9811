#include "timeline/track-memory.h"

#include "base/document-memory.h"

struct _HirTrackMemory
{
  HirDocumentMemory *memory;
};

HirTrackMemory *
hir_track_memory_new (void)
{
  HirTrackMemory *self = g_new (HirTrackMemory, 1);

  self->memory = hir_document_memory_new ("tracks.ini");
  return self;
}

void
hir_track_memory_free (HirTrackMemory *self)
{
  if (self == NULL)
    return;
  hir_document_memory_free (self->memory);
  g_free (self);
}

gboolean
hir_track_memory_restore (HirTrackMemory *self, const char *document, HirTimelineRows *rows)
{
  g_autofree char *group = hir_document_memory_dup_group (document);

  return hir_timeline_rows_load_arrangement (rows, hir_document_memory_get_file (self->memory),
                                             group);
}

void
hir_track_memory_keep (HirTrackMemory *self, const char *document, const HirTimelineRows *rows)
{
  g_autofree char *group = hir_document_memory_dup_group (document);

  hir_timeline_rows_save_arrangement (rows, hir_document_memory_get_file (self->memory), group);
  hir_document_memory_keep (self->memory, document);
}
