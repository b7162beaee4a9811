/* Values and state of the script interpreter. All values are allocated in the interpreter's arena
 * and live until the run ends. The arena has a size limit, so a script cannot exhaust memory. */
#pragma once

#include "ops/ops.h"
#include "script/parse/script-private.h"
#include "script/script.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_PY_NONE,
  HIR_PY_BOOL,    /* i */
  HIR_PY_INT,     /* i: 64 bits; an overflow is an error */
  HIR_PY_FLOAT,   /* d */
  HIR_PY_COMPLEX, /* z */
  HIR_PY_STRING,  /* string */
  HIR_PY_ELLIPSIS,
  HIR_PY_LIST,       /* list */
  HIR_PY_TUPLE,      /* list */
  HIR_PY_SET,        /* dict: the keys are the members */
  HIR_PY_DICT,       /* dict */
  HIR_PY_RANGE,      /* range */
  HIR_PY_SLICE,      /* slice */
  HIR_PY_ARRAY,      /* array: a torch tensor of known ints, used for meshes */
  HIR_PY_FUNCTION,   /* function */
  HIR_PY_METHOD,     /* method: a function and its self */
  HIR_PY_PARTIAL,    /* partial: a functools.partial() */
  HIR_PY_BOUND,      /* bound: a method of a built-in type */
  HIR_PY_BUILTIN,    /* text: name of a function, type or exception, such as `len` */
  HIR_PY_CLASS,      /* class */
  HIR_PY_INSTANCE,   /* instance */
  HIR_PY_SUPER,      /* super: result of super() in a method */
  HIR_PY_EXCEPTION,  /* exception */
  HIR_PY_MODULE,     /* text: "nvfuser", "nvfuser.multidevice", "math", "os", "os.environ" */
  HIR_PY_FILE,       /* file: a module that is a file or folder next to the script */
  HIR_PY_OPAQUE,     /* opaque: unknown value from torch or another import */
  HIR_PY_ENUM,       /* enumeration */
  HIR_PY_FIXTURE,    /* text: name of a communicator */
  HIR_PY_DEFINITION, /* definition: a FusionDefinition */
  HIR_PY_NAMESPACE,  /* bound: `fd.ops`, `fd.sched` or `fd.fusion`; self is the definition */
  HIR_PY_TENSOR,     /* tensor */
  HIR_PY_SCALAR,     /* scalar */
  HIR_PY_AXIS,       /* axis */
  HIR_PY_MESH,       /* mesh */
} HirPyType;

typedef struct _HirPyValue HirPyValue;

typedef struct
{
  guint length;
  char text[]; /* UTF-8, NUL-terminated */
} HirPyString;

typedef struct
{
  HirPyValue *items;
  guint n, capacity;
  gboolean is_iterator; /* iteration removes the items */
} HirPyList;

/* A hash table that preserves the order of insertion. */
typedef struct
{
  struct _HirPyEntry *entries; /* in order of insertion; includes deleted entries */
  guint n, capacity, n_live;
  guint *slots;                /* index + 1 into entries; 0 if free */
  guint n_slots;               /* a power of two */
  struct _HirPyValue *factory; /* nullable: makes missing values, as in a defaultdict */
} HirPyDict;

typedef struct
{
  gint64 start, stop, step, n;
} HirPyRange;

typedef struct
{
  double re, im;
} HirPyComplex;

typedef struct _HirPyEnv HirPyEnv;
typedef struct _HirPyFile HirPyFile;
typedef struct _HirPyClass HirPyClass;
typedef struct _HirPyDefinition HirPyDefinition;
typedef struct _HirPyMethod HirPyMethod;
typedef struct _HirPySlice HirPySlice;

typedef struct
{
  HirAstFunction *ast;
  HirPyEnv *closure;
  HirPyValue *defaults; /* one per parameter; unused if it has no default */
  HirPyFile *file;      /* the file that defines it */
  HirPyClass *owner;    /* nullable: the class that defines it */
  gboolean is_static, is_class_method, is_property;
} HirPyFunction;

/* What is known of a torch tensor. */
typedef struct
{
  gint64 *shape, *strides;
  guint n_dims;
  HirDType dtype;
  /* element 0, with the others at the strides; None if its value is unknown. Nullable: no value is
   * known. Shared by views. */
  struct _HirPyValue *data;
  gboolean is_cpu;
} HirPyTorch;

typedef struct
{
  char *path;                      /* "torch.randn()", for messages */
  const HirPyTorch *torch;         /* nullable: it is a torch tensor */
  const HirPyTorch *of;            /* nullable: it is a method of this torch tensor */
  const HirPyTorch *whole;         /* nullable: it is the part of this torch tensor on a device */
  const struct _HirPyParam *param; /* nullable: it is a pytest.param() */
  const HirPyValue *mark; /* nullable: it is a pytest.mark.parametrize(): names, rows, ids */
  const HirExpr *expr;    /* nullable: it is this definition of a tensor, or its method */
  gboolean forbidden; /* calls are rejected: they would access files, processes, the environment */
  gboolean local;     /* from a module that may schedule: calls with tensors get a note */
} HirPyOpaque;

