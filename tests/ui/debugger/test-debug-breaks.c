/* Tests the breakpoints of a document: parsing, binding to changed programs, answers of the
 * debugger, and storage. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "debugger/break-memory.h"
#include "debugger/debug-breaks.h"
#include "diagnostic.h"
#include "predict/lines.h"
#include "print/print.h"
#include "program/program.h"

#define SCRIPT(more)                                                                               \
  "from nvfuser_direct import FusionDefinition, DataType, ParallelType\n"                          \
  "def f():\n"                                                                                     \
  "    with FusionDefinition() as fd:\n"                                                           \
  "        a = fd.define_tensor(shape=[8, 8], contiguity=True, dtype=DataType.Float)\n" more       \
  "        c = fd.ops.set(a)\n"                                                                    \
  "        d = fd.ops.set(c)\n"                                                                    \
  "        fd.add_output(d)\n"                                                                     \
  "        for tv in [c, d]:\n"                                                                    \
  "            tv.axis(0).parallelize(ParallelType.stream)\n"                                      \
  "    return fd\n"

/* The second program has an additional op at the start, so that all numbers change. The last one
 * lacks the op with the breakpoint. */
static const char plain[] = SCRIPT ("");
static const char longer[] = SCRIPT ("        z = fd.ops.mul(a, a)\n        fd.add_output(z)\n");

static HirProgram *
lower (const char *text)
{
  g_autoptr (HirSource) source = hir_source_new ("f.py", text, -1);
  g_autoptr (HirRequest) request = hir_request_new (source, "f");
  g_autoptr (GError) error = NULL;
  HirProgram *program = hir_program_new (request, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_no_error (program->error);
  return program;
}

typedef struct
{
  HirProgram *program;
  HirContainer *host;
  HirBreakPrograms programs;
} Lowered;

static void
begin (Lowered *lowered, const char *text)
{
  lowered->program = lower (text);
  lowered->host = hir_program_get_host (lowered->program);
  g_assert_nonnull (lowered->host);
  lowered->programs = (HirBreakPrograms){ &lowered->host, 1 };
}

static void
assert_text (const GPtrArray *breaks, guint i, const char *wanted)
{
  g_autofree char *text = hir_break_dup_text (breaks->pdata[i]);

  g_assert_cmpstr (text, ==, wanted);
}

static HirBreak *
make (const char *text, const Lowered *lowered)
{
  g_autoptr (GError) error = NULL;
  HirBreak *item = hir_break_new (text, &lowered->programs, &error);

  g_assert_no_error (error);
  return item;
}

static void
test_typed (void)
{
  static const char *const texts[] = { "2",
                                       "2 iteration 5 rank 1 if iteration > 3",
                                       "LoadStoreOp stream 1",
                                       "iteration 3",
                                       "watch T1 rank 0",
                                       "if rank == 1" };
  g_autoptr (GPtrArray) breaks = hir_debug_breaks_new ();
  Lowered lowered;

  begin (&lowered, plain);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      hir_debug_breaks_add (breaks, make (texts[i], &lowered));
      assert_text (breaks, i, texts[i]);
    }
  g_assert_cmpuint (((HirBreak *) breaks->pdata[1])->id, !=, 0);
  g_assert_cmpuint (((HirBreak *) breaks->pdata[2])->id, ==, 0);
  g_assert_cmpuint (((HirBreak *) breaks->pdata[2])->ids->len, >, 1);
  hir_program_unref (lowered.program);
}

static void
test_errors (void)
{
  static const struct
  {
    const char *text;
    guint column;
  } rows[] = {
    { "2 if T1 >", 10 },
    { "2 iteration many", 13 },
    { "T99", 1 },
    { "watch T99", 7 },
    { "4000", 1 },
    { "nothing", 1 },
    { "2 if T99[0] > 1", 6 },
    { "2 now and then", 3 },
  };
  Lowered lowered;

  begin (&lowered, plain);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (hir_break_new (rows[i].text, &lowered.programs, &error));
      g_assert_nonnull (error);
      g_assert_cmpuint (hir_error_get_pos (error).column, ==, rows[i].column);
    }
  hir_program_unref (lowered.program);
}

/* Returns the id of the instruction in line @number, or 0. */
static guint64
get_id (const GPtrArray *numbers, guint number)
{
  const HirExpr *expr = numbers->pdata[number - 1];

  return expr != NULL ? expr->node.id : 0;
}

