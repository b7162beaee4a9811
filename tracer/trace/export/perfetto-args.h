/* Turns arguments of events into Perfetto's debug annotations. */
#pragma once

#include <glib.h>

#include "perfetto.pb-c.h"

G_BEGIN_DECLS

/* Interned texts of one kind. Their ids start at 1. */
typedef struct
{
  GHashTable *ids;  /* text -> id */
  GPtrArray *fresh; /* texts that no packet has defined yet, in the order of their ids */
} HirPerfettoTexts;

/* Starts without texts. */
void hir_perfetto_texts_init (HirPerfettoTexts *texts);
void hir_perfetto_texts_clear (HirPerfettoTexts *texts);
/* Returns the id of @text, which is copied. */
guint64 hir_perfetto_texts_intern (HirPerfettoTexts *texts, const char *text);

/* The annotations of one event. */
typedef struct
{
  GPtrArray *list; /* HirPf__DebugAnnotation, borrowed from owned */
  GPtrArray *owned;
} HirPerfettoArgs;

/* Starts without annotations. */
void hir_perfetto_args_init (HirPerfettoArgs *args);
/* Removes all annotations. */
void hir_perfetto_args_reset (HirPerfettoArgs *args);
void hir_perfetto_args_clear (HirPerfettoArgs *args);
/* Adds an annotation for each member of the JSON object @json. Names are interned in @names. */
void hir_perfetto_args_add (HirPerfettoArgs *args, HirPerfettoTexts *names, const char *json);

G_END_DECLS