typedef enum
{
  HIR_PY_ENUM_DTYPE,
  HIR_PY_ENUM_PARALLEL,
  HIR_PY_ENUM_MEMORY,
  HIR_PY_ENUM_TORCH, /* a torch.dtype; value: HirDType */
  HIR_PY_ENUM_OTHER,
} HirPyEnumKind;

typedef struct
{
  HirPyEnumKind kind;
  int value;
  const char *name; /* "ParallelType.stream" */
} HirPyEnum;

typedef struct
{
  const char *type;
  char *message;
  guint pos;
} HirPyException;

typedef struct
{
  HirTensor *tensor;
  HirIterDomain *id;
} HirPyAxis;

typedef struct
{
  HirPyList *list;
  gint64 *shape;
  guint n_dims;
} HirPyArray;

/* A functools.partial(): the function and the arguments that it adds. */
typedef struct _HirPyPartial HirPyPartial;
typedef struct _HirPyInstance HirPyInstance;
typedef struct _HirPyBound HirPyBound;
typedef struct _HirPySuper HirPySuper;

struct _HirPyValue
{
  HirPyType type;
  union
  {
    gint64 i;
    double d;
    const HirPyComplex *z;
    HirPyString *string;
    HirPyList *list;
    HirPyDict *dict;
    HirPyRange *range;
    HirPySlice *slice;
    HirPyArray *array;
    HirPyFunction *function;
    HirPyMethod *method;
    HirPyPartial *partial;
    HirPyBound *bound;
    const char *text;
    HirPyFile *file;
    HirPyClass *class;
    HirPyInstance *instance;
    HirPySuper *super;
    HirPyException *exception;
    HirPyOpaque *opaque;
    HirPyEnum *enumeration;
    HirPyDefinition *definition;
    HirTensor *tensor;
    HirScalar *scalar;
    HirPyAxis *axis;
    const HirMesh *mesh;
    gconstpointer p;
  };
};

typedef struct _HirPyEntry
{
  HirPyValue key, value;
  guint hash;
  gboolean deleted;
} HirPyEntry;

struct _HirPySlice
{
  HirPyValue start, stop, step;
};

struct _HirPyMethod
{
  HirPyValue self;
  HirPyValue function;
};

struct _HirPyBound
{
  HirPyValue self;
  const char *name;
};

struct _HirPySuper
{
  HirPyValue self;
  HirPyClass *class; /* class of the method; the lookup starts at its bases */
};

struct _HirPyClass
{
  const char *name;
  HirPyDict attributes;
  HirPyValue *bases;
  guint n_bases;
  gboolean is_definition; /* derives from FusionDefinition */
  gboolean is_exception;
  gboolean is_dataclass;
  gboolean is_enum;        /* its attributes are instances with `name` and `value` */
  gboolean is_flag;        /* an enum whose members combine by | and & */
  gboolean is_value_enum;  /* an Enum whose members are numbers or strings, such as IntEnum */
  gboolean is_string_enum; /* a StrEnum */
  gboolean is_tuple;       /* a NamedTuple */
  HirAst *ast;
};

struct _HirPyInstance
{
  HirPyClass *class;
  HirPyDict attributes;
  HirPyDefinition *definition; /* NULL unless the class derives from FusionDefinition */
};

/* Variables of one activation, comprehension or class body. */
struct _HirPyEnv
{
  HirPyDict names;
  HirPyDict redirected; /* names declared `global` (1) or `nonlocal` (2) */
  HirPyEnv *parent;     /* nullable: the enclosing one; globals come last */
  gboolean is_comprehension;
};

/* The script, or a file that it imports. Top-level statements run at the first use of a name. */
struct _HirPyFile
{
  HirScript *script; /* NULL for a folder without __init__.py */
  char *folder;      /* that relative imports of the file refer to; NULL if it is not on disk */
  char *name;        /* "names.py", for messages */
  HirPyEnv *globals;
  GHashTable *bindings;    /* global name -> GArray of guint: indices of statements that bind it */
  GArray *star_imports;    /* guint: indices of `from ... import *` statements */
  guint8 *statement_state; /* one per top-level statement: new, running or done */
};

/* A FusionDefinition under construction. */
struct _HirPyDefinition
{
  HirContainer *container;
  gsize accounted_bytes;   /* size of the container that used_bytes includes */
  HirPyInstance *instance; /* nullable: instance of a class that derives from FusionDefinition */
  gboolean is_defined;     /* definition() has run */
  gboolean is_kernel;      /* the script has scheduled the inside of one kernel */
  HirPyDict attributes;    /* that the script has set */
  gboolean is_before;      /* closed before the function that the run must call was called */
  gboolean is_closed;      /* its `with` block, or the function that fills it, has ended */
  HirPyList *given;        /* nullable: the torch tensors of from_pytorch, in order */
};

