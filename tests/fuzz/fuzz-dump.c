/* fuzz-dump N [SEED]: broken dumps. Bytes, words and lines of the goldens are changed, moved,
 * duplicated or cut. Each input is read. An error must have a position. A program must verify,
 * print, draw, print the same when read again and, if it is small, run and match its sequential
 * execution. A crash or a hang names the run. */
#include "dump/read-dump.h"
#include "input.h"
#include "program/program-check.h"
#include "program/program.h"
#include "run/session/session.h"
#include "verify/verify.h"
#include "view/program-view.h"

#include <stdlib.h>
#include <string.h>

/* Wall-clock time: other tests may use the processors. */
#define SECONDS_PER_RUN 100
/* Limits of a program that is run: instructions, devices, elements of a tensor. */
#define MAX_STEPS 2000
/* Random delay of each task, so that data races show. */
#define MAX_DELAY_US 100
#define MAX_RANKS 8
#define MAX_ELEMENTS 40000

typedef struct
{
  GRand *rand;
  GPtrArray *seeds; /* char * */
  GPtrArray *words; /* char *: tokens of all seeds */
  guint n_read, n_empty;
  /* results of the inputs that have a host program */
  guint n_large, n_refused, n_failed, n_right, n_raced;
} Fuzzer;

/* The goldens contain no HostUnit. */
static const char units_text[] =
    "%HostIrContainer { (T0_g_float[iS0{i0}]) -> (T2_g_float[iS2{i0}]) :\n"
    "  PostOnStream (HostUnit0, Inputs:{T0_g_float[iS0{i0}], }, Outputs:{T1_g_float[iS1{i0}], })\n"
    "  T2_g_float[iS9{i0}]\n"
    "     = Set( T1_g_float[iS1{i0}] )\n"
    "  T2_g_float[iS2{i0}]\n"
    "     = T2_g_float[iS9{i0}]\n"
    "      + T1_g_float[iS1{i0}];\n"
    "\n"
    "HostUnit0: Inputs={T0_g_float[iS0{i0}], } -> Outputs={T1_g_float[iS1{i0}], }Inputs:\n"
    "  T0_g_float[iS0{i0}]\n"
    "Outputs:\n"
    "  T1_g_float[iS1{i0}]\n"
    "\n"
    "%kernel {\n"
    "T2_l_float[iS2{i0}]\n"
    "   = expf(T0_g_float[iS0{i0}]);\n"
    "T1_g_float[iS1{i0}]\n"
    "   = -T2_l_float[iS2{i0}];\n"
    "} // %kernel\n"
    "} // %HostIrContainer\n";

static guint
random_below (Fuzzer *fuzzer, guint n)
{
  return n == 0 ? 0 : g_rand_int (fuzzer->rand) % n;
}

/* Returns the length of the word at @at, or 1 for another character. */
static guint
word_length (const GString *text, guint at)
{
  guint n = 1;

  if (g_ascii_isalnum (text->str[at]))
    while (at + n < text->len && (g_ascii_isalnum (text->str[at + n]) || text->str[at + n] == '_'))
      n++;
  return n;
}

static void
find_line (const GString *text, guint at, guint *start, guint *end)
{
  for (*start = at; *start > 0 && text->str[*start - 1] != '\n';)
    (*start)--;
  for (*end = at; *end < text->len && text->str[*end] != '\n';)
    (*end)++;
  *end = MIN (*end + 1, (guint) text->len);
}

static void
mutate_line (Fuzzer *fuzzer, GString *text, guint at)
{
  guint start, end, other, unused;
  g_autofree char *line = NULL;

  find_line (text, at, &start, &end);
  line = g_strndup (text->str + start, end - start);
  if (random_below (fuzzer, 2))
    g_string_erase (text, start, end - start);
  if (random_below (fuzzer, 2) || text->len == 0)
    return;
  find_line (text, random_below (fuzzer, (guint) text->len), &other, &unused);
  g_string_insert (text, other, line);
}

