/* Shared by the files of the code generator. */
#pragma once

#include "cuda/codegen/codegen.h"
#include "run/cpu/cpu-lanes.h"

G_BEGIN_DECLS

/* An element of a tensor: one C expression an axis, "0" for an axis of size 1. */
typedef struct
{
  guint n;
  const char *at[HIR_MAX_DIMS];
} HirGenIndex;

/* A nest of loops. Axes of size 1 take no part. */
typedef struct
{
  guint n;
  gint64 sizes[HIR_MAX_DIMS];
  gboolean reduced[HIR_MAX_DIMS];
  guint order[HIR_MAX_DIMS]; /* axes, slowest first */
} HirGenSpace;

/* What is being made of the instruction: shared by all its kernels. */
typedef struct
{
  HirOpCall *const *calls;
  guint n;
  const HirCodegenOptions *options;
  HirUnitCode *code;
  GHashTable *scratch; /* HirBuffer* -> index + 1 */
} HirGenUnit;

/* A reduction whose pieces are reduced first: how many, elements of each but the last. */
typedef struct
{
  gint64 n, length;
  guint scratch; /* of the first reduction's pieces; one each */
} HirGenSplit;

typedef enum
{
  HIR_GEN_WHOLE,
  HIR_GEN_PIECES, /* each piece gives a value */
  HIR_GEN_REST,   /* of those, and what follows */
} HirGenStage;

/* One kernel, of the calls [from, to). */
typedef struct
{
  HirGenUnit *unit;
  guint from, to;
  GArray *args;    /* HirKernelArg */
  GArray *written; /* gboolean: one an argument */
  GString *body;
  guint indent;
  GStringChunk *strings;
  GPtrArray *memo; /* pairs of strings: key, variable; those of inner scopes last */
  guint n_variables;
  gboolean failed; /* it can't be one kernel */
  GError *error;   /* it can't be at all */
  HirGenSpace space;
  GArray *reductions;  /* guint: calls, in order */
  guint n_reduced;     /* of those, computed by now */
  HirGenIndex outer;   /* the kept element, in terms of a reduction's output */
  guint vector;        /* elements a thread does at once; 1: one */
  gboolean uses_index; /* of a map: it needs to know which element it is at */
  gboolean wide;       /* 64-bit indices */
  HirGenStage stage;   /* of reductions */
  HirGenSplit split;   /* where they are not whole */
} HirGen;

/* codegen-types.c */
const char *hir_gen_memory_type (HirDType dtype);   /* "unsigned short" */
const char *hir_gen_register_type (HirDType dtype); /* "float" */
const char *hir_gen_class_type (HirComputeClass klass);
const char *hir_gen_class_name (HirComputeClass klass); /* "f32" */
/* Texts, newly allocated. @expr is a primary expression. */
char *hir_gen_from_memory (HirDType dtype, const char *expr);
char *hir_gen_to_memory (HirDType dtype, const char *expr);
/* The register's value of class @klass as the register type of @dtype, rounded as it would be
 * stored. */
char *hir_gen_from_class (HirComputeClass klass, HirDType dtype, const char *expr);

/* codegen-ops.c: texts, newly allocated; NULL where the class has no such op. Operands are names or
 * literals of the class's type. */
char *hir_gen_unary (HirComputeClass klass, HirUnaryOp op, const char *x);
char *hir_gen_binary (HirComputeClass klass, HirBinaryOp op, const char *x, const char *y);
char *hir_gen_ternary (HirComputeClass klass, HirTernaryOp op, const char *const *operands);
char *hir_gen_combine (HirComputeClass klass, HirBinaryOp op, const char *x, const char *y);
const char *hir_gen_neutral (HirComputeClass klass, HirBinaryOp op);

/* codegen-emit.c */
const char *hir_gen_string (HirGen *gen, const char *format, ...) G_GNUC_PRINTF (2, 3);
void hir_gen_line (HirGen *gen, const char *format, ...) G_GNUC_PRINTF (2, 3);
void hir_gen_open (HirGen *gen);  /* "{" */
void hir_gen_close (HirGen *gen); /* "}" */
guint hir_gen_mark (HirGen *gen); /* names made from here on go with hir_gen_forget() */
void hir_gen_forget (HirGen *gen, guint mark);
const char *hir_gen_lookup (HirGen *gen, const char *key);
void hir_gen_remember (HirGen *gen, const char *key, const char *variable);
/* "const float v7 = EXPR;": "v7". */
const char *hir_gen_variable (HirGen *gen, const char *type, const char *expr);
/* The scratch memory of a buffer that only the unit uses: its number. */
guint hir_gen_get_scratch (HirGenUnit *unit, const HirBuffer *buffer);
/* Name of the parameter for an operand of call @call. */
const char *hir_gen_address (HirGen *gen, guint call, int operand, gboolean is_written);
/* The same for what the pieces of reduction @call give, in that scratch memory. */
const char *hir_gen_piece_address (HirGen *gen, guint call, guint scratch, gboolean is_written);
const char *hir_gen_scalar (HirGen *gen, guint call, int operand, gboolean is_float);
/* "const float *p0, double p1" */
char *hir_gen_dup_parameters (HirGen *gen);
const HirValue *hir_gen_get_operand (const HirGen *gen, guint call, int operand);