/* The activation of one function. */
typedef struct _HirPyFrame HirPyFrame;
struct _HirPyFrame
{
  HirPyFrame *caller;
  HirPyEnv *env;
  guint64 path;            /* hash of the call path; part of node identities */
  HirPyDict call_counts;   /* name of the callee -> number of calls so far */
  HirPyFunction *function; /* nullable */
  HirPyValue self;         /* first argument, for super() */
  HirPyList *yielded;      /* yielded values; NULL unless it is a generator */
};

typedef enum
{
  HIR_PY_GO, /* normal execution */
  HIR_PY_RETURNING,
  HIR_PY_BREAKING,
  HIR_PY_CONTINUING,
  HIR_PY_RAISING, /* `exception` is raised; a try may catch it */
  HIR_PY_STOPPED, /* the run ends here with the fusion built so far */
  HIR_PY_FAILED,  /* `error` is set; nothing catches it */
} HirPySignal;

typedef struct
{
  const HirScriptOptions *options;
  HirArena *arena;
  gsize used_bytes, max_bytes;
  guint64 steps, max_steps;
  guint depth;      /* nesting of evaluation */
  guint call_depth; /* number of activations */
  HirPySignal signal;
  HirPyValue returned;
  HirPyException *exception;
  GError *error;
  char *stop_reason; /* in the arena; with signal STOPPED */
  guint stop_pos;
  guint pos;      /* offset in the current file of the innermost call or statement */
  guint main_pos; /* the same in the script while code of an imported file runs */
  HirPyFrame *frame;
  HirPyFile *file;              /* whose code runs */
  HirPyFile *main_file;         /* of the script */
  GPtrArray *files;             /* HirPyFile*: the script first */
  HirPyFile *torch_file;        /* nullable: classes of torch */
  HirPyFile *torch_functions;   /* nullable: functions of torch */
  HirPyFile *methods;           /* nullable: methods of strings and sets */
  GPtrArray *definitions;       /* HirPyDefinition*, in order of creation */
  const HirAstFunction *wanted; /* nullable: the function that the run must call */
  GPtrArray *marks;             /* nullable: collects the marks that decorators apply */
  HirPyDict arg_defaults;       /* what argparse's add_argument() declares */
  gboolean was_called;
  gboolean is_program;      /* the top level runs, in order */
  gboolean needs_sizes;     /* the run failed because the sizes of the inputs are not known */
  GPtrArray *sizes;         /* nullable: one GArray of gint64 per tensor input, for such a fusion */
  GArray *numbers;          /* nullable: HirPyValue, the scalar inputs, with `sizes` */
  guint n_numbers;          /* number of scalar inputs that are defined */
  HirPyValue run_inputs;    /* the values that the fusion is executed with, if they are known */
  gboolean took_false;      /* an unknown condition counted as false */
  guint n_open;             /* number of definitions that are being filled */
  gboolean fusion_failed;   /* the signal comes from a call on a fusion or on one of its tensors */
  HirPyDict chosen;         /* parameter name -> its value from pytest.mark.parametrize */
  HirPyDict fixture_params; /* name of a fixture -> its `request.param` */
  gint64 n_devices;         /* value for parameters and fixtures */
  gint64 max_device;        /* highest device of any mesh; -1 if none */
  HirScriptExecutor executor;
  GPtrArray *notes; /* HirDiagnostic* */
  GPtrArray *extra; /* HirScript*: imported files, literals of --arg */
} HirPy;

/* The arguments of one call. */
typedef struct
{
  HirPyValue *items; /* positional arguments */
  guint n;
  const char **names; /* keyword arguments: names, values, and whether they were read */
  HirPyValue *named;
  gboolean *used;
  guint n_named;
  const char *callee; /* "fd.ops.add", for messages */
} HirPyArgs;

struct _HirPyPartial
{
  HirPyValue function;
  HirPyArgs args;
};

/* A value of a pytest.mark.parametrize() decorator. */
typedef struct _HirPyParam
{
  HirPyList *values;
  const char *id; /* nullable */
  gboolean skipped;
} HirPyParam;

#define HIR_PY_MAX_DEPTH 2000
#define HIR_PY_MAX_CALLS 150
#define HIR_PY_MAX_AXES 64

