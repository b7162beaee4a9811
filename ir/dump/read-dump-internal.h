/* Internal declarations of the dump reader: tokens, state, and one function per part of the
 * grammar. On a syntax error, a reading function sets reader->error and returns NULL or FALSE. */
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

/* Blanks and line ends are ignored except in `indent`, the column of the first token of the line.
 */
typedef struct
{
  HirDumpTokenKind kind;
  const char *text; /* in the source */
  guint length;     /* in bytes */
  HirPos pos;
  guint indent;
  gboolean glued; /* no blank precedes it */
} HirDumpToken;

/* Position of a dump and what identifies its lines. */
typedef struct
{
  guint line;   /* counted from 0 */
  guint offset; /* bytes of that line before the dump */
  char *tag;    /* prefix of its lines without time stamps, or "" */
  char *pass_name;
  gboolean is_host;
} HirDumpHead;

/* A text, split into lines. */
typedef struct
{
  HirSource *source;
  GArray *starts; /* gsize; one more than the number of lines */
  gboolean *used; /* one per line: TRUE if it belongs to a dump */
} HirDumpLines;

/* Splits @source into lines. */
HirDumpLines *hir_dump_lines_new (HirSource *source);
void hir_dump_lines_free (HirDumpLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDumpLines, hir_dump_lines_free)
/* Returns line @i without its line end, and its length in bytes. */
const char *hir_dump_lines_get (const HirDumpLines *lines, guint i, gsize *length);
guint hir_dump_lines_get_n (const HirDumpLines *lines);
/* Returns the tag in @text, which precedes a program on its line: without time stamps, and without
 * blanks at the end. */
char *hir_dump_dup_tag (const char *text, gsize length);
/* Sets *@from to the bytes before the text behind @tag and time stamps, and *@stamps to those of
 * the time stamps. Returns FALSE if the line has another tag. */
gboolean
hir_dump_skip_tag (const char *tag, const char *text, gsize length, gsize *from, gsize *stamps);
/* Returns the tokens from @head to the comment that closes the dump, followed by an END. Marks the
 * lines as used. */
GArray *hir_dump_lex (HirDumpLines *lines, const HirDumpHead *head);

/* Returns TRUE if @token is @text. */
gboolean hir_dump_token_is (const HirDumpToken *token, const char *text);
#define HIR_DUMP_MAX_NUMBER 1000000000

/* Parses `i83`: sets *@number to the digits after a prefix of @n_prefix bytes. Returns FALSE for
 * other texts and for numbers above HIR_DUMP_MAX_NUMBER. */
gboolean hir_dump_split_number (const char *text, guint length, guint n_prefix, int *number);

/* Names of one container. A HostUnit has its own values. */
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
  HirDumpNames *names;  /* names of the container that is read */
  GPtrArray *all_names; /* HirDumpNames*, owned: the program's, then those of the HostUnits */
  /* number -> GPtrArray of the different printed texts with that number */
  GHashTable *tensor_texts;
  GHashTable *streams;    /* printed text -> HirStream* */
  GHashTable *posted;     /* number -> HirExpr* that a Wait refers to */
  GArray *early_waits;    /* nullable: Waits that stand before their communication */
  GArray *posts;          /* HirDumpPost */
  GArray *cuts;           /* HirDumpCut */
  GHashTable *permuted;   /* HirTensor*: results of a Set.Permute */
  GHashTable *shared;     /* HirExpr*: messages of a ShareMemHandles that have not been posted */
  HirExpr *last_dispatch; /* nullable */
  guint depth;            /* nesting depth of scalars */
  guint n_loops;          /* number of enclosing loops */
  GError *error;
};

/* A PostOnStream whose HostUnit follows later. */
typedef struct
{
  HirExpr *expr;
  int unit;
  HirPos pos;
} HirDumpPost;

/* A HirAliasSelect, whose axis may be missing from the printed loop domain. */
typedef struct
{
  HirExpr *expr;
  HirIterDomain *axis;
  HirPos pos;
} HirDumpCut;

/* Creates an empty table of names for @container. */
HirDumpNames *hir_dump_names_new (HirContainer *container);
void hir_dump_names_free (HirDumpNames *names);

