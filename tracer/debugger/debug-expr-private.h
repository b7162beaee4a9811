/* The syntax tree of an expression. */
#pragma once

#include "debugger/debug-expr.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_DEBUG_NUMBER,
  HIR_DEBUG_NAME,
  HIR_DEBUG_TENSOR, /* children: one RANGE per index */
  HIR_DEBUG_RANGE,  /* children: an index; or start and end, each of which may be NOTHING */
  HIR_DEBUG_NOTHING,
  HIR_DEBUG_CALL,
  HIR_DEBUG_UNARY,
  HIR_DEBUG_BINARY,
} HirDebugNodeKind;

typedef enum
{
  HIR_DEBUG_OR,
  HIR_DEBUG_AND,
  HIR_DEBUG_EQ,
  HIR_DEBUG_NE,
  HIR_DEBUG_LT,
  HIR_DEBUG_LE,
  HIR_DEBUG_GT,
  HIR_DEBUG_GE,
  HIR_DEBUG_ADD,
  HIR_DEBUG_SUB,
  HIR_DEBUG_MUL,
  HIR_DEBUG_DIV,
  HIR_DEBUG_MOD,
  HIR_DEBUG_NOT,
  HIR_DEBUG_NEG,
} HirDebugOp;

typedef enum
{
  HIR_DEBUG_ISNAN,
  HIR_DEBUG_ISINF,
  HIR_DEBUG_MIN,
  HIR_DEBUG_MAX,
  HIR_DEBUG_MEAN,
  HIR_DEBUG_STD,
  HIR_DEBUG_SIZE,
  HIR_DEBUG_ABS,
  HIR_DEBUG_SQRT,
  HIR_N_DEBUG_FUNCTIONS,
} HirDebugFunction;

typedef struct _HirDebugNode HirDebugNode;
struct _HirDebugNode
{
  HirDebugNodeKind kind;
  guint column; /* in characters, from 1 */
  HirDebugNumber number;
  char *name; /* nullable */
  int tensor;
  HirDebugOp op;
  HirDebugFunction function;
  GPtrArray *children; /* HirDebugNode* */
};

struct _HirDebugExpr
{
  HirDebugNode *root;
};

G_END_DECLS
