/* Expr: an operation, of a fusion or of a host program (docs/host-ir.md#containers,
 * docs/host-ir.md#printed-form, docs/host-ir.md#execution). */
#pragma once

#include "tensor.h"

G_BEGIN_DECLS

typedef enum
{
  /* tensor ops, of fusions and host programs */
  HIR_EXPR_SET, /* LoadStoreOp; a permute where the output has a root domain */
  HIR_EXPR_UNARY,
  HIR_EXPR_BINARY,
  HIR_EXPR_TERNARY,
  HIR_EXPR_REDUCTION,
  HIR_EXPR_BROADCAST,
  HIR_EXPR_SQUEEZE,
  HIR_EXPR_EXPAND,
  HIR_EXPR_RESHAPE,
  HIR_EXPR_SLICE,
  HIR_EXPR_PAD,
  HIR_EXPR_CAT,
  HIR_EXPR_SELECT,
  HIR_EXPR_MATMUL,
  HIR_EXPR_LINEAR,
  HIR_EXPR_FULL,
  HIR_EXPR_IOTA,
  /* host ops */
  HIR_EXPR_ALLOCATE,
  HIR_EXPR_DEALLOCATE,
  HIR_EXPR_ALIAS_SELECT,
  HIR_EXPR_FOR,
  HIR_EXPR_IF,
  HIR_EXPR_POST_ON_STREAM,
  HIR_EXPR_GET_CURRENT_STREAM,
  HIR_EXPR_SET_CURRENT_STREAM,
  HIR_EXPR_SYNCHRONIZE,
  HIR_EXPR_WAIT,
  HIR_EXPR_COMMUNICATION,
  HIR_EXPR_P2P,
  HIR_EXPR_START_COALESCING,
  HIR_EXPR_END_COALESCING,
  HIR_EXPR_SHARD_BY_STREAM,    /* 2026 */
  HIR_EXPR_COLLECTIVE_PERMUTE, /* 2026 */
  HIR_N_EXPR_KINDS,
} HirExprKind;

/* Unary ops by their script names (docs/host-ir.md#ops). CAST converts to the output's type. */
typedef enum
{
  HIR_UNARY_ABS, HIR_UNARY_ACOS, HIR_UNARY_ACOSH, HIR_UNARY_ASIN, HIR_UNARY_ASINH, HIR_UNARY_ATAN,
  HIR_UNARY_ATANH, HIR_UNARY_CEIL, HIR_UNARY_COS, HIR_UNARY_COSH, HIR_UNARY_EXP, HIR_UNARY_EXP2,
  HIR_UNARY_EXPM1, HIR_UNARY_ERF, HIR_UNARY_ERFC, HIR_UNARY_ERFINV, HIR_UNARY_ERFCINV,
  HIR_UNARY_FLOOR, HIR_UNARY_FRAC, HIR_UNARY_LGAMMA, HIR_UNARY_LOG, HIR_UNARY_LOG10,
  HIR_UNARY_LOG1P, HIR_UNARY_LOG2, HIR_UNARY_NEG, HIR_UNARY_LOGICAL_NOT, HIR_UNARY_BITWISE_NOT,
  HIR_UNARY_RELU, HIR_UNARY_RECIPROCAL, HIR_UNARY_ROUND, HIR_UNARY_RSQRT, HIR_UNARY_SIGMOID,
  HIR_UNARY_SIGNBIT, HIR_UNARY_SILU, HIR_UNARY_SIN, HIR_UNARY_SINH, HIR_UNARY_SQRT, HIR_UNARY_TAN,
  HIR_UNARY_TANH, HIR_UNARY_TRUNC, HIR_UNARY_GELU, HIR_UNARY_ISFINITE, HIR_UNARY_ISINF,
  HIR_UNARY_ISNAN, HIR_UNARY_ISNEGINF, HIR_UNARY_ISPOSINF, HIR_UNARY_ISREAL, HIR_UNARY_CAST,
  HIR_N_UNARY_OPS,
} HirUnaryOp;

typedef enum
{
  HIR_BINARY_ADD, HIR_BINARY_SUB, HIR_BINARY_MUL, HIR_BINARY_DIV, HIR_BINARY_TRUEDIV,
  HIR_BINARY_MOD, HIR_BINARY_FMOD, HIR_BINARY_REMAINDER, HIR_BINARY_POW, HIR_BINARY_ATAN2,
  HIR_BINARY_NEXTAFTER, HIR_BINARY_MAX, HIR_BINARY_MIN, HIR_BINARY_GCD, HIR_BINARY_EQ,
  HIR_BINARY_NE, HIR_BINARY_LT, HIR_BINARY_LE, HIR_BINARY_GT, HIR_BINARY_GE,
  HIR_BINARY_LOGICAL_AND, HIR_BINARY_LOGICAL_OR, HIR_BINARY_BITWISE_AND, HIR_BINARY_BITWISE_OR,
  HIR_BINARY_BITWISE_XOR, HIR_BINARY_LSHIFT, HIR_BINARY_RSHIFT,
  HIR_N_BINARY_OPS,
} HirBinaryOp;