/* Returns the next token. */
const HirDumpToken *hir_dump_peek (const HirDumpReader *reader);
/* Returns the token @ahead tokens after the next one. */
const HirDumpToken *hir_dump_peek_at (const HirDumpReader *reader, guint ahead);
/* Returns TRUE if the next token is @text. */
gboolean hir_dump_at (const HirDumpReader *reader, const char *text);
/* Consumes and returns the next token. */
const HirDumpToken *hir_dump_next (HirDumpReader *reader);
/* Consumes the next token if it is @text. */
gboolean hir_dump_accept (HirDumpReader *reader, const char *text);
/* Consumes the tokens in @texts, separated by blanks ("( input ="), or fails. */
gboolean hir_dump_expect (HirDumpReader *reader, const char *texts);
/* Sets the error "expected WHAT, found `x`" at the next token. Returns FALSE. */
gboolean hir_dump_fail_expected (HirDumpReader *reader, const char *what);
/* Sets the error at @token unless one is set. Returns FALSE. */
gboolean hir_dump_fail (HirDumpReader *reader,
                        const HirDumpToken *token,
                        HirErrorCode code,
                        const char *format,
                        ...) G_GNUC_PRINTF (4, 5);
/* Sets the error "X is known and not read". Returns FALSE. */
gboolean hir_dump_refuse (HirDumpReader *reader, const HirDumpToken *token, const char *what);
/* Returns the text from token @from to the next token, without blanks. Newly allocated. */
char *hir_dump_dup_text (const HirDumpReader *reader, guint from);
/* Stamps the next nodes with @name and the position of @token. */
void hir_dump_stamp (HirDumpReader *reader, const HirDumpToken *token, const char *name);

/* Creates an Expr, stamped with @name or, if @name is NULL, with the name of @out (NULL if it has
 * no output). */
HirExpr *hir_dump_new_expr (HirDumpReader *reader,
                            const HirDumpToken *start,
                            const char *name,
                            HirExprKind kind,
                            HirVal *const *inputs,
                            guint n_inputs,
                            HirTensor *out);

/* Creates an Expr without operands. */
HirExpr *hir_dump_new_bare (HirDumpReader *reader,
                            const HirDumpToken *start,
                            HirExprKind kind,
                            const char *name);

/* Reads a whole number. */
gboolean hir_dump_read_int (HirDumpReader *reader, gint64 *value);
/* Reads `true` or `false`. */
gboolean hir_dump_read_bool (HirDumpReader *reader, gboolean *value);
/* Reads a scalar by name or value. */
HirScalar *hir_dump_read_scalar (HirDumpReader *reader);
/* Reads a scalar with its definition written out. */
HirScalar *hir_dump_read_inline (HirDumpReader *reader);
/* Returns the scalar of another container that prints like @scalar, or NULL. */
HirScalar *hir_dump_translate (HirDumpNames *names, const HirScalar *scalar, guint depth);
/* Reads `ceilDiv(i0, 3)` or `i0 * 3`; @read reads an operand. */
HirScalar *hir_dump_read_formula (HirDumpReader *reader, HirScalar *(*read) (HirDumpReader *) );
/* Reads `i7 = i0 * i2;` in a fusion. */
gboolean hir_dump_read_scalar_definition (HirDumpReader *reader);
/* Reads an axis: `iS0{i0}`. */
HirIterDomain *hir_dump_read_axis (HirDumpReader *reader);
/* Reads a tensor with its domain. */
HirTensor *hir_dump_read_tensor (HirDumpReader *reader);
/* Returns TRUE if the next token starts a tensor. */
gboolean hir_dump_at_tensor (const HirDumpReader *reader);
/* Reads a tensor or a scalar. */
HirVal *hir_dump_read_operand (HirDumpReader *reader);
/* Reads a stream. */
HirStream *hir_dump_read_stream (HirDumpReader *reader);
/* Reads devices up to @close: `(0 1 2)`, or `{0 1}` of a mesh, without the opening bracket. */
gboolean hir_dump_read_devices (HirDumpReader *reader, const char *close, GArray *devices);

/* Reads a tensor op after `T0 =`. Returns NULL without an error if the next tokens are not a tensor
 * op. */
HirExpr *hir_dump_read_op (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start);
/* Reads `(T0, i1, ...)`: tensors and scalars. */
gboolean hir_dump_read_operands (HirDumpReader *reader, GPtrArray *operands);
/* Looks up a binary op that prints as a function: `max`, `powf`. */
gboolean hir_dump_lookup_function (const char *word, HirBinaryOp *op);
/* Reads `relu(T0)` after its @name. */
HirExpr *hir_dump_read_function (HirDumpReader *reader,
                                 HirTensor *out,
                                 const HirDumpToken *start,
                                 const HirDumpToken *name);
