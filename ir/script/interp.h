/* Internal declarations of the interpreter. If a function sets a signal (py->signal), it returns
 * None, NULL or FALSE, and the caller must return at once. */
#pragma once

#include "script/value.h"

G_BEGIN_DECLS

/* interp-eval.c */
HirPyValue hir_py_eval (HirPy *py, const HirAst *node);
/* Evaluates @condition and returns its truth value; FALSE after a signal. @node is the expression
 * or statement whose position errors get; @what names it in messages. */
gboolean
hir_py_eval_truth (HirPy *py, const HirAst *condition, const HirAst *node, const char *what);
/* Like hir_py_eval_truth(), but TRUE if @condition is NULL. Outside a definition, an unknown
 * condition, which asks for the hardware or for options of pytest, counts as false. */
gboolean
hir_py_eval_condition (HirPy *py, const HirAst *condition, const HirAst *node, const char *what);
/* Sets @value to a literal number, string, bool or None. Returns FALSE for other nodes and for
 * integers beyond 64 bits. */
gboolean hir_py_eval_literal (HirPy *py, const HirAst *node, HirPyValue *value);
/* interp-comprehension.c */
HirPyValue hir_py_eval_comprehension (HirPy *py, const HirAst *node);
HirPyValue hir_py_eval_fstring (HirPy *py, const HirAst *node);
/* interp-exec.c */
void hir_py_exec_block (HirPy *py, HirAst *const *statements, guint n);
void hir_py_exec (HirPy *py, const HirAst *statement);
/* interp-compound.c */
void hir_py_exec_try (HirPy *py, const HirAst *node);
void hir_py_exec_with (HirPy *py, const HirAst *node);
void hir_py_exec_match (HirPy *py, const HirAst *node);
/* interp-assign.c */
void hir_py_assign (HirPy *py, const HirAst *target, HirPyValue value);
void hir_py_bind (HirPy *py, const char *name, HirPyValue value);
void hir_py_delete (HirPy *py, const HirAst *target);
/* interp-import.c */
void hir_py_exec_import (HirPy *py, const HirAst *node);
HirPyValue hir_py_import_module (HirPy *py, const char *path, guint n_dots);
HirPyValue hir_py_module_get (HirPy *py, HirPyValue module, const char *name);
/* Returns the attribute @name of a module whose values are unknown. */
HirPyValue hir_py_opaque_get (HirPy *py, const HirPyOpaque *opaque, const char *name);
HirPyValue hir_py_opaque_call (HirPy *py, HirPyValue callee, HirPyArgs *args);
/* interp-files.c: files next to the script. */
/* Returns the module @path, @n_dots levels up if it is relative. Returns None if there is no such
 * file; nothing is executed. */
HirPyValue hir_py_find_file (HirPy *py, const char *path, guint n_dots);
HirPyValue hir_py_file_get (HirPy *py, HirPyFile *file, const char *name);
/* Returns the module @path of torch, or NULL: its names are unknown values. */
HirPyFile *hir_py_torch_module (HirPy *py, const char *path);
/* Calls the function @name of methods.py, such as itertools_islice. Returns FALSE if there is none.
 */
gboolean hir_py_call_written (HirPy *py, const char *name, HirPyArgs *args, HirPyValue *result);
/* Calls the method of @self that methods.py defines as @name, such as str_partition. */
HirPyValue
hir_py_call_written_method (HirPy *py, HirPyValue self, const char *name, HirPyArgs *args);
/* Calls the function @name of torch/functions.py, which returns a tensor without data. Returns None
 * if there is no such function, or if it does not know the arguments. */
HirPyValue hir_py_torch_function (HirPy *py, const char *name, HirPyArgs *args);

/* interp-names.c */
/* Adds a file to py->files. @script (nullable) must live until the run ends. */
HirPyFile *hir_py_file_new (HirPy *py, HirScript *script, const char *folder, const char *name);
void hir_py_file_clear (HirPyFile *file);
/* Code of @file runs from now on. */
void hir_py_enter_file (HirPy *py, HirPyFile *file);
/* Code of @file runs again, at @pos. */
void hir_py_leave_file (HirPy *py, HirPyFile *file, guint pos);
/* Like hir_py_lookup_global(), but only names that @file binds. */
gboolean hir_py_lookup_in_file (HirPy *py, HirPyFile *file, const char *name, HirPyValue *value);
/* Runs top-level statement @statement of the current file, unless it has run, as if it had run
 * before the call of the function. */
