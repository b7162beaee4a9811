/* What the graph pane has on show: which graph, and where its boxes are. A HirGraphChoice says what is to be
 * seen (one snapshot or two, what is folded, what is near), and from it comes a HirPicture, with the graph that
 * follows from the choice and, once it was laid out, its layout. Both are immutable once made, and counted
 * atomically: they are made on worker threads. */
#pragma once

#include "draw/graph/layout.h"
#include "view/graph-derive.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount ref_count;
  HirProgramView *view;
  HirProgramView *base;     /* nullable: compared with; the graph is that of both */
  HirProgramView *previous; /* nullable: whose changes are marked where nothing is compared */
  gboolean lanes;
  GHashTable *folded;       /* set of gint64* group keys, owned */
  GArray *near;             /* guint64: ids of what the neighbourhood is of; empty: all is shown */
  guint n_hops;
  HirNearDirection direction;
} HirGraphChoice;

/* Keeps references to the views. Nothing folded, all shown; to be filled in before others see it. */
HirGraphChoice *hir_graph_choice_new (HirProgramView *view,
                                      HirProgramView *base,
                                      HirProgramView *previous);
HirGraphChoice *hir_graph_choice_ref (HirGraphChoice *choice);
void hir_graph_choice_unref (HirGraphChoice *choice);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirGraphChoice, hir_graph_choice_unref)
/* TRUE where both are the same picture. */
gboolean hir_graph_choice_equal (const HirGraphChoice *a, const HirGraphChoice *b);
/* Of what is folded: the key of unions. */
guint64 hir_graph_choice_hash_folded (const HirGraphChoice *choice);

typedef struct _HirPicture
{
  gatomicrefcount ref_count;
  HirGraphChoice *choice;
  HirGraph *graph;     /* borrowed from the view where it is that */
  HirGraph *own_graph; /* nullable: the same, where it was made */
  struct _HirPicture *source; /* nullable: whose graph it is */
  GHashTable *changes; /* const gint64* id -> HirChange, against choice->previous */
  guint n_all;         /* boxes there were before only what is near was taken */
  HirLayout *layout;   /* NULL until it is there */
  gboolean is_preview; /* a better layout is being made */
} HirPicture;

/* The graph that @choice asks for; no layout yet. Takes milliseconds for 10,000 nodes. */
HirPicture *hir_picture_new (HirGraphChoice *choice);
/* The graph of @source, which it keeps, laid out otherwise. */
HirPicture *hir_picture_new_preview (HirPicture *source, HirLayout *layout);
HirPicture *hir_picture_ref (HirPicture *picture);
void hir_picture_unref (HirPicture *picture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirPicture, hir_picture_unref)

/* The key of the innermost group of @picture around its point (@x, @y) in layout pixels, or of the folded box
 * there; 0: there is none. @is_folded: which of the two. */
guint64
hir_picture_find_group (const HirPicture *picture, double x, double y, gboolean *is_folded);
/* The same for what node @id is in; for a box or group of that id itself. */
guint64 hir_picture_find_group_of (const HirPicture *picture, guint64 id, gboolean *is_folded);

/* What stands for @id in @picture: itself, or the innermost folded group that it is in; 0: it is not there. */
guint64 hir_picture_find_shown (const HirPicture *picture, guint64 id);

/* By node of @to its index in @from, by key; -1: not there. As hir_layout_new_between() wants it. */
int *hir_picture_match (const HirPicture *from, const HirPicture *to);

G_END_DECLS
