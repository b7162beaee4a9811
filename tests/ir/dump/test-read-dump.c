/* Tests the reader of printed programs: goldens of all dialects, irregular pastes, logs, and the
 * positions of errors. */
#include "brief.h"
#include "dump/read-dump.h"

#include "verify/verify.h"
#include "view/program-view.h"

#include <string.h>

static char *
golden_path (const char *name)
{
  return g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data", "golden", name, NULL);
}

static char *
load_golden (const char *name)
{
  g_autofree char *path = golden_path (name);
  char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static GPtrArray *
read_text (const char *text, GError **error)
{
  HirSource *source = hir_source_new ("dump.txt", text, -1);
  GPtrArray *dumps = hir_dump_read_all (source, error);

  hir_source_unref (source);
  return dumps;
}

/* Ignores blank lines at both ends. */
static void
assert_prints (HirDump *dump, const char *text)
{
  g_autofree char *printed = hir_container_print (dump->container, dump->format, NULL);
  g_autofree char *wanted = g_strstrip (g_strdup (text));

  g_assert_cmpstr (g_strstrip (printed), ==, wanted);
  g_assert_true (hir_container_verify (dump->container, NULL));
}

static void
assert_reads_as (const char *text, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) dumps = read_text (text, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (dumps->len, ==, 1);
  assert_prints (dumps->pdata[0], wanted);
}

static gboolean
check_pos (HirExpr *expr, guint depth, gpointer user_data)
{
  const HirSource *source = user_data;
  g_autofree char *line = hir_source_dup_line (source, expr->node.pos.line);
  g_autofree char *printed = hir_expr_to_string (expr);

  /* The position is that of the first character. */
  g_assert_cmpuint (strlen (line), >=, expr->node.pos.column);
  g_assert_cmpint (line[expr->node.pos.column - 1], ==, printed[0]);
  return TRUE;
}

static void
test_golden (gconstpointer name)
{
  g_autofree char *text = load_golden (name);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) dumps = read_text (text, &error);
  g_autoptr (HirProgramView) view = NULL;
  HirFormat wanted = strstr (name, "2026") != NULL     ? HIR_FORMAT_2026
                     : strstr (name, "select") != NULL ? HIR_FORMAT_2025_SELECT
                                                       : HIR_FORMAT_2025;
  HirDump *dump;

  g_assert_no_error (error);
  g_assert_cmpuint (dumps->len, ==, 1);
  dump = dumps->pdata[0];
  g_assert_cmpint (dump->format, ==, wanted);
  assert_prints (dump, text);
  if (wanted == HIR_FORMAT_2025)
    hir_container_foreach_expr (dump->container, check_pos, dump->container->source);
  view = hir_program_view_new (dump->container, dump->format);
  g_assert_cmpuint (view->graph->nodes->len, >, 10);
  g_assert_cmpuint (view->graph->edges->len, >, 5);
}

/* Replaces each blank outside words by one or more blanks or line ends; keeps indentation. */
static char *
spoil (const char *text, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  GString *out = g_string_new (NULL);
  gboolean in_indent = TRUE;

  for (const char *at = text; *at != '\0'; at++)
    {
      if (*at == '\n')
        in_indent = TRUE;
      else if (*at != ' ')
        in_indent = FALSE;
      if (*at == ' ' && !in_indent)
        g_string_append (out, g_rand_int_range (rand, 0, 4) == 0 ? " \n      " : "  ");
      else if (*at == '[' || *at == ',' || (*at == '=' && at[1] != '=' && at[-1] != '='))
        g_string_append_printf (out, "%c ", *at);
      else
        g_string_append_c (out, *at);
    }
  return g_string_free (out, FALSE);
}

static void
test_pasted (gconstpointer name)
{
  g_autofree char *text = load_golden (name);

  for (guint32 seed = 0; seed < 5; seed++)
    {
      g_autofree char *spoilt = spoil (text, seed);

      g_assert_cmpstr (spoilt, !=, text);
      assert_reads_as (spoilt, text);
    }
}

