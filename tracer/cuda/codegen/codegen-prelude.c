/* Prelude of every kernel. The functions are valid in both C and C++. */
#include "cuda/codegen/codegen.h"

#define MACROS                                                                                     \
  "#define HIR_KERNEL extern \"C\" __global__\n"                                                   \
  "#define HIR_FN static __device__ __forceinline__\n"                                             \
  "#define HIR_RESTRICT __restrict__\n"                                                            \
  "#define HIR_SHARED __shared__\n"                                                                \
  "#define HIR_ALIGN(n) __align__ (n)\n"                                                           \
  "#define HIR_TID ((int) threadIdx.x)\n"                                                          \
  "#define HIR_BID ((int) blockIdx.x)\n"                                                           \
  "#define HIR_GRID ((int) gridDim.x)\n"                                                           \
  "#define HIR_SYNC() __syncthreads ()\n"                                                          \
  "#define HIR_INF __int_as_float (0x7f800000)\n"

#define CONVERSIONS                                                                                \
  "HIR_FN float hir_from_half (unsigned short b)\n"                                                \
  "{ float f; asm (\"cvt.f32.f16 %0, %1;\" : \"=f\" (f) : \"h\" (b)); return f; }\n"               \
  "HIR_FN unsigned short hir_to_half (float f)\n"                                                  \
  "{ unsigned short b; asm (\"cvt.rn.f16.f32 %0, %1;\" : \"=h\" (b) : \"f\" (f)); return b; }\n"   \
  "HIR_FN float hir_from_bfloat16 (unsigned short b)\n"                                            \
  "{ return __uint_as_float ((unsigned int) b << 16); }\n"                                         \
  "HIR_FN unsigned short hir_to_bfloat16 (float f)\n"                                              \
  "{\n"                                                                                            \
  "  unsigned int u = __float_as_uint (f);\n"                                                      \
  "  if ((u & 0x7fffffffu) > 0x7f800000u)\n"                                                       \
  "    return (unsigned short) ((u >> 16) | 0x40u);\n"                                             \
  "  return (unsigned short) ((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);\n"                          \
  "}\n"                                                                                            \
  "HIR_FN int hir_signbitf (float x) { return __float_as_int (x) < 0; }\n"                         \
  "HIR_FN int hir_signbit (double x) { return __double_as_longlong (x) < 0; }\n"

#define INT_FUNCTIONS(T, K, NEGATIVE)                                                              \
  "HIR_FN int hir_negative_" K " (" T " x) { return " NEGATIVE "; }\n"                             \
  "HIR_FN " T " hir_abs_" K " (" T " x)\n"                                                         \
  "{ return hir_negative_" K " (x) ? (" T ") (0 - (unsigned long long) x) : x; }\n"                \
  "HIR_FN " T " hir_relu_" K " (" T " x) { return hir_negative_" K " (x) ? 0 : x; }\n"             \
  "HIR_FN " T " hir_div_" K " (" T " x, " T " y)\n"                                                \
  "{\n"                                                                                            \
  "  if (y == 0)\n"                                                                                \
  "    return 0;\n"                                                                                \
  "  if (hir_negative_" K " (y) && y == (" T ") -1)\n"                                             \
  "    return (" T ") (0 - (unsigned long long) x);\n"                                             \
  "  return x / y;\n"                                                                              \
  "}\n"                                                                                            \
  "HIR_FN " T " hir_mod_" K " (" T " x, " T " y)\n"                                                \
  "{ return y == 0 || (hir_negative_" K " (y) && y == (" T ") -1) ? 0 : x % y; }\n"                \
  "HIR_FN " T " hir_floor_mod_" K " (" T " x, " T " y)\n"                                          \
  "{\n"                                                                                            \
  "  " T " r = hir_mod_" K " (x, y);\n"                                                            \
  "  return r != 0 && hir_negative_" K " (r) != hir_negative_" K " (y) ? r + y : r;\n"             \
  "}\n"                                                                                            \
  "HIR_FN " T " hir_pow_" K " (" T " x, " T " y)\n"                                                \
  "{\n"                                                                                            \
  "  unsigned long long r = 1, s = (unsigned long long) x;\n"                                      \
  "  if (hir_negative_" K " (y))\n"                                                                \
  "    return x == 1 ? 1 : x == (" T ") -1 ? (y % 2 != 0 ? (" T ") -1 : 1) : 0;\n"                 \
  "  for (unsigned long long e = (unsigned long long) y; e != 0; e >>= 1)\n"                       \
  "    {\n"                                                                                        \
  "      if (e & 1)\n"                                                                             \
  "        r *= s;\n"                                                                              \
  "      s *= s;\n"                                                                                \
  "    }\n"                                                                                        \
  "  return (" T ") r;\n"                                                                          \
  "}\n"                                                                                            \
  "HIR_FN " T " hir_gcd_" K " (" T " x, " T " y)\n"                                                \
  "{\n"                                                                                            \
  "  unsigned long long a = (unsigned long long) hir_abs_" K " (x);\n"                             \
  "  unsigned long long b = (unsigned long long) hir_abs_" K " (y);\n"                             \
  "  while (b != 0)\n"                                                                             \
  "    {\n"                                                                                        \
  "      unsigned long long r = a % b;\n"                                                          \
  "      a = b;\n"                                                                                 \
  "      b = r;\n"                                                                                 \
  "    }\n"                                                                                        \
  "  return (" T ") a;\n"                                                                          \
  "}\n"                                                                                            \
  "HIR_FN " T " hir_shl_" K " (" T " x, " T " y)\n"                                                \
  "{ return (unsigned long long) y >= 64 ? 0 : (" T ") ((unsigned long long) x << y); }\n"         \
  "HIR_FN " T " hir_shr_" K " (" T " x, " T " y)\n"                                                \
  "{ return (unsigned long long) y >= 64 ? (hir_negative_" K " (x) ? (" T                          \
  ") -1 : 0) : x >> y; }\n" CLAMP_FUNCTION (T, K)

