/* Syntax tree of a Python file (3.8 to 3.12), as plain data in an arena. Positions are byte offsets
 * into the source; hir_script_get_pos() converts them to lines and columns. */
#pragma once

#include "script/parse/parse.h"

G_BEGIN_DECLS

/* Each kind lists the fields of HirAst that it uses. */
typedef enum
{
  HIR_AST_ERROR, /* replaces a node with a syntax error */
  /* expressions */
  HIR_AST_NAME,      /* text (interned) */
  HIR_AST_INT,       /* i; flag BIG if it exceeds 64 bits */
  HIR_AST_FLOAT,     /* d */
  HIR_AST_IMAGINARY, /* d */
  HIR_AST_STRING,    /* text, length: decoded */
  HIR_AST_BYTES,     /* text, length: decoded */
  HIR_AST_FSTRING,   /* items: STRING and FIELD */
  HIR_AST_FIELD,     /* a: expression; b: FSTRING of the format or NULL; op: 0, 'r', 's', 'a'; text:
                        the prefix that `{x=}` prints, or NULL */
  HIR_AST_TRUE,
  HIR_AST_FALSE,
  HIR_AST_NONE,
  HIR_AST_ELLIPSIS,
  HIR_AST_TUPLE,          /* items */
  HIR_AST_LIST,           /* items */
  HIR_AST_SET,            /* items */
  HIR_AST_DICT,           /* items: key, value, key, value...; the key of `**value` is NULL */
  HIR_AST_LIST_COMP,      /* a: element; items: COMP_FOR */
  HIR_AST_SET_COMP,       /* a: element; items: COMP_FOR */
  HIR_AST_DICT_COMP,      /* a: key; b: value; items: COMP_FOR */
  HIR_AST_GENERATOR,      /* a: element; items: COMP_FOR */
  HIR_AST_COMP_FOR,       /* a: target; b: iterable; items: conditions; flag ASYNC */
  HIR_AST_UNARY,          /* op: token; a */
  HIR_AST_BINARY,         /* op: token; a; b */
  HIR_AST_BOOL,           /* op: token `and` or `or`; items */
  HIR_AST_COMPARE,        /* a; items: COMPARISON */
  HIR_AST_COMPARISON,     /* op: token; flag NOT for `not in`, `is not`; a */
  HIR_AST_CONDITIONAL,    /* a: condition; b: then; c: else */
  HIR_AST_LAMBDA,         /* function; a: its body, the RETURN */
  HIR_AST_CALL,           /* a: callee; items: expressions, STARRED, DOUBLE_STARRED, KEYWORD */
  HIR_AST_KEYWORD,        /* text: name; a: value */
  HIR_AST_ATTRIBUTE,      /* a; text: name; i: offset of the name */
  HIR_AST_SUBSCRIPT,      /* a; b: index */
  HIR_AST_SLICE,          /* a, b, c: any may be NULL */
  HIR_AST_STARRED,        /* a */
  HIR_AST_DOUBLE_STARRED, /* a */
  HIR_AST_AWAIT,          /* a */
  HIR_AST_YIELD,          /* a or NULL */
  HIR_AST_YIELD_FROM,     /* a */
  HIR_AST_NAMED,          /* `a := b` */
  /* statements */
  HIR_AST_EXPRESSION, /* a */
  HIR_AST_ASSIGN,     /* items: targets; b: value */
  HIR_AST_AUG_ASSIGN, /* a; op: token of the binary operator; b */
  HIR_AST_ANN_ASSIGN, /* a: target; b: annotation; c: value or NULL */
  HIR_AST_RETURN,     /* a or NULL */
  HIR_AST_DELETE,     /* items */
  HIR_AST_RAISE,      /* a or NULL; b: cause or NULL */
  HIR_AST_ASSERT,     /* a; b: message or NULL */
  HIR_AST_GLOBAL,     /* items: NAME */
  HIR_AST_NONLOCAL,   /* items: NAME */
  HIR_AST_PASS,
  HIR_AST_BREAK,
  HIR_AST_CONTINUE,
  HIR_AST_IMPORT,      /* items: ALIAS */
  HIR_AST_IMPORT_FROM, /* text: module ("" for `from . import`); i: leading dots; items: ALIAS */
  HIR_AST_ALIAS,       /* text: dotted name or "*"; a: NAME after `as`, or NULL */
  HIR_AST_IF,          /* items: CLAUSE; the last may have no condition */
  HIR_AST_CLAUSE,      /* a: condition or NULL; items: statements */
  HIR_AST_WHILE,       /* a; items: body; c: BLOCK of else, or NULL */
  HIR_AST_FOR,  /* a: target; b: iterable; items: body; c: BLOCK of else, or NULL; flag ASYNC */
  HIR_AST_WITH, /* items: WITH_ITEM; c: BLOCK; flag ASYNC */
  HIR_AST_WITH_ITEM, /* a; b: target or NULL */
  HIR_AST_TRY,       /* a: BLOCK; items: HANDLER; b: BLOCK of else or NULL; c: of finally or NULL */
  HIR_AST_HANDLER,   /* a: type or NULL; text: name or NULL; items: body */
  HIR_AST_BLOCK,     /* items: statements */
  HIR_AST_DEF,       /* function */
  HIR_AST_CLASS,     /* text: name; function; a: BLOCK with the bases as the arguments of a call;
                        items: body */
  HIR_AST_MATCH,     /* a: subject; items: CASE */
  HIR_AST_CASE,      /* a: pattern; b: guard or NULL; items: body */
  HIR_AST_TYPE_ALIAS, /* a: NAME; b: value */
  /* patterns */
  HIR_AST_PATTERN_VALUE,    /* a: literal or dotted name */
  HIR_AST_PATTERN_CAPTURE,  /* text: name; "_" binds nothing */
  HIR_AST_PATTERN_STAR,     /* text: name */
  HIR_AST_PATTERN_SEQUENCE, /* items */
  HIR_AST_PATTERN_MAPPING,  /* items: key expression, pattern...; text: `**rest` or NULL */
  HIR_AST_PATTERN_CLASS,    /* a: class; items: patterns and KEYWORD (a: pattern) */
  HIR_AST_PATTERN_OR,       /* items */
  HIR_AST_PATTERN_AS,       /* a: pattern; text: name */
} HirAstKind;

