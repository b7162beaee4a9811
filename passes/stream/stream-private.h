/* The parts of StreamParallelType (docs/host-ir.md#streamparalleltype); no other file includes
 * it. */
#pragma once

#include "schedule/id-map.h"
#include "pass.h"

G_BEGIN_DECLS

/* A place of the new top level: an Expr that stays, or a loop to be. */
typedef struct
{
  HirExpr *kept;       /* NULL: a loop */
  HirIterDomain *axis; /* loop: the stream axis of the first Expr's output */
  GPtrArray *exprs;    /* loop: HirExpr*, its body before it is sliced */
} HirStreamItem;

/* Axes that are equal for sure: related by ops, broadcasts left alone. The BROADCAST map of
 * id-map.h says more: it also relates i0 and i5 where one broadcast axis meets both. */
typedef struct _HirExactMap HirExactMap;
void hir_exact_map_free (HirExactMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirExactMap, hir_exact_map_free)

typedef struct
{
  HirContainer *program;
  const HirPassContext *context;
  HirIdMap *map;
  HirExactMap *exact;       /* made when first asked for */
  GHashTable *fixed_slices; /* hir_stream_slices_new(): at a constant index, shared by all loops */
} HirStreamPass;

/* One loop being filled. */
typedef struct
{
  HirStreamPass *pass;
  const HirStreamItem *item;
  HirScope *body;
  HirScalar *index;
  GHashTable *slices; /* hir_stream_slices_new(): at the loop index */
} HirStreamSlicer;

/* Step 1. Items of the new top level, or NULL and a refusal. */
GPtrArray *hir_stream_group (HirStreamPass *pass, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Step 2 and 3, for the loop of @item: its Allocates into @top, its sliced body into @body. */
gboolean hir_stream_fill_loop (HirStreamPass *pass,
                               const HirStreamItem *item,
                               HirVec *top,
                               HirScope *body,
                               HirScalar *index,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A table of slices: which tensor is which axis of which tensor at which index. */
GHashTable *hir_stream_slices_new (void);
/* The slice of @tensor for @reader: the one in @slices, else a new one. */
HirTensor *hir_stream_slice (HirContainer *program,
                             GHashTable *slices,
                             const HirTensor *tensor,
                             int axis,
                             const HirScalar *index,
                             const HirExpr *reader,
                             gboolean *is_new);
/* Its HirAliasSelect, at the end of @scope. */
void hir_stream_emit_select (HirContainer *program,
                             HirScope *scope,
                             HirTensor *tensor,
                             HirTensor *slice,
                             int axis,
                             HirScalar *index,
                             const HirExpr *reader);

/* Instead of slicing @expr, a set whose @operand is over devices along logical axis @axis: in each
 * iteration one device's piece is copied by that device, and exchanged by every other with it
 * (docs/host-ir.md#point-to-point-exchange). Refused: refusal 8 of docs/host-ir.md#refusals, and
 * meshes for which it would be wrong. */
gboolean hir_stream_exchange (HirStreamSlicer *slicer,
                              HirExpr *expr,
                              guint operand,
                              int axis,
                              int out_axis,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Step 4: puts the stream management around the body of @loop, and it and @loop into @top. */
void hir_stream_manage (HirStreamPass *pass, HirExpr *loop, HirVec *top);

/* Position in @tensor's logical domain of the loop axis that is mapped to @axis; -1 where there is
 * none. FALSE: refusal 7 of docs/host-ir.md#refusals. */
gboolean hir_stream_find_axis (HirStreamPass *pass,
                               const HirTensor *tensor,
                               const HirIterDomain *axis,
                               int *position,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* FALSE where @expr would mean something else once @axis of its output and of its operands, at
 * @positions (one an input, -1: used whole), is sliced away. */
gboolean hir_stream_check_slicing (const HirExpr *expr,
                                   const HirIterDomain *axis,
                                   const int *positions,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Refusals: each sets @error with its own message and the script line of the schedule. */
void hir_stream_refuse_input (const HirTensor *tensor, const HirIterDomain *axis, GError **error);
void hir_stream_refuse_two_axes (const HirTensor *tensor,
                                 const HirIterDomain *first,
                                 const HirIterDomain *second,
                                 GError **error);
void hir_stream_refuse_two_outputs (const HirExpr *expr, GError **error);
void hir_stream_refuse_op (const HirExpr *expr,
                           const HirTensor *tensor,
                           const HirIterDomain *axis,
                           GError **error);
void hir_stream_refuse_derived (const HirTensor *tensor, const HirIterDomain *axis, GError **error);
void hir_stream_refuse_iter_type (const HirExpr *expr,
                                  const HirTensor *tensor,
                                  const HirIterDomain *axis,
                                  GError **error);
void hir_stream_refuse_two_mapped (const HirTensor *tensor,
                                   const HirIterDomain *axis,
                                   const HirIterDomain *first,
                                   const HirIterDomain *second,
                                   GError **error);

G_END_DECLS