void hir_py_run_statement (HirPy *py, guint statement);
/* Sets @value to the value of @name. Returns FALSE after a signal if @name is not defined. */
gboolean hir_py_lookup (HirPy *py, const char *name, HirPyValue *value);
/* Like hir_py_lookup(), but skips local variables and sets no signal if @name is not defined. */
gboolean hir_py_lookup_global (HirPy *py, const char *name, HirPyValue *value);
HirPyEnv *hir_py_env_new (HirPy *py, HirPyEnv *parent);

/* interp-call.c */
HirPyValue hir_py_call (HirPy *py, HirPyValue callee, HirPyArgs *args);
HirPyValue hir_py_call_ast (HirPy *py, const HirAst *node);
HirPyValue hir_py_call_function (
    HirPy *py, HirPyFunction *function, const HirPyValue *self, HirPyArgs *args, const char *name);
HirPyValue hir_py_make_function (HirPy *py, HirAstFunction *ast, HirPyClass *owner);
HirPyValue hir_py_partial (HirPy *py, HirPyArgs *args);
HirPyValue hir_py_call_values (HirPy *py, HirPyValue callee, HirPyValue *items, guint n);
/* interp-complex.c */
HirPyValue hir_py_complex (HirPy *py, double re, double im);
/* Raises TypeError unless both are numbers. */
HirPyValue hir_py_complex_binary (HirPy *py, guint op, HirPyValue left, HirPyValue right);
/* `real`, `imag` and `conjugate` of any number. Returns FALSE for another name. */
gboolean hir_py_complex_get (HirPy *py, HirPyValue number, const char *name, HirPyValue *value);
/* interp-class.c */
HirPyValue hir_py_make_class (HirPy *py, const HirAst *node);
/* Returns the members of an Enum, in order. */
HirPyList *hir_py_class_members (HirPy *py, HirPyClass *class);
HirPyValue hir_py_instantiate (HirPy *py, HirPyClass *class, HirPyArgs *args);
const HirPyValue *hir_py_class_lookup (HirPy *py, HirPyClass *class, const char *name);
HirPyValue hir_py_super (HirPy *py);
HirPyValue hir_py_super_get (HirPy *py, HirPyValue super, const char *name);
gboolean hir_py_is_instance (HirPy *py, HirPyValue value, HirPyValue type);
/* Returns the truth value. An opaque value stops the run; @what names the decision in the message.
 */
gboolean hir_py_truth (HirPy *py, HirPyValue value, const char *what);
/* Returns TRUE and the result of the method @name, such as "__len__", if the script defines it for
 * @self. */
gboolean hir_py_call_special (HirPy *py,
                              HirPyValue self,
                              const char *name,
                              const HirPyValue *args,
                              guint n,
                              HirPyValue *result);
/* Returns TRUE and the result of the operator or comparison @op, a HirTokenKind, if the class of an
 * operand defines it. */
gboolean
hir_py_class_operator (HirPy *py, guint op, HirPyValue a, HirPyValue b, HirPyValue *result);
/* Runs definition() and the schedule of an instance that derives from FusionDefinition, unless they
 * have run. */
void hir_py_define_instance (HirPy *py, HirPyInstance *instance);

/* bindings-schedule.c. States that the tensors of a fusion on one device, scheduled as one kernel,
 * lie in memory as their logical axes do, whatever their loops. Without this statement, HostUnits
 * cannot read them (docs/host-ir.md#hostunit-inputs). */
void hir_py_fix_allocations (const HirContainer *container);

/* interp-record.c: dataclasses and NamedTuples. */
/* Sets the fields of @instance from arguments by position or by name, and from their defaults. */
void hir_py_init_record (HirPy *py, HirPyInstance *instance, HirPyArgs *args);
/* Returns the fields in order. */
HirPyList *hir_py_instance_list (HirPy *py, HirPyInstance *instance);
/* Copies @record with other values for the fields that @args names. */
HirPyValue hir_py_replace_fields (HirPy *py, HirPyValue record, HirPyArgs *args);
HirPyValue hir_py_fields_to_dict (HirPy *py, HirPyValue record);

/* interp-attribute.c */
HirPyValue hir_py_get_attribute (HirPy *py, HirPyValue object, const char *name);
/* Takes the options in the argument `_enable_options` or `enable_options`, with a note. */
void hir_py_take_enable_options (HirPy *py, HirPyArgs *args);
void hir_py_set_attribute (HirPy *py, HirPyValue object, const char *name, HirPyValue value);
HirPyValue hir_py_call_method (HirPy *py, HirPyValue object, const char *name, HirPyArgs *args);

