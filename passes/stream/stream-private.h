/* Internal declarations of StreamParallelType (docs/host-ir.md#streamparalleltype). */
#pragma once

#include "pass.h"
#include "schedule/id-map.h"

G_BEGIN_DECLS

/* Item of the new top level: an Expr that stays, or a future loop. */
typedef struct
{
  HirExpr *kept;       /* NULL for a loop */
  HirIterDomain *axis; /* loop: stream axis of the first Expr's output */
  GPtrArray *exprs;    /* loop: HirExpr* of its body, not sliced yet */
} HirStreamItem;

/* Map of axes that are certainly equal: related by ops, excluding broadcasts. The BROADCAST map of
 * id-map.h relates more: also i0 and i5 if both are mapped to one broadcast axis. */
typedef struct _HirExactMap HirExactMap;
void hir_exact_map_free (HirExactMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirExactMap, hir_exact_map_free)

typedef struct
{
  HirContainer *program;
  const HirPassContext *context;
  HirIdMap *map;
  HirExactMap *exact; /* created at first use */
  /* hir_stream_slices_new(): slices at a constant index, shared by all loops */
  GHashTable *fixed_slices;
} HirStreamPass;

/* State while a loop is filled. */
typedef struct
{
  HirStreamPass *pass;
  const HirStreamItem *item;
  HirScope *body;
  HirScalar *index;
  GHashTable *slices; /* hir_stream_slices_new(): slices at the loop index */
} HirStreamSlicer;

/* Step 1: returns the items of the new top level, or NULL and @error. */
GPtrArray *hir_stream_group (HirStreamPass *pass, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Steps 2 and 3 for the loop of @item: adds its Allocates to @top and its sliced body to @body. */
gboolean hir_stream_fill_loop (HirStreamPass *pass,
                               const HirStreamItem *item,
                               HirVec *top,
                               HirScope *body,
                               HirScalar *index,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Creates a table of slices, keyed by tensor, axis and index. */
GHashTable *hir_stream_slices_new (void);
/* Returns the slice of @tensor for @reader from @slices, creating it if needed. */
HirTensor *hir_stream_slice (HirContainer *program,
                             GHashTable *slices,
                             const HirTensor *tensor,
                             int axis,
                             const HirScalar *index,
                             const HirExpr *reader,
                             gboolean *is_new);
/* Appends the HirAliasSelect of @slice to @scope. */
void hir_stream_emit_select (HirContainer *program,
                             HirScope *scope,
                             HirTensor *tensor,
                             HirTensor *slice,
                             int axis,
                             HirScalar *index,
                             const HirExpr *reader);

/* Replaces @expr, a set whose @operand is over devices along logical axis @axis, by an exchange: in
 * each iteration, one device copies its shard, and all others exchange shards with it
 * (docs/host-ir.md#point-to-point-exchange). @error: refusal 8 of docs/host-ir.md#refusals, or a
 * mesh for which the exchange would be incorrect. */
gboolean hir_stream_exchange (HirStreamSlicer *slicer,
                              HirExpr *expr,
                              guint operand,
                              int axis,
                              int out_axis,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Step 4: adds the stream management to the body of @loop, and to @top together with @loop. */
void hir_stream_manage (HirStreamPass *pass, HirExpr *loop, HirVec *top);

/* Sets *@position to the position in @tensor's logical domain of the loop axis mapped to @axis, or
 * to -1. Returns FALSE and @error for refusal 7 of docs/host-ir.md#refusals. */
gboolean hir_stream_find_axis (HirStreamPass *pass,
                               const HirTensor *tensor,
                               const HirIterDomain *axis,
                               int *position,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns FALSE and @error if slicing @axis from the output and the operands of @expr would change
 * its meaning. @positions: one per input; -1 if it is used whole. */
gboolean hir_stream_check_slicing (const HirExpr *expr,
                                   const HirIterDomain *axis,
                                   const int *positions,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Refusals: each sets @error with the script position of the schedule. */
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
