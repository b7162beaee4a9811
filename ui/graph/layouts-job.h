/* What the layouts of a program's steps do in their thread: graphs joined, labels measured, rows laid out. */
#pragma once

#include "draw/graph/graph-picture.h"
#include "draw/graph/union.h"
#include "program/program.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Graphviz needs far more than its budget for more boxes than these; the picture comes at once without it. */
#define HIR_LAYOUTS_MAX_DOT_NODES 3000

/* A union and its layouts, for all steps with the same groups folded. Counted: threads use it too. The main
 * thread alone knows of @layout. */
typedef struct
{
  gatomicrefcount ref_count;
  guint64 folded;
  HirUnion *all;
  HirLayout *rows;   /* at once */
  HirLayout *layout; /* NULL until Graphviz made it or was given up: then it has the places of the rows */
} HirLayoutShared;

typedef struct
{
  struct _HirLayouts *owner; /* a reference */
  HirProgram *program;
  HirGraphChoice *choice;
  HirPicture *from;          /* nullable */
  gboolean is_union_wanted;  /* it is to be made */
  HirLayoutShared *shared;   /* nullable: there already, or made */
  HirLayout *whole;          /* nullable: of the shared one its layout, or its rows */
  gboolean is_final;         /* whether that is the last word */
  GCancellable *cancellable;
  /* Made in the thread: */
  gboolean is_union_too_large;
  HirPicture *picture; /* with a layout where that is the last word, */
  HirPicture *preview; /* else this has the rows */
  HirSizes *sizes;     /* of the picture, where it is laid out by itself; */
  HirLayout *rows;     /* its rows */
} HirLayoutJob;

/* A count more, or less; frees the last one, in any thread. */
HirLayoutShared *hir_layout_shared_ref (HirLayoutShared *shared);
void hir_layout_shared_unref (HirLayoutShared *shared);
void hir_layout_job_free (HirLayoutJob *job);
/* Which of @program's steps @view is; -1: none. */
int hir_layout_find_step (const HirProgram *program, const HirProgramView *view);
/* In the thread that @measure belongs to, which is made where it is NULL. Nothing is made where the user moved on before. */
void hir_layout_job_prepare (HirLayoutJob *job, HirMeasure **measure);

G_END_DECLS
