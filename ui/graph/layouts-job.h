/* Preparation of layouts on the worker thread: joins graphs, measures labels and computes rows. */
#pragma once

#include "draw/graph/graph-picture.h"
#include "draw/graph/union.h"
#include "program/program.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Graphviz exceeds its time budget for more boxes; larger graphs are drawn in rows. */
#define HIR_LAYOUTS_MAX_DOT_NODES 3000

/* A union and its layouts, for all steps of one kind with the same folded groups.
 * Reference-counted; used by
 * several threads. Only the main thread accesses @layout. */
typedef struct
{
  gatomicrefcount ref_count;
  guint64 folded;
  guint kind; /* of hir_layout_get_kind() */
  HirUnion *all;
  HirLayout *rows;   /* available at once */
  HirLayout *layout; /* NULL until Graphviz has finished; the rows if Graphviz was stopped */
} HirLayoutShared;

typedef struct
{
  struct _HirLayouts *owner; /* owned reference */
  HirProgram *program;
  HirGraphChoice *choice;
  HirPicture *from;         /* nullable */
  gboolean is_union_wanted; /* the union must be created */
  HirLayoutShared *shared;  /* nullable: the union, existing or created by this job */
  HirLayout *whole;         /* nullable: layout of the union, or its rows */
  gboolean is_final;        /* whether @whole is the final layout */
  GCancellable *cancellable;
  /* Created on the worker thread: */
  gboolean is_union_too_large;
  HirPicture *picture; /* has a layout if the layout is final; */
  HirPicture *preview; /* otherwise the preview has the rows */
  HirSizes *sizes;     /* of the picture, if it is not part of a union */
  HirLayout *rows;     /* rows of the picture */
} HirLayoutJob;

/* Takes a reference. */
HirLayoutShared *hir_layout_shared_ref (HirLayoutShared *shared);
/* Releases a reference. May be called from any thread. */
void hir_layout_shared_unref (HirLayoutShared *shared);
/* Frees @job. */
void hir_layout_job_free (HirLayoutJob *job);
/* Returns the kind of @view, a step of @program: fusion or host program, whether it has at most
 * half as many boxes as the largest step, and the number of boxes if there are few. In a layout for
 * a much larger step, a graph has its boxes far apart and its edges bent. */
guint hir_layout_get_kind (const HirProgram *program, const HirProgramView *view);
/* Runs the job. Call on the thread that owns *@measure, which is created if it is NULL. Creates
 * nothing if the job is cancelled. */
void hir_layout_job_prepare (HirLayoutJob *job, HirMeasure **measure);

G_END_DECLS
