/* Expr: an operation of a fusion or of a host program (docs/host-ir.md#containers,
 * docs/host-ir.md#printed-form, docs/host-ir.md#execution). */
#pragma once

#include "tensor.h"

G_BEGIN_DECLS

typedef enum
{
  /* tensor ops of fusions and host programs */
  HIR_EXPR_SET, /* LoadStoreOp; a permute if the output has a root domain */
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
  HIR_EXPR_OPAQUE, /* one output of an op that is drawn, checked and timed, but not computed */
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
  HIR_EXPR_SCALAR,             /* 2026: computes a scalar again, in a loop body */
  HIR_EXPR_LAUNCH_KERNEL,      /* 2026 */
  HIR_EXPR_SHARE_MEM_HANDLES,  /* 2026 */
  HIR_EXPR_SYMMETRIC_VIEW,     /* 2026: SymmetricContiguousView */
  HIR_EXPR_DISPATCH,           /* 2026: MoeDispatch */
  HIR_EXPR_COMBINE,            /* 2026: MoeCombine */
  HIR_N_EXPR_KINDS,
} HirExprKind;

/* Unary ops by their script names (docs/host-ir.md#ops). CAST converts to the type of the output.
 */
typedef enum
{
  HIR_UNARY_ABS,
  HIR_UNARY_ACOS,
  HIR_UNARY_ACOSH,
  HIR_UNARY_ASIN,
  HIR_UNARY_ASINH,
  HIR_UNARY_ATAN,
  HIR_UNARY_ATANH,
  HIR_UNARY_CEIL,
  HIR_UNARY_COS,
  HIR_UNARY_COSH,
  HIR_UNARY_EXP,
  HIR_UNARY_EXP2,
  HIR_UNARY_EXPM1,
  HIR_UNARY_ERF,
  HIR_UNARY_ERFC,
  HIR_UNARY_ERFINV,
  HIR_UNARY_ERFCINV,
  HIR_UNARY_FLOOR,
  HIR_UNARY_FRAC,
  HIR_UNARY_LGAMMA,
  HIR_UNARY_LOG,
  HIR_UNARY_LOG10,
  HIR_UNARY_LOG1P,
  HIR_UNARY_LOG2,
  HIR_UNARY_NEG,
  HIR_UNARY_LOGICAL_NOT,
  HIR_UNARY_BITWISE_NOT,
  HIR_UNARY_RELU,
  HIR_UNARY_RECIPROCAL,
  HIR_UNARY_ROUND,
  HIR_UNARY_RSQRT,
  HIR_UNARY_SIGMOID,
  HIR_UNARY_SIGNBIT,
  HIR_UNARY_SILU,
  HIR_UNARY_SIN,
  HIR_UNARY_SINH,
  HIR_UNARY_SQRT,
  HIR_UNARY_TAN,
  HIR_UNARY_TANH,
  HIR_UNARY_TRUNC,
  HIR_UNARY_GELU,
  HIR_UNARY_ISFINITE,
  HIR_UNARY_ISINF,
  HIR_UNARY_ISNAN,
  HIR_UNARY_ISNEGINF,
  HIR_UNARY_ISPOSINF,
  HIR_UNARY_ISREAL,
  HIR_UNARY_CAST,
  HIR_N_UNARY_OPS,
} HirUnaryOp;

typedef enum
{
  HIR_BINARY_ADD,
  HIR_BINARY_SUB,
  HIR_BINARY_MUL,
  HIR_BINARY_DIV,
  HIR_BINARY_TRUEDIV,
  HIR_BINARY_MOD,
  HIR_BINARY_FMOD,
  HIR_BINARY_REMAINDER,
  HIR_BINARY_POW,
  HIR_BINARY_ATAN2,
  HIR_BINARY_NEXTAFTER,
  HIR_BINARY_MAX,
  HIR_BINARY_MIN,
  HIR_BINARY_GCD,
  HIR_BINARY_EQ,
  HIR_BINARY_NE,
  HIR_BINARY_LT,
  HIR_BINARY_LE,
  HIR_BINARY_GT,
  HIR_BINARY_GE,
  HIR_BINARY_LOGICAL_AND,
  HIR_BINARY_LOGICAL_OR,
  HIR_BINARY_BITWISE_AND,
  HIR_BINARY_BITWISE_OR,
  HIR_BINARY_BITWISE_XOR,
  HIR_BINARY_LSHIFT,
  HIR_BINARY_RSHIFT,
  HIR_N_BINARY_OPS,
} HirBinaryOp;

