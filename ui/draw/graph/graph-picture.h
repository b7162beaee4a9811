/* The content of the graph pane. A HirGraphChoice selects what is displayed: one snapshot or a
 * comparison of two, the folded groups and the neighborhood. A HirPicture has the resulting graph
 * and, after the layout, the positions.
 *
 * Both are immutable after creation and use atomic reference counts, because worker threads create
 * them. */
#pragma once

#include "draw/graph/layout.h"
#include "view/graph-derive.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount ref_count;
  HirProgramView *view;
  HirProgramView *base;     /* nullable; compared with view; the graph contains both */
  HirProgramView *previous; /* nullable; its differences are marked if nothing is compared */
  gboolean lanes;
  GHashTable *folded; /* set of gint64* group keys, owned */
  GArray *near;       /* guint64: ids at the center of the neighborhood; empty if everything
                       * is shown */
  guint n_hops;
  HirNearDirection direction;
} HirGraphChoice;

/* Returns a choice with nothing folded and everything shown. Takes references to the views. Fill in
 * the fields before sharing it. */
HirGraphChoice *
hir_graph_choice_new (HirProgramView *view, HirProgramView *base, HirProgramView *previous);
HirGraphChoice *hir_graph_choice_ref (HirGraphChoice *choice);
void hir_graph_choice_unref (HirGraphChoice *choice);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirGraphChoice, hir_graph_choice_unref)
/* Returns TRUE if both give the same picture. */
gboolean hir_graph_choice_equal (const HirGraphChoice *a, const HirGraphChoice *b);
/* Returns a hash of the folded groups, the key of unions. */
guint64 hir_graph_choice_hash_folded (const HirGraphChoice *choice);

typedef struct _HirPicture
{
  gatomicrefcount ref_count;
  HirGraphChoice *choice;
  HirGraph *graph;            /* borrowed from the view if not own_graph */
  HirGraph *own_graph;        /* NULL if the graph belongs to the view or source */
  struct _HirPicture *source; /* nullable; owner of the graph */
  GHashTable *changes;        /* const gint64* id -> HirChange, against choice->previous */
  guint n_all;                /* number of boxes before the restriction to the neighborhood */
  gboolean is_near;    /* restricted to a neighborhood; FALSE if its center is not in the graph */
  HirLayout *layout;   /* NULL before the layout is complete */
  gboolean is_preview; /* a better layout is being computed */
} HirPicture;

/* Returns the graph of @choice without a layout. Takes milliseconds for 10,000 nodes. */
HirPicture *hir_picture_new (HirGraphChoice *choice);
/* Returns a picture with another layout of the graph of @source. Takes a reference to @source. */
HirPicture *hir_picture_new_preview (HirPicture *source, HirLayout *layout);
HirPicture *hir_picture_ref (HirPicture *picture);
void hir_picture_unref (HirPicture *picture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirPicture, hir_picture_unref)

/* Returns the key of the innermost group of @picture, or of the folded box, at (@x, @y) in layout
 * pixels; 0 if there is none. @is_folded tells them apart. */
guint64 hir_picture_find_group (const HirPicture *picture, double x, double y, gboolean *is_folded);
/* Like hir_picture_find_group(), for the group of node @id, or for the box or group with this
 * id. */
guint64 hir_picture_find_group_of (const HirPicture *picture, guint64 id, gboolean *is_folded);

/* Returns the id that represents @id in @picture: @id, or the innermost folded group that contains
 * it; 0 if there is none. */
guint64 hir_picture_find_shown (const HirPicture *picture, guint64 id);

/* Returns for each node of @to its index in @from by key, or -1. Use with
 * hir_layout_new_between(). */
int *hir_picture_match (const HirPicture *from, const HirPicture *to);

G_END_DECLS
