/* Errors that a person reads: a place in a source text, what is wrong, and what to do. */
#pragma once

#include <glib.h>
#include <stdio.h>

G_BEGIN_DECLS

/* A place in the source that a container was read from. Both count from 1; line 0 means unknown.
 * Columns count characters (not bytes). */
typedef struct
{
  guint line;
  guint column;
} HirPos;

/* A text that was read, shared by everything that came of it. Immutable; counted atomically. */
typedef struct
{
  char *path;   /* as given by the user; "<text>" where there is no file */
  char *text;   /* UTF-8, NUL-terminated */
  gsize length; /* bytes */
  gatomicrefcount ref_count;
} HirSource;

HirSource *hir_source_new (const char *path, const char *text, gssize length);
/* Reads at most 64 MB. Errors: HIR_ERROR_INPUT (missing, unreadable, too large, not UTF-8). */
HirSource *hir_source_load (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
HirSource *hir_source_ref (HirSource *source);
void hir_source_unref (HirSource *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSource, hir_source_unref)
/* Line @line without its newline, newly allocated; NULL if there is no such line. */
char *hir_source_dup_line (const HirSource *source, guint line);

typedef enum
{
  HIR_ERROR_INPUT,       /* the file, the script or the options are wrong */
  HIR_ERROR_SYNTAX,      /* the script does not parse */
  HIR_ERROR_REFUSED,     /* a construct that is understood and not allowed */
  HIR_ERROR_UNSUPPORTED, /* a construct that is known and not implemented yet */
  HIR_ERROR_LIMIT,       /* too many steps, too much memory, too long */
  HIR_ERROR_INVALID_IR,  /* the verifier found the program broken */
  HIR_ERROR_RUN,         /* the program failed while it ran */
  HIR_ERROR_CANCELLED,
} HirErrorCode;

#define HIR_ERROR (hir_error_quark ())
GQuark hir_error_quark (void);

/* Sets @error (domain HIR_ERROR) with a position, which hir_error_get_pos() gives back. @pos may be
 * NULL. The message has no position in it and no newline: "what is wrong, and what to do". */
void hir_set_error (GError **error, HirErrorCode code, const HirPos *pos, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
/* {0, 0} where the error has no position or is of another domain. */
HirPos hir_error_get_pos (const GError *error);
/* Copies @error with its position. An error of another domain becomes HIR_ERROR_RUN. */
GError *hir_error_copy (const GError *error);

/* One message with its place. */
typedef struct
{
  HirErrorCode code;
  HirPos pos;
  char *message;
} HirDiagnostic;

HirDiagnostic *hir_diagnostic_new (HirErrorCode code, HirPos pos, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* With the error's position, if it has one; of another domain it counts as HIR_ERROR_INPUT. */
HirDiagnostic *hir_diagnostic_new_from_error (const GError *error);
void hir_diagnostic_free (HirDiagnostic *diagnostic);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDiagnostic, hir_diagnostic_free)

/* `file:line:column: error: message`, then the line and a caret under the column, each ending in a
 * newline. Without a position: `file: error: message` or, without a @source, `error: message`.
 * @source may be NULL. */
char *hir_diagnostic_format (const HirDiagnostic *diagnostic, const HirSource *source);
char *hir_error_format (const GError *error, const HirSource *source);

G_END_DECLS
