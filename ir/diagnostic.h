/* Errors for people: a position in a source text, what is wrong, and what to do. */
#pragma once

#include <glib.h>
#include <stdio.h>

G_BEGIN_DECLS

/* Position in the source that a container was read from. Line and column count from 1; line 0 means
 * unknown. Columns count characters, not bytes. */
typedef struct
{
  guint line;
  guint column;
} HirPos;

/* Source text, shared by everything that was read from it. Immutable; any thread may take a
 * reference. */
typedef struct
{
  char *path;   /* as the user gave it; "<text>" if there is no file */
  char *text;   /* UTF-8, NUL-terminated */
  gsize length; /* in bytes */
  gatomicrefcount ref_count;
} HirSource;

/* Copies @text (@length bytes, or up to its NUL if @length is -1). @path is nullable. */
HirSource *hir_source_new (const char *path, const char *text, gssize length);
/* Reads a file of at most 64 MB. @error: HIR_ERROR_INPUT if the file is missing, unreadable or not
 * UTF-8, HIR_ERROR_LIMIT if it is too large. */
HirSource *hir_source_load (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
HirSource *hir_source_ref (HirSource *source);
void hir_source_unref (HirSource *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSource, hir_source_unref)
/* Returns a copy of line @line without its newline, or NULL if there is no such line. */
char *hir_source_dup_line (const HirSource *source, guint line);

typedef enum
{
  HIR_ERROR_INPUT,       /* the file, the script or an option is incorrect */
  HIR_ERROR_SYNTAX,      /* the script does not parse */
  HIR_ERROR_REFUSED,     /* a construct that is understood but not allowed */
  HIR_ERROR_UNSUPPORTED, /* a construct that is known but not implemented */
  HIR_ERROR_LIMIT,       /* too many steps, too much memory, or too large */
  HIR_ERROR_INVALID_IR,  /* the verifier rejects the program */
  HIR_ERROR_RUN,         /* the program failed while it ran */
  HIR_ERROR_CANCELLED,
  HIR_WARNING, /* only of a HirDiagnostic: the script can run in spite of it */
} HirErrorCode;

#define HIR_ERROR (hir_error_quark ())
GQuark hir_error_quark (void);

/* Sets @error (domain HIR_ERROR) with position @pos (nullable); hir_error_get_pos() returns it. The
 * message says what is wrong and what to do. It contains neither the position nor a newline. */
void hir_set_error (GError **error, HirErrorCode code, const HirPos *pos, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
/* Returns the position of @error, or {0, 0} if it has none or belongs to another domain. */
HirPos hir_error_get_pos (const GError *error);
/* Copies @error with its position. An error of another domain becomes HIR_ERROR_RUN. */
GError *hir_error_copy (const GError *error);

/* One message with its position. */
typedef struct
{
  HirErrorCode code;
  HirPos pos;
  char *message;
} HirDiagnostic;

HirDiagnostic *
hir_diagnostic_new (HirErrorCode code, HirPos pos, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Creates a diagnostic with the message and position of @error. The code is HIR_ERROR_INPUT if
 * @error belongs to another domain. */
HirDiagnostic *hir_diagnostic_new_from_error (const GError *error);
void hir_diagnostic_free (HirDiagnostic *diagnostic);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDiagnostic, hir_diagnostic_free)

/* Returns `file:line:column: error: message`, then the source line and a caret under the column,
 * each followed by a newline. Without a position: `file: error: message`; without @source
 * (nullable): `error: message`. */
char *hir_diagnostic_format (const HirDiagnostic *diagnostic, const HirSource *source);
/* Like hir_diagnostic_format(), but for a GError. */
char *hir_error_format (const GError *error, const HirSource *source);

G_END_DECLS