/* interp-number.c; @op is a HirTokenKind. */
HirPyValue hir_py_binary (HirPy *py, guint op, HirPyValue a, HirPyValue b);
HirPyValue hir_py_unary (HirPy *py, guint op, HirPyValue a);
HirPyValue hir_py_compare (HirPy *py, guint op, gboolean negated, HirPyValue a, HirPyValue b);

/* interp-sequence.c */
typedef struct
{
  HirPyValue value;
  guint64 index;
} HirPyIter;
gboolean hir_py_iter_init (HirPy *py, HirPyIter *iter, HirPyValue value, const char *what);
gboolean hir_py_iter_next (HirPy *py, HirPyIter *iter, HirPyValue *item);
/* Removes the first item of @list. Returns FALSE if there is none. */
gboolean hir_py_take (HirPyList *list, HirPyValue *item);
/* Returns a new list of the items of @value; an empty one after a signal. */
HirPyList *hir_py_to_list (HirPy *py, HirPyValue value, const char *what);
/* Appends all items of @value to @list; nothing if @value cannot be iterated. */
void hir_py_list_extend (HirPy *py, HirPyList *list, HirPyValue value, const char *what);
HirPyValue hir_py_get_item (HirPy *py, HirPyValue object, HirPyValue index);
void hir_py_set_item (HirPy *py, HirPyValue object, HirPyValue index, HirPyValue value);
HirPyValue hir_py_length (HirPy *py, HirPyValue value);
HirPyValue hir_py_contains (HirPy *py, HirPyValue container, HirPyValue item);
HirPyValue hir_py_concatenate (HirPy *py, HirPyValue a, HirPyValue b);
HirPyValue hir_py_repeat (HirPy *py, HirPyValue a, gint64 times);
HirPyValue hir_py_range (HirPy *py, gint64 start, gint64 stop, gint64 step);
HirPyValue hir_py_array (HirPy *py, HirPyList *list, const gint64 *shape, guint n_dims);
/* Converts @value to an int. Raises TypeError if it is not an int; @what names it in the message.
 * */
gint64 hir_py_to_int (HirPy *py, HirPyValue value, const char *what);

/* interp-sort.c */
HirPyValue hir_py_sort (HirPy *py, HirPyList *list, HirPyValue key, gboolean reverse);

/* interp-methods.c: methods of lists, dicts, sets, strings and arrays. @name must be a method of
 * the type: see hir_py_has_method(). */
gboolean hir_py_has_method (HirPyType type, const char *name);
HirPyValue hir_py_list_method (HirPy *py, HirPyValue self, const char *name, HirPyArgs *args);
HirPyValue hir_py_dict_method (HirPy *py, HirPyValue self, const char *name, HirPyArgs *args);
HirPyValue hir_py_string_method (HirPy *py, HirPyValue self, const char *name, HirPyArgs *args);
HirPyValue hir_py_array_method (HirPy *py, HirPyValue self, const char *name, HirPyArgs *args);
/* interp-text.c. Returns format (value, spec), newly allocated; NULL after a signal. */
char *hir_py_format (HirPy *py, HirPyValue value, const char *spec);
/* Implements str.format() and, for the operands in @values, the operator %. */
HirPyValue hir_py_format_braces (HirPy *py, const char *text, HirPyArgs *args);
HirPyValue hir_py_format_percent (HirPy *py, const char *text, HirPyValue values);

/* interp-args.c: arguments by position or by name. These functions mark the arguments that they
 * read; hir_py_args_finish() raises TypeError if others are left. A missing required argument
 * raises. */
gboolean hir_py_arg (HirPy *py, HirPyArgs *args, guint index, const char *name, HirPyValue *value);
HirPyValue hir_py_arg_required (HirPy *py, HirPyArgs *args, guint index, const char *name);
gint64
hir_py_arg_int (HirPy *py, HirPyArgs *args, guint index, const char *name, const gint64 *fallback);
gboolean
hir_py_arg_bool (HirPy *py, HirPyArgs *args, guint index, const char *name, gboolean fallback);
gboolean hir_py_args_finish (HirPy *py, HirPyArgs *args, guint max_positional);
/* Converts a list of ints, or one int, to an array. Free it with g_free(). Returns NULL after a
 * signal; more than HIR_PY_MAX_AXES items are an error. */
