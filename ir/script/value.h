/* Values of the script interpreter, and the interpreter's state. Everything is in the interpreter's
 * arena and lives until the run ends; the arena is bounded, so that no script can fill the machine.
 */
#pragma once

#include "ops/ops.h"
#include "script/parse/script-private.h"
#include "script/script.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_PY_NONE,
  HIR_PY_BOOL,   /* i */
  HIR_PY_INT,    /* i: 64 bits; beyond is an error */
  HIR_PY_FLOAT,  /* d */
  HIR_PY_STRING, /* string */
  HIR_PY_ELLIPSIS,
  HIR_PY_LIST,       /* list */
  HIR_PY_TUPLE,      /* list */
  HIR_PY_SET,        /* dict, its keys */
  HIR_PY_DICT,       /* dict */
  HIR_PY_RANGE,      /* range */
  HIR_PY_SLICE,      /* slice */
  HIR_PY_ARRAY,      /* array: a torch tensor of known ints, for meshes */
  HIR_PY_FUNCTION,   /* function */
  HIR_PY_METHOD,     /* method: a function with its self */
  HIR_PY_BOUND,      /* bound: a method of a built-in type, by name */
  HIR_PY_BUILTIN,    /* text: `len`, `int`; also types and exceptions */
  HIR_PY_CLASS,      /* class */
  HIR_PY_INSTANCE,   /* instance */
  HIR_PY_SUPER,      /* super: what super() gives in a method */
  HIR_PY_EXCEPTION,  /* exception */
  HIR_PY_MODULE,     /* text: "nvfuser", "nvfuser.multidevice", "math", "os", "os.environ" */
  HIR_PY_OPAQUE,     /* opaque: comes from torch or another import, and is not known here */
  HIR_PY_ENUM,       /* enumeration */
  HIR_PY_FIXTURE,    /* a communicator: text, its name */
  HIR_PY_DEFINITION, /* definition: a FusionDefinition */
  HIR_PY_NAMESPACE,  /* bound: `fd.ops`, `fd.sched`, `fd.fusion`, with the definition as self */
  HIR_PY_TENSOR,     /* tensor */
  HIR_PY_SCALAR,     /* scalar */
  HIR_PY_AXIS,       /* axis */
  HIR_PY_MESH,       /* mesh */
} HirPyType;

typedef struct _HirPyValue HirPyValue;

typedef struct
{
  guint length;
  char text[]; /* UTF-8, NUL at the end */
} HirPyString;

typedef struct
{
  HirPyValue *items;
  guint n, capacity;
} HirPyList;

/* Keeps the order of insertion. */
typedef struct
{
  struct _HirPyEntry *entries; /* a deleted one has `deleted` set */
  guint n, capacity, n_live;
  guint *slots; /* index + 1 into entries, 0 free; a power of two of them */
  guint n_slots;
} HirPyDict;

typedef struct
{
  gint64 start, stop, step, n;
} HirPyRange;

typedef struct _HirPyEnv HirPyEnv;
typedef struct _HirPyClass HirPyClass;
typedef struct _HirPyDefinition HirPyDefinition;
typedef struct _HirPyMethod HirPyMethod;
typedef struct _HirPySlice HirPySlice;

typedef struct
{
  HirAstFunction *ast;
  HirPyEnv *closure;
  HirPyValue *defaults; /* one a parameter; unused where there is none */
  HirPyClass *owner;    /* nullable: the class it was defined in */
  gboolean is_static, is_class_method, is_property;
} HirPyFunction;

typedef struct
{
  char *path; /* "torch.randn()": for messages */
  gboolean
      forbidden;  /* a call of it is refused: it would touch files, processes, the environment */
  gboolean local; /* comes from a module that may schedule: calls with tensors are noted */
} HirPyOpaque;