/* Reads `(double)(T0)`. */
HirExpr *hir_dump_read_c_cast (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start);
/* Reads `T0 + T1` or `-T0`. */
HirExpr *hir_dump_read_infix (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start);
/* Connects each Wait that precedes its communication with it. */
gboolean hir_dump_connect_waits (HirDumpReader *reader);
/* Reads a Wait. */
HirExpr *hir_dump_read_wait (HirDumpReader *reader, const HirDumpToken *start);
/* Reads a Communication. */
HirExpr *hir_dump_read_communication (HirDumpReader *reader, const HirDumpToken *start);
/* Reads a P2PCommunication. */
HirExpr *hir_dump_read_p2p (HirDumpReader *reader, const HirDumpToken *start);
/* Reads a CollectivePermute. */
HirExpr *hir_dump_read_collective_permute (HirDumpReader *reader, const HirDumpToken *start);
/* Reads the number of a communication. */
gboolean hir_dump_read_comm_number (HirDumpReader *reader, int *number);
/* Reads `backend=NCCL`. */
gboolean hir_dump_read_backend (HirDumpReader *reader, HirCommBackend *backend);
/* Reads `{T0, i1}`; a last comma is optional. */
gboolean hir_dump_read_braced (HirDumpReader *reader, GPtrArray *vals);
/* Returns TRUE if the next tokens are `i7 =`. */
gboolean hir_dump_at_scalar_definition (const HirDumpReader *reader);
/* Reads `i7 = i0 * i2;` in a loop body. */
HirExpr *hir_dump_read_scalar_statement (HirDumpReader *reader, const HirDumpToken *start);
/* Reads the index definitions after a program, if there are any, without moving. Call before the
 * statements are read, so that a formula written out there is the defined scalar. */
gboolean hir_dump_read_index_block (HirDumpReader *reader);
/* Reads a LaunchKernel. */
HirExpr *hir_dump_read_launch (HirDumpReader *reader, const HirDumpToken *start);
/* Reads a ShareMemHandles. */
HirExpr *hir_dump_read_handles (HirDumpReader *reader, const HirDumpToken *start);
/* Reads a SymmetricContiguousView. */
HirExpr *
hir_dump_read_symmetric_view (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start);
/* Reads a Dispatch or a Combine. */
HirExpr *hir_dump_read_moe (HirDumpReader *reader, const HirDumpToken *start);
/* Reads an EndCoalescing. */
HirExpr *hir_dump_read_end_coalescing (HirDumpReader *reader, const HirDumpToken *start);
/* Reads the statements that are indented deeper than @indent into @scope. */
gboolean hir_dump_read_scope (HirDumpReader *reader, HirScope *scope, guint indent, guint depth);

/* Reads one dump. Sets *@format in any case. */
HirContainer *hir_dump_read_tokens (
    GArray *tokens, const HirDumpHead *head, HirSource *source, HirFormat *format, GError **error);

/* Sets the units of the LaunchKernels of @program whose math @fusion contains. */
void hir_dump_attach_kernels (HirContainer *program, HirContainer *fusion);

/* Infers the logical domains that are not visible in the printed loop domains. */
void hir_dump_infer_domains (HirDumpReader *reader);
/* Sets the axes of alias selects. Call after the logical domains are known. */
gboolean hir_dump_resolve_cuts (HirDumpReader *reader);

/* What is known of a logical axis. */
typedef struct
{
  HirScalar *extent;
  HirIterType type;
  gboolean any_type;
  HirIterDomain *id; /* the axis itself, if the dump names it (nullable) */
} HirDumpSlot;

/* Sets the logical domain of @tensor with default contiguity. Keeps its loop domain. */
void hir_dump_set_logical (HirTensor *tensor, HirIterDomain *const *ids, guint n);
/* Makes @slots the logical domain of @tensor if splits and merges lead from them to its loop
 * domain; otherwise returns FALSE and changes nothing. @permuted: @slots are the root domain, and
 * the logical domain has them in the order of the loop domain. */
gboolean
hir_dump_match_loop (HirTensor *tensor, const HirDumpSlot *slots, guint n, gboolean permuted);

G_END_DECLS