static void
mutate (Fuzzer *fuzzer, GString *text)
{
  static const char *const numbers[] = {
    "0",          "1",  "-1",  "2147483648", "99999999999999999999",
    "1000000000", "64", "0x1", "1e9",        "4294967296"
  };
  guint at = random_below (fuzzer, (guint) text->len), n;

  if (text->len == 0)
    return;
  n = word_length (text, at);
  switch (random_below (fuzzer, 8))
    {
    case 0:
      text->str[at] = (char) (1 + random_below (fuzzer, 126));
      break;
    case 1:
      g_string_erase (text, at, n);
      break;
    case 2:
      g_string_erase (text, at, n);
      g_string_insert (text, at, fuzzer->words->pdata[random_below (fuzzer, fuzzer->words->len)]);
      break;
    case 3:
      g_string_insert (text, at, fuzzer->words->pdata[random_below (fuzzer, fuzzer->words->len)]);
      break;
    case 4:
      for (; at < text->len && !g_ascii_isdigit (text->str[at]); at++)
        ;
      for (n = 0; at + n < text->len && g_ascii_isdigit (text->str[at + n]); n++)
        ;
      g_string_erase (text, at, n);
      g_string_insert (text, at, numbers[random_below (fuzzer, G_N_ELEMENTS (numbers))]);
      break;
    case 5:
    case 6:
      mutate_line (fuzzer, text, at);
      break;
    default:
      if (random_below (fuzzer, 4) == 0)
        g_string_truncate (text, at);
      else
        g_string_insert (text, at, random_below (fuzzer, 2) ? "\n" : "    ");
      break;
    }
}

static void
check_dump (HirDump *dump)
{
  g_autofree char *printed = hir_container_print (dump->container, dump->format, NULL);
  g_autoptr (HirProgramView) view = hir_program_view_new (dump->container, dump->format);
  HirSource *source = hir_source_new ("again.txt", printed, -1);
  g_autoptr (GError) error = NULL;
  HirFormat format;
  g_autoptr (HirContainer) again = NULL;
  g_autofree char *text = NULL;

  g_assert_nonnull (view->graph);
  g_assert_true (hir_container_verify (dump->container, NULL));
  again = hir_dump_read (source, &format, &error);
  hir_source_unref (source);
  if (again == NULL)
    g_error ("printing a valid program gives an invalid one: %s\n%s", error->message, printed);
  text = hir_container_print (again, dump->format, NULL);
  if (!g_str_equal (text, printed))
    g_error ("%s\nis read as\n%s", printed, text);
}

/* Returns the number of elements of the largest tensor; an unknown extent counts as 16. */
static double
get_largest (HirContainer *program)
{
  double largest = 0;

  for (guint i = 0; i < program->tensors.len; i++)
    {
      const HirTensor *tensor = program->tensors.items[i];
      double count = 1;

      for (guint k = 0; k < tensor->logical.n; k++)
        {
          const HirScalar *extent = tensor->logical.ids[k]->extent;

          if (tensor->logical.ids[k]->expanded_extent != NULL)
            extent = tensor->logical.ids[k]->expanded_extent;
          count *= extent->kind == HIR_SCALAR_CONST ? (double) MAX (extent->i, 1) : 16;
        }
      largest = MAX (largest, count);
    }
  return largest;
}

/* Without its synchronization a program has data races and no order is correct; the check must
 * report them. */
static void
explain_wrong (Fuzzer *fuzzer, HirProgram *program, HirSession *session, gint64 n_streams)
{
  g_autofree char *report = hir_check_report_format (hir_session_get_report (session));
  g_autofree char *text = hir_container_print (program->printed, HIR_FORMAT_2025, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSyncCheck) check =
      hir_program_check_sync (program, n_streams, NULL,
                              n_streams > 2 ? HIR_SYNC_ALL : HIR_SYNC_USES, NULL, &error);

  if (check != NULL && check->missing->len + check->trace->faults->len > 0)
    fuzzer->n_raced++;
  else
    g_error ("%s\n%s%s\nis wrong, and the check finds nothing missing%s%s", fuzz_input_get_name (),
             report, text, error != NULL ? ": " : "", error != NULL ? error->message : "");
  if (g_getenv ("HIR_FUZZ_VERBOSE") != NULL)
    g_print ("%s\n%s%s\n", fuzz_input_get_name (), report, text);
}

static void
run_session (Fuzzer *fuzzer, HirProgram *program, GPtrArray *hosts)
{
  HirRunOptions options;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSession) session = NULL;

  hir_run_options_init (&options);
  options.check = TRUE;
  options.max_steps = MAX_STEPS;
  options.max_delay_us = MAX_DELAY_US;
  options.delay_seed = g_rand_int (fuzzer->rand);
  options.rank = (int) program->request->rank;
  session = hir_session_new_ranks (program->printed, (HirContainer *const *) hosts->pdata,
                                   hosts->len, &options, NULL, NULL, &error);
  if (session == NULL)
    fuzzer->n_refused++;
  else if (!hir_session_run (session, &error))
    fuzzer->n_failed++;
  else if (hir_check_report_passed (hir_session_get_report (session)))
    fuzzer->n_right++;
  else
    explain_wrong (fuzzer, program, session, options.n_streams);
  if (error != NULL)
    g_assert_true (error->domain == HIR_ERROR);
}

