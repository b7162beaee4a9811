/* Reads one event of a Chrome or Kineto trace from its JSON. */
#pragma once

#include "trace/event-source.h"
#include "trace/json-layout.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Member of the args of a group of messages in our own exports: a list of them. */
#define HIR_CHROME_MESSAGES "Coalesced messages"

typedef enum
{
  HIR_CHROME_HOST,   /* host thread, or any other class */
  HIR_CHROME_LAUNCH, /* runtime and driver calls */
  HIR_CHROME_KERNEL, /* device work */
  HIR_CHROME_MEMCPY,
  HIR_CHROME_MEMSET,
  HIR_CHROME_SYNC,
  HIR_CHROME_DEVICE_NOTE, /* annotation of a device; no work */
  HIR_CHROME_OVERHEAD,
} HirChromeClass;

/* Process or thread id: a number or any text. */
typedef struct
{
  gboolean is_number;
  gint64 number;
  HirJsonText text; /* used if it is not a number */
} HirChromeId;

/* One parsed event. Texts point into the source. */
typedef struct
{
  guint32 at;   /* offset of the event in its block */
  char phase;   /* 'X', 'B', ...; 0 if missing */
  guint8 class; /* HirChromeClass */
  gboolean has_args;
  gboolean is_invalid; /* an argument is no JSON value: nan, inf, 1e400 */
  gboolean has_twice;  /* a member of the event or of its arguments has the name of another */
  HirJsonText name, category; /* length 0 if missing */
  HirChromeId pid, tid, id;
  gboolean has_start, has_duration, has_id;
  gboolean is_enclosed; /* "bp": "e" of a flow */
  gint64 start_ns, duration_ns;
  /* Values from args. */
  gint64 correlation; /* -1 if missing; so are the next fields */
  gint64 device, stream, bytes;
  gint64 in_elements, out_elements, group_size, sequence;
  gint64 root, sender, receiver; /* of a collective or a message; -1 if missing */
  HirJsonText collective, dtype, group_name, group_ranks; /* length 0 if missing */
  HirJsonText args;     /* the whole object; length 0 if missing, or too long for a counter */
  HirJsonText arg_name; /* args.name of a metadata event */
  /* Arguments that only our exports write; the length of kind is 0 in other traces. They are in
   * args itself, or in the sub-object HIR_EVENT_OWN_ARGS if args are those of another profiler. */
  HirJsonText kind, phase_name, instruction;
  HirJsonText messages;          /* HIR_CHROME_MESSAGES, an array */
  gint64 rank, iteration, flops; /* -1 if missing */
  gboolean is_foreign;           /* exported by Hirscope, recorded by another profiler */
} HirChromeEvent;

/* What the events so far had in common. Not thread-safe. */
typedef struct
{
  HirJsonLayout event, args;
} HirChromeLayouts;

/* Starts without what events have in common. */
void hir_chrome_layouts_init (HirChromeLayouts *layouts);
/* Reads the next object. Returns FALSE after an error of @json. A value that is not an object is
 * skipped: TRUE, with phase 0. */
gboolean hir_chrome_event_read (HirJson *json, HirChromeLayouts *layouts, HirChromeEvent *event);

/* Reads the next message of @json, the array `messages` of @group, into @message: a copy of @group
 * with the arguments of the message. Returns FALSE at the end and after an error. */
gboolean hir_chrome_event_next_message (HirJson *json,
                                        gboolean *first,
                                        const HirChromeEvent *group,
                                        HirChromeEvent *message);

/* Reads the value of "hirscope" in our own exports: metadata and the account. */
void hir_chrome_take_own_root (HirJson *json, HirTraceBuilder *builder);

G_END_DECLS
