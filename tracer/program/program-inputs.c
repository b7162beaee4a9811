#include "program/program-inputs.h"

#include "label.h"
#include "run/reference/inputs.h"

static void
input_free (HirProgramInput *input)
{
  g_free (input->label);
  g_free (input->dtype);
  g_free (input->shape);
  g_free (input);
}

/* Returns the container whose inputs a run has, see hir_session_new_ranks(). */
static HirContainer *
get_container (const HirProgram *program, GError **error)
{
  HirContainer *container = program->fusion != NULL ? program->fusion : program->printed;

  if (container == NULL)
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "the program has no inputs that are known");
  return container;
}

static HirProgramInput *
input_new (HirVal *val, const HirRunInputs *inputs, guint i)
{
  HirProgramInput *input = g_new0 (HirProgramInput, 1);
  g_autofree char *shape = hir_run_inputs_dup_shape (inputs, i);

  input->label = HIR_IS_TENSOR (val) ? hir_tensor_dup_label (HIR_TENSOR (val))
                                     : g_strdup_printf ("input %u", i + 1);
  input->dtype = g_strdup (hir_dtype_get_short_name (val->dtype));
  input->shape = g_strdup (*shape != '\0' ? shape : "()");
  input->is_chosen = inputs->chosen[i];
  return input;
}

GPtrArray *
hir_program_dup_inputs (const HirProgram *program, GError **error)
{
  HirContainer *container = get_container (program, error);
  g_autoptr (HirRunInputs) inputs = NULL;
  GPtrArray *array;

  if (container != NULL)
    inputs = hir_run_inputs_new_dry (container, (const char *const *) program->request->inputs, 0,
                                     error);
  if (inputs == NULL)
    return NULL;
  array = g_ptr_array_new_with_free_func ((GDestroyNotify) input_free);
  for (guint i = 0; i < inputs->values->len; i++)
    g_ptr_array_add (array, input_new (container->inputs.items[i], inputs, i));
  return array;
}

char *
hir_program_dup_inputs_text (const HirProgram *program)
{
  g_autoptr (GPtrArray) inputs = hir_program_dup_inputs (program, NULL);
  GString *text;

  if (inputs == NULL)
    return NULL;
  text = g_string_new (NULL);
  for (guint i = 0; i < inputs->len; i++)
    {
      const HirProgramInput *input = inputs->pdata[i];

      g_string_append_printf (text, "%s%s %s %s", i > 0 ? ", " : "", input->label, input->shape,
                              input->dtype);
    }
  return g_string_free (text, FALSE);
}

/* Returns the shape that leaves all sizes of @val to be chosen. */
static char *
dup_open_shape (const HirVal *val)
{
  guint n = 1;
  g_autofree HirIterDomain **ids =
      HIR_IS_TENSOR (val) ? hir_tensor_dup_no_reductions (HIR_TENSOR (val), &n) : NULL;
  GString *text = g_string_new (n == 0 ? "()" : "?");

  for (guint i = 1; i < n; i++)
    g_string_append (text, "x?");
  return g_string_free (text, FALSE);
}

/* Returns the index of the first shape that does not fit those before it. */
static guint
find_wrong (HirContainer *container, char **shapes)
{
  guint n = g_strv_length (shapes);

  for (guint i = 0; i < n; i++)
    {
      char *next = shapes[i + 1];
      g_autoptr (HirRunInputs) inputs = NULL;

      shapes[i + 1] = NULL;
      inputs = hir_run_inputs_new_dry (container, (const char *const *) shapes, 0, NULL);
      shapes[i + 1] = next;
      if (inputs == NULL)
        return i;
    }
  return 0;
}

gboolean
hir_program_read_inputs (const HirProgram *program,
                         const char *const *texts,
                         guint *wrong,
                         char ***inputs,
                         GError **error)
{
  HirContainer *container = get_container (program, error);
  char **before = program->request->inputs;
  guint n_before = before != NULL ? g_strv_length (before) : 0, n_given = 0;
  g_autoptr (GPtrArray) now = hir_program_dup_inputs (program, NULL);
  g_auto (GStrv) shapes = NULL;
  g_autoptr (HirRunInputs) made = NULL;
  gboolean has_changed = FALSE;

  *wrong = 0;
  *inputs = NULL;
  if (container == NULL)
    return FALSE;
  shapes = g_new0 (char *, container->inputs.len + 1);
  for (guint i = 0; i < container->inputs.len && texts[i] != NULL; i++)
    {
      g_autofree char *text = g_strstrip (g_strdup (texts[i]));
      const HirProgramInput *input = now != NULL ? now->pdata[i] : NULL;
      gboolean is_same = input != NULL && g_str_equal (text, input->shape);
      gboolean is_open = *text == '\0' || (is_same && i >= n_before && input->is_chosen);

      has_changed |= !is_same;
      shapes[i] = is_open                   ? dup_open_shape (container->inputs.items[i])
                  : is_same && i < n_before ? g_strdup (before[i])
                                            : g_strdup (text);
      n_given = is_open ? n_given : i + 1;
    }
  /* The others are chosen, or those of the script if none is given. */
  for (guint i = has_changed ? n_given : n_before; i < container->inputs.len; i++)
    g_clear_pointer (&shapes[i], g_free);
  made = hir_run_inputs_new_dry (container, (const char *const *) shapes, 0, error);
  if (made == NULL)
    *wrong = find_wrong (container, shapes);
  else if (shapes[0] != NULL)
    *inputs = g_steal_pointer (&shapes);
  return made != NULL;
}
