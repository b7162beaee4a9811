/* C text that replaces the CUDA part of the prelude of kernels: conversions, and the functions that
 * CUDA has and C does not. The loader of a library stores hir_erfinv() and hir_erfcinv() in its
 * hir_test_special. Precede it by the headers math.h and string.h and the macro HIR_FN. */
#pragma once

#define TEXT_CONVERSIONS                                                                           \
  "HIR_FN float bits_float (unsigned u) { float f; memcpy (&f, &u, 4); return f; }\n"              \
  "HIR_FN unsigned float_bits (float f) { unsigned u; memcpy (&u, &f, 4); return u; }\n"           \
  "HIR_FN float hir_from_half (unsigned short b)\n"                                                \
  "{ _Float16 h; memcpy (&h, &b, 2); return (float) h; }\n"                                        \
  "HIR_FN unsigned short hir_to_half (float f)\n"                                                  \
  "{ _Float16 h = (_Float16) f; unsigned short b; memcpy (&b, &h, 2); return b; }\n"               \
  "HIR_FN float hir_from_bfloat16 (unsigned short b) { return bits_float ((unsigned) b << 16); "   \
  "}\n"                                                                                            \
  "HIR_FN unsigned short hir_to_bfloat16 (float f)\n"                                              \
  "{ unsigned u = float_bits (f); if ((u & 0x7fffffffu) > 0x7f800000u) return (u >> 16) | 64;\n"   \
  "  return (u + 0x7fffu + ((u >> 16) & 1)) >> 16; }\n"                                            \
  "HIR_FN int hir_signbitf (float x) { return signbit (x) != 0; }\n"                               \
  "HIR_FN int hir_signbit (double x) { return signbit (x) != 0; }\n"                               \
  "extern double (*hir_test_special[]) (double);\n"                                                \
  "double (*hir_test_special[2]) (double);\n"                                                      \
  "HIR_FN double erfinv (double x) { return hir_test_special[0] (x); }\n"                          \
  "HIR_FN double erfcinv (double x) { return hir_test_special[1] (x); }\n"                         \
  "HIR_FN float erfinvf (float x) { return (float) erfinv (x); }\n"                                \
  "HIR_FN float erfcinvf (float x) { return (float) erfcinv (x); }\n"
