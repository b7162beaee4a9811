/* Scalar values: constants, symbols (extents of inputs), named scalars, and expressions of these,
 * which are simplified when they are built (docs/host-ir.md#names-and-numbers,
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
  HIR_SCALAR_OP_CEIL_DIV, /* printed as ceilDiv(a, b); most others are infix */
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
  HirScalarOp op;    /* OP only */
  HirScalar *a, *b;  /* OP only */
  const char *named; /* NAMED only */
  gint64 i;          /* CONST of an integral type or bool */
  double d;          /* CONST of a floating-point type; the real part if it is complex */
  double imaginary;  /* CONST of a complex type */
};

/* Names of named scalars. Each is one object per container. */
#define HIR_NAME_STREAM_IDX "StreamIdx"
#define HIR_NAME_NUMBER_OF_STREAMS "numberOfStreams"
#define HIR_NAME_RANK "rank"
/* Another name of `rank` in the point-to-point programs of 2025 (docs/host-ir.md#named-scalars). */
#define HIR_NAME_DEVICE_IDX_X "deviceIdx.x"

/* Creates a symbol of @container with the next number. */
HirScalar *hir_scalar_new_symbol (HirContainer *container, HirDType dtype);
/* Creates a constant of an integral type, with the next number. */
HirScalar *hir_scalar_new_int (HirContainer *container, gint64 value, HirDType dtype);
/* Creates a constant of a floating-point type, with the next number. */
HirScalar *hir_scalar_new_double (HirContainer *container, double value, HirDType dtype);
/* Creates a constant of a complex type, with the next number. */
HirScalar *
hir_scalar_new_complex (HirContainer *container, double real, double imaginary, HirDType dtype);
/* Returns the container's shared 0 (Index). It is created at first use and takes a number then,
 * like nvFuser's. */
HirScalar *hir_scalar_get_zero (HirContainer *container);
/* Returns the container's shared 1 (Index), like hir_scalar_get_zero(). */
HirScalar *hir_scalar_get_one (HirContainer *container);
/* Returns the named scalar @name of @container; creates it if needed. */
HirScalar *hir_scalar_get_named (HirContainer *container, const char *name, HirDType dtype);

/* Returns `a op b`, simplified by the extent rules of docs/host-ir.md#splits-and-merges: two
 * constants are folded; ceilDiv(x, 1) = x; a product drops factors of 1, is 0 if a factor is 0, and
 * has a single constant on the right. */
HirScalar *hir_scalar_new_op (HirContainer *container, HirScalarOp op, HirScalar *a, HirScalar *b);
/* Returns `a op b` without simplification, as a printed program has it. */
HirScalar *
hir_scalar_new_op_as_is (HirContainer *container, HirScalarOp op, HirScalar *a, HirScalar *b);
/* Returns the size of an Allocate (docs/host-ir.md#memory): nested products are flattened in order;
 * factors of 1 are dropped; a 0 makes the result 0; a single constant keeps its position; two or
 * more are folded into one at the end. Left-associated; 1 if there is no factor. */
HirScalar *
hir_scalar_new_size (HirContainer *container, HirScalar *const *factors, guint n_factors);

gboolean hir_scalar_is_const (const HirScalar *scalar);
gboolean hir_scalar_is_const_int (const HirScalar *scalar, gint64 value);
/* Returns TRUE for the same object, equal constants, equal names, or the same op with equal
 * operands. */
gboolean hir_scalar_equal (const HirScalar *a, const HirScalar *b);
/* Returns "+", "ceilDiv", .... */
const char *hir_scalar_op_get_token (HirScalarOp op);

/* Sets *@value to the value of a symbol or named scalar; returns FALSE if it is unknown. */
typedef gboolean (*HirScalarLookup) (const HirScalar *leaf, gint64 *value, gpointer user_data);
/* Evaluates an integral scalar. @error: HIR_ERROR_RUN if a leaf is unknown (the message names it),
 * on division by zero, and if a result exceeds 64 bits. */
gboolean hir_scalar_evaluate (const HirScalar *scalar,
                              HirScalarLookup lookup,
                              gpointer user_data,
                              gint64 *value,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
