/* Element types with the names that nvFuser prints and those that scripts use
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
  HIR_DTYPE_INT,  /* int64_t */
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

/* Returns the name in a printed tensor: `float`, `__bfloat`, `nvfuser_index_t`. */
const char *hir_dtype_get_name (HirDType dtype);
/* Returns the name in scripts: `Float`, `BFloat16`. */
const char *hir_dtype_get_script_name (HirDType dtype);
/* Returns the name on the command line and in the window: `float`, `bfloat16`, `int64`. */
const char *hir_dtype_get_short_name (HirDType dtype);
/* Sets *@dtype if @name is a name that scripts use (`BFloat16`); otherwise returns FALSE. */
gboolean hir_dtype_lookup_script_name (const char *name, HirDType *dtype);
/* Like hir_dtype_lookup_script_name(), for the names of hir_dtype_get_short_name(). */
gboolean hir_dtype_lookup_short_name (const char *name, HirDType *dtype);
/* Like hir_dtype_lookup_script_name(), for the names of hir_dtype_get_name(). */
gboolean hir_dtype_lookup_name (const char *name, HirDType *dtype);

/* Returns the prefix of a printed scalar: "i", "d", "f", "b", "c"
 * (docs/host-ir.md#names-and-numbers). */
const char *hir_dtype_get_prefix (HirDType dtype);
/* Returns the bytes per element; 1 for fp4, 0 for null. */
gsize hir_dtype_get_size_bytes (HirDType dtype);

gboolean hir_dtype_is_floating_point (HirDType dtype);
gboolean hir_dtype_is_integral (HirDType dtype); /* FALSE for bool */
gboolean hir_dtype_is_complex (HirDType dtype);
/* Returns TRUE if the back ends compute with @dtype: bool, double, float, half, bfloat16, integers.
 */
gboolean hir_dtype_is_executable (HirDType dtype);
/* Returns the type of `a op b` by torch's promotion rules. A scalar operand (@a_is_scalar,
 * @b_is_scalar) takes part only by its category: bool < int < float. */
HirDType hir_dtype_promote (HirDType a, gboolean a_is_scalar, HirDType b, gboolean b_is_scalar);

G_END_DECLS
