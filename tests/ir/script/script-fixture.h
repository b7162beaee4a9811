/* Helpers for tests of scripts. */
#pragma once

#include "script/script.h"

/* Parses @text; fails the test if it has a syntax error. */
static inline HirScript *
parse_good (const char *text)
{
  g_autoptr (GPtrArray) diagnostics =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free);
  HirSource *source = hir_source_new ("test.py", text, -1);
  HirScript *script = hir_script_parse (source, diagnostics);

  for (guint i = 0; i < diagnostics->len; i++)
    {
      g_autofree char *message = hir_diagnostic_format (diagnostics->pdata[i], source);

      g_test_message ("%s", message);
    }
  g_assert_cmpuint (diagnostics->len, ==, 0);
  hir_source_unref (source);
  return script;
}

/* Runs @function of @text; fails the test on an error. */
static inline HirContainer *
run_good_with (const char *text,
               const char *function,
               const HirScriptOptions *options,
               HirScriptResult *result)
{
  g_autoptr (HirScript) script = parse_good (text);
  g_autoptr (GError) error = NULL;
  HirContainer *container = hir_script_run (script, function, options, result, &error);

  g_assert_no_error (error);
  g_assert_nonnull (container);
  return container;
}

static inline HirContainer *
run_good (const char *text, const char *function)
{
  return run_good_with (text, function, NULL, NULL);
}

/* Runs @function of @text, and checks that it fails with @code at @line and a message containing
 * @what. */
static inline void
run_bad_with (const char *text,
              const char *function,
              const HirScriptOptions *options,
              HirErrorCode code,
              guint line,
              const char *what)
{
  g_autoptr (HirScript) script = parse_good (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirContainer) container = hir_script_run (script, function, options, NULL, &error);

  g_assert_null (container);
  g_assert_nonnull (error);
  if (error->code != (int) code || hir_error_get_pos (error).line != line ||
      strstr (error->message, what) == NULL)
    g_error ("code %d at line %u: %s; expected code %d at line %u: %s", error->code,
             hir_error_get_pos (error).line, error->message, code, line, what);
}

static inline void
run_bad (const char *text, const char *function, HirErrorCode code, guint line, const char *what)
{
  run_bad_with (text, function, NULL, code, line, what);
}

/* Returns a script that builds one tensor with the shape expression @shape. */
static inline char *
shape_script (const char *setup, const char *shape)
{
  return g_strdup_printf ("from nvfuser_direct import FusionDefinition\n"
                          "def f():\n"
                          "%s"
                          "    with FusionDefinition() as fd:\n"
                          "        x = fd.define_tensor(shape=%s, contiguity=True)\n"
                          "        fd.add_output(fd.ops.set(x))\n",
                          setup, shape);
}

/* Evaluates @expression, a list of ints, after the statements @setup (indented by four spaces). The
 * value is read back as the shape of a tensor. */
static inline void
assert_ints (const char *setup, const char *expression, const gint64 *expected, guint n)
{
  g_autofree char *text = shape_script (setup, expression);
  g_autoptr (HirContainer) container = run_good (text, "f");
  const HirTensor *tensor = HIR_TENSOR (container->inputs.items[0]);

  g_assert_cmpuint (tensor->logical.n, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (tensor->logical.ids[i]->extent->i, ==, expected[i]);
}

#define ASSERT_INTS(setup, expression, ...)                                                        \
  assert_ints (setup, expression, (const gint64[]){ __VA_ARGS__ },                                 \
               G_N_ELEMENTS (((const gint64[]){ __VA_ARGS__ })))
