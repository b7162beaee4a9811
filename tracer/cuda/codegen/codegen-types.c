/* C types of elements in memory, in registers and in computations, and conversions between them.
 * half and bfloat16 are floats in registers and are rounded after each op. */
#include "cuda/codegen/codegen-private.h"

const char *
hir_gen_memory_type (HirDType dtype)
{
  switch (dtype)
    {
    case HIR_DTYPE_DOUBLE:
      return "double";
    case HIR_DTYPE_FLOAT:
      return "float";
    case HIR_DTYPE_HALF:
    case HIR_DTYPE_BFLOAT16:
    case HIR_DTYPE_UINT16:
      return "unsigned short";
    case HIR_DTYPE_CHAR:
      return "signed char";
    case HIR_DTYPE_BOOL:
    case HIR_DTYPE_BYTE:
      return "unsigned char";
    case HIR_DTYPE_SHORT:
      return "short";
    case HIR_DTYPE_INT32:
      return "int";
    case HIR_DTYPE_UINT32:
      return "unsigned int";
    case HIR_DTYPE_INT:
    case HIR_DTYPE_INDEX:
      return "long long";
    case HIR_DTYPE_UINT64:
      return "unsigned long long";
    default:
      return NULL;
    }
}

const char *
hir_gen_register_type (HirDType dtype)
{
  return dtype == HIR_DTYPE_HALF || dtype == HIR_DTYPE_BFLOAT16 ? "float"
                                                                : hir_gen_memory_type (dtype);
}

const char *
hir_gen_class_type (HirComputeClass klass)
{
  static const char *const types[] = { "float", "double", "long long", "unsigned long long" };

  return types[klass];
}

const char *
hir_gen_class_name (HirComputeClass klass)
{
  static const char *const names[] = { "f32", "f64", "i64", "u64" };

  return names[klass];
}

char *
hir_gen_from_memory (HirDType dtype, const char *expr)
{
  switch (dtype)
    {
    case HIR_DTYPE_HALF:
      return g_strdup_printf ("hir_from_half (%s)", expr);
    case HIR_DTYPE_BFLOAT16:
      return g_strdup_printf ("hir_from_bfloat16 (%s)", expr);
    case HIR_DTYPE_BOOL:
      return g_strdup_printf ("%s != 0", expr);
    default:
      return g_strdup (expr);
    }
}

char *
hir_gen_to_memory (HirDType dtype, const char *expr)
{
  switch (dtype)
    {
    case HIR_DTYPE_HALF:
      return g_strdup_printf ("hir_to_half (%s)", expr);
    case HIR_DTYPE_BFLOAT16:
      return g_strdup_printf ("hir_to_bfloat16 (%s)", expr);
    default:
      return g_strdup (expr);
    }
}

static const char *
saturation (HirDType dtype)
{
  switch (dtype)
    {
    case HIR_DTYPE_CHAR:
      return "i8";
    case HIR_DTYPE_BYTE:
      return "u8";
    case HIR_DTYPE_SHORT:
      return "i16";
    case HIR_DTYPE_UINT16:
      return "u16";
    case HIR_DTYPE_INT32:
      return "i32";
    case HIR_DTYPE_UINT32:
      return "u32";
    case HIR_DTYPE_UINT64:
      return "u64";
    default:
      return "i64";
    }
}

char *
hir_gen_from_class (HirComputeClass klass, HirDType dtype, const char *expr)
{
  gboolean is_int = klass == HIR_CLASS_I64 || klass == HIR_CLASS_U64;
  const char *by = is_int ? "(float) (double) " : "(float) ";

  switch (dtype)
    {
    case HIR_DTYPE_HALF:
      return g_strdup_printf ("hir_from_half (hir_to_half (%s(%s)))", by, expr);
    case HIR_DTYPE_BFLOAT16:
      return g_strdup_printf ("hir_from_bfloat16 (hir_to_bfloat16 (%s(%s)))", by, expr);
    case HIR_DTYPE_BOOL:
      return g_strdup_printf ("(%s) != 0", expr);
    case HIR_DTYPE_FLOAT:
    case HIR_DTYPE_DOUBLE:
      return g_strdup_printf ("(%s) (%s)", hir_gen_register_type (dtype), expr);
    default:
      return is_int ? g_strdup_printf ("(%s) (%s)", hir_gen_register_type (dtype), expr)
                    : g_strdup_printf ("hir_sat_%s (%s)", saturation (dtype), expr);
    }
}
