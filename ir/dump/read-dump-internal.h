/* What the reader's files share: tokens, the state, and how each part of the grammar is read. A
 * reading function leaves reader->error set and gives NULL or FALSE where the text is wrong. */
#pragma once

#include "dump/read-dump.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_DUMP_WORD, /* `T0_g_float`, `ideviceIdx.x1`, `%kernel` */
  HIR_DUMP_NUMBER,
  HIR_DUMP_PUNCT,
  HIR_DUMP_END,
} HirDumpTokenKind;

/* Blanks and line ends count for nothing but `indent`, the column at which its line begins. */
typedef struct
{
  HirDumpTokenKind kind;
  const char *text; /* in the source */
  guint length;     /* bytes */
  HirPos pos;
  guint indent;
  gboolean glued; /* nothing stands before it */
} HirDumpToken;

/* Where a dump begins, and which lines are its own. */
typedef struct
{
  guint line;   /* from 0 */
  guint offset; /* bytes of that line before it */
  char *tag;    /* "" or what its lines begin with */
  char *pass_name;
  gboolean is_host;
} HirDumpHead;

/* The text as lines. */
typedef struct
{
  HirSource *source;
  GArray *starts; /* gsize; one more than there are lines */
  gboolean *used; /* one a line: it belongs to a dump */
} HirDumpLines;

HirDumpLines *hir_dump_lines_new (HirSource *source);
void hir_dump_lines_free (HirDumpLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDumpLines, hir_dump_lines_free)
/* Line @i without its end; *@length bytes. */
const char *hir_dump_lines_get (const HirDumpLines *lines, guint i, gsize *length);
guint hir_dump_lines_get_n (const HirDumpLines *lines);
/* Tokens from @head to the comment that closes the dump, an END after them. Marks lines as used. */
GArray *hir_dump_lex (HirDumpLines *lines, const HirDumpHead *head);

gboolean hir_dump_token_is (const HirDumpToken *token, const char *text);
/* `i83`: TRUE for @prefix and digits, *@number. FALSE too for a number above a thousand million. */
gboolean hir_dump_split_number (const char *text, guint length, guint n_prefix, int *number);

/* Names of one container: a HostUnit's values are its own. */
typedef struct
{
  HirContainer *container;
  GHashTable *scalars; /* printed text, or "op a b", -> HirScalar* */
  GHashTable *axes;    /* printed text -> HirIterDomain* */
  GHashTable *tensors; /* printed text -> HirTensor* */
} HirDumpNames;

typedef struct _HirDumpReader HirDumpReader;

struct _HirDumpReader
{
  GArray *tokens; /* HirDumpToken */
  guint at;
  HirFormat format;
  HirContainer *program;
  HirDumpNames *names;      /* of the container that is being read */
  GPtrArray *all_names;     /* HirDumpNames*, owned: the program's, then the HostUnits' */
  GHashTable *tensor_texts; /* number -> GPtrArray of printed texts: the k-th of a name */
  GHashTable *streams;      /* printed text -> HirStream* */
  GHashTable *posted;       /* number -> HirExpr*: what a Wait names */
  GArray *posts;            /* HirDumpPost */
  GArray *cuts;             /* HirDumpCut */
  GHashTable *permuted;     /* HirTensor*: printed as the result of a Set.Permute */
  guint depth;              /* of scalars that stand in each other */
  guint n_loops;            /* around what is being read */
  GError *error;
};

/* A PostOnStream whose HostUnit stands further down. */
typedef struct
{
  HirExpr *expr;
  int unit;
  HirPos pos;
} HirDumpPost;

/* A HirAliasSelect, whose axis may be one that the loop domain hides. */
typedef struct
{
  HirExpr *expr;
  HirIterDomain *axis;
  HirPos pos;
} HirDumpCut;

HirDumpNames *hir_dump_names_new (HirContainer *container);
void hir_dump_names_free (HirDumpNames *names);

const HirDumpToken *hir_dump_peek (const HirDumpReader *reader);
const HirDumpToken *hir_dump_peek_at (const HirDumpReader *reader, guint ahead);
gboolean hir_dump_at (const HirDumpReader *reader, const char *text);
const HirDumpToken *hir_dump_next (HirDumpReader *reader);
/* Takes it where it stands next. */
gboolean hir_dump_accept (HirDumpReader *reader, const char *text);
/* Words and punctuation, one token each, a blank between: "( input =". */
gboolean hir_dump_expect (HirDumpReader *reader, const char *texts);
/* "expected WHAT, found `x`" at the next token. Gives FALSE. */
gboolean hir_dump_fail_expected (HirDumpReader *reader, const char *what);
gboolean hir_dump_fail (HirDumpReader *reader,
                        const HirDumpToken *token,
                        HirErrorCode code,
                        const char *format,
                        ...) G_GNUC_PRINTF (4, 5);
