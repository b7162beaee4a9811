/* Tests the inputs of a program as texts that the user edits. */
#include "program/program-inputs.h"
#include "program/request-edit.h"
#include "tracer-fixture.h"

#define PRODUCT                                                                                    \
  "from nvfuser_direct import DataType, FusionDefinition\n"                                        \
  "def f():\n"                                                                                     \
  "  with FusionDefinition() as fd:\n"                                                             \
  "    a = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)\n"              \
  "    b = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)\n"              \
  "    c = fd.ops.matmul(a, b)\n"                                                                  \
  "    d = fd.ops.mul(c, fd.define_scalar(None, dtype=DataType.Double))\n"                         \
  "    fd.add_output(d)\n"                                                                         \
  "  return fd\n"

static HirProgram *
make_program (const char *const *inputs)
{
  g_autoptr (HirRequest) plain = fix_request_of_text (PRODUCT, "f");
  g_autoptr (HirRequest) request = hir_request_with_inputs (plain, inputs);
  g_autoptr (GError) error = NULL;
  HirProgram *program = hir_program_new (request, NULL, NULL, &error);

  g_assert_no_error (error);
  return program;
}

/* Returns "16x64,64x64*" with a star for what is chosen. */
static char *
dup_now (const HirProgram *program)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) inputs = hir_program_dup_inputs (program, &error);
  GString *text = g_string_new (NULL);

  g_assert_no_error (error);
  for (guint i = 0; i < inputs->len; i++)
    {
      const HirProgramInput *input = inputs->pdata[i];

      g_string_append_printf (text, "%s%s%s", i > 0 ? "," : "", input->shape,
                              input->is_chosen ? "*" : "");
    }
  return g_string_free (text, FALSE);
}

/* Edits the texts (separated by commas) and returns the new --input options, "" for none. */
static char *
dup_read (const HirProgram *program, const char *texts)
{
  g_auto (GStrv) words = g_strsplit (texts, ",", -1);
  g_auto (GStrv) inputs = NULL;
  g_autoptr (GError) error = NULL;
  guint wrong;

  if (!hir_program_read_inputs (program, (const char *const *) words, &wrong, &inputs, &error))
    {
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      return g_strdup_printf ("wrong %u", wrong);
    }
  return inputs != NULL ? g_strjoinv (",", inputs) : g_strdup ("");
}

static void
check_text (char *text, const char *expected)
{
  g_autofree char *owned = text;

  g_assert_cmpstr (owned, ==, expected);
}

static void
test_chosen (void)
{
  g_autoptr (HirProgram) program = make_program (NULL);
  g_autoptr (GPtrArray) inputs = hir_program_dup_inputs (program, NULL);
  g_auto (GStrv) shapes = g_new0 (char *, inputs->len + 1);
  g_autofree char *texts = NULL;
  g_autofree char *first = NULL;
  g_autofree char *changed = NULL;

  g_assert_cmpuint (inputs->len, ==, 3);
  for (guint i = 0; i < inputs->len; i++)
    {
      g_assert_true (((HirProgramInput *) inputs->pdata[i])->is_chosen);
      shapes[i] = g_strdup (((HirProgramInput *) inputs->pdata[i])->shape);
    }
  g_assert_cmpstr (((HirProgramInput *) inputs->pdata[0])->label, ==, "a (T0)");
  texts = g_strjoinv (",", shapes);
  check_text (dup_read (program, texts), "");
  /* Only what has changed is given; K of the other operand follows. */
  first = g_strdup_printf ("8x24,%s,%s", shapes[1], shapes[2]);
  check_text (dup_read (program, first), "8x24");
  changed = g_strdup_printf ("%s,%s,0.5", shapes[0], shapes[1]);
  check_text (dup_read (program, changed), "?x?,?x?,0.5");
}

static void
test_given (void)
{
  static const char *const given[] = { "8x24", "?x16", NULL };
  g_autoptr (HirProgram) program = make_program (given);

  check_text (dup_now (program), "8x24,24x16,1.5*");
  check_text (dup_read (program, "8x24,24x16,1.5"), "8x24,?x16");
  check_text (dup_read (program, "8x32,24x16,1.5"), "8x32,?x16");
  check_text (dup_read (program, ",24x16,1.5"), "?x?,?x16");
  check_text (dup_read (program, ",,"), "");
}

static void
test_wrong (void)
{
  g_autoptr (HirProgram) program = make_program (NULL);
  static const char *const bad[] = { "8x24", "16x16", NULL };
  g_autoptr (HirProgram) contradicting = make_program (bad);
  g_autoptr (GError) error = NULL;

  check_text (dup_read (program, "8x24,16x16,1.5"), "wrong 1");
  check_text (dup_read (program, "8xa,64x64,1.5"), "wrong 0");
  check_text (dup_read (program, "8x24,24x8,no"), "wrong 2");
  check_text (dup_read (program, "8,,"), "wrong 0");
  g_assert_null (hir_program_dup_inputs (contradicting, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  check_text (dup_read (contradicting, "8x24,24x16,2"), "8x24,24x16,2");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program-inputs/chosen", test_chosen);
  g_test_add_func ("/program-inputs/given", test_given);
  g_test_add_func ("/program-inputs/wrong", test_wrong);
  return g_test_run ();
}