/* Breakpoints are numbered by the lines of the program, which are the same in all formats. */
static void
test_lines (void)
{
  g_autoptr (GPtrArray) numbers = NULL;
  g_autoptr (GArray) lines = NULL;
  guint n_found = 0, n_instructions = 0;
  Lowered lowered;

  begin (&lowered, plain);
  numbers = hir_instruction_numbers (lowered.host);
  lines = hir_program_dup_lines (lowered.program);
  for (guint i = 0; i < lines->len; i++)
    {
      const HirProgramLine *line = &g_array_index (lines, HirProgramLine, i);

      n_found += hir_instruction_find (numbers, line->expr->node.id) == line->line;
    }
  for (guint i = 0; i < numbers->len; i++)
    n_instructions += numbers->pdata[i] != NULL;
  g_assert_cmpuint (n_instructions, >, 5);
  g_assert_cmpuint (n_found, ==, n_instructions);
  g_assert_cmpuint (n_instructions, <, numbers->len);
  for (HirFormat format = HIR_FORMAT_2025; format <= HIR_FORMAT_2026; format++)
    {
      g_autofree char *text = hir_container_print (lowered.host, format, NULL);
      g_auto (GStrv) rows = g_strsplit (text, "\n", -1);

      g_assert_nonnull (strstr (rows[0], "HostIrContainer"));
      g_assert_nonnull (strstr (rows[numbers->len], "}"));
    }
  hir_program_unref (lowered.program);
}

/* The number of a breakpoint follows its instruction. */
static void
test_edits (void)
{
  g_autoptr (GPtrArray) breaks = hir_debug_breaks_new ();
  g_autoptr (GPtrArray) numbers = NULL;
  g_autoptr (GPtrArray) others = NULL;
  g_autoptr (GArray) ids = NULL;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  Lowered first, second;
  guint number, moved = 0;

  begin (&first, plain);
  begin (&second, longer);
  numbers = hir_instruction_numbers (first.host);
  others = hir_instruction_numbers (second.host);
  for (number = 1; number <= numbers->len; number++)
    {
      moved = hir_instruction_find (others, get_id (numbers, number));
      if (moved > 0 && moved != number)
        break;
    }
  g_assert_cmpuint (number, <=, numbers->len);
  before = g_strdup_printf ("%u iteration 2", number);
  after = g_strdup_printf ("%u iteration 2", moved);
  hir_debug_breaks_add (breaks, make (before, &first));
  hir_debug_breaks_bind (breaks, &second.programs);
  assert_text (breaks, 0, after);
  hir_debug_breaks_bind (breaks, &(HirBreakPrograms){ NULL, 0 });
  hir_debug_breaks_bind (breaks, &first.programs);
  assert_text (breaks, 0, before);
  ids = hir_debug_breaks_dup_ids (breaks, FALSE);
  g_assert_cmpuint (ids->len, ==, 1);
  g_assert_cmpuint (g_array_index (ids, guint64, 0), ==, get_id (numbers, number));
  hir_program_unref (first.program);
  hir_program_unref (second.program);
}

/* A breakpoint is unbound while its instruction is missing and bound when it is back. */
static void
test_unbound (void)
{
  g_autoptr (GPtrArray) breaks = hir_debug_breaks_new ();
  g_autofree char *text = NULL;
  Lowered first, second;
  const HirBreak *item;
  guint number;

  begin (&first, longer);
  begin (&second, plain);
  {
    g_autoptr (GPtrArray) numbers = hir_instruction_numbers (first.host);
    g_autoptr (GPtrArray) others = hir_instruction_numbers (second.host);

    for (number = 1; number <= numbers->len; number++)
      if (get_id (numbers, number) != 0 &&
          hir_instruction_find (others, get_id (numbers, number)) == 0)
        break;
    g_assert_cmpuint (number, <=, numbers->len);
  }
  text = g_strdup_printf ("%u rank 0", number);
  hir_debug_breaks_add (breaks, make (text, &first));
  item = breaks->pdata[0];
  hir_debug_breaks_bind (breaks, &second.programs);
  g_assert_nonnull (item->why);
  g_assert_cmpuint (item->ids->len, ==, 0);
  g_assert_nonnull (item->label);
  hir_debug_breaks_bind (breaks, &first.programs);
  g_assert_null (item->why);
  assert_text (breaks, 0, text);
  hir_program_unref (first.program);
  hir_program_unref (second.program);
}

