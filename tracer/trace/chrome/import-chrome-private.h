/* Inside of hir_import_chrome(): what is known while events are taken in the order of the text. */
#pragma once

#include "trace/chrome/chrome-tracks.h"
#include "trace/chrome/import-chrome.h"
#include "trace/event-source.h"
#include "trace/text-source.h"

G_BEGIN_DECLS

typedef struct
{
  HirTraceBuilder *builder;
  HirTextStream *stream;
  const HirChromeImport *options;
  HirChromeHeader *header;
  HirChromeNames *names;
  HirChromeTracks *tracks;
  gboolean has_zero;
  gboolean is_stopped; /* enough of it was read */
  gboolean is_in_root, is_first_member, is_root_array;
  gboolean is_whole; /* the root object ended; block->from is behind it */
  gboolean is_own;         /* an export of ours, whose flows say nothing that correlations do not */
  gint64 zero_ns, last_ns; /* of the text's times; the latest seen, from zero */
  guint64 source;          /* what HirEvent.source counts from */
  guint64 text_offset;     /* of the block that events are taken from */
  const char *problem;     /* of the text: static; NULL: none */
  guint64 problem_offset;
  guint64 n_objects;       /* elements with a phase */
  guint64 n_events;        /* given to the builder */
  guint64 n_ends_alone, n_begins_alone, n_other_name, n_no_time, n_no_duration;
  guint64 n_no_number; /* values of counters */
  guint64 n_no_size;   /* collectives of a group of unknown size */
  guint64 n_flow_begins, n_flow_ends, n_unknown, n_no_clock;
  GError *error; /* of the builder */
} HirChromeImporter;

/* One event, in order, in one thread at a time; its texts are read only now. FALSE: self->error. */
gboolean hir_chrome_take_event (HirChromeImporter *self, const HirChromeEvent *event);
/* What is open on @track is drawn to the end; @self is a HirChromeImporter. */
void hir_chrome_close_open (HirChromeTrack *track, gpointer self);
/* Sets self->error; gives FALSE. */
gboolean hir_chrome_fail_memory (HirChromeImporter *self);
/* Creates a source of event arguments; a position is the offset of the event in @text. */
HirEventSource *hir_event_source_new_json (HirTextSource *text);

G_END_DECLS
