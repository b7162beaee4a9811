/* Chrome and Kineto JSON traces of every dialect that is in use: an object with "traceEvents" or a
 * bare array; complete events, begins and ends, asynchronous ones, instants; categories of all
 * years; ends that are missing, commas too many. */
#pragma once

#include <gio/gio.h>

#include "trace/trace.h"

G_BEGIN_DECLS

/* What stands beside the events. */
typedef struct
{
  gboolean has_base_time;
  gint64 base_time_ns; /* what "ts" counts from, since 1970 */
  gboolean has_rank;
  int rank;
  gint64 world_size; /* 0: unknown */
} HirChromeHeader;

/* Only the header of @text, without its events. @exact: read all of it; else the first and last
 * piece only, which holds what Kineto writes. */
void
hir_import_chrome_peek (const char *text, gsize length, gboolean exact, HirChromeHeader *header);

typedef struct
{
  const char *name;     /* of the file, for messages */
  int rank;             /* of all its tracks */
  gboolean has_zero;    /* else its first event is zero */
  gint64 zero_ns;       /* what is subtracted from "ts" */
  GCancellable *cancellable;
  /* Nullable: told now and then how much was read, 0 to 1. */
  void (*progress) (double done, gpointer user_data);
  gpointer user_data;
} HirChromeImport;

/* Adds the events of @text to @builder, and what was repaired or left out to its account. Text that
 * is cut off, or breaks off into what is no JSON, gives what came before, and a line in the account.
 * *@zero_ns: what was subtracted. Errors: HIR_ERROR_INPUT with line and column where there is no
 * event in it, HIR_ERROR_LIMIT, HIR_ERROR_CANCELLED. Linear in @length; @text must stay until then
 * only. */
gboolean hir_import_chrome (HirTraceBuilder *builder,
                            const char *text,
                            gsize length,
                            const HirChromeImport *options,
                            gint64 *zero_ns,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