typedef enum
{
  HIR_TERNARY_WHERE,
  HIR_TERNARY_LERP,
  HIR_TERNARY_CLAMP,
  HIR_TERNARY_THRESHOLD,
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
  HIR_COMM_ALL_TO_ALL,
} HirCommType;

/* Library that executes a communication, as nvFuser prints it. */
typedef enum
{
  HIR_COMM_BACKEND_NCCL,
  HIR_COMM_BACKEND_UCC,
  HIR_COMM_BACKEND_CUDA,
} HirCommBackend;

typedef struct
{
  HirVec exprs; /* HirExpr*, in program order */
} HirScope;

/* One segment: a private fusion that runs as one kernel. Its nodes are in the arena of the program.
 */
typedef struct
{
  int index; /* `HostUnit0` */
  HirNode node;
  HirContainer *fusion;
  gboolean is_kernel; /* of a LaunchKernel, whose text does not contain it */
} HirHostUnit;

/* Stream value. With an index, the value of the index at the time of use selects the stream.
 * Without an index, a GetCurrentStream assigns the stream. */
struct _HirStream
{
  HirVal base;
  HirScalar *index; /* nullable */
  guint64 address;  /* address in a dump of 2026; 0 if created here */
};

#define HIR_OPAQUE_MAX_AXES 16

struct _HirExpr
{
  HirExprKind kind;
  int name; /* number from one counter for all Exprs of the container */
  HirNode node;
  HirContainer *container;
  HirVal **inputs; /* arrays of fixed length in the arena */
  guint n_inputs;
  HirVal **outputs;
  guint n_outputs;
  HirCommBackend backend; /* communications and messages */
  union
  {
    struct
    {
      HirSetKind kind;
      gboolean streaming;
    } set; /* streaming: prints cache_op=Streaming */
    struct
    {
      HirUnaryOp op;
    } unary;
    struct
    {
      HirBinaryOp op;
    } binary;
    struct
    {
      HirTernaryOp op;
    } ternary;
    struct
    {
      HirBinaryOp op;
      HirScalar *init;
      gboolean allreduce;
    } reduction; /* ADD, MUL, MAX, MIN */
    struct
    {
      gboolean *flags;
      guint n;
    } broadcast; /* one flag per output axis: TRUE if new */
    struct
    {
      gboolean *flags;
      guint n;
    } squeeze; /* one flag per input axis: TRUE if removed */
    struct
    {
      HirScalar **extents;
      guint n;
    } expand;
    struct
    {
      HirScalar **start, **stop, **step;
      guint n;
    } slice;
    /* n = 2 x axes, outermost first */
    struct
    {
      HirScalar **widths;
      guint n;
      HirScalar *value;
    } pad;
    struct
    {
      int dim;
    } cat;
    struct
    {
      HirIterDomain *axis;
      HirScalar *index;
    } select;
    struct
    {
      HirScalar **shape;
      guint n;
      HirScalar *value;
    } full;
    struct
    {
      HirScalar *length, *start, *step;
    } iota;
    /* map: for axis j of input i, map[i * HIR_OPAQUE_MAX_AXES + j] is the axis of the output that
     * it becomes, or -1 */
    struct
    {
      const char *name;
      guint output; /* number of the output */
      guint dim;    /* of an op that takes elements by index: the axis */
      gint8 *map;
    } opaque;
    struct
    {
      HirTensor *buffer;
      HirMemoryType memory;
      HirScalar *size;
      gboolean zero_init, always;
    } allocate;
    /* always: hir::Allocate of 2026, which rebinds its
     * tensor */
    struct
    {
      HirTensor *buffer;
    } deallocate;
    /* inputs: the tensor; axis: index into its logical domain; `out` is not among the outputs */
    struct
    {
      HirTensor *out;
      int axis;
      HirScalar *index;
    } alias_select;
    struct
    {
      HirIterDomain *iter_domain;
      HirScalar *index, *start, *stop, *step;
      HirScope body;
    } loop;
    struct
    {
      HirScalar *condition;
      HirScope then_body, else_body;
    } branch;
    /* group: LaunchKernel only; its unit is NULL if the math of the kernel is unknown */
    struct
    {
      HirHostUnit *unit;
      int group;
    } post;
    struct
    {
      HirStream *stream;
    } stream; /* Get/SetCurrentStream, Synchronize */
    struct
    {
      HirExpr *of;
    } wait; /* see hir_expr_is_waitable() */
    /* root: -1 if there is none, or if it is computed: see hir_comm_set_root_index() */
    struct
    {
      HirCommType type;
      gint64 *team;
      guint n_team;
      gint64 root;
      HirBinaryOp op;
      HirScalar *root_index;
      HirExpr **at_root, *base;
    } comm;
    struct
    {
      gboolean is_send;
      HirTensor *buffer;
      HirScalar *peer;
    } p2p;
    /* inputs: tensor and index; `out` is not among the outputs */
    struct
    {
      HirTensor *out;
      HirScalar *index;
    } shard;
    /* peers: positions in the team */
    struct
    {
      gint64 *team;
      guint n_team;
      HirScalar *send_peer, *recv_peer;
    } permute;
    /* messages whose buffers are mapped */
    struct
    {
      HirExpr **of;
      guint n;
    } handles;
    struct
    {
      gint64 n_experts; /* Dispatch only */
    } moe;
  } u;
};

