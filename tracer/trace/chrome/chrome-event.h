/* One event of a Chrome or Kineto trace, as read from its JSON. */
#pragma once

#include "trace/event-source.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_CHROME_HOST,       /* a host thread, and what no other class names */
  HIR_CHROME_LAUNCH,     /* runtime and driver calls */
  HIR_CHROME_KERNEL,     /* work of a device */
  HIR_CHROME_MEMCPY,
  HIR_CHROME_MEMSET,
  HIR_CHROME_SYNC,
  HIR_CHROME_DEVICE_NOTE, /* a device's annotations: no work */
  HIR_CHROME_OVERHEAD,
} HirChromeClass;

/* A pid or tid: a number or any text. */
typedef struct
{
  gboolean is_number;
  gint64 number;
  HirJsonText text; /* where it is no number */
} HirChromeId;

/* Texts point into the source. */
typedef struct
{
  guint32 at;  /* where it begins in its block of text */
  char phase;  /* 'X', 'B', ...; 0: missing */
  guint8 class; /* HirChromeClass */
  gboolean has_args;
  HirJsonText name, category; /* length 0: missing */
  HirChromeId pid, tid, id;
  gboolean has_start, has_duration, has_id;
  gint64 start_ns, duration_ns;
  /* args */
  gint64 correlation; /* -1: none; as are these */
  gint64 device, stream, bytes;
  gint64 in_elements, out_elements, group_size, sequence;
  gint64 root, sender, receiver; /* of a collective, of a message; -1: none */
  HirJsonText collective, dtype, group_name, group_ranks; /* length 0: none */
  HirJsonText args;     /* the object as it stands, length 0: none, or too long for a counter's */
  HirJsonText arg_name; /* args.name, of metadata */
  /* What our own exports say besides; kind tells them from others (length 0). Among the args where
   * all of them are ours, in an object of its own (HIR_EVENT_OWN_ARGS) beside those of another
   * profiler. */
  HirJsonText kind, phase_name, instruction;
  gint64 rank, iteration, flops; /* -1: none */
  gboolean is_foreign;           /* our export of another profiler's event */
} HirChromeEvent;

/* The object that comes next. FALSE after an error of @json; a value that is no object is skipped
 * and gives TRUE with phase 0. */
gboolean hir_chrome_event_read (HirJson *json, HirChromeEvent *event);

/* The value of "hirscope" in our own exports: meta, and the account as it was. */
void hir_chrome_take_own_root (HirJson *json, HirTraceBuilder *builder);

G_END_DECLS