/* A long line wrapped before its closing bracket; the rest starts at the margin
 * (docs/host-ir.md#reading-dumps). */
static void
test_wrapped (void)
{
  g_autofree char *text = load_golden ("allgather.txt");
  g_auto (GStrv) parts = g_strsplit (text, "resets_to_zero=false)", -1);
  g_autofree char *wrapped = g_strjoinv ("resets_to_zero=false\n)", parts);

  assert_reads_as (wrapped, text);
}

static char *
tag_lines (const char *text, const char *tag)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GString *out = g_string_new (NULL);

  for (guint i = 0; lines[i] != NULL; i++)
    g_string_append_printf (out, "%s%s\n", tag, lines[i]);
  return g_string_free (out, FALSE);
}

/* Puts the number of the line and the rank, by @format, in front of each line of @text. */
static char *
number_lines (const char *text, const char *format, guint rank)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GString *out = g_string_new (NULL);

  for (guint i = 0; lines[i] != NULL; i++)
    {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
      g_string_append_printf (out, format, i % 50 + 7, rank);
#pragma GCC diagnostic pop
      g_string_append_printf (out, "%s\n", lines[i]);
    }
  return g_string_free (out, FALSE);
}

/* Interleaves the lines of two processes and puts words between the dumps. */
static char *
interleave (const char *a, const char *b)
{
  g_auto (GStrv) first = g_strsplit (a, "\n", -1);
  g_auto (GStrv) second = g_strsplit (b, "\n", -1);
  GString *out = g_string_new ("WARNING: nothing to see\n");

  for (guint i = 0; first[i] != NULL; i++)
    g_string_append_printf (out, "%s\n%s\n", first[i], second[i]);
  return g_string_free (out, FALSE);
}

static void
test_log (void)
{
  g_autofree char *one = load_golden ("two_set_ops.in_loop.txt");
  g_autofree char *two = load_golden ("allgather.txt");
  g_autofree char *log = g_strdup_printf ("Fusion after pass: First\n%s=====\n some words: (\n"
                                          "Fusion after pass: Second\n%s=====\n",
                                          one, two);
  g_autofree char *a = tag_lines (log, "[1,0]<stdout>:");
  g_autofree char *b = tag_lines (log, "[1,1]<stdout>:");
  g_autofree char *both = interleave (a, b);
  g_autofree char *comment = tag_lines (log, "    // ");
  const char *const texts[] = { log, a, both, comment };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) dumps = read_text (texts[i], &error);

      g_assert_no_error (error);
      g_assert_cmpuint (dumps->len, ==, i == 2 ? 4 : 2);
      for (guint k = 0; k < dumps->len; k++)
        {
          HirDump *dump = dumps->pdata[k];
          gboolean is_first = i == 2 ? k < 2 : k == 0;

          g_assert_cmpstr (dump->pass_name, ==, is_first ? "First" : "Second");
          assert_prints (dump, is_first ? one : two);
          g_assert_cmpstr (dump->tag, ==,
                           i == 0 || i == 3 ? ""
                           : k == 1 || (i == 2 && k == 3)
                               ? (i == 1 ? "[1,0]<stdout>:" : "[1,1]<stdout>:")
                               : "[1,0]<stdout>:");
        }
    }
}

/* Lines of two processes with a time in front of the tag, behind it, or without a tag. The width of
 * a time may change from line to line. */