typedef enum
{
  HIR_PY_ENUM_DTYPE,
  HIR_PY_ENUM_PARALLEL,
  HIR_PY_ENUM_MEMORY,
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
    HirPyString *string;
    HirPyList *list;
    HirPyDict *dict;
    HirPyRange *range;
    HirPySlice *slice;
    HirPyArray *array;
    HirPyFunction *function;
    HirPyMethod *method;
    HirPyBound *bound;
    const char *text;
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
  HirPyClass *class; /* in which the method stands: its bases are asked */
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
  HirAst *ast;
};

struct _HirPyInstance
{
  HirPyClass *class;
  HirPyDict attributes;
  HirPyDefinition *definition; /* nullable: of a class that derives from FusionDefinition */
};

/* Names of one activation, comprehension or class body. */
struct _HirPyEnv
{
  HirPyDict names;
  HirPyDict redirected; /* by `global` (1) and `nonlocal` (2) */
  HirPyEnv *parent;     /* nullable: globals come after the last */
  gboolean is_comprehension;
};

/* A FusionDefinition that is being built. */
struct _HirPyDefinition
{
  HirContainer *container;
  gsize accounted_bytes;
  HirPyInstance *instance; /* nullable: of a class that derives from FusionDefinition */
  gboolean is_defined;     /* its definition() was run */
};

/* One activation. */
typedef struct _HirPyFrame HirPyFrame;
struct _HirPyFrame
{
  HirPyFrame *caller;
  HirPyEnv *env;
  guint64 path;            /* hash of the calls that led here: goes into identities */
  HirPyDict call_counts;   /* name of the callee -> how many calls so far */
  HirPyFunction *function; /* nullable */
  HirPyValue self;         /* first argument: for super() */
  HirPyList *yielded;      /* nullable: of a generator */
};

typedef enum
{
  HIR_PY_GO, /* nothing is up */
  HIR_PY_RETURNING,
  HIR_PY_BREAKING,
  HIR_PY_CONTINUING,
  HIR_PY_RAISING, /* `exception`: a try may catch it */
  HIR_PY_STOPPED, /* reading ends here, with what was built */
  HIR_PY_FAILED,  /* `error`: refused, or a limit; nothing catches it */
} HirPySignal;

typedef struct
{
  HirScript *script;
  const HirScriptOptions *options;
  HirArena *arena;
  gsize used_bytes, max_bytes;
  guint64 steps, max_steps;
  guint depth;      /* of evaluation */
  guint call_depth; /* of activations */
  HirPySignal signal;
  HirPyValue returned;
  HirPyException *exception;
  GError *error;
  char *stop_reason; /* in the arena */
  guint stop_pos;
  guint pos; /* offset of the innermost call or statement: where messages point */
  HirPyFrame *frame;
  HirPyEnv *globals;
  GHashTable *bindings;    /* global name -> GArray of statement index */
  GArray *star_imports;    /* guint: statement index */
  guint8 *statement_state; /* 0, running, done */
  GPtrArray *definitions;  /* HirPyDefinition* in order */
  gint64 n_devices;        /* as parameters and fixtures see it */
  gint64 max_device;       /* highest that a mesh names; -1 */
  GPtrArray *notes;        /* HirDiagnostic */
  GPtrArray *extra;        /* HirScript: where literals of the command line live */
} HirPy;

/* Arguments of a call, as the caller gave them. */
typedef struct
{
  HirPyValue *items; /* positional */
  guint n;
  const char **names; /* keywords */
  HirPyValue *named;
  gboolean *used;
  guint n_named;
  const char *callee; /* "fd.ops.add": for messages */
} HirPyArgs;

#define HIR_PY_MAX_DEPTH 2000
#define HIR_PY_MAX_CALLS 150
#define HIR_PY_MAX_AXES 64

