/* One snapshot as a viewer needs it: text with spans, graph, and facts about each node. Built from
 * a live program or read from a recording; the window uses nothing else. Immutable once built. */
#pragma once

#include "print/print.h"
#include "view/graph.h"

G_BEGIN_DECLS

/* One line of the inspector. `id` is the node that the value refers to, or 0. */
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
  char *kind;  /* "TensorView", "IterDomain", "HostUnit"; for an Expr nvFuser's class: "MatmulOp" */
  char *label; /* one short line: "T2 = matmul(T0, T1)", "T0 [i0, i2]" */
  HirPos pos;  /* script position; line 0 if none */
  guint64 *origins;
  guint n_origins;
  guint64 content_hash; /* differs if the node changed; see structural-hash.h */
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

/* Builds the view of @container. The caller fills in the pass name, duration and counts. */
HirProgramView *hir_program_view_new (HirContainer *container, HirFormat format);
/* Returns TRUE to cancel. Called on the same thread during long operations. */
typedef gboolean (*HirIsStopped) (gpointer user_data);
/* Like hir_program_view_new(), but returns NULL if @is_stopped (nullable) returns TRUE. */
HirProgramView *hir_program_view_new_unless (HirContainer *container,
                                             HirFormat format,
                                             HirIsStopped is_stopped,
                                             gpointer user_data);
/* Creates an empty view for readers to fill. */
HirProgramView *hir_program_view_new_empty (void);
/* Adds @info to @view. Takes @info. */
void hir_program_view_add_node (HirProgramView *view, HirNodeInfo *info);
HirProgramView *hir_program_view_ref (HirProgramView *view);
void hir_program_view_unref (HirProgramView *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirProgramView, hir_program_view_unref)

/* Returns the node with @id (borrowed), or NULL. */
const HirNodeInfo *hir_program_view_lookup (const HirProgramView *view, guint64 id);

/* Creates a node without kind, label and facts. */
HirNodeInfo *hir_node_info_new (guint64 id, gboolean is_expr);
/* Adds a fact. Copies the texts; @id is 0 if the value refers to no node. */
void hir_node_info_add_fact (HirNodeInfo *info, const char *name, const char *value, guint64 id);
void hir_node_info_free (HirNodeInfo *info);
/* Returns TRUE for an axis or a HostUnit: part of another node, and not counted as a change. */
gboolean hir_node_info_is_part (const HirNodeInfo *info);

/* Compares one node in two snapshots. program-diff.h compares whole snapshots. */
HirChange hir_program_view_get_change (const HirProgramView *before /* nullable */,
                                       const HirProgramView *after,
                                       guint64 id);
/* Like hir_program_view_get_change(), but an Expr is also changed if the tensor that its line
 * defines is: a host program has no other line and no other box for the tensor. */
HirChange hir_program_view_get_line_change (const HirProgramView *before /* nullable */,
                                            const HirProgramView *after,
                                            guint64 id);
/* Like hir_program_view_get_line_change(), but for a graph: a tensor with a box there does not
 * count for the Expr that defines it. */
HirChange hir_program_view_get_box_change (const HirProgramView *before /* nullable */,
                                           const HirProgramView *after,
                                           guint64 id,
                                           GHashTable *boxes /* const gint64*: ids */);
/* Counts the changed tensors and Exprs (not axes and HostUnits, which are part of other nodes). If
 * @before is NULL, all are new. */
void hir_program_view_count_changes (const HirProgramView *before,
                                     const HirProgramView *after,
                                     guint *n_created,
                                     guint *n_changed,
                                     guint *n_removed);

/* Maps node @id of @views[@from] to @views[@to]; @views are all snapshots in pass order. The result
 * is @id itself if @views[@to] contains it. Going forward, otherwise: the nodes that have it as a
 * direct or indirect origin. Going backward, otherwise: its origins. A selection follows the
 * snapshots in this way.
 *
 * Returns a new array of guint64, possibly empty. */
GArray *hir_program_views_follow (GPtrArray *views, guint from, guint to, guint64 id);

/* Returns the nodes that line @line of the script caused, for each of @views: those with a position
 * in this line, those derived from them in later views, and the tensors whose axes it schedules.
 * The Exprs of the text come first, then its tensors. New array of GArray of guint64, possibly
 * empty. */
GPtrArray *hir_program_views_follow_line (GPtrArray *views, guint line);

G_END_DECLS
