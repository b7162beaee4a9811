/* HirContainer: a fusion (SSA, unordered) or a host program (ordered, nested scopes); see
 * docs/host-ir.md#containers.
 *
 *   arena             owns every node
 *   inputs, outputs   values
 *   tensors           all tensors, in creation order
 *   exprs             fusion: all Exprs, in creation order
 *   top               host program: the ordered top level; loops and IFs have nested scopes
 *   units             HostUnits, each with its own fusion in the same arena
 *
 * One thread builds a container. It is immutable once it is part of a snapshot; then any thread may
 * read it. */
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
  HirSource *source;   /* text that the positions refer to (nullable) */
  char *function;      /* name of the script function, in the arena (nullable) */
  /* sizes and numbers that the script executes the fusion with, each like the text of --input, one
   * per input, in the arena; NULL if they are not known */
  const char **examples;
  HirVec inputs; /* HirVal*: tensors and scalars */
  HirVec outputs;
  HirVec tensors; /* HirTensor* */
  HirVec exprs;   /* HirExpr* */
  HirScope top;
  HirVec units; /* HirHostUnit* */
  HirVec named; /* HirScalar*: named scalars created so far */
  int val_counter[HIR_N_VAL_KINDS];
  int expr_counter;
  HirScalar *zero, *one; /* created at first use */
  /* its text ends in the definitions of its indices (docs/host-ir.md#index-definitions) */
  gboolean prints_indices;
  HirMaker maker;
};

HirContainer *hir_container_new (HirContainerKind kind, HirSource *source /* nullable */);
/* Creates a fusion in @parent's arena, for a HostUnit. The parent frees it. */
HirContainer *hir_container_new_nested (HirContainer *parent);
HirContainer *hir_container_ref (HirContainer *container);
void hir_container_unref (HirContainer *container);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirContainer, hir_container_unref)

/* Appends @val to the inputs. Tensors become Global (docs/host-ir.md#memory-types). */
void hir_container_add_input (HirContainer *container, HirVal *val);
/* Appends @val to the outputs unless it is one already. Tensors become Global. */
void hir_container_add_output (HirContainer *container, HirVal *val);
gboolean hir_container_is_input (const HirContainer *container, const HirVal *val);
gboolean hir_container_is_output (const HirContainer *container, const HirVal *val);

/* Appends @expr to `exprs` of a fusion, or to the top level of a host program. */
void hir_container_add_expr (HirContainer *container, HirExpr *expr);
/* Appends a HostUnit with an empty fusion. */
HirHostUnit *hir_container_add_unit (HirContainer *container);

/* Returns the Exprs of a fusion that are reachable backward from its terminating outputs. Depth
 * first: each Expr follows the definitions of its operands, visited in order
 * (docs/host-ir.md#containers). Iterative, so a chain of any length is safe. Free the array (of
 * HirExpr*) with g_ptr_array_unref(). */
GPtrArray *hir_fusion_dup_exprs (HirContainer *fusion);

/* Returns a table from each HirTensor* of a fusion to the GPtrArray of HirExpr* that read it, in
 * the order of hir_fusion_dup_exprs() and only with its Exprs. Free with g_hash_table_unref(). */
GHashTable *hir_fusion_dup_uses (HirContainer *fusion);

/* Called for each Expr with its nesting depth (0 = top level). Return FALSE to stop. */
typedef gboolean (*HirExprVisitor) (HirExpr *expr, guint depth, gpointer user_data);
/* Calls @visit for every Expr of a host program in program order, nested Exprs after their parent.
 * For a fusion: for the Exprs of hir_fusion_dup_exprs(), with depth 0. */
void hir_container_foreach_expr (HirContainer *container, HirExprVisitor visit, gpointer user_data);

/* Returns whether @stream is a name that a GetCurrentStream gives to the stream on which the
 * program starts. Traces call it "Default stream", and "Stream 0" the stream with index 0. */
gboolean hir_stream_is_default (const HirStream *stream);

/* Returns the Expr with @id, or NULL. The program itself is searched before its HostUnits. Linear:
 * views have a table of nodes. */
HirExpr *hir_container_lookup_expr (HirContainer *container, guint64 id);
/* Returns the tensor with @id, or NULL; searches like hir_container_lookup_expr(). */
HirTensor *hir_container_lookup_tensor (HirContainer *container, guint64 id);

/* Returns a deep copy in a new arena with the same names, ids, origins, positions, counters and
 * source. The maker of the copy is empty. */
HirContainer *hir_container_clone (HirContainer *container);

G_END_DECLS