enum
{
  HIR_AST_FLAG_BIG = 1 << 0,
  HIR_AST_FLAG_NOT = 1 << 1,
  HIR_AST_FLAG_ASYNC = 1 << 2,
  HIR_AST_FLAG_PARENTHESES = 1 << 3, /* in parentheses */
  HIR_AST_FLAG_STAR = 1 << 4,        /* `except*` */
};

/* Deeper trees are a syntax error, so that code can traverse a tree recursively. */
#define HIR_AST_MAX_HEIGHT 1000

typedef struct _HirAst HirAst;
typedef struct _HirAstFunction HirAstFunction;

struct _HirAst
{
  guint8 kind;
  guint8 op; /* HirTokenKind of the operator */
  guint16 flags;
  guint16 height;
  guint start, end; /* byte range; end is exclusive */
  HirAst *a, *b, *c;
  HirAst **items;
  guint n_items;
  guint length;
  const char *text;
  union
  {
    gint64 i;
    double d;
    HirAstFunction *function;
  };
};

typedef struct
{
  const char *name;
  HirScriptParamKind kind;
  HirAst *annotation;    /* nullable */
  HirAst *default_value; /* nullable */
  guint start;
} HirAstParam;

/* A def, a lambda (its body is one RETURN) or a class (without parameters). */
struct _HirAstFunction
{
  const char *name; /* "<lambda>" for a lambda */
  HirAst *node;
  HirAstParam *params;
  guint n_params;
  HirAst **body;
  guint n_body;
  HirAst **decorators;
  guint n_decorators;
  HirAst *returns;        /* nullable: annotation of the result */
  HirAstFunction *parent; /* nullable: the enclosing def or class */
  gboolean is_class;
  gboolean is_async;
  gboolean is_generator; /* its body contains a yield */
};

G_END_DECLS