#define hir_py_none() ((HirPyValue){ .type = HIR_PY_NONE })
#define hir_py_bool(x) ((HirPyValue){ .type = HIR_PY_BOOL, .i = (x) ? 1 : 0 })
#define hir_py_int(x) ((HirPyValue){ .type = HIR_PY_INT, .i = (x) })
#define hir_py_float(x) ((HirPyValue){ .type = HIR_PY_FLOAT, .d = (x) })
#define hir_py_tensor(x) ((HirPyValue){ .type = HIR_PY_TENSOR, .tensor = (x) })
#define hir_py_scalar(x) ((HirPyValue){ .type = HIR_PY_SCALAR, .scalar = (x) })

/* Signals. Each gives None, to be returned at once. */
HirPyValue hir_py_raise (HirPy *py, const char *type, const char *format, ...) G_GNUC_PRINTF (3, 4);
HirPyValue hir_py_fail (HirPy *py, HirErrorCode code, const char *format, ...) G_GNUC_PRINTF (3, 4);
HirPyValue hir_py_take_error (HirPy *py, GError *error);
HirPyValue hir_py_stop (HirPy *py, const char *format, ...) G_GNUC_PRINTF (2, 3);
void hir_py_note (HirPy *py, const char *format, ...) G_GNUC_PRINTF (2, 3);
HirPos hir_py_get_pos (HirPy *py);
/* One step, or @n: FALSE and a signal past the limit. */
gboolean hir_py_step (HirPy *py, guint64 n);

/* Memory. Zeroed; past the limit it fails with a signal: small blocks still come, for the unwinding
 * code; a block above 64 KB is NULL then. */
gpointer hir_py_alloc (HirPy *py, gsize size);
#define hir_py_new(py, Type) ((Type *) hir_py_alloc ((py), sizeof (Type)))
/* Texts of the script's memory; NULL past its limit. */
char *hir_py_strdup (HirPy *py, const char *text);
char *hir_py_printf (HirPy *py, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Constructors. Lists have @n None items to fill in; none at all where memory ran out. */
HirPyValue hir_py_string (HirPy *py, const char *text, gsize length);
HirPyValue hir_py_text (HirPy *py, const char *text);
HirPyValue hir_py_list (HirPy *py, HirPyType type, guint n);
void hir_py_list_append (HirPy *py, HirPyList *list, HirPyValue item);
HirPyValue hir_py_dict (HirPy *py, HirPyType type);
HirPyValue
hir_py_opaque (HirPy *py, const HirPyOpaque *from, const char *format, ...) G_GNUC_PRINTF (3, 4);
HirPyValue hir_py_bound (HirPy *py, HirPyType type, HirPyValue self, const char *name);
HirPyValue hir_py_enum (HirPy *py, HirPyEnumKind kind, int value, const char *name);

/* Dicts. Keys must be hashable; FALSE and a signal where one is not. */
gboolean hir_py_dict_set (HirPy *py, HirPyDict *dict, HirPyValue key, HirPyValue value);
const HirPyValue *hir_py_dict_get (HirPy *py, const HirPyDict *dict, HirPyValue key);
gboolean hir_py_dict_remove (HirPy *py, HirPyDict *dict, HirPyValue key);
/* With names for keys: interned or not. */
void hir_py_dict_set_name (HirPy *py, HirPyDict *dict, const char *name, HirPyValue value);
const HirPyValue *hir_py_dict_get_name (HirPy *py, const HirPyDict *dict, const char *name);

/* What values are. */
const char *hir_py_type_name (HirPyValue value);
gboolean hir_py_is_opaque (HirPyValue value);
/* An opaque value stops the reading: @what says what it decides. */
gboolean hir_py_truth (HirPy *py, HirPyValue value, const char *what);
gboolean hir_py_equal (HirPy *py, HirPyValue a, HirPyValue b);
gboolean hir_py_identical (HirPyValue a, HirPyValue b);
gboolean hir_py_is_number (HirPyValue value); /* bool, int, float */
double hir_py_to_double (HirPyValue value);
char *hir_py_repr (HirPy *py, HirPyValue value, gboolean quoted); /* in the arena; bounded */

G_END_DECLS
