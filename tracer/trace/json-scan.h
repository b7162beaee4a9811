/* A pull scanner for JSON text in memory: for traces of gigabytes, of which most is skipped. It
 * allocates nothing, never recurses, and reads no byte outside of the text. A comma too many before
 * a closing bracket is allowed (Chrome writes such traces). Not thread-safe; many may read one
 * text. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *start, *at, *end;
  const char *error;    /* static text; NULL: none. After one every call gives FALSE */
  const char *error_at; /* where */
  gboolean is_cut;      /* the error is that the text ends: with more of it there might be none */
} HirJson;

/* A string as it stands in the text, between its quotes. */
typedef struct
{
  const char *at;
  guint32 length;
  gboolean escaped; /* has backslashes */
} HirJsonText;

typedef enum
{
  HIR_JSON_END, /* of the text */
  HIR_JSON_OBJECT,
  HIR_JSON_ARRAY,
  HIR_JSON_STRING,
  HIR_JSON_NUMBER,
  HIR_JSON_OTHER, /* true, false, null, or what is no JSON */
} HirJsonKind;

/* Borrows @text. */
void hir_json_init (HirJson *json, const char *text, gsize length);
/* Of the value that comes next; skips white space. */
HirJsonKind hir_json_peek (HirJson *json);
/* Into the object or array that comes next. */
gboolean hir_json_enter (HirJson *json);
/* Enters the value that follows if it is of @kind (object or array); otherwise skips it and returns FALSE. */
gboolean hir_json_try_enter (HirJson *json, HirJsonKind kind);
/* To the next element of the array, or behind its end. *@first is TRUE before the first call. FALSE
 * at the end, and after an error. */
gboolean hir_json_next_element (HirJson *json, gboolean *first);
/* The same in an object: reads the key and its colon. */
gboolean hir_json_next_member (HirJson *json, gboolean *first, HirJsonText *key);
gboolean hir_json_read_string (HirJson *json, HirJsonText *text);
/* Over a value of any kind. */
gboolean hir_json_skip (HirJson *json);
/* Returns whether @text starts with a complete object; anything may follow. */
gboolean hir_json_is_object (const char *text, gsize length);
/* An integer; of a fraction the whole part, of a string the number it begins with. FALSE without an
 * error where it is no number; the value is skipped. Saturates. */
gboolean hir_json_read_int (HirJson *json, gint64 *value);
/* Microseconds as decimal text to nanoseconds, exactly: no double on the way (4.4e12 us has no
 * nanoseconds left in one). Further digits are rounded. FALSE as hir_json_read_int(). */
gboolean hir_json_read_us (HirJson *json, gint64 *ns);
/* Longer texts are cut, so that no file makes us allocate as it likes. */
#define HIR_JSON_MAX_TEXT (1024 * 1024)
/* Any value as text: strings unescaped (lone surrogates and bad UTF-8 become U+FFFD), others as
 * they stand. Newly allocated; NULL after an error. */
char *hir_json_dup_value (HirJson *json);
char *hir_json_text_dup (const HirJsonText *text);
gboolean hir_json_text_is (const HirJsonText *text, const char *word);

/* Sets the error, unless there is one; gives FALSE. @message must be static. */
gboolean hir_json_fail (HirJson *json, const char *message);

G_END_DECLS