/* Creates an Expr with the given operands (copied), stamps and numbers it, and sets `definition` of
 * its tensor outputs. Does not add it to a scope: see container.h. */
HirExpr *hir_expr_new (HirContainer *container,
                       HirExprKind kind,
                       HirVal *const *inputs,
                       guint n_inputs,
                       HirVal *const *outputs,
                       guint n_outputs);

/* Creates an Allocate of @buffer, whose memory type must be @memory (docs/host-ir.md#memory). */
HirExpr *hir_expr_new_allocate (HirContainer *container, HirTensor *buffer, HirMemoryType memory);
/* Creates a HirAliasSelect that binds @out, an existing tensor, to @in at @index of its logical
 * axis @axis. Asserts that @axis is in range. */
HirExpr *hir_expr_new_alias_select (
    HirContainer *container, HirTensor *in, HirTensor *out, int axis, HirScalar *index);
/* Creates a loop over @iter_domain with an empty body. */
HirExpr *hir_expr_new_for (HirContainer *container, HirIterDomain *iter_domain, HirScalar *index);
/* Creates a PostOnStream that runs @unit. */
HirExpr *hir_expr_new_post_on_stream (HirContainer *container,
                                      HirHostUnit *unit,
                                      HirVal *const *inputs,
                                      guint n_inputs,
                                      HirVal *const *outputs,
                                      guint n_outputs);
/* Creates a Get/SetCurrentStream or Synchronize. For GET_CURRENT_STREAM, @stream may be NULL: a new
 * stream value is created. */
HirExpr *hir_expr_new_stream_op (HirContainer *container, HirExprKind kind, HirStream *stream);
/* Creates a stream value. */
HirStream *hir_stream_new (HirContainer *container, HirScalar *index /* nullable */);
/* Creates a Deallocate of @buffer. */
HirExpr *hir_expr_new_deallocate (HirContainer *container, HirTensor *buffer);
/* Creates an IF with two empty scopes. @condition is a Bool. */
HirExpr *hir_expr_new_if (HirContainer *container, HirScalar *condition);