/* "X is known and not read". */
gboolean hir_dump_refuse (HirDumpReader *reader, const HirDumpToken *token, const char *what);
/* What is printed from token @from to the next, without blanks. Newly allocated. */
char *hir_dump_dup_text (const HirDumpReader *reader, guint from);
/* The next nodes are the @name ones at @token. */
void hir_dump_stamp (HirDumpReader *reader, const HirDumpToken *token, const char *name);

/* Stamped as @name, or, with NULL, as @out (nullable: no output). */
HirExpr *hir_dump_new_expr (HirDumpReader *reader,
                            const HirDumpToken *start,
                            const char *name,
                            HirExprKind kind,
                            HirVal *const *inputs,
                            guint n_inputs,
                            HirTensor *out);

/* The same without operands. */
HirExpr *hir_dump_new_bare (HirDumpReader *reader,
                            const HirDumpToken *start,
                            HirExprKind kind,
                            const char *name);

gboolean hir_dump_read_int (HirDumpReader *reader, gint64 *value);
gboolean hir_dump_read_bool (HirDumpReader *reader, gboolean *value);
/* By name or value; and with what it is computed from. */
HirScalar *hir_dump_read_scalar (HirDumpReader *reader);
HirScalar *hir_dump_read_inline (HirDumpReader *reader);
/* The scalar of another container that prints as @scalar does; NULL where it has none. */
HirScalar *hir_dump_translate (HirDumpNames *names, const HirScalar *scalar, guint depth);
/* `ceilDiv(i0, 3)` or `i0 * 3`; @scalar: reads an operand. @dtype: of the result. */
HirScalar *hir_dump_read_formula (HirDumpReader *reader, HirScalar *(*read) (HirDumpReader *) );
/* `i7 = i0 * i2;` of a fusion. */
gboolean hir_dump_read_scalar_definition (HirDumpReader *reader);
HirIterDomain *hir_dump_read_axis (HirDumpReader *reader);
HirTensor *hir_dump_read_tensor (HirDumpReader *reader);
gboolean hir_dump_at_tensor (const HirDumpReader *reader);
HirVal *hir_dump_read_operand (HirDumpReader *reader);
HirStream *hir_dump_read_stream (HirDumpReader *reader);
/* `(0 1 2)` or a mesh's `{0 1}`, without the brackets: up to @close. */
gboolean hir_dump_read_devices (HirDumpReader *reader, const char *close, GArray *devices);

/* `T0 = ...`, the tensor and the `=` read: an op of a fusion, or of a host program by itself. NULL
 * with no error: it is none. */
HirExpr *hir_dump_read_op (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start);
/* `(T0, i1, ...)`: tensors and scalars. */
gboolean hir_dump_read_operands (HirDumpReader *reader, GPtrArray *operands);
/* A binary op that prints as a function, by that name: `max`, `powf`. */
gboolean hir_dump_lookup_function (const char *word, HirBinaryOp *op);
/* `relu(T0)` after its @name; `(double)(T0)`; `T0 + T1` or `-T0`. */
HirExpr *hir_dump_read_function (HirDumpReader *reader,
                                 HirTensor *out,
                                 const HirDumpToken *start,
                                 const HirDumpToken *name);
HirExpr *hir_dump_read_c_cast (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start);
HirExpr *hir_dump_read_infix (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start);
/* Statements that begin with these words. */
HirExpr *hir_dump_read_wait (HirDumpReader *reader, const HirDumpToken *start);
HirExpr *hir_dump_read_communication (HirDumpReader *reader, const HirDumpToken *start);
HirExpr *hir_dump_read_p2p (HirDumpReader *reader, const HirDumpToken *start);
HirExpr *hir_dump_read_collective_permute (HirDumpReader *reader, const HirDumpToken *start);
HirExpr *hir_dump_read_end_coalescing (HirDumpReader *reader, const HirDumpToken *start);
/* Statements indented deeper than @indent. */
gboolean hir_dump_read_scope (HirDumpReader *reader, HirScope *scope, guint indent, guint depth);

/* One dump. @format is set either way. */
HirContainer *hir_dump_read_tokens (
    GArray *tokens, const HirDumpHead *head, HirSource *source, HirFormat *format, GError **error);

/* Finds the logical domains that the printed loop domains hide. */
void hir_dump_infer_domains (HirDumpReader *reader);
/* Fills in the axes of alias selects, once logical domains are known. */
gboolean hir_dump_resolve_cuts (HirDumpReader *reader);

/* A logical axis as far as it is known. */
typedef struct
{
  HirScalar *extent;
  HirIterType type;
  gboolean any_type;
  HirIterDomain *id; /* nullable: the axis itself, where the dump names it */
} HirDumpSlot;

/* The loop domain stays; contiguity is the default. */
void hir_dump_set_logical (HirTensor *tensor, HirIterDomain *const *ids, guint n);
/* Makes @slots the logical domain of @tensor where splits and merges lead from them to its loop
 * domain. FALSE: nothing is changed. @permuted: they are its root domain, the logical one has them
 * in the loop's order. */
gboolean
hir_dump_match_loop (HirTensor *tensor, const HirDumpSlot *slots, guint n, gboolean permuted);

G_END_DECLS
