/* Common part of all values of the IR: kind, name (number), identity and position. */
#pragma once

#include "diagnostic.h"
#include "dtype.h"

G_BEGIN_DECLS

typedef struct _HirContainer HirContainer;
typedef struct _HirExpr HirExpr;
typedef struct _HirVal HirVal;
typedef struct _HirScalar HirScalar;
typedef struct _HirIterDomain HirIterDomain;
typedef struct _HirTensor HirTensor;
typedef struct _HirStream HirStream;

typedef enum
{
  HIR_VAL_SCALAR,
  HIR_VAL_ITER_DOMAIN,
  HIR_VAL_TENSOR,
  HIR_VAL_STREAM,
  HIR_N_VAL_KINDS,
} HirValKind;

/* Identity of a node. `id` is the same in every snapshot, process and rank (see identity.h). */
typedef struct
{
  guint64 id;
  const guint64 *origins; /* ids of the nodes it was derived from; empty if the script created it */
  guint n_origins;
  HirPos pos; /* script position it derives from; line 0 if there is none */
} HirNode;

struct _HirVal
{
  HirValKind kind;
  HirDType dtype;
  /* printed number; one counter per kind and container (docs/host-ir.md#names-and-numbers) */
  int name;
  HirNode node;
  HirContainer *container; /* borrowed; the container owns the value */
};

#define HIR_VAL(v) ((HirVal *) (v))
#define HIR_IS_SCALAR(v) (HIR_VAL (v)->kind == HIR_VAL_SCALAR)
#define HIR_IS_ITER_DOMAIN(v) (HIR_VAL (v)->kind == HIR_VAL_ITER_DOMAIN)
#define HIR_IS_TENSOR(v) (HIR_VAL (v)->kind == HIR_VAL_TENSOR)
#define HIR_IS_STREAM(v) (HIR_VAL (v)->kind == HIR_VAL_STREAM)
#define HIR_SCALAR(v) ((HirScalar *) (v))
#define HIR_ITER_DOMAIN(v) ((HirIterDomain *) (v))
#define HIR_TENSOR(v) ((HirTensor *) (v))
#define HIR_STREAM(v) ((HirStream *) (v))

G_END_DECLS
