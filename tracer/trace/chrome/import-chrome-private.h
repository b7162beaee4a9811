/* Internal declarations of hir_import_chrome(): the state while events are taken in the order of
 * the text. */
#pragma once

#include "trace/chrome/chrome-block.h"
#include "trace/chrome/chrome-tracks.h"
#include "trace/chrome/import-chrome.h"
#include "trace/event-source.h"
#include "trace/text/text-source.h"

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
  gboolean is_stopped; /* stopped by the user; events read so far are kept */
  gboolean is_in_root, is_first_member, is_root_array;
  gboolean is_whole;       /* the root object has ended; block->from is after it */
  gboolean is_own;         /* exported by Hirscope; flows repeat only what correlations express */
  gint64 zero_ns, last_ns; /* zero point of the text's times; the latest time seen, relative to
                            * it */
  guint64 source;          /* base of HirEvent.source */
  guint64 text_offset;     /* of the current block */
  const char *problem;     /* static text; NULL if the text is valid */
  guint64 problem_offset;
  GArray *flows;      /* HirChromeFlowPoint */
  GString *root;      /* JSON members of the root that describe the trace */
  HirChromeLoss loss; /* sum over all blocks; the error is the first one */
  guint64 loss_offset;
  guint64 n_repaired; /* events with arguments that are not valid JSON */
  guint64 n_twice;    /* events with two members of one name */
  guint64 n_objects;  /* elements with a phase */
  guint64 n_events;   /* added to the builder */
  guint64 n_ends_alone, n_begins_alone, n_other_name, n_no_time, n_no_duration;
  guint64 n_no_number; /* counter values that are not numbers */
  guint64 n_no_size;   /* collectives of a group of unknown size */
  guint64 n_flow_begins, n_flow_ends, n_unknown, n_no_clock; /* flows: those of launches */
  GError *error;                                             /* error of the builder */
} HirChromeImporter;

/* Adds one event to the builder. Called in order, by one thread at a time. Returns FALSE and sets
 * self->error on failure. */
gboolean hir_chrome_take_event (HirChromeImporter *self, const HirChromeEvent *event);
/* Extends all open events of @track to the end of the trace. @self is a HirChromeImporter. */
void hir_chrome_close_open (HirChromeTrack *track, gpointer self);
/* Sets self->error and returns FALSE. */
gboolean hir_chrome_fail_memory (HirChromeImporter *self);
/* Creates a source of event arguments; a position is the offset of the event in @text. */
HirEventSource *hir_event_source_new_json (HirTextSource *text);

G_END_DECLS