/* Creates a Communication (docs/host-ir.md#communication). @team (copied) contains device ids.
 * @root is a device id, or -1 if the type has no root. @op is used by reductions only. Asserts what
 * nvFuser reports as an error at creation: a missing mesh, a missing or unexpected root, an op that
 * no collective supports. */
HirExpr *hir_expr_new_communication (HirContainer *container,
                                     HirCommType type,
                                     HirTensor *out,
                                     HirTensor *in,
                                     const gint64 *team,
                                     guint n_team,
                                     gint64 root,
                                     HirBinaryOp op);
/* Creates one side of an exchange with device @peer. The messages between a StartCoalescing and an
 * EndCoalescing are one group; a Wait for the group waits for the EndCoalescing. */
HirExpr *
hir_expr_new_p2p (HirContainer *container, gboolean is_send, HirTensor *buffer, HirScalar *peer);
/* Starts a group of messages. */
HirExpr *hir_expr_new_start_coalescing (HirContainer *container);
/* Ends and posts a group of messages. */
HirExpr *hir_expr_new_end_coalescing (HirContainer *container);
/* Creates a ShardByStream (2026): @out becomes a view of shard @index of @in, cut along the Stream
 * axis of @out (docs/host-ir.md#memory). */
HirExpr *hir_expr_new_shard_by_stream (HirContainer *container,
                                       HirTensor *in,
                                       HirTensor *out,
                                       HirScalar *index);
/* Creates a CollectivePermute (2026): every rank of @team (copied) sends to one peer and receives
 * from another (docs/host-ir.md#messages). */
HirExpr *hir_expr_new_collective_permute (HirContainer *container,
                                          HirTensor *out,
                                          HirTensor *in,
                                          const gint64 *team,
                                          guint n_team,
                                          HirScalar *send_peer,
                                          HirScalar *recv_peer);
/* Creates the statement that computes @scalar, a formula (2026). nvFuser evaluates a formula of the
 * index of a hir::ForLoop only once unless the body contains this statement
 * (docs/host-ir.md#execution). */
HirExpr *hir_expr_new_scalar (HirContainer *container, HirScalar *scalar);
/* Creates a LaunchKernel (2026) of the compiled segment @group. @unit (nullable): its math. */
HirExpr *hir_expr_new_launch_kernel (HirContainer *container,
                                     int group,
                                     HirHostUnit *unit,
                                     HirVal *const *inputs,
                                     guint n_inputs,
                                     HirVal *const *outputs,
                                     guint n_outputs);
/* Creates a ShareMemHandles (2026) for @messages (copied), which are P2Ps. */
HirExpr *hir_expr_new_share_mem_handles (HirContainer *container,
                                         HirExpr *const *messages,
                                         guint n_messages);
/* Creates a SymmetricContiguousView (2026): @out becomes a view of @in on all devices. */
HirExpr *hir_expr_new_symmetric_view (HirContainer *container, HirTensor *in, HirTensor *out);
/* Creates a MoeDispatch (@n_experts > 0) or a MoeCombine (@n_experts = 0) of 2026. @inputs are the
 * printed ones: tokens, expert indices and weights; or tokens, weights and source rows. */
HirExpr *hir_expr_new_moe (HirContainer *container,
                           gint64 n_experts,
                           HirTensor *const inputs[3],
                           HirTensor *out);
/* Creates a Wait for @of: a Communication, a P2P, a CollectivePermute or an EndCoalescing. */
HirExpr *hir_expr_new_wait (HirContainer *container, HirExpr *of);

/* Replaces the root of @communication, which must be of a rooted type, by position @index in the
 * team, which is evaluated at each execution. */
void hir_comm_set_root_index (HirExpr *communication, HirScalar *index);
/* Returns @communication with the root at @position in its team, or @communication itself if its
 * root is not computed. The copy has the same node and the same operands. */