static void
test_time_stamps (void)
{
  static const struct
  {
    const char *format; /* of the number of the line, and of the rank twice */
    const char *tags[2];
  } rows[] = {
    { "2026-04-03 12:00:%1$02u.%1$03u [1,%2$u]<stdout>: ", { "[1,0]<stdout>:", "[1,1]<stdout>:" } },
    { "[1,%2$u]<stdout>:2026-04-03T12:00:%1$02uZ ", { "[1,0]<stdout>:", "[1,1]<stdout>:" } },
    { "Fri Apr  3 12:00:%1$02u 2026[1,%2$u]<stdout>:", { "[1,0]<stdout>:", "[1,1]<stdout>:" } },
    { "Apr  3 12:00:%1$02u %2$u: ", { "0:", "1:" } },
    { "[12:00:%1$02u,%1$03u][default%2$u]:", { "[default0]:", "[default1]:" } },
    { "[   %1$u.123456] rank%2$u: ", { "rank0:", "rank1:" } },
    { "%1$u.123456 rank%2$u: ", { "rank0:", "rank1:" } },
    { "I0403 12:00:%1$02u.123456 1234%2$u host.cpp:12] ",
      { "12340 host.cpp:12]", "12341 host.cpp:12]" } },
    { "03/04/2026 12:00:%1$02u+0200 %2$u| ", { "0|", "1|" } },
  };
  g_autofree char *text = load_golden ("two_set_ops.in_loop.txt");

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      g_autofree char *a = number_lines (text, rows[r].format, 0);
      g_autofree char *b = number_lines (text, rows[r].format, 1);
      g_autofree char *both = interleave (a, b);
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) dumps = read_text (both, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (dumps->len, ==, 2);
      for (guint i = 0; i < 2; i++)
        {
          g_assert_cmpstr (((HirDump *) dumps->pdata[i])->tag, ==, rows[r].tags[i]);
          assert_prints (dumps->pdata[i], text);
        }
    }
}

/* Equal names in two dumps are the same nodes, whatever their lines. */
static void
test_identity (void)
{
  g_autofree char *text = load_golden ("ag_matmul.txt");
  g_autofree char *twice = g_strdup_printf ("%s\n\nwords\n%s", text, text);
  g_autoptr (GPtrArray) dumps = read_text (twice, NULL);
  HirContainer *a = ((HirDump *) dumps->pdata[0])->container;
  HirContainer *b = ((HirDump *) dumps->pdata[1])->container;

  g_assert_cmpuint (a->tensors.len, ==, 7);
  for (guint i = 0; i < a->tensors.len; i++)
    {
      const HirTensor *x = a->tensors.items[i], *y = b->tensors.items[i];

      g_assert_cmpuint (x->base.node.id, ==, y->base.node.id);
      g_assert_cmpuint (x->base.node.pos.line, <, y->base.node.pos.line);
    }
  for (guint i = 0; i < a->top.exprs.len; i++)
    g_assert_cmpuint (((HirExpr *) a->top.exprs.items[i])->node.id, ==,
                      ((HirExpr *) b->top.exprs.items[i])->node.id);
}

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

/* Three tensors called T2, one of them inside the HostUnit (docs/host-ir.md#name-collisions). */
static void
test_collision (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) dumps = read_text (units_text, &error);
  HirContainer *program;
  guint64 ids[3];
  guint n = 0;

  g_assert_no_error (error);
  program = ((HirDump *) dumps->pdata[0])->container;
  g_assert_cmpuint (program->units.len, ==, 1);
  for (guint i = 0; i < program->tensors.len; i++)
    {
      const HirTensor *tensor = program->tensors.items[i];

      if (tensor->base.name == 2)
        ids[n++] = tensor->base.node.id;
    }
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpuint (ids[0], !=, ids[1]);
}