/* codegen-index.c */
/* Element @index of @view, as an element of @whole, which has the same buffer and is dense. FALSE
 * where that can't be said. */
gboolean hir_gen_map_index (HirGen *gen,
                            const HirValue *view,
                            const HirGenIndex *index,
                            const HirValue *whole,
                            HirGenIndex *mapped);
/* The k-th element, row-major, of @from as an element of a tensor with @n @sizes. */
void hir_gen_reshape_index (HirGen *gen,
                            const HirValue *from,
                            const HirGenIndex *index,
                            guint n,
                            const gint64 *sizes,
                            HirGenIndex *mapped);
/* Elements from @value's element 0: "i0*40 + i1"; "lin" where that is the number of the element of
 * a map's space. */
const char *hir_gen_offset (HirGen *gen, const HirValue *value, const HirGenIndex *index);
gboolean hir_gen_index_equal (const HirGenIndex *a, const HirGenIndex *b);
/* "+ 2" on one axis and so on, for pads and parts. */
const char *hir_gen_plus (HirGen *gen, const char *expr, gint64 constant);
/* "i0".. of the space, "0" where an axis has size 1. */
void hir_gen_space_index (HirGen *gen, HirGenIndex *index);
/* Declares the index of the axes with that @reduced flag from the counter @counter. */
void hir_gen_decode (HirGen *gen, gboolean reduced, gboolean all, const char *counter);
gint64 hir_gen_space_count (const HirGenSpace *space, gboolean reduced, gboolean all);

/* codegen-value.c: element @index of call @call's result: a name. */
const char *hir_gen_value (HirGen *gen, guint call, const HirGenIndex *index);
/* Element @index of the tensor that @value views and call @call has as @operand. */
const char *hir_gen_read (
    HirGen *gen, guint call, int operand, const HirValue *value, const HirGenIndex *index);
/* As an operand of @klass; a scalar too. */
char *hir_gen_read_as (
    HirGen *gen, guint call, int operand, const HirGenIndex *index, HirComputeClass klass);
/* With an error planted, where the call asks for one. */
const char *hir_gen_finish_value (HirGen *gen, guint call, const char *variable);

/* codegen-product.c: a matmul or linear, by a loop. */
const char *hir_gen_product (HirGen *gen, guint call, const HirGenIndex *index);

/* A result that the kernel leaves in memory. */
typedef struct
{
  guint call;
  gboolean is_full; /* else one element a kept element */
  HirGenIndex index;
} HirGenStore;

/* codegen-loops.c: the whole function, newly allocated; sets part's grid and block. */
char *hir_gen_write_map (HirGen *gen, const GArray *stores, HirUnitPart *part);
void hir_gen_write_store (HirGen *gen, const HirGenStore *store);
/* The function called @name with gen->body. @before: declarations. */
char *hir_gen_finish (HirGen *gen, const char *name, const char *before);
guint hir_gen_ceil_div (gint64 a, gint64 b, guint most);

/* codegen-reduce.c: as hir_gen_write_map(), for gen->stage. */
char *hir_gen_write_reductions (HirGen *gen, const GArray *stores, HirUnitPart *part);
/* Whether blocks would be too few for the work. All but split->scratch is set. */
gboolean hir_gen_choose_split (const HirGen *gen, HirGenSplit *split);
gsize hir_gen_get_pieces_bytes (const HirGen *gen, guint number, const HirGenSplit *split);

/* codegen-kernel.c: NULL where [from, to) can't be one kernel, or @error. *@before: nullable, a
 * kernel that goes before it. */
HirUnitPart *hir_gen_kernel (
    HirGenUnit *unit, guint from, guint to, const char *name, HirUnitPart **before, GError **error);

/* TRUE where the result of @call must be in memory after a kernel that ends before @to. */
gboolean hir_gen_is_stored (const HirGenUnit *unit, guint call, guint to);

G_END_DECLS
