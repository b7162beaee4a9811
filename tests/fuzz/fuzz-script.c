/* fuzz-script N [SEED [INDEX]]: broken scripts. Each input is an example script with flipped
 * bytes, swapped tokens, spliced lines or nested brackets. It is parsed, listed, and every
 * candidate function is run. A crash or a hang names the input; with INDEX only this input is
 * printed and run. */
#include "input.h"
#include "script/parse/lex.h"
#include "script/script.h"
#include "verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_PER_INPUT 20

typedef struct
{
  GPtrArray *seeds; /* GString * */
  GRand *rand;
  guint64 n_syntax_errors, n_candidates, n_built, n_refused, n_limits;
} Fuzzer;

/* Written before each input, so that a signal handler only needs to print it. */
static guint
below (Fuzzer *fuzzer, guint n)
{
  return n == 0 ? 0 : g_rand_int (fuzzer->rand) % n;
}

static const GString *
pick_seed (Fuzzer *fuzzer)
{
  return fuzzer->seeds->pdata[below (fuzzer, fuzzer->seeds->len)];
}

static void
flip_bytes (Fuzzer *fuzzer, GString *text)
{
  for (guint i = 1 + below (fuzzer, 4); i > 0 && text->len > 0; i--)
    {
      guint at = below (fuzzer, text->len);

      text->str[at] = below (fuzzer, 3) == 0 ? (char) below (fuzzer, 256)
                                             : text->str[at] ^ (char) (1 << below (fuzzer, 8));
    }
}

/* Replaces a token of the script by another one. */
static void
swap_tokens (Fuzzer *fuzzer, GString *text)
{
  HirArena *arena = hir_arena_new ();
  const GString *other = pick_seed (fuzzer);
  g_autoptr (GArray) to = hir_lex (text->str, 0, text->len, FALSE, arena);
  g_autoptr (GArray) from = hir_lex (other->str, 0, other->len, FALSE, arena);
  HirToken a = g_array_index (to, HirToken, below (fuzzer, to->len));
  HirToken b = g_array_index (from, HirToken, below (fuzzer, from->len));
  g_autofree char *piece = g_strndup (other->str + b.start, b.end - b.start);

  g_string_erase (text, a.start, a.end - a.start);
  g_string_insert (text, a.start, piece);
  hir_arena_free (arena);
}

static void
splice (Fuzzer *fuzzer, GString *text)
{
  const GString *other = pick_seed (fuzzer);
  guint start = below (fuzzer, other->len), length = below (fuzzer, 400);

  g_string_insert_len (text, below (fuzzer, text->len + 1), other->str + start,
                       MIN (length, other->len - start));
}

static void
delete_piece (Fuzzer *fuzzer, GString *text)
{
  guint start = below (fuzzer, text->len + 1), length = below (fuzzer, 200);

  g_string_erase (text, start, MIN (length, text->len - start));
}

static void
nest (Fuzzer *fuzzer, GString *text)
{
  static const char *const openings[] = { "(",
                                          "[",
                                          "{",
                                          "-",
                                          "not ",
                                          "lambda: ",
                                          "f\"{",
                                          "~",
                                          "1 if 1 else ",
                                          "a.b.",
                                          "[x for x in ",
                                          "contig(",
                                          "if 1:\n ",
                                          "1+",
                                          "*",
                                          "a[",
                                          "(a, " };
  const char *opening = openings[below (fuzzer, G_N_ELEMENTS (openings))];
  guint n = below (fuzzer, 10) == 0 ? 3000 : 1 + below (fuzzer, 300),
        at = below (fuzzer, text->len + 1);
  GString *piece = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append (piece, opening);
  g_string_insert_len (text, at, piece->str, piece->len);
  g_string_free (piece, TRUE);
}

static void
change_number (Fuzzer *fuzzer, GString *text)
{
  static const char *const numbers[] = { "-1",
                                         "0",
                                         "1",
                                         "3",
                                         "65",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "1e308",
                                         "None",
                                         "True",
                                         "[]",
                                         "\"a\"",
                                         "x",
                                         "99999999999999999999",
                                         "2**62",
                                         "range(10**9)",
                                         "10**18",
                                         "[0] * 10**7",
                                         "tv0",
                                         "fd" };
  guint at = below (fuzzer, text->len), n = 0;

  while (at + n < text->len && !g_ascii_isdigit (text->str[at + n]))
    n++;
  if (at + n < text->len)
    {
      g_string_erase (text, at + n, 1);
      g_string_insert (text, at + n, numbers[below (fuzzer, G_N_ELEMENTS (numbers))]);
    }
}