static const char new_text[] =
    "%HostIrContainer { (T0_g_float[istreamIdx0{2}, iS1{i0}] (DeviceMesh{0 1})) -> "
    "(T1_g_float[istreamIdx2{2}, iS3{i0}] (DeviceMesh{0 1})) :\n"
    "  T1_g_float[istreamIdx2{2}, iS3{i0}] (DeviceMesh{0 1}) = "
    "ALLOCATE(mem_type=global, zero_init=true)\n"
    "  Stream 0x5581174e5c80 = GetCurrentStream()\n"
    "  FOR i7 from 0 to 2:\n"
    "    SetCurrentStream(Stream i7)\n"
    "    T2_l_float[istreamIdx4{2}, iS5{i0}] (DeviceMesh{0 1}) = "
    "ShardByStream(T0_g_float[istreamIdx0{2}, iS1{i0}] (DeviceMesh{0 1}), stream_index=i7)\n"
    "    T3_l_float[istreamIdx6{2}, iS7{i0}] (DeviceMesh{0 1}) = "
    "ShardByStream(T1_g_float[istreamIdx2{2}, iS3{i0}] (DeviceMesh{0 1}), stream_index=i7)\n"
    "    CollectivePermute 9 (team=(0 1), send_peer=( ( rank + i7 ) % 2 ), recv_peer=( ( rank + i7 "
    ") % 2 ), input=T2_l_float[istreamIdx4{2}, iS5{i0}] (DeviceMesh{0 1}), "
    "output=T3_l_float[istreamIdx6{2}, iS7{i0}] (DeviceMesh{0 1}), backend=NCCL)\n"
    "    Wait(Communication 9)\n"
    "    Synchronize(Stream 0x5581174e5c80)\n"
    "} // %HostIrContainer\n";

/* Exprs of 2026 survive a copy, and addresses have 64 bits. */
static void
test_new_kinds (void)
{
  g_autoptr (GPtrArray) dumps = NULL;
  g_autoptr (HirContainer) copy = NULL;
  g_autofree char *printed = NULL;
  g_autofree char *wanted = g_strstrip (g_strdup (new_text));

  assert_reads_as (new_text, new_text);
  dumps = read_text (new_text, NULL);
  copy = hir_container_clone (((HirDump *) dumps->pdata[0])->container);
  printed = hir_container_print (copy, HIR_FORMAT_2026, NULL);
  g_assert_cmpstr (g_strstrip (printed), ==, wanted);
}

/* The address 0 was read as the number of the stream, and printed as another one. */
static void
test_stream_zero (void)
{
  g_autoptr (GString) text = g_string_new (new_text);

  g_string_replace (text, "    Synchronize(Stream 0x5581174e5c80)", "    Synchronize(Stream 0x0)",
                    1);
  assert_reads_as (text->str, text->str);
}

/* Returns how @text names the stream of its GetCurrentStream. */
static char *
dup_current_name (const char *text)
{
  g_autoptr (GPtrArray) dumps = read_text (text, NULL);
  HirContainer *container = ((HirDump *) dumps->pdata[0])->container;

  for (guint i = 0; i < container->top.exprs.len; i++)
    {
      const HirExpr *expr = container->top.exprs.items[i];

      if (expr->kind == HIR_EXPR_GET_CURRENT_STREAM)
        return hir_brief_stream_in_program (expr->u.stream.stream);
    }
  g_assert_not_reached ();
}

/* The name that the program gives to the default stream is that of another stream in traces. */
static void
test_default_stream (void)
{
  static const char get[] = "  Stream 0x5581174e5c80 = GetCurrentStream()\n";
  g_autofree char *first = dup_current_name (new_text), *other = NULL;
  g_autoptr (GString) text = g_string_new (new_text);

  g_string_replace (text, get, "  SetCurrentStream(Stream 3)\n  Stream 0x10 = GetCurrentStream()\n",
                    1);
  other = dup_current_name (text->str);
  g_assert_cmpstr (first, ==, "Default stream (Stream 0x5581174e5c80 in the program)");
  g_assert_nonnull (strstr (other, "(Stream 0x10 in the program)"));
  g_assert_true (g_str_has_prefix (other, "Stream #"));
}

/* A stream with an address was printed as a number above the huge number of another stream, which
 * could not be read. */
