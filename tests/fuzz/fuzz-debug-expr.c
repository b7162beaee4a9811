/* fuzz-debug-expr N [SEED [INDEX]]: random input of the debugger. Inputs are words of
 * expressions and breakpoints and, in every other input, random bytes. Each is parsed as an
 * expression, evaluated, and parsed as a breakpoint. A crash or a hang names the input; with
 * INDEX only this input is printed and run. */
#include "debugger/breakpoint.h"
#include "debugger/debug-expr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "tensor.h"

#define SECONDS_PER_INPUT 20

typedef struct
{
  GRand *rand;
  HirContainer *program;
  HirEnv *sizes;
  HirValue *value;
  guint64 n_parsed, n_evaluated, n_breakpoints;
} Fuzzer;

/* Written before each input, so that a signal handler only needs to print it. */
static const char *const words[] = {
  "T0",        "T0[",      "]",        "(",          ")",
  "1",         "0",        "-1",       "2.5",        "1e300",
  "&&",        "||",       "==",       "!=",         "<",
  "<=",        "+",        "-",        "*",          "/",
  "%",         "!",        ":",        ",",          "isnan(",
  "max(",      "size(",    "min(",     "abs(",       "StreamIdx",
  "rank",      "i0",       "nope",     "T99",        "iteration ",
  "rank ",     "stream ",  " if ",     "Set",        "set",
  "file.py:3", "12",       " ",        "T0[0:2, 1]", "9223372036854775807",
  "sqrt(",     "mean(T0)", "T0[1, 2]", "\xc3\xa9",
};

/* Appends a syntactically valid expression. */
static void
append_right (Fuzzer *fuzzer, GString *text, guint depth)
{
  static const char *const leaves[] = { "1",           "2.5",
                                        "rank",        "T0[1, 2]",
                                        "max(T0)",     "isnan(T0[0])",
                                        "size(T0, 1)", "T0[rank % 3, 0]",
                                        "StreamIdx",   "T0" };
  static const char *const between[] = { "+", "-", "*", "/", "%", "==", "<=", ">", "&&", "||" };

  if (depth == 0 || g_rand_int_range (fuzzer->rand, 0, 4) == 0)
    {
      g_string_append (text, leaves[g_rand_int (fuzzer->rand) % G_N_ELEMENTS (leaves)]);
      return;
    }
  g_string_append (text, g_rand_boolean (fuzzer->rand) ? "(" : "-(");
  append_right (fuzzer, text, depth - 1);
  g_string_append_printf (text, " %s ",
                          between[g_rand_int (fuzzer->rand) % G_N_ELEMENTS (between)]);
  append_right (fuzzer, text, depth - 1);
  g_string_append_c (text, ')');
}

static char *
make_input (Fuzzer *fuzzer)
{
  GString *text = g_string_new (g_rand_int_range (fuzzer->rand, 0, 4) == 0 ? "if " : NULL);
  guint n = g_rand_int_range (fuzzer->rand, 0, 24);
  guint repeat = g_rand_int_range (fuzzer->rand, 0, 40) == 0 ? 300 : 1;

  if (g_rand_boolean (fuzzer->rand))
    append_right (fuzzer, text, 4);
  for (guint i = 0; i < n && (text->len == 0 || g_rand_int_range (fuzzer->rand, 0, 4) == 0); i++)
    {
      const char *word = words[g_rand_int (fuzzer->rand) % G_N_ELEMENTS (words)];

      for (guint k = 0; k < (i == 0 ? repeat : 1); k++)
        g_string_append (text, word);
      if (g_rand_int_range (fuzzer->rand, 0, 3) == 0)
        g_string_append_c (text, ' ');
    }
  if (g_rand_int_range (fuzzer->rand, 0, 3) == 0)
    for (guint i = 0; i < 3 && text->len > 0; i++)
      text->str[g_rand_int (fuzzer->rand) % text->len] =
          (char) g_rand_int_range (fuzzer->rand, 1, 256);
  return g_string_free (text, FALSE);
}

static gboolean
get_scalar (const char *name, HirDebugNumber *number, gpointer user_data, GError **error)
{
  *number = (HirDebugNumber){ TRUE, G_MININT64, (double) G_MININT64 };
  if (g_str_equal (name, "nope"))
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "there is no %s", name);
  return !g_str_equal (name, "nope");
}

