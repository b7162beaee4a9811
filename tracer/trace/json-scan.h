/* Pull scanner for JSON text in memory, optimized for traces of gigabytes of which most is skipped.
 * It allocates nothing, does not recurse and never reads beyond the text. A trailing comma is
 * allowed, because Chrome writes such traces. A scanner is not thread-safe, but several may read
 * one text. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The byte order mark of UTF-8, which some programs write before a text. */
#define HIR_JSON_BOM "\xef\xbb\xbf"

typedef struct
{
  const char *start, *at, *end;
  const char *error;    /* static text, or NULL; after an error every call returns FALSE */
  const char *error_at; /* position of the error */
  gboolean is_cut;      /* the error is the end of the text; more text may resolve it */
  gboolean has_word;    /* the last skipped value, if no string, had a letter outside of strings */
} HirJson;

/* A string as in the text, between its quotes. */
typedef struct
{
  const char *at;
  guint32 length;
  gboolean escaped; /* contains backslashes */
} HirJsonText;

typedef enum
{
  HIR_JSON_END, /* end of the text */
  HIR_JSON_OBJECT,
  HIR_JSON_ARRAY,
  HIR_JSON_STRING,
  HIR_JSON_NUMBER,
  HIR_JSON_OTHER, /* true, false, null, or invalid text */
} HirJsonKind;

/* Starts at the beginning of @text (borrowed). */
void hir_json_init (HirJson *json, const char *text, gsize length);
/* Returns the kind of the next value. Skips white space. */
HirJsonKind hir_json_peek (HirJson *json);
/* Enters the object or array that follows. */
gboolean hir_json_enter (HirJson *json);
/* Enters the next value if it is of @kind (object or array); otherwise skips it and returns
 * FALSE. */
gboolean hir_json_try_enter (HirJson *json, HirJsonKind kind);
/* Advances to the next element of the array, or past its end. @first must be TRUE before the first
 * call. Returns FALSE at the end and after an error. */
gboolean hir_json_next_element (HirJson *json, gboolean *first);
/* Like hir_json_next_element(), but for an object: also reads the key and the colon. */
gboolean hir_json_next_member (HirJson *json, gboolean *first, HirJsonText *key);
/* Reads the string that follows. */
gboolean hir_json_read_string (HirJson *json, HirJsonText *text);
/* Skips the next value of any kind. */
gboolean hir_json_skip (HirJson *json);
/* Returns whether @text starts with a complete object. Anything may follow. */
gboolean hir_json_is_object (const char *text, gsize length);
/* Reads an integer, saturated. Truncates fractions; accepts a string that starts with a number.
 * Returns FALSE without an error and skips the value if it is not a number. */
gboolean hir_json_read_int (HirJson *json, gint64 *value);
/* Converts microseconds in decimal notation to nanoseconds exactly, without a double, which has no
 * ns resolution at 4.4e12 µs. Rounds further digits. Returns FALSE like hir_json_read_int(). */
gboolean hir_json_read_us (HirJson *json, gint64 *ns);
/* Longer strings are truncated, to limit allocation. */
#define HIR_JSON_MAX_TEXT (1024 * 1024)
/* Returns any value as text: a string unescaped (invalid UTF-8 and lone surrogates become U+FFFD),
 * other values as in the text. Free with g_free(). Returns NULL after an error. */
char *hir_json_dup_value (HirJson *json);
/* Returns @text unescaped. Free with g_free(). */
char *hir_json_text_dup (const HirJsonText *text);
/* Returns whether @text equals @word. */
gboolean hir_json_text_is (const HirJsonText *text, const char *word);

/* Sets the error unless one is set. @message must be static. Returns FALSE. */
gboolean hir_json_fail (HirJson *json, const char *message);

G_END_DECLS