/* Applies the lower bound first, like PyTorch: if the bounds cross, the upper one wins. */
#define CLAMP_FUNCTION(T, K)                                                                       \
  "HIR_FN " T " hir_clamp_" K " (" T " x, " T " low, " T " high)\n"                                \
  "{ x = x < low ? low : x; return x > high ? high : x; }\n"

#define FLOAT_FUNCTIONS(T, F)                                                                      \
  "HIR_FN " T " hir_remainder" F " (" T " x, " T " y)\n"                                           \
  "{ " T " r = fmod" F " (x, y); return r != 0 && (r < 0) != (y < 0) ? r + y : r; }\n"

#define SATURATE(T, N, LOW, HIGH)                                                                  \
  "HIR_FN " T " hir_sat_" N " (double x)\n"                                                        \
  "{ return x != x ? 0 : x <= " LOW " ? (" T ") (" LOW ") : x >= " HIGH " ? (" T ") " HIGH         \
  " : (" T ") x; }\n"

/* Computed in double: for large negative x, erfc() magnifies the rounding error of its argument. */
#define GELU                                                                                       \
  "HIR_FN double hir_gelu (double x)\n"                                                            \
  "{ return x * (0.5 * erfc (x * -0.70710678118654752440)); }\n"                 \
  "HIR_FN float hir_geluf (float x) { return (float) hir_gelu (x); }\n"

#define FUNCTIONS                                                                                  \
  INT_FUNCTIONS ("long long", "i64", "x < 0")                                                      \
  INT_FUNCTIONS ("unsigned long long", "u64", "x != x")                                            \
  CLAMP_FUNCTION ("float", "f32")                                                                  \
  CLAMP_FUNCTION ("double", "f64")                                                                 \
  FLOAT_FUNCTIONS ("float", "f")                                                                   \
  FLOAT_FUNCTIONS ("double", "")                                                                   \
  GELU SATURATE ("signed char", "i8", "-128.0",                                                    \
                 "127.0") SATURATE ("unsigned char", "u8", "0.0",                                  \
                                    "255.0") SATURATE ("short", "i16", "-32768.0", "32767.0")      \
      SATURATE ("unsigned short", "u16", "0.0",                                                    \
                "65535.0") SATURATE ("int", "i32", "-2147483648.0", "2147483647.0")                \
          SATURATE ("unsigned int", "u32", "0.0",                                                  \
                    "4294967295.0") "HIR_FN long long hir_sat_i64 (double x)\n"                    \
                                    "{\n"                                                          \
                                    "  if (x >= 9223372036854775808.0)\n"                          \
                                    "    return 9223372036854775807LL;\n"                          \
                                    "  return x < -9223372036854775808.0 ? "                       \
                                    "-9223372036854775807LL - 1 : x != x ? 0 : (long long) x;\n"   \
                                    "}\n"                                                          \
                                    "HIR_FN unsigned long long hir_sat_u64 (double x)\n"           \
                                    "{\n"                                                          \
                                    "  if (x >= 18446744073709551616.0)\n"                         \
                                    "    return 18446744073709551615ULL;\n"                        \
                                    "  return x > 0 ? (unsigned long long) x : 0;\n"               \
                                    "}\n"

const char *
hir_codegen_get_functions (void)
{
  return FUNCTIONS;
}

const char *
hir_codegen_get_device_prelude (void)
{
  return MACROS CONVERSIONS FUNCTIONS;
}