#define hir_py_none() ((HirPyValue){ .type = HIR_PY_NONE })
#define hir_py_bool(x) ((HirPyValue){ .type = HIR_PY_BOOL, .i = (x) ? 1 : 0 })
#define hir_py_int(x) ((HirPyValue){ .type = HIR_PY_INT, .i = (x) })
#define hir_py_float(x) ((HirPyValue){ .type = HIR_PY_FLOAT, .d = (x) })
#define hir_py_tensor(x) ((HirPyValue){ .type = HIR_PY_TENSOR, .tensor = (x) })
#define hir_py_scalar(x) ((HirPyValue){ .type = HIR_PY_SCALAR, .scalar = (x) })

/* These functions set a signal, unless one is set already, and return None. The caller must return
 * at once. hir_py_raise() raises the exception @type. */
HirPyValue hir_py_raise (HirPy *py, const char *type, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Ends the run with an error that no try catches. */
HirPyValue hir_py_fail (HirPy *py, HirErrorCode code, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Like hir_py_fail(), but takes ownership of @error. */
HirPyValue hir_py_take_error (HirPy *py, GError *error);
/* Ends the run successfully with the fusion built so far. */
HirPyValue hir_py_stop (HirPy *py, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Adds a note at the current position: one per line, each text once, 100 at most. */
void hir_py_note (HirPy *py, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Returns the current position in the script. While code of an imported file runs, that is the call
 * that led to it. */
HirPos hir_py_get_pos (HirPy *py);
guint hir_py_get_offset (HirPy *py);
/* Counts @n steps. Returns FALSE if a signal is set or the step limit is exceeded. */
gboolean hir_py_step (HirPy *py, guint64 n);

/* Allocates zeroed memory. Sets a signal if the memory limit is exceeded; blocks up to 64 KiB are
 * still allocated then so that unwinding code works, larger ones are NULL. */
gpointer hir_py_alloc (HirPy *py, gsize size);
#define hir_py_new(py, Type) ((Type *) hir_py_alloc ((py), sizeof (Type)))
/* These two return a string in the arena; an empty one if the memory limit is exceeded. */
char *hir_py_strdup (HirPy *py, const char *text);
char *hir_py_printf (HirPy *py, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Returns a string of @length bytes; zeroed if @text is NULL. */
HirPyValue hir_py_string (HirPy *py, const char *text, gsize length);
HirPyValue hir_py_text (HirPy *py, const char *text);
/* Returns a list of @n items None; an empty one if the memory limit is exceeded. */
HirPyValue hir_py_list (HirPy *py, HirPyType type, guint n);
void hir_py_list_append (HirPy *py, HirPyList *list, HirPyValue item);
HirPyValue hir_py_dict (HirPy *py, HirPyType type);
/* Returns an unknown value; it is forbidden or local if @from (nullable) is. */
HirPyValue
hir_py_opaque (HirPy *py, const HirPyOpaque *from, const char *format, ...) G_GNUC_PRINTF (3, 4);
HirPyValue hir_py_bound (HirPy *py, HirPyType type, HirPyValue self, const char *name);
HirPyValue hir_py_enum (HirPy *py, HirPyEnumKind kind, int value, const char *name);

/* The dict functions return FALSE or NULL after a signal if @key is not hashable. */
gboolean hir_py_dict_set (HirPy *py, HirPyDict *dict, HirPyValue key, HirPyValue value);
const HirPyValue *hir_py_dict_get (HirPy *py, const HirPyDict *dict, HirPyValue key);
gboolean hir_py_dict_remove (HirPy *py, HirPyDict *dict, HirPyValue key);
/* The same for a string key, without counting steps. @name need not be interned. */
void hir_py_dict_set_name (HirPy *py, HirPyDict *dict, const char *name, HirPyValue value);
const HirPyValue *hir_py_dict_get_name (HirPy *py, const HirPyDict *dict, const char *name);

/* Returns the Python name of the type, for messages; for an enumeration member or None, the value.
 * */
const char *hir_py_type_name (HirPyValue value);
gboolean hir_py_is_opaque (HirPyValue value);
/* Returns the number or string that a member of an Enum such as IntEnum is; @value otherwise. */
HirPyValue hir_py_plain (HirPy *py, HirPyValue value);
/* Tells whether @value is an instance of a dataclass or NamedTuple, which is compared by its
 * fields. */
gboolean hir_py_is_record (HirPyValue value);
gboolean hir_py_equal (HirPy *py, HirPyValue a, HirPyValue b);
gboolean hir_py_identical (HirPyValue a, HirPyValue b);
/* Returns TRUE for a bool, int or float. */
gboolean hir_py_is_number (HirPyValue value);
double hir_py_to_double (HirPyValue value);
/* Returns FALSE if @value is neither complex nor another number. */
gboolean hir_py_get_complex (HirPyValue value, HirPyComplex *z);
/* Returns repr() (@quoted) or str() of @value, abbreviated if long, in the arena. */
char *hir_py_repr (HirPy *py, HirPyValue value, gboolean quoted);

G_END_DECLS
