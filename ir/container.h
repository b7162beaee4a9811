/* HirContainer: a Fusion (SSA, no order) or a host program (ordered, nested scopes); see
 * docs/host-ir.md#containers.
 *
 *   container ── arena (owns every node)
 *     ├─ inputs, outputs           values
 *     ├─ tensors                   all, in creation order
 *     ├─ exprs                     Fusion: all, in creation order
 *     ├─ top                       host program: ordered; loops and ifs hold scopes of their own
 *     └─ units                     HostUnits, each with a fusion of its own in the same arena
 *
 * Built by one thread; immutable once it is a snapshot, and then readable from any thread. */
#pragma once

#include "expr.h"
#include "identity.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_CONTAINER_FUSION,
  HIR_CONTAINER_HOST,
} HirContainerKind;

struct _HirContainer
{
  HirContainerKind kind;
  gatomicrefcount ref_count;
  HirArena *arena;
  gboolean owns_arena; /* FALSE for the fusion of a HostUnit */
  HirSource *source;   /* nullable: what the positions refer to */
  char *function;      /* nullable, in the arena: the script function */
  HirVec inputs;       /* HirVal*: tensors and scalars */
  HirVec outputs;
  HirVec tensors; /* HirTensor* */
  HirVec exprs;   /* HirExpr* */
  HirScope top;
  HirVec units; /* HirHostUnit* */
  HirVec named; /* HirScalar*: named scalars made so far */
  int val_counter[HIR_N_VAL_KINDS];
  int expr_counter;
  HirScalar *zero, *one; /* made at first use */
  HirMaker maker;
};

HirContainer *hir_container_new (HirContainerKind kind, HirSource *source /* nullable */);
/* A fusion that lives in @parent's arena: that of a HostUnit. Freed with the parent. */
HirContainer *hir_container_new_nested (HirContainer *parent);
HirContainer *hir_container_ref (HirContainer *container);
void hir_container_unref (HirContainer *container);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirContainer, hir_container_unref)

/* Registers; tensors become Global (docs/host-ir.md#memory-types). An output may be added twice:
 * then it stays once, in its first place. */
void hir_container_add_input (HirContainer *container, HirVal *val);
void hir_container_add_output (HirContainer *container, HirVal *val);
gboolean hir_container_is_input (const HirContainer *container, const HirVal *val);
gboolean hir_container_is_output (const HirContainer *container, const HirVal *val);

/* Fusion: adds to `exprs`. Host: appends to the top level. */
void hir_container_add_expr (HirContainer *container, HirExpr *expr);
HirHostUnit *hir_container_add_unit (HirContainer *container);

/* Fusion only. Exprs reachable backwards from the terminating outputs, depth first, an Expr after
 * its operands' definitions, operands in order (docs/host-ir.md#containers). Newly allocated array
 * of HirExpr*. Iterative: a chain of any length is safe. */
GPtrArray *hir_fusion_dup_exprs (HirContainer *fusion);

/* HirTensor* -> GPtrArray of HirExpr* that read it, in order of `exprs` (fusion). Free with
 * g_hash_table_unref(). Only Exprs that hir_fusion_dup_exprs() gives. */
GHashTable *hir_fusion_dup_uses (HirContainer *fusion);

/* Host program: every Expr, nested ones after their parent, in program order, with its depth (0 = top
 * level). For a fusion: those of hir_fusion_dup_exprs(), depth 0. Return FALSE to stop. */
typedef gboolean (*HirExprVisitor) (HirExpr *expr, guint depth, gpointer user_data);
void hir_container_foreach_expr (HirContainer *container, HirExprVisitor visit, gpointer user_data);

/* Nodes by id, HostUnits' included; a node of the program itself wins over its copy in a unit. NULL
 * where there is none. Linear: views keep a table of their own. */
HirExpr *hir_container_lookup_expr (HirContainer *container, guint64 id);
HirTensor *hir_container_lookup_tensor (HirContainer *container, guint64 id);

/* A deep copy in a new arena: same names, ids, origins, positions, counters, source. The copy's maker is
 * empty. */
HirContainer *hir_container_clone (HirContainer *container);

G_END_DECLS
