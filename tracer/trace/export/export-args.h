/* Category and arguments of an event, as exports with free arguments write them. */
#pragma once

#include "trace/event-args.h"
#include "trace/json-out.h"

G_BEGIN_DECLS

/* Read for one event after another. */
typedef struct
{
  const char *category; /* Kineto's, or that of the source; valid until the next event */
  HirEventJson source;
  char instant;        /* scope of an instant, see HirEventJson; 0: an interval */
  gboolean is_foreign; /* the source gives arguments, a category, or an instant */
} HirExportArgs;

/* Starts without an event. Clear with hir_export_args_clear(). */
void hir_export_args_init (HirExportArgs *args);
/* Frees the contents of @args. */
void hir_export_args_clear (HirExportArgs *args);

/* Reads what the source has. If it has changed since it was loaded, this fails with
 * HIR_ERROR_INPUT, because missing arguments would not be noticed. */
gboolean hir_export_args_read (HirExportArgs *args,
                               const HirTrace *trace,
                               guint track,
                               guint index,
                               const HirEvent *event,
                               GError **error);
/* Writes the arguments as members of the current object: the fields of the trace store, or those of
 * the source and ours in a sub-object. */
void hir_export_args_write (const HirExportArgs *args,
                            HirJsonOut *json,
                            const HirTrace *trace,
                            guint track,
                            guint index,
                            const HirEvent *event);

G_END_DECLS