/* Adds an expensive statement: loops, recursion, growing values. */
static void
insert_statement (Fuzzer *fuzzer, GString *text)
{
  static const char *const statements[] = {
    "while True: pass",
    "for i in range(10**12): x = i",
    "x = []; y = [[x := [x]] for i in range(4000)]; z = x == y",
    "x = [0] * 10**10",
    "tv0 = fd.ops.set(tv0)",
    "for i in range(50): tv0 = fd.ops.relu(tv0)",
    "fd.add_output(tv0)",
    "tv0.split(0, 3)",
    "tv0.merge(0, 1)",
    "tv0.reorder({0: 1})",
    "tv0.axis(0).parallelize(ParallelType.stream)",
    "return fd",
    "yield fd",
    "tv0 = fd.ops.permute(tv0, [1, 0])",
    "tv0 = fd.ops.reshape(tv0, [-1])",
    "tv0 = fd.ops.sum(tv0, [0], keepdim=True)",
    "tv0 = tv0 + tv0 * 2.0",
    "tv0 = tv0 @ tv0",
    "open('x')",
    "f = lambda: f(); f()",
    "f = lambda g: g(g)\n    f(f)",
    "x = {}; x[0] = x; y = f'{x}'; z = x == x",
    "tv0 = fd.ops.broadcast(tv0, [True, False, False])",
    "tv0 = fd.ops.slice(tv0, [0, 0], [1, 1])",
    "tv0 = fd.ops.cat([tv0, tv0], 0)",
    "tv0 = fd.ops.pad(tv0, [1, 1])",
    "tv0 = fd.ops.squeeze(tv0, [0])",
    "tv0 = fd.define_tensor([-1, 1, 4], [True, None, False])",
    "tv0 = fd.ops.full([2, 3], 1, DataType.Float)",
    "tv0.outer_split(-1, 2)",
    "tv0 = tv0.cache_after()",
    "tv0 = tv0.cache_after(propagate_allocation_domain=False)",
    "tv0 = tv0.cache_before()",
    "tv0 = fd.sched.cache_fork(tv0)",
    "tv1 = fd.ops.sum(tv0, [0]); tv1.split(0, 2); tv0 = tv1.rfactor([1])",
    "tv0 = tv0.rfactor([-1])",
    "tv0 = fd.sched.rfactor(tv0, [0, 1])",
    "tv0.set_allocation_domain(tv0.get_loop_domain(), True)",
    "tv0.set_allocation_domain([tv0.axis(1), tv0.axis(0)], [True, None])",
    "tv0.set_allocation_domain(tv0.get_logical_domain() + tv0.get_loop_domain(), False)",
    "fd.sched.set_allocation_as_loop(tv0)",
    "tv0.set_memory_type(MemoryType.shared)",
    "fd.sched.transform_like(tv0)",
    "fd.sched.transform_like(tv0, fd.fusion.vals())",
    "fd.sched.parallelize_like(tv0, -2, fd.fusion.vals(), {ParallelType.stream})",
    "fd.sched.parallelize_like(tv0)",
    "fd.sched.inline_at(tv0, 1)",
  };
  guint at = below (fuzzer, text->len + 1), indent = 0;
  const char *line = text->str + at;
  g_autofree char *piece = NULL;

  /* At the start of a line, with the indentation of the following line. */
  while (*line != '\0' && *line != '\n')
    line++;
  at = line - text->str;
  while (*line == '\n')
    line++;
  while (line[indent] == ' ')
    indent++;
  piece = g_strdup_printf ("\n%*s%s", (int) indent, "",
                           statements[below (fuzzer, G_N_ELEMENTS (statements))]);
  g_string_insert (text, at, piece);
}