static void
test_huge_number (void)
{
  g_autofree char *golden = load_golden ("allgather.txt");
  g_autoptr (GString) text = g_string_new (golden);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) dumps = NULL;
  g_autofree char *printed = NULL;

  g_string_replace (text, "SetCurrentStream to Stream 0", "SetCurrentStream to Stream 1000000000",
                    1);
  g_string_replace (text, "    Synchronize Stream 0", "    Synchronize Stream 0x5581174e5c80", 1);
  dumps = read_text (text->str, &error);
  g_assert_no_error (error);
  printed = hir_container_print (((HirDump *) dumps->pdata[0])->container, HIR_FORMAT_2025, NULL);
  g_assert_nonnull (strstr (printed, "Stream 1000000000"));
  assert_reads_as (printed, printed);
}

/* An edit of allgather.txt (replace @from by @to once), and the expected error. */
typedef struct
{
  const char *from, *to;
  HirErrorCode code;
  guint line, column;
  const char *message;
} Wrong;

static const Wrong wrongs[] = {
  { "GetCurrentStream into", "GetCurrentStream onto", HIR_ERROR_SYNTAX, 3, 20, "expected `into`" },
  { "mem_type=global", "mem_type=local", HIR_ERROR_SYNTAX, 2, 165, "a memory type" },
  { "size=( i0 * i2 )", "size=( i0 ^ i2 )", HIR_ERROR_UNSUPPORTED, 2, 183,
    "not supported by this version" },
  { "zero_init=false", "zero_init=maybe", HIR_ERROR_SYNTAX, 2, 201, "true or false" },
  { "T0_g_float[iS0", "T0_g_floot[iS0", HIR_ERROR_SYNTAX, 1, 21, "element type" },
  { "T0_g_float[iS0", "T0_q_float[iS0", HIR_ERROR_SYNTAX, 1, 21, "memory" },
  { "iS0{i0}", "iQ0{i0}", HIR_ERROR_SYNTAX, 1, 32, "an axis" },
  { "DeviceMesh{0 1", "DeviceMesh{0 0", HIR_ERROR_INPUT, 1, 61, "twice" },
  { "type=Allgather", "type=Allgathers", HIR_ERROR_SYNTAX, 14, 28, "type of a communication" },
  { "backend=NCCL", "backend=MPI", HIR_ERROR_SYNTAX, 14, 196, "a backend" },
  { "Wait Communication 39", "Wait Communication 38", HIR_ERROR_INPUT, 15, 24,
    "has no communication" },
  { "    Synchronize Stream 0\n", "    Sing Stream 0\n", HIR_ERROR_SYNTAX, 6, 5, "a statement" },
  { "axis = iS0{i0}, index", "axis = iS7{i0}, index", HIR_ERROR_INPUT, 10, 103, "no axis" },
  { "resets_to_zero=false", "resets_to_zero=true", HIR_ERROR_UNSUPPORTED, 2, 223,
    "resets_to_zero" },
  { "buffer=T1", "buffer=T2", HIR_ERROR_INPUT, 2, 88, "the allocated buffer is not" },
  { "} // %HostIrContainer", "", HIR_ERROR_SYNTAX, 17, 55, "the dump ends here" },
  { "    SetCurrentStream to Stream ( StreamIdx % numberOfStreams )\n    Synchronize Stream 0\n",
    "", HIR_ERROR_SYNTAX, 5, 3, "the body of the loop" },
  { "type=Allgather, team=(0", "type=Gather, team=(0", HIR_ERROR_INVALID_IR, 14, 5, "root" },
  { "FOR StreamIdx", "FOR 3", HIR_ERROR_INPUT, 4, 7, "a name" },
};

static char *
replace_once (const char *text, const char *from, const char *to)
{
  const char *at = strstr (text, from);

  g_assert_nonnull (at);
  return g_strdup_printf ("%.*s%s%s", (int) (at - text), text, to, at + strlen (from));
}

/* T2 of this program is not printed: the numbers of axes have a gap before T3, whose first two axes
 * are reordered. */