typedef enum
{
  HIR_TERNARY_WHERE, HIR_TERNARY_LERP, HIR_TERNARY_CLAMP, HIR_TERNARY_THRESHOLD,
  HIR_TERNARY_ADDCMUL, /* four operands: a + value * b * c */
  HIR_N_TERNARY_OPS,
} HirTernaryOp;

typedef enum
{
  HIR_SET_SET,
  HIR_SET_SEGMENTER, /* SegmenterSet */
} HirSetKind;

typedef enum
{
  HIR_COMM_GATHER,
  HIR_COMM_ALLGATHER,
  HIR_COMM_SCATTER,
  HIR_COMM_REDUCE,
  HIR_COMM_ALLREDUCE,
  HIR_COMM_REDUCE_SCATTER,
  HIR_COMM_BROADCAST,
  HIR_COMM_SEND_RECV,
} HirCommType;

typedef struct
{
  HirVec exprs; /* HirExpr*, in program order */
} HirScope;

/* One segment: a private fusion that runs as one kernel. Its nodes share the arena of the program. */
typedef struct
{
  int index; /* `HostUnit0` */
  HirNode node;
  HirContainer *fusion;
} HirHostUnit;

/* Stream (a value): with an index, who it is depends on the index's value at the moment of use;
 * without, it is what a GetCurrentStream put into it. */
struct _HirStream
{
  HirVal base;
  HirScalar *index; /* nullable */
  guint64 address;  /* what a dump of 2026 calls it; 0: made here */
};

struct _HirExpr
{
  HirExprKind kind;
  int name; /* one counter for all Exprs of the container */
  HirNode node;
  HirContainer *container;
  HirVal **inputs; /* arrays in the arena, fixed length */
  guint n_inputs;
  HirVal **outputs;
  guint n_outputs;
  union
  {
    struct { HirSetKind kind; gboolean streaming; } set; /* streaming: prints cache_op=Streaming */
    struct { HirUnaryOp op; } unary;
    struct { HirBinaryOp op; } binary;
    struct { HirTernaryOp op; } ternary;
    struct { HirBinaryOp op; HirScalar *init; gboolean allreduce; } reduction; /* ADD, MUL, MAX, MIN */
    struct { gboolean *flags; guint n; } broadcast; /* one an output axis: TRUE where new */
    struct { gboolean *flags; guint n; } squeeze;   /* one an input axis: TRUE where dropped */
    struct { HirScalar **extents; guint n; } expand;
    struct { HirScalar **start, **stop, **step; guint n; } slice;
    struct { HirScalar **widths; guint n; HirScalar *value; } pad; /* n = 2 x axes, outermost first */
    struct { int dim; } cat;
    struct { HirIterDomain *axis; HirScalar *index; } select;
    struct { HirScalar **shape; guint n; HirScalar *value; } full;
    struct { HirScalar *length, *start, *step; } iota;
    struct { HirTensor *buffer; HirMemoryType memory; HirScalar *size; gboolean zero_init, always; } allocate;
                                             /* always: hir::Allocate of 2026, which rebinds */
    struct { HirTensor *buffer; } deallocate;
    struct { HirTensor *out; int axis; HirScalar *index; } alias_select; /* inputs: the tensor; axis:
                                             into its logical domain; `out` is no registered output */
    struct { HirIterDomain *iter_domain; HirScalar *index, *start, *stop, *step; HirScope body; } loop;
    struct { HirScalar *condition; HirScope then_body, else_body; } branch;
    struct { HirHostUnit *unit; } post;
    struct { HirStream *stream; } stream; /* Get/SetCurrentStream, Synchronize */
    struct { HirExpr *of; } wait;         /* see hir_expr_is_waitable() */
    struct { HirCommType type; gint64 *team; guint n_team; gint64 root; HirBinaryOp op; } comm; /* root -1 */
    struct { gboolean is_send; HirTensor *buffer; HirScalar *peer; } p2p;
    struct { HirTensor *out; HirScalar *index; } shard; /* inputs: tensor and index; `out` is no
                                             registered output */
    struct { gint64 *team; guint n_team; HirScalar *send_peer, *recv_peer; } permute; /* peers: places
                                             in the team */
  } u;
};

/* A new expr with the given operands (copied), stamped and numbered. It is put nowhere: see
 * container.h. Sets `definition` of tensor outputs. */
HirExpr *hir_expr_new (HirContainer *container, HirExprKind kind, HirVal *const *inputs, guint n_inputs,
                       HirVal *const *outputs, guint n_outputs);

/* Host ops. `out` of alias_select must have been made already. Asserts what nvFuser reports as an
 * error (docs/host-ir.md#memory): an axis out of range, a memory type that differs from the
 * buffer's. */
HirExpr *hir_expr_new_allocate (HirContainer *container, HirTensor *buffer, HirMemoryType memory);
HirExpr *hir_expr_new_alias_select (HirContainer *container, HirTensor *in, HirTensor *out, int axis,
                                    HirScalar *index);