/* Runs the last host program of @text. */
static void
run_text (Fuzzer *fuzzer, const char *text)
{
  HirSource *source = hir_source_new ("input.txt", text, -1);
  g_autoptr (HirRequest) request = hir_request_new (source, NULL);
  g_autoptr (HirProgram) program = hir_program_new (request, NULL, NULL, NULL);
  g_autoptr (GPtrArray) hosts = NULL;
  g_autoptr (GError) error = NULL;

  hir_source_unref (source);
  if (program == NULL || program->printed == NULL)
    return;
  if (program->request->n_devices > MAX_RANKS || get_largest (program->printed) > MAX_ELEMENTS)
    {
      fuzzer->n_large++;
      return;
    }
  hosts = hir_program_dup_rank_hosts (program, NULL, &error);
  if (hosts != NULL)
    run_session (fuzzer, program, hosts);
  else
    fuzzer->n_refused++;
}

static void
run_one (Fuzzer *fuzzer)
{
  GString *text = g_string_new (fuzzer->seeds->pdata[random_below (fuzzer, fuzzer->seeds->len)]);
  guint n = 1 + random_below (fuzzer, 4);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) dumps = NULL;
  HirSource *source;

  for (guint i = 0; i < n; i++)
    mutate (fuzzer, text);
  source = hir_source_new ("input.txt", text->str, (gssize) text->len);
  dumps = hir_dump_read_all (source, &error);
  hir_source_unref (source);
  if (dumps == NULL)
    {
      gboolean is_empty = strstr (error->message, "contains no printed program") != NULL;

      g_assert_true (error->domain == HIR_ERROR);
      g_assert_true (is_empty || hir_error_get_pos (error).line > 0);
      fuzzer->n_empty += is_empty;
      g_string_free (text, TRUE);
      return;
    }
  fuzzer->n_read++;
  for (guint i = 0; i < dumps->len; i++)
    check_dump (dumps->pdata[i]);
  run_text (fuzzer, text->str);
  g_string_free (text, TRUE);
}

/* Runs one input (@text: transfer full). */
static void
add_seed (Fuzzer *fuzzer, char *text)
{
  GString view = { text, strlen (text), 0 };

  g_ptr_array_add (fuzzer->seeds, text);
  for (guint at = 0; at < view.len; at += word_length (&view, at))
    g_ptr_array_add (fuzzer->words, g_strndup (text + at, word_length (&view, at)));
}

static void
load_seeds (Fuzzer *fuzzer)
{
  const char *root = g_getenv ("HIR_TEST_SRCDIR");
  g_autofree char *folder =
      g_build_filename (root != NULL ? root : ".", "tests", "data", "golden", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".txt"))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, (GCompareFunc) (void (*) (void)) g_strcmp0);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
      char *text = NULL;

      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      add_seed (fuzzer, text);
    }
  if (fuzzer->seeds->len == 0)
    g_error ("no dumps in %s; set HIR_TEST_SRCDIR to the folder of the sources", folder);
  add_seed (fuzzer, g_strdup (units_text));
}

static int
compare_pointers (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(char *const *) a, *(char *const *) b);
}

int
main (int argc, char **argv)
{
  guint n = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 1000;
  guint32 seed = argc > 2 ? (guint32) strtoul (argv[2], NULL, 10) : 1;
  Fuzzer fuzzer = { g_rand_new (), g_ptr_array_new_with_free_func (g_free),
                    g_ptr_array_new_with_free_func (g_free) };

  load_seeds (&fuzzer);
  g_ptr_array_sort (fuzzer.words, compare_pointers);
  for (guint i = 0; i < n; i++)
    {
      /* Each run can be repeated alone: seed SEED + I, one run. */
      g_rand_set_seed (fuzzer.rand, seed + i);
      fuzz_input_begin (SECONDS_PER_RUN, "fuzz-dump: crash or hang; again with: fuzz-dump 1 %u",
                        seed + i);
      run_one (&fuzzer);
    }
  fuzz_input_end ();
  g_print ("dump: %u inputs, %u rejected (%u without a dump), %u read, no crash, no hang\n", n,
           n - fuzzer.n_read, fuzzer.n_empty, fuzzer.n_read);
  g_print (
      "run: %u correct, %u incorrect because of data races, %u failed, %u rejected, %u too large to run\n",
      fuzzer.n_right, fuzzer.n_raced, fuzzer.n_failed, fuzzer.n_refused, fuzzer.n_large);
  g_ptr_array_unref (fuzzer.seeds);
  g_ptr_array_unref (fuzzer.words);
  g_rand_free (fuzzer.rand);
  return 0;
}