const HirExpr *hir_comm_at_root (const HirExpr *communication, guint position);
/* Returns the Communication that hir_comm_at_root() was called for, or @expr. */
const HirExpr *hir_comm_get_base (const HirExpr *expr);
/* Returns "NCCL", "UCC" or "CUDA". */
const char *hir_comm_backend_get_name (HirCommBackend backend);

/* Returns TRUE if a Wait can wait for @expr. */
gboolean hir_expr_is_waitable (const HirExpr *expr);

gboolean hir_comm_type_is_rooted (HirCommType type);
gboolean hir_comm_type_is_reduction (HirCommType type);
/* Returns TRUE if a collective can reduce by @op: add, mul, min, max, bitwise and, or, xor. */
gboolean hir_binary_op_is_collective (HirBinaryOp op);

/* Names and properties of one kind of Expr. */
typedef struct
{
  HirExprKind kind;
  /* "matmul", "HirAliasSelect", "SetCurrentStream": for titles and graph nodes */
  const char *name;
  const char *cpp_name;  /* nvFuser's class: "MatmulOp" */
  gboolean is_tensor_op; /* relates axes and may reshard (docs/host-ir.md#sharding) */
} HirExprInfo;
/* Returns the names and properties of @kind. */
const HirExprInfo *hir_expr_kind_get_info (HirExprKind kind);
/* Returns TRUE for a gather, take_along_axis, index_select or scatter, which are opaque but can be
 * computed on the CPU. Operands: a tensor, the indices and (scatter) the source. */
gboolean hir_expr_takes_by_index (const HirExpr *expr);
/* Returns TRUE for a uniform, normal, rand_like or randn_like, which can be computed on the CPU.
 * The `dim` of such an op is the number of random ops before it in its fusion. */
gboolean hir_expr_is_random (const HirExpr *expr);
/* Returns the script name of the op of a unary, binary, ternary or reduction Expr: "relu", "add",
 * "where", "sum". For other Exprs: the name of the kind, or "permute" for a permuting Set. */
const char *hir_expr_get_op_name (const HirExpr *expr);
/* Returns the script name of @op: "relu". */
const char *hir_unary_op_get_name (HirUnaryOp op);
/* Returns the script name of @op: "add". */
const char *hir_binary_op_get_name (HirBinaryOp op);
/* Returns "+", "<<", or NULL if @op prints as a function ("max"). */
const char *hir_binary_op_get_token (HirBinaryOp op);
/* Returns the script name of a reduction by @op: "sum", "prod", "max", "min"; "reduction" for any
 * other op. */
const char *hir_binary_op_get_reduction_name (HirBinaryOp op);
/* Returns the script name of @op: "where". */
const char *hir_ternary_op_get_name (HirTernaryOp op);
/* Sets *@op if @name is the script name of a unary op; otherwise returns FALSE. */
gboolean hir_unary_op_lookup (const char *name, HirUnaryOp *op);
/* Sets *@op if @name is the script name of a binary op; otherwise returns FALSE. */
gboolean hir_binary_op_lookup (const char *name, HirBinaryOp *op);
/* Sets *@op if @name is the script name of a ternary op; otherwise returns FALSE. */
gboolean hir_ternary_op_lookup (const char *name, HirTernaryOp *op);

/* Returns TRUE if nvFuser of 2025 runs @expr on the host as a separate instruction; otherwise it is
 * fused into a HostUnit (docs/host-ir.md#segmentfusion). */
gboolean hir_expr_is_standalone (const HirExpr *expr);

/* Returns TRUE if @expr is a PostOnStream or a LaunchKernel whose fusion is known. */
gboolean hir_expr_posts_unit (const HirExpr *expr);
/* Returns nested scope @i of @expr: the body of a loop, then_body and else_body of an IF. Returns
 * NULL after the last. */
HirScope *hir_expr_get_scope (HirExpr *expr, guint i);
/* Returns the tensor that @expr writes or binds: the first output, the buffer of an Allocate or a
 * receive, or `out` of an alias select or ShardByStream; NULL if there is none. */
HirTensor *hir_expr_get_result (const HirExpr *expr);

G_END_DECLS
