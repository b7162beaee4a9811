/* Scalar values: constants, symbols (extents of inputs), named scalars, and expressions of them,
 * which are simplified as they are built (docs/host-ir.md#names-and-numbers,
 * docs/host-ir.md#splits-and-merges, docs/host-ir.md#named-scalars). */
#pragma once

#include "val.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_SCALAR_CONST,
  HIR_SCALAR_SYMBOL, /* `i0`: known when the program runs; also a scalar that an op computes */
  HIR_SCALAR_NAMED,  /* `StreamIdx`, `numberOfStreams`, `rank` */
  HIR_SCALAR_OP,
} HirScalarKind;

typedef enum
{
  HIR_SCALAR_OP_ADD,
  HIR_SCALAR_OP_SUB,
  HIR_SCALAR_OP_MUL,
  HIR_SCALAR_OP_DIV,
  HIR_SCALAR_OP_MOD,
  HIR_SCALAR_OP_CEIL_DIV, /* printed as ceilDiv(a, b); the others infix */
  HIR_SCALAR_OP_EQ,
  HIR_SCALAR_OP_NE,
  HIR_SCALAR_OP_LT,
  HIR_SCALAR_OP_LE,
  HIR_SCALAR_OP_GT,
  HIR_SCALAR_OP_GE,
  HIR_SCALAR_OP_AND,
  HIR_SCALAR_OP_OR,
  HIR_SCALAR_OP_MAX, /* max(a, b) */
  HIR_SCALAR_OP_MIN,
  HIR_N_SCALAR_OPS,
} HirScalarOp;

struct _HirScalar
{
  HirVal base;
  HirScalarKind kind;
  HirScalarOp op;    /* OP */
  HirScalar *a, *b;  /* OP */
  const char *named; /* NAMED */
  gint64 i;          /* CONST of an integral type, bool included */
  double d;          /* CONST of a floating-point type */
};

/* A named scalar is one object a name and container. */
#define HIR_NAME_STREAM_IDX "StreamIdx"
#define HIR_NAME_NUMBER_OF_STREAMS "numberOfStreams"
#define HIR_NAME_RANK "rank"
/* Another name of `rank`, in the point-to-point programs of 2025
 * (docs/host-ir.md#named-scalars). */
#define HIR_NAME_DEVICE_IDX_X "deviceIdx.x"

/* Values of @container, each with a number of its own. */
HirScalar *hir_scalar_new_symbol (HirContainer *container, HirDType dtype);
HirScalar *hir_scalar_new_int (HirContainer *container, gint64 value, HirDType dtype);
HirScalar *hir_scalar_new_double (HirContainer *container, double value, HirDType dtype);
/* The container's shared 0 and 1 (Index); made at first use, when they take a name as nvFuser's do. */
HirScalar *hir_scalar_get_zero (HirContainer *container);
HirScalar *hir_scalar_get_one (HirContainer *container);
HirScalar *hir_scalar_get_named (HirContainer *container, const char *name, HirDType dtype);

/* `a op b`. Extent rules of docs/host-ir.md#splits-and-merges: two constants fold; ceilDiv(x, 1) =
 * x; a product drops 1, is 0 if a factor is 0, and puts a single constant on the right. Neither may
 * be NULL. */
HirScalar *hir_scalar_new_op (HirContainer *container, HirScalarOp op, HirScalar *a, HirScalar *b);
/* The same, not simplified: what a printed program says is kept as it stands. */
HirScalar *hir_scalar_new_op_as_is (HirContainer *container, HirScalarOp op, HirScalar *a, HirScalar *b);
/* The size of an Allocate (docs/host-ir.md#memory): nested products flattened in order, 1s dropped,
 * 0 wins, one constant stays where it is, two or more fold into one at the end; left-associated. No
 * factor: 1. */
HirScalar *hir_scalar_new_size (HirContainer *container, HirScalar *const *factors, guint n_factors);

gboolean hir_scalar_is_const (const HirScalar *scalar);
gboolean hir_scalar_is_const_int (const HirScalar *scalar, gint64 value);
/* Same object, equal constants, same name, or same op of equal operands. */
gboolean hir_scalar_equal (const HirScalar *a, const HirScalar *b);
const char *hir_scalar_op_get_token (HirScalarOp op);

/* What gives the value of a symbol or a named scalar: TRUE and *@value, or FALSE where unknown. */
typedef gboolean (*HirScalarLookup) (const HirScalar *leaf, gint64 *value, gpointer user_data);
/* Evaluates an integral scalar. FALSE with @error (HIR_ERROR_RUN) where a leaf is unknown (it names
 * the leaf), on division by zero and on overflow of 64 bits. */
gboolean hir_scalar_evaluate (const HirScalar *scalar, HirScalarLookup lookup, gpointer user_data,
                              gint64 *value, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