/* Replaces a name by a name: most scripts stay valid. */
static void
swap_names (Fuzzer *fuzzer, GString *text)
{
  HirArena *arena = hir_arena_new ();
  g_autoptr (GArray) tokens = hir_lex (text->str, 0, text->len, FALSE, arena);
  HirToken picked[2] = { { 0 } };
  g_autofree char *piece = NULL;

  for (guint i = 0; i < 2; i++)
    for (guint tries = 0; tries < 50; tries++)
      {
        picked[i] = g_array_index (tokens, HirToken, below (fuzzer, tokens->len));
        if (picked[i].kind == HIR_TOKEN_NAME)
          break;
      }
  piece = g_strndup (text->str + picked[1].start, picked[1].end - picked[1].start);
  g_string_erase (text, picked[0].start, picked[0].end - picked[0].start);
  g_string_insert (text, picked[0].start, piece);
  hir_arena_free (arena);
}

/* Keeps the syntax valid, so that the interpreter is tested. */
static void
mutate_gently (Fuzzer *fuzzer, GString *text)
{
  switch (below (fuzzer, 4))
    {
    case 0:
      change_number (fuzzer, text);
      break;
    case 1:
      swap_names (fuzzer, text);
      break;
    default:
      insert_statement (fuzzer, text);
    }
}

static void
mutate_roughly (Fuzzer *fuzzer, GString *text)
{
  switch (below (fuzzer, 6))
    {
    case 0:
      flip_bytes (fuzzer, text);
      break;
    case 1:
      swap_tokens (fuzzer, text);
      break;
    case 2:
      splice (fuzzer, text);
      break;
    case 3:
      delete_piece (fuzzer, text);
      break;
    case 4:
      nest (fuzzer, text);
      break;
    default:
      mutate_gently (fuzzer, text);
    }
}

static GString *
make_input (Fuzzer *fuzzer)
{
  const GString *seed = pick_seed (fuzzer);
  GString *text = g_string_new_len (seed->str, seed->len);
  gboolean rough = below (fuzzer, 2) == 0;

  for (guint i = 1 + below (fuzzer, rough ? 4 : 8); i > 0; i--)
    if (rough)
      mutate_roughly (fuzzer, text);
    else
      mutate_gently (fuzzer, text);
  return text;
}

static gboolean
run_candidate (Fuzzer *fuzzer, HirScript *script, const HirScriptFunction *function)
{
  static const char *const values[] = { "2", "0", "4", "-1", "12", "[1, 2]", "None" };
  g_autoptr (GPtrArray) args = g_ptr_array_new_with_free_func (g_free);
  g_auto (HirScriptResult) result = { 0 };
  g_autoptr (HirContainer) container = NULL;
  g_autoptr (GError) error = NULL, broken = NULL;
  HirScriptOptions options = { .n_devices = below (fuzzer, 5),
                               .max_steps = below (fuzzer, 50) == 0 ? 0 : 50000 };

  for (guint i = 0; i < function->params->len; i++)
    {
      const HirScriptParam *param = function->params->pdata[i];

      if (strlen (param->name) <= 4 || g_str_has_prefix (param->name, "num_ch"))
        g_ptr_array_add (args,
                         g_strdup_printf ("%s=%s", param->name,
                                          values[below (fuzzer, 3)
                                                     ? 0
                                                     : below (fuzzer, G_N_ELEMENTS (values))]));
    }
  g_ptr_array_add (args, NULL);
  options.args = (const char *const *) args->pdata;
  fuzzer->n_candidates++;
  container = hir_script_run (script, function->name, &options, &result, &error);
  g_assert_true ((container == NULL) == (error != NULL));
  if (container == NULL)
    {
      if (g_error_matches (error, HIR_ERROR, HIR_ERROR_LIMIT))
        fuzzer->n_limits++;
      else
        fuzzer->n_refused++;
      return TRUE;
    }
  fuzzer->n_built++;
  if (hir_container_verify (container, &broken))
    return TRUE;
  fprintf (stderr, "%s: %s builds a broken fusion: %s\n", fuzz_input_get_name (), function->name,
           broken->message);
  return FALSE;
}