static HirValueSummary *
get_tensor (int name, const HirValueQuery *look, gpointer user_data, GError **error)
{
  Fuzzer *fuzzer = user_data;

  if (name == 0)
    return hir_value_summary_new (fuzzer->value, look, NULL, error);
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "there is no T%d", name);
  return NULL;
}

static void
try_text (Fuzzer *fuzzer, const char *text)
{
  const HirDebugNames names = { get_scalar, get_tensor, fuzzer };
  const HirBreakScope scope = { &fuzzer->program, 1,
                                g_rand_boolean (fuzzer->rand) ? fuzzer->sizes : NULL };
  gint64 first[HIR_MAX_DIMS], stop[HIR_MAX_DIMS];
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) refused = NULL;
  g_autoptr (HirDebugExpr) expr = hir_debug_expr_parse (text, &error);
  g_autoptr (HirBreakpoint) breakpoint = NULL;
  HirValueQuery look;
  HirDebugNumber number;

  g_assert_true ((expr == NULL) == (error != NULL));
  if (expr != NULL)
    {
      g_autofree char *shown = NULL;

      fuzzer->n_parsed++;
      hir_value_query_init (&look);
      (void) hir_debug_expr_get_tensor (expr, &names, &look, first, stop, NULL);
      if (hir_debug_expr_evaluate (expr, &names, &number, &error))
        {
          shown = hir_debug_number_format (&number);
          fuzzer->n_evaluated++;
        }
      else
        g_assert_nonnull (error);
    }
  breakpoint = hir_breakpoint_new (g_rand_boolean (fuzzer->rand) ? HIR_BREAK : HIR_WATCH, text,
                                   &scope, &names, &refused);
  g_assert_true ((breakpoint == NULL) == (refused != NULL));
  fuzzer->n_breakpoints += breakpoint != NULL;
}

static void
run_one (Fuzzer *fuzzer, guint64 seed, guint64 index, gboolean shows)
{
  g_autofree char *text = NULL;

  fuzzer->rand = g_rand_new_with_seed_array ((guint32[]){ (guint32) seed, (guint32) index,
                                                          (guint32) (index >> 32) },
                                             3);
  text = make_input (fuzzer);
  if (shows)
    printf ("%s\n", text);
  fuzz_input_begin (SECONDS_PER_INPUT,
                    "fuzz-debug-expr: input %" G_GUINT64_FORMAT " of seed %" G_GUINT64_FORMAT
                    " crashes or hangs",
                    index, seed);
  try_text (fuzzer, text);
  fuzz_input_end ();
  g_clear_pointer (&fuzzer->rand, g_rand_free);
}

int
main (int argc, char **argv)
{
  guint64 n = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 1000;
  guint64 seed = argc > 2 ? g_ascii_strtoull (argv[2], NULL, 10) : 1;
  const gint64 sizes[] = { 3, 4 };
  g_autoptr (HirBuffer) buffer = hir_buffer_new (3 * 4 * sizeof (float), NULL);
  Fuzzer fuzzer = { .program = hir_container_new (HIR_CONTAINER_HOST, NULL) };

  for (guint i = 0; i < 12; i++)
    ((float *) buffer->data)[i] = (float) i / 3;
  fuzzer.value = hir_value_new_tensor (HIR_DTYPE_FLOAT, 2, sizes, NULL, buffer);
  hir_container_add_expr (fuzzer.program,
                          hir_expr_new_stream_op (fuzzer.program, HIR_EXPR_GET_CURRENT_STREAM,
                                                  NULL));
  fuzzer.sizes = hir_env_new ();
  if (argc > 3)
    run_one (&fuzzer, seed, g_ascii_strtoull (argv[3], NULL, 10), TRUE);
  for (guint64 i = 0; argc <= 3 && i < n; i++)
    run_one (&fuzzer, seed, i, FALSE);
  printf ("%" G_GUINT64_FORMAT " inputs: %" G_GUINT64_FORMAT " are expressions, %" G_GUINT64_FORMAT
          " have a value, %" G_GUINT64_FORMAT " are breakpoints\n",
          n, fuzzer.n_parsed, fuzzer.n_evaluated, fuzzer.n_breakpoints);
  hir_value_unref (fuzzer.value);
  hir_env_free (fuzzer.sizes);
  hir_container_unref (fuzzer.program);
  /* If no input is valid, the fuzzer tests nothing. */
  return argc <= 3 && n >= 1000 && (fuzzer.n_evaluated == 0 || fuzzer.n_breakpoints == 0) ? 1 : 0;
}