HirExpr *hir_expr_new_for (HirContainer *container, HirIterDomain *iter_domain, HirScalar *index);
HirExpr *hir_expr_new_post_on_stream (HirContainer *container, HirHostUnit *unit, HirVal *const *inputs,
                                      guint n_inputs, HirVal *const *outputs, guint n_outputs);
/* GET_CURRENT_STREAM makes its own stream value when @stream is NULL. */
HirExpr *hir_expr_new_stream_op (HirContainer *container, HirExprKind kind, HirStream *stream);
HirStream *hir_stream_new (HirContainer *container, HirScalar *index /* nullable */);
HirExpr *hir_expr_new_deallocate (HirContainer *container, HirTensor *buffer);
/* Both scopes are empty. @condition is a Bool. */
HirExpr *hir_expr_new_if (HirContainer *container, HirScalar *condition);

/* Communication (docs/host-ir.md#communication). @team (copied) are device ids; @root, a device id
 * too, is -1 unless the type is rooted; @op counts for reductions only. Errors at creation (no
 * mesh, a root too many or too few, an op that no collective has) are programmer errors here:
 * asserted. */
HirExpr *hir_expr_new_communication (HirContainer *container, HirCommType type, HirTensor *out,
                                     HirTensor *in, const gint64 *team, guint n_team, gint64 root,
                                     HirBinaryOp op);
/* One side of an exchange with device @peer. What is posted between a StartCoalescing and an
 * EndCoalescing is one group, and a Wait for it is one for the EndCoalescing. */
HirExpr *hir_expr_new_p2p (HirContainer *container, gboolean is_send, HirTensor *buffer, HirScalar *peer);
HirExpr *hir_expr_new_start_coalescing (HirContainer *container);
HirExpr *hir_expr_new_end_coalescing (HirContainer *container);
/* Of 2026: piece @index of @in, cut along the Stream axis of @out (a view; docs/host-ir.md#memory);
 * every rank of @team (copied) sends to one peer and receives from another
 * (docs/host-ir.md#messages). */
HirExpr *hir_expr_new_shard_by_stream (HirContainer *container, HirTensor *in, HirTensor *out,
                                       HirScalar *index);
HirExpr *hir_expr_new_collective_permute (HirContainer *container, HirTensor *out, HirTensor *in,
                                          const gint64 *team, guint n_team, HirScalar *send_peer,
                                          HirScalar *recv_peer);
/* @of: a Communication, a P2P, a CollectivePermute or an EndCoalescing. */
HirExpr *hir_expr_new_wait (HirContainer *container, HirExpr *of);

/* TRUE for what a Wait can wait for. */
gboolean hir_expr_is_waitable (const HirExpr *expr);

gboolean hir_comm_type_is_rooted (HirCommType type);
gboolean hir_comm_type_is_reduction (HirCommType type);
/* TRUE where a collective can reduce by @op: add, mul, min, max, bitwise and, or, xor. */
gboolean hir_binary_op_is_collective (HirBinaryOp op);

/* One row a kind: what it is called, and what it is. */
typedef struct
{
  HirExprKind kind;
  const char *name;      /* "matmul", "HirAliasSelect", "SetCurrentStream": titles and graph nodes */
  const char *cpp_name;  /* nvFuser's class: "MatmulOp" */
  gboolean is_tensor_op; /* relates axes, may reshard (docs/host-ir.md#sharding) */
} HirExprInfo;
const HirExprInfo *hir_expr_kind_get_info (HirExprKind kind);
/* "relu", "add", "where": script name of the op of a unary, binary, ternary or reduction ("sum"); else
 * the kind's name. */
const char *hir_expr_get_op_name (const HirExpr *expr);
const char *hir_unary_op_get_name (HirUnaryOp op);
const char *hir_binary_op_get_name (HirBinaryOp op);
/* "+", "<<", or NULL where it prints as a function ("max"). */
const char *hir_binary_op_get_token (HirBinaryOp op);
/* "sum", "prod", "max", "min": what a script calls a reduction by @op; "reduction" of any other. */
const char *hir_binary_op_get_reduction_name (HirBinaryOp op);
const char *hir_ternary_op_get_name (HirTernaryOp op);
gboolean hir_unary_op_lookup (const char *name, HirUnaryOp *op);
gboolean hir_binary_op_lookup (const char *name, HirBinaryOp *op);
gboolean hir_ternary_op_lookup (const char *name, HirTernaryOp *op);

/* TRUE where nvFuser of 2025 runs @expr by itself on the host; else it is fused into a HostUnit
 * (docs/host-ir.md#segmentfusion). */
gboolean hir_expr_is_standalone (const HirExpr *expr);

/* The nested scopes of @expr: none, the loop body, or then and else. NULL past the last. */
HirScope *hir_expr_get_scope (HirExpr *expr, guint i);
/* The tensor that @expr writes or binds: first output, or buffer of Allocate, or out of an alias
 * select, or NULL. */
HirTensor *hir_expr_get_result (const HirExpr *expr);

G_END_DECLS