static gboolean
run_input (Fuzzer *fuzzer, const GString *text)
{
  g_autoptr (GPtrArray) diagnostics =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free);
  g_autoptr (GPtrArray) functions = NULL, candidates = NULL;
  g_autoptr (HirSource) source = NULL;
  g_autoptr (HirScript) script = NULL;
  g_autoptr (GError) error = NULL;
  gboolean good = TRUE;

  source = hir_script_source_from_bytes ("input.py", text->str, text->len, &error);
  /* The parser must handle invalid UTF-8, too. */
  if (source == NULL)
    source = hir_source_new ("input.py", text->str, text->len);
  script = hir_script_parse (source, diagnostics);
  g_ptr_array_unref (hir_script_dup_undefined (script));
  functions = hir_script_dup_functions (script);
  candidates = hir_script_dup_candidates (script);
  g_assert_cmpuint (diagnostics->len, ==, MIN (hir_script_get_n_errors (script), 20));
  for (guint i = 0; i < diagnostics->len; i++)
    {
      const HirDiagnostic *diagnostic = diagnostics->pdata[i];

      g_assert_cmpuint (diagnostic->pos.line, >, 0);
      g_assert_null (strchr (diagnostic->message, '\n'));
      g_assert_true (g_utf8_validate (diagnostic->message, -1, NULL));
    }
  if (diagnostics->len > 0)
    {
      fuzzer->n_syntax_errors++;
      return TRUE;
    }
  for (guint i = 0; i < candidates->len && good; i++)
    good = run_candidate (fuzzer, script, candidates->pdata[i]);
  return good;
}

static void
load_seeds (Fuzzer *fuzzer)
{
  static const char *const names[] = { "single_device.py", "multi_device.py",
                                       "as_people_write_tests.py" };
  const char *root = g_getenv ("HIR_TEST_SRCDIR");

  fuzzer->seeds = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path =
          g_build_filename (root != NULL ? root : ".", "app", "examples", names[i], NULL);
      g_autofree char *text = NULL;
      gsize length;

      if (!g_file_get_contents (path, &text, &length, NULL))
        g_error ("no example script at %s", path);
      g_ptr_array_add (fuzzer->seeds, g_string_new_len (text, length));
    }
}

/* Creates input @index of @seed, independent of all others. */
static gboolean
fuzz_one (Fuzzer *fuzzer, guint32 seed, guint32 index, gboolean show)
{
  GString *text;
  gboolean good;

  g_rand_set_seed_array (fuzzer->rand, (guint32[]){ seed, index }, 2);
  text = make_input (fuzzer);
  fuzz_input_begin (SECONDS_PER_INPUT, "fuzz-script 1 %u %u", seed, index);
  if (show)
    fwrite (text->str, 1, text->len, stdout);
  good = run_input (fuzzer, text);
  fuzz_input_end ();
  g_string_free (text, TRUE);
  return good;
}

int
main (int argc, char **argv)
{
  guint32 n = argc > 1 ? strtoul (argv[1], NULL, 10) : 0,
          seed = argc > 2 ? strtoul (argv[2], NULL, 10) : 1;
  Fuzzer fuzzer = { .rand = g_rand_new () };
  guint bad = 0;

  if (n == 0)
    {
      fprintf (stderr, "usage: fuzz-script N [SEED [INDEX]]\n");
      return 2;
    }
  load_seeds (&fuzzer);
  if (argc > 3)
    bad = !fuzz_one (&fuzzer, seed, strtoul (argv[3], NULL, 10), TRUE);
  for (guint32 i = 0; argc <= 3 && i < n; i++)
    bad += !fuzz_one (&fuzzer, seed, i, FALSE);
  printf ("%u scripts from seed %u: %" G_GUINT64_FORMAT " with syntax errors; %" G_GUINT64_FORMAT
          " functions run: %" G_GUINT64_FORMAT " built, %" G_GUINT64_FORMAT
          " rejected, %" G_GUINT64_FORMAT " past a limit; %u broken\n",
          n, seed, fuzzer.n_syntax_errors, fuzzer.n_candidates, fuzzer.n_built, fuzzer.n_refused,
          fuzzer.n_limits, bad);
  g_rand_free (fuzzer.rand);
  for (guint i = 0; i < fuzzer.seeds->len; i++)
    g_string_free (fuzzer.seeds->pdata[i], TRUE);
  g_ptr_array_unref (fuzzer.seeds);
  return bad > 0;
}
