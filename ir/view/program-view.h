/* One snapshot as a viewer needs it: text with spans, graph, and what is known of each node. Made
 * from a live program or read back from a recording; the window knows only this. Immutable once
 * made. */
#pragma once

#include "view/graph.h"
#include "print/print.h"

G_BEGIN_DECLS

/* A line of the inspector. `id` (0: none) is the node that the value names. */
typedef struct
{
  char *name; /* "output", "reads", "stream", "logical domain", "size" */
  char *value;
  guint64 id;
} HirFact;

typedef struct
{
  guint64 id;
  gboolean is_expr;
  char *kind;  /* "TensorView", "IterDomain", "HostUnit"; of an Expr nvFuser's class: "MatmulOp" */
  char *label; /* short, one line: "T2 = matmul(T0, T1)", "T0 [i0, i2]" */
  HirPos pos;  /* script position; line 0: none */
  guint64 *origins;
  guint n_origins;
  guint64 content_hash; /* see structural-hash.h: another one for the same id means changed */
  GArray *facts;        /* HirFact */
} HirNodeInfo;

typedef struct
{
  gatomicrefcount ref_count;
  char *pass_name;
  gint64 duration_ns;
  gboolean changed;
  guint n_created, n_changed, n_removed;
  guint64 hash;
  gboolean is_host; /* a host program, not a fusion */
  char *text;
  GArray *spans; /* HirSpan */
  HirGraph *graph;
  GHashTable *nodes; /* const gint64* id -> HirNodeInfo*, owned */
} HirProgramView;

/* Of @container as it is now. The pass's name, time and counts are for the caller to fill in. */
HirProgramView *hir_program_view_new (HirContainer *container, HirFormat format);
/* Asked while something large is gone through, in the same thread: TRUE once nobody wants the result any more. */
typedef gboolean (*HirIsStopped) (gpointer user_data);
/* The same; NULL once @is_stopped (nullable). */
HirProgramView *hir_program_view_new_unless (HirContainer *container,
                                             HirFormat format,
                                             HirIsStopped is_stopped,
                                             gpointer user_data);
/* Empty, to be filled in by a reader; hir_program_view_add_node() takes @info. */
HirProgramView *hir_program_view_new_empty (void);
void hir_program_view_add_node (HirProgramView *view, HirNodeInfo *info);
HirProgramView *hir_program_view_ref (HirProgramView *view);
void hir_program_view_unref (HirProgramView *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirProgramView, hir_program_view_unref)

/* NULL where @id is not in this snapshot. Borrowed. */
const HirNodeInfo *hir_program_view_lookup (const HirProgramView *view, guint64 id);

HirNodeInfo *hir_node_info_new (guint64 id, gboolean is_expr);
/* Copies the texts; @id 0: the value names no node. */
void hir_node_info_add_fact (HirNodeInfo *info, const char *name, const char *value, guint64 id);
void hir_node_info_free (HirNodeInfo *info);
/* Returns TRUE for an axis or a HostUnit: part of another node, and not counted as a change. */
gboolean hir_node_info_is_part (const HirNodeInfo *info);

/* Of one node; see also program-diff.h, which tells all of two snapshots. */
HirChange hir_program_view_get_change (const HirProgramView *before /* nullable */,
                                       const HirProgramView *after,
                                       guint64 id);
/* Tensors and Exprs; an axis or a HostUnit is part of what it belongs to. @before NULL: all are
 * new. */
void hir_program_view_count_changes (const HirProgramView *before,
                                     const HirProgramView *after,
                                     guint *n_created,
                                     guint *n_changed,
                                     guint *n_removed);

/* The ids in @to that @id of @from corresponds to: itself where it is there, else the nodes that
 * list it (directly or through @chain, the snapshots between, in order) as an origin, or, going
 * back, its origins. Newly allocated array of guint64, maybe empty. This is how a selection moves
 * from snapshot to snapshot. @views: all snapshots in pass order. */
GArray *hir_program_views_follow (GPtrArray *views, guint from, guint to, guint64 id);

G_END_DECLS