static void
test_gap_before_reordered_axes (void)
{
  static const gint64 extents[] = { 5, 2, 4 };
  g_autofree char *text = load_golden ("../cases/programs/unused_op_2025.txt");
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) dumps = read_text (text, &error);
  HirContainer *program;

  g_assert_no_error (error);
  assert_prints (dumps->pdata[0], text);
  program = ((HirDump *) dumps->pdata[0])->container;
  for (guint i = 0; i < program->tensors.len; i++)
    {
      const HirTensor *tensor = program->tensors.items[i];

      g_assert_cmpuint (tensor->logical.n, ==, tensor->base.name < 5 ? 3 : 2);
      for (guint k = 0; k < tensor->logical.n && tensor->base.name < 5; k++)
        g_assert_true (hir_scalar_is_const_int (tensor->logical.ids[k]->extent, extents[k]));
    }
}

static void
test_wrong (void)
{
  g_autofree char *golden = load_golden ("allgather.txt");

  for (guint i = 0; i < G_N_ELEMENTS (wrongs); i++)
    {
      const Wrong *wrong = &wrongs[i];
      g_autofree char *text = replace_once (golden, wrong->from, wrong->to);
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) dumps = read_text (text, &error);
      HirPos pos = hir_error_get_pos (error);

      g_test_message ("%s: %u:%u %s", wrong->to, pos.line, pos.column,
                      error != NULL ? error->message : "read");
      g_assert_null (dumps);
      g_assert_error (error, HIR_ERROR, (int) wrong->code);
      g_assert_nonnull (strstr (error->message, wrong->message));
      g_assert_cmpuint (pos.line, ==, wrong->line);
      g_assert_cmpuint (pos.column, ==, wrong->column);
    }
}

static void
test_none (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) dumps = read_text ("no program\nFusion after pass: X\n", &error);

  g_assert_null (dumps);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_false (hir_dump_sniff ("def f():\n", -1));
  g_assert_true (hir_dump_sniff (new_text, -1));
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "ag_matmul",
                                       "allgather",
                                       "allgather_p2p",
                                       "allreduce",
                                       "overlap_linear_bf16.select.in_loop",
                                       "overlap_linear_bf16.select.separate",
                                       "reduce_scatter",
                                       "reduction.select.in_loop",
                                       "row_parallel_linear.2026",
                                       "single_set_op.in_loop",
                                       "three_set_ops_disjoint_loops.in_loop",
                                       "two_set_ops.in_loop" };
  g_autoptr (GPtrArray) owned = g_ptr_array_new_with_free_func (g_free);

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *golden = g_strconcat ("/ir/read-dump/golden/", names[i], NULL);
      g_autofree char *pasted = g_strconcat ("/ir/read-dump/pasted/", names[i], NULL);

      g_ptr_array_add (owned, g_strconcat (names[i], ".txt", NULL));
      g_test_add_data_func (golden, owned->pdata[i], test_golden);
      g_test_add_data_func (pasted, owned->pdata[i], test_pasted);
    }
  g_test_add_func ("/ir/read-dump/wrapped", test_wrapped);
  g_test_add_func ("/ir/read-dump/log", test_log);
  g_test_add_func ("/ir/read-dump/time-stamps", test_time_stamps);
  g_test_add_func ("/ir/read-dump/identity", test_identity);
  g_test_add_func ("/ir/read-dump/collision", test_collision);
  g_test_add_func ("/ir/read-dump/new-kinds", test_new_kinds);
  g_test_add_func ("/ir/read-dump/stream-zero", test_stream_zero);
  g_test_add_func ("/ir/read-dump/default-stream", test_default_stream);
  g_test_add_func ("/ir/read-dump/huge-number", test_huge_number);
  g_test_add_func ("/ir/read-dump/gap-before-reordered-axes", test_gap_before_reordered_axes);
  g_test_add_func ("/ir/read-dump/wrong", test_wrong);
  g_test_add_func ("/ir/read-dump/none", test_none);
  return g_test_run ();
}