gint64 *hir_py_to_ints (HirPy *py, HirPyValue value, const char *what, guint *n);
/* Returns "; did you mean 'sum'?" if @known has a name within two edits of @name, otherwise "". */
char *hir_py_suggest (HirPy *py, const char *name, const char *const *known, guint n);

/* interp-builtins.c */
gboolean hir_py_is_builtin (const char *name);
HirPyValue hir_py_call_builtin (HirPy *py, const char *name, HirPyArgs *args);
HirPyValue hir_py_call_math (HirPy *py, const char *name, HirPyArgs *args);
gboolean hir_py_is_exception_name (const char *name);

/* run-args.c: returns the fixture @name of the current file or of a conftest.py, and makes its file
 * the current one; NULL if there is none. */
HirAstFunction *hir_py_find_fixture (HirPy *py, const char *name);

/* parametrize.c: pytest.mark.parametrize. */
/* Fills py->chosen with the values that decorators of @function and its class give its parameters:
 * those with pytest's @id, or the first ones if it is NULL. */
void hir_py_choose_params (HirPy *py, const HirAstFunction *function, const char *id);
/* Returns TRUE and the value of parameter @name that the command line calls @text. */
gboolean hir_py_find_choice (HirPy *py,
                             const HirAstFunction *function,
                             const char *name,
                             const char *text,
                             HirPyValue *value);
/* Appends pytest's ids of @function to @ids, at most @max. */
void hir_py_list_params (HirPy *py, const HirAstFunction *function, GPtrArray *ids, guint max);
/* The same for parameters that differ from the first ones in one decorator. */
void hir_py_list_variations (HirPy *py, const HirAstFunction *function, GPtrArray *ids, guint max);

/* sizes.c: sizes of the inputs, for fusions whose shape depends on them. */
/* Sets py->run_inputs to the list that the current function executes the fusion with after @with,
 * the statement of the failed definition, and runs the statements between the two. Keeps the signal
 * of the definition. */
void hir_py_find_run_inputs (HirPy *py, const HirAst *with);
/* Returns the sizes of py->run_inputs or of --input, one GArray of gint64 per tensor; NULL if they
 * are not known. */
GPtrArray *hir_py_dup_sizes (HirPy *py);
/* Sets the examples of @definition's fusion: the inputs that the script executes it with or, if
 * they do not fit, the tensors of from_pytorch(). None for a fusion on several devices, whose
 * tensors may be parts, or for more elements than HIR_PY_MAX_EXAMPLE. */
void hir_py_set_examples (HirPy *py, HirPyDefinition *definition);
#define HIR_PY_MAX_EXAMPLE (1 << 18)
/* Returns the numbers among py->run_inputs. */
GArray *hir_py_dup_numbers (HirPy *py);

/* interp-stdlib.c: functions of the standard library, pytest and numpy that scripts use for sizes.
 * Returns FALSE if @path is not one of them. */
gboolean hir_py_call_stdlib (HirPy *py, const char *path, HirPyArgs *args, HirPyValue *result);
/* Fills a new definition by @function, as nvFuser's test fixtures do, and stops the run. Returns
 * FALSE if @function does not take a definition. */
gboolean hir_py_build_by (HirPy *py, HirPyValue function);

/* torch-*.c: torch tensors, of which shape, dtype and strides are known. */
/* Returns the value of a contiguous tensor; @shape is copied. */
HirPyValue hir_py_torch_new (HirPy *py,
                             const gint64 *shape,
                             guint n_dims,
                             HirDType dtype,
                             gboolean is_cpu,
                             const char *path);
/* torch-data.c: elements of tensors with up to 1,024 elements. */
/* Gives @tensor, which is dense, elements of @value; None: of unknown value. */
void hir_py_torch_fill (HirPy *py, HirPyValue tensor, HirPyValue value);
/* Gives @tensor the numbers in nested lists of its shape. */
void hir_py_torch_set_list (HirPy *py, HirPyValue tensor, HirPyValue list);
/* Gives @to, which is dense and has as many elements, those of @from, converted to its type. */
void hir_py_torch_copy_data (HirPy *py, const HirPyTorch *from, HirPyValue to);
/* Returns the number in @value if it is a tensor of one known element; otherwise @value. */
HirPyValue hir_py_torch_number (HirPyValue value);
/* Sets all elements of @torch, of which some may be known, to @value; None: unknown values. */
void hir_py_torch_set_all (const HirPyTorch *torch, HirPyValue value);
/* Calls item() or tolist(). Returns FALSE for other methods and unknown elements. */
gboolean
hir_py_torch_read (HirPy *py, const HirPyTorch *torch, const char *name, HirPyValue *value);
/* Sets @dtype if @name is one of torch's types: "float32", "half". */
gboolean hir_py_torch_lookup_dtype (const char *name, HirDType *dtype);
HirPyValue hir_py_torch_dtype (HirPy *py, HirDType dtype);
/* Returns TRUE and the result if the effect of torch.@name () on shapes is known, or after a
 * signal.
 */