/* @breakpoints is a list such as "[(1, false, false, false, 0, '2', [7])]". */
static HirDebugState *
state_new (const char *breakpoints, const char *error)
{
  g_autoptr (GVariant) all =
      g_variant_parse (G_VARIANT_TYPE ("a(ubbbusat)"), breakpoints, NULL, NULL, NULL);
  g_autoptr (GVariant) variant = NULL;
  GVariantDict dict;

  g_assert_nonnull (all);
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "breakpoints", all);
  if (error != NULL)
    g_variant_dict_insert (&dict, "error", "s", error);
  variant = g_variant_ref_sink (g_variant_dict_end (&dict));
  return hir_debug_state_new_from_variant (variant);
}

static void
test_debugger (void)
{
  g_autoptr (GPtrArray) breaks = hir_debug_breaks_new ();
  g_autoptr (HirDebugState) one = state_new ("[(1, false, false, false, 0, '2', [7])]", NULL);
  g_autoptr (HirDebugState) rejected =
      state_new ("[(1, false, false, false, 3, '2', [7])]", "no instruction writes T9");
  g_autoptr (HirDebugState) typed = state_new (
      "[(2, true, false, true, 0, 'T1 rank 1', []), (3, false, true, false, 0, '4', [9])]", NULL);
  Lowered lowered;

  begin (&lowered, plain);
  hir_debug_breaks_add (breaks, make ("2", &lowered));
  hir_debug_breaks_add (breaks, make ("3 iteration 1", &lowered));
  ((HirBreak *) breaks->pdata[0])->is_pending = ((HirBreak *) breaks->pdata[1])->is_pending = TRUE;
  g_assert_true (hir_debug_breaks_answer (breaks, 1, one));
  hir_debug_breaks_take (breaks, one, &lowered.programs);
  g_assert_cmpuint (((HirBreak *) breaks->pdata[0])->number, ==, 1);
  g_assert_cmpuint (breaks->len, ==, 2);
  /* A breakpoint rejected by the debugger stays and has the reason. Hits are counted. */
  g_assert_false (hir_debug_breaks_answer (breaks, 2, rejected));
  hir_debug_breaks_take (breaks, rejected, &lowered.programs);
  g_assert_cmpuint (breaks->len, ==, 2);
  g_assert_cmpstr (((HirBreak *) breaks->pdata[1])->why, ==, "no instruction writes T9");
  g_assert_cmpuint (((HirBreak *) breaks->pdata[0])->n_hits, ==, 3);
  /* In the console one breakpoint was deleted, one disabled and a watchpoint set. Temporary
   * breakpoints do not belong to the document. */
  hir_debug_breaks_take (breaks, typed, &lowered.programs);
  g_assert_cmpuint (breaks->len, ==, 2);
  assert_text (breaks, 1, "watch T1 rank 1");
  g_assert_true (((HirBreak *) breaks->pdata[1])->is_disabled);
  hir_debug_breaks_forget_numbers (breaks);
  hir_debug_breaks_take (breaks, one, &lowered.programs);
  g_assert_cmpuint (breaks->len, ==, 3);
  hir_program_unref (lowered.program);
}

/* A recording knows ids only; the debugger supplies the text. */
static void
test_recording (void)
{
  g_autoptr (GPtrArray) breaks = hir_debug_breaks_new ();
  g_autoptr (HirDebugState) state = state_new ("[(1, false, false, false, 0, '12 iteration 3', "
                                               "[7]), (2, true, false, false, 0, 'T4', [])]",
                                               NULL);
  const HirBreakPrograms none = { NULL, 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL;
  HirBreak *item = hir_break_new ("@0000000000000007 iteration 3", &none, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (item->id, ==, 7);
  g_assert_cmpuint (item->ids->len, ==, 1);
  line = hir_break_dup_line (item);
  g_assert_cmpstr (line, ==, "break @0000000000000007 iteration 3");
  hir_debug_breaks_add (breaks, item);
  hir_debug_breaks_bind (breaks, &none);
  g_assert_null (item->why);
  item->is_pending = TRUE;
  g_assert_true (hir_debug_breaks_answer (breaks, 1, state));
  /* The answer has the largest number; the first one is already taken. */
  item->number = 1;
  hir_debug_breaks_take (breaks, state, &none);
  g_assert_cmpuint (breaks->len, ==, 2);
  assert_text (breaks, 0, "12 iteration 3");
  assert_text (breaks, 1, "watch T4");
}

static char *
dup_lines (const GPtrArray *breaks)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < breaks->len; i++)
    {
      const HirBreak *item = breaks->pdata[i];
      g_autofree char *line = hir_break_dup_line (item);

      g_string_append_printf (out, "%s %d %s\n", line, item->is_disabled, item->label);
    }
  return g_string_free (out, FALSE);
}

