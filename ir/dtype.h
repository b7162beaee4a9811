/* Element types, with the names that nvFuser prints and those that scripts use
 * (docs/host-ir.md#data-types). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  HIR_DTYPE_NULL,
  HIR_DTYPE_BOOL,
  HIR_DTYPE_DOUBLE,
  HIR_DTYPE_FLOAT,
  HIR_DTYPE_HALF,
  HIR_DTYPE_BFLOAT16,
  HIR_DTYPE_CHAR,  /* int8_t */
  HIR_DTYPE_SHORT, /* int16_t */
  HIR_DTYPE_INT32,
  HIR_DTYPE_INT, /* int64_t */
  HIR_DTYPE_BYTE, /* uint8_t */
  HIR_DTYPE_UINT16,
  HIR_DTYPE_UINT32,
  HIR_DTYPE_UINT64,
  HIR_DTYPE_INDEX, /* nvfuser_index_t; 64 bits here */
  HIR_DTYPE_FLOAT8_E4M3FN,
  HIR_DTYPE_FLOAT8_E5M2,
  HIR_DTYPE_FLOAT8_E8M0FNU,
  HIR_DTYPE_FLOAT4_E2M1FN,
  HIR_DTYPE_COMPLEX_FLOAT,
  HIR_DTYPE_COMPLEX_DOUBLE,
  HIR_N_DTYPES,
} HirDType;

/* As it stands in a printed tensor: `float`, `__bfloat`, `nvfuser_index_t`. */
const char *hir_dtype_get_name (HirDType dtype);
/* As a script spells it: `Float`, `BFloat16`. */
const char *hir_dtype_get_script_name (HirDType dtype);
/* As the command line and pictures spell it: `float`, `bfloat16`, `int64`. */
const char *hir_dtype_get_short_name (HirDType dtype);
/* TRUE and *@dtype where @name is a script name (`BFloat16`); likewise for the others. */
gboolean hir_dtype_lookup_script_name (const char *name, HirDType *dtype);
gboolean hir_dtype_lookup_short_name (const char *name, HirDType *dtype);
gboolean hir_dtype_lookup_name (const char *name, HirDType *dtype);

/* Prefix of a printed scalar: "i", "d", "f", "b", "c" (docs/host-ir.md#names-and-numbers). */
const char *hir_dtype_get_prefix (HirDType dtype);
/* Bytes an element; 0 for those that nothing here computes with (fp4, null). */
gsize hir_dtype_get_size_bytes (HirDType dtype);

gboolean hir_dtype_is_floating_point (HirDType dtype);
gboolean hir_dtype_is_integral (HirDType dtype); /* bool is not */
gboolean hir_dtype_is_complex (HirDType dtype);
/* TRUE for those that the back ends compute with: bool, double, float, half, bfloat16, ints. */
gboolean hir_dtype_is_executable (HirDType dtype);
/* The type of `a op b`, as torch promotes two tensors; a scalar operand takes part only by category
 * (bool < int < float), which the caller expresses with @a_is_scalar, @b_is_scalar. */
HirDType hir_dtype_promote (HirDType a, gboolean a_is_scalar, HirDType b, gboolean b_is_scalar);

G_END_DECLS