/* Sets @value to the number @name of torch.finfo() or torch.iinfo(), an opaque value with @path. */
gboolean hir_py_torch_limit (const char *path, const char *name, HirPyValue *value);
gboolean hir_py_torch_call (HirPy *py, const char *name, HirPyArgs *args, HirPyValue *result);
HirPyValue hir_py_torch_get (HirPy *py, HirPyValue tensor, const char *name);
gboolean hir_py_torch_method (HirPy *py, HirPyValue method, HirPyArgs *args, HirPyValue *result);
/* Returns the result of an operator with a torch tensor; an opaque value if it is not known. */
HirPyValue hir_py_torch_operator (HirPy *py, guint op, HirPyValue a, HirPyValue b);
HirPyValue hir_py_torch_item (HirPy *py, HirPyValue tensor, HirPyValue index);
/* Assigns @value to the elements of @tensor at @index. */
void hir_py_torch_set_item (HirPy *py, HirPyValue tensor, HirPyValue index, HirPyValue value);
/* Returns the values of size arguments from @first on, which are ints or one sequence; NULL if they
 * are not known or after a signal. Free with g_free(). */
gint64 *hir_py_torch_take_sizes (HirPy *py, HirPyArgs *args, guint first, guint *n);

/* bindings-*.c */
HirPyValue hir_py_definition_new (HirPy *py, HirPyInstance *instance);
HirPyValue hir_py_definition_get (HirPy *py, HirPyDefinition *definition, const char *name);
/* Raises AttributeError and suggests the nearest known name. */
HirPyValue hir_py_definition_no_attribute (HirPy *py, const char *name);
HirPyValue hir_py_definition_method (HirPy *py,
                                     HirPyDefinition *definition,
                                     const char *name,
                                     HirPyArgs *args);
/* Returns a list per output with one value per axis: the tuple (input, axis) that it comes from,
 * its size, or None if neither is known. */
HirPyValue hir_py_definition_get_origins (HirPy *py, HirPyDefinition *definition);
HirPyValue
hir_py_fusion_method (HirPy *py, HirPyDefinition *definition, const char *name, HirPyArgs *args);
HirPyValue
hir_py_call_op (HirPy *py, HirPyDefinition *definition, const char *name, HirPyArgs *args);
HirPyValue hir_py_tensor_operator (HirPy *py, guint op, HirPyValue a, HirPyValue b);
HirPyValue
hir_py_call_sched (HirPy *py, HirPyDefinition *definition, const char *name, HirPyArgs *args);
HirPyValue hir_py_tensor_get (HirPy *py, HirTensor *tensor, const char *name);
HirPyValue hir_py_tensor_method (HirPy *py, HirTensor *tensor, const char *name, HirPyArgs *args);
HirPyValue hir_py_axis_method (HirPy *py, HirPyAxis *axis, const char *name, HirPyArgs *args);
HirPyValue hir_py_scalar_method (HirPy *py, HirScalar *scalar, const char *name, HirPyArgs *args);
HirPyValue hir_py_mesh_new (HirPy *py, HirPyArgs *args);
HirPyValue hir_py_mesh_get (HirPy *py, const HirMesh *mesh, const char *name);
HirPyValue hir_py_enum_get (HirPy *py, const char *type, const char *name);
HirPyValue hir_py_fixture_get (HirPy *py, const char *name);
/* Sets maker and position for the nodes of the next IR call, and counts the memory of the last one.
 * */
void hir_py_begin_node (HirPy *py, HirContainer *container);
/* Adds the growth of the container of @definition to the memory of the script. */
void hir_py_account (HirPy *py, HirPyDefinition *definition);
HirDType hir_py_to_dtype (HirPy *py, HirPyValue value, const char *what);
/* Converts a constant to a scalar of @container; returns a scalar of @container unchanged. Returns
 * NULL after a signal otherwise. */
HirScalar *
hir_py_to_scalar (HirPy *py, HirContainer *container, HirPyValue value, const char *what);
HirTensor *hir_py_to_tensor (HirPy *py, HirPyValue value, const char *what);

G_END_DECLS