static void
test_stored (void)
{
  g_autoptr (GPtrArray) breaks = hir_debug_breaks_new ();
  g_autoptr (GPtrArray) back = hir_debug_breaks_new ();
  HirDebugWatches *watches = hir_debug_watches_new ();
  const GPtrArray *texts;
  g_autofree char *wanted = NULL;
  g_autofree char *got = NULL;
  HirDocumentMemory *memory = hir_document_memory_new ("breakpoints.ini");
  Lowered lowered;

  begin (&lowered, plain);
  hir_debug_breaks_add (breaks, make ("2 iteration 5 if rank == 1 && iteration < 7", &lowered));
  hir_debug_breaks_add (breaks, make ("watch T1", &lowered));
  hir_debug_breaks_add (breaks, make ("LoadStoreOp stream 1", &lowered));
  ((HirBreak *) breaks->pdata[2])->is_disabled = TRUE;
  wanted = dup_lines (breaks);
  (void) hir_debug_watches_add (watches, "T5[0, :]; a\\b = 1");
  (void) hir_debug_watches_add (watches, "/g T5");
  hir_break_memory_keep (memory, "/there/f.py::f", breaks, watches);
  hir_document_memory_free (memory);
  hir_debug_watches_clear (watches);
  memory = hir_document_memory_new ("breakpoints.ini");
  hir_break_memory_restore (memory, "/there/f.py::f", back, watches);
  texts = hir_debug_watches_get (watches);
  g_assert_cmpuint (texts->len, ==, 2);
  g_assert_cmpstr (((const HirWatch *) texts->pdata[0])->text, ==, "T5[0, :]; a\\b = 1");
  g_assert_cmpstr (((const HirWatch *) texts->pdata[1])->text, ==, "/g T5");
  got = dup_lines (back);
  g_assert_cmpstr (got, ==, wanted);
  hir_debug_breaks_bind (back, &lowered.programs);
  assert_text (back, 0, "2 iteration 5 if rank == 1 && iteration < 7");
  hir_break_memory_restore (memory, "/there/f.py::g", back, watches);
  g_assert_cmpuint (back->len, ==, 0);
  g_assert_cmpuint (texts->len, ==, 0);
  hir_debug_watches_free (watches);
  hir_document_memory_free (memory);
  hir_program_unref (lowered.program);
}

/* Invalid entries of the file are skipped. */
static void
test_broken (void)
{
  static const char *const lists[] = { "break on;;2;;;;;;;;;;", "break on;xyz;2;;;;;;", "",
                                       "break on;;2", "watch off;;T1;;;;;;" };
  g_autoptr (GPtrArray) breaks = hir_debug_breaks_new ();
  g_autofree char *group = hir_document_memory_dup_group ("/there/x.py::f");
  HirDocumentMemory *memory = hir_document_memory_new ("breakpoints.ini");
  HirDebugWatches *watches = hir_debug_watches_new ();

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      g_autofree char *key = g_strdup_printf ("break-%u", i);

      g_key_file_set_value (hir_document_memory_get_file (memory), group, key, lists[i]);
    }
  g_key_file_set_value (hir_document_memory_get_file (memory), group, "watch-1", " ");
  g_key_file_set_value (hir_document_memory_get_file (memory), group, "watch-2", "T1");
  g_key_file_set_value (hir_document_memory_get_file (memory), group, "watch-3", "T1");
  hir_break_memory_restore (memory, "/there/x.py::f", breaks, watches);
  g_assert_cmpuint (breaks->len, ==, 1);
  assert_text (breaks, 0, "watch T1");
  g_assert_cmpuint (hir_debug_watches_get (watches)->len, ==, 1);
  hir_debug_watches_free (watches);
  hir_document_memory_free (memory);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("hirscope-test-XXXXXX", NULL);
  g_autofree char *own = g_build_filename (folder, "hirscope", NULL);
  g_autofree char *file = g_build_filename (own, "breakpoints.ini", NULL);
  int failed;

  g_setenv ("XDG_STATE_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/debug-breaks/typed", test_typed);
  g_test_add_func ("/debug-breaks/errors", test_errors);
  g_test_add_func ("/debug-breaks/lines", test_lines);
  g_test_add_func ("/debug-breaks/edits", test_edits);
  g_test_add_func ("/debug-breaks/unbound", test_unbound);
  g_test_add_func ("/debug-breaks/debugger", test_debugger);
  g_test_add_func ("/debug-breaks/recording", test_recording);
  g_test_add_func ("/debug-breaks/stored", test_stored);
  g_test_add_func ("/debug-breaks/broken", test_broken);
  failed = g_test_run ();
  g_unlink (file);
  g_rmdir (own);
  g_rmdir (folder);
  return failed;
}
