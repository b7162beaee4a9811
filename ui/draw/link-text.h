/* Finds the things that a sentence names: script positions, ranks, streams and tensors. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A link: the bytes from @start to @end of a text. */
typedef struct
{
  guint start, end;
  char *target; /* of the action `win.link` */
} HirLink;

/* Words that are a link to @target. */
typedef struct
{
  const char *words, *target;
} HirLinkWords;

/* Returns the pattern for hir_link_text_find() (transfer full). */
GRegex *hir_link_text_create_pattern (void);

/**
 * hir_link_text_find:
 * @pattern: from hir_link_text_create_pattern()
 * @words: (array length=n_words): other links; each is found once, and NULL or "" never
 *
 * Finds the links of @text: those of @words, and "line/60" for "line 60" and "a.py:60:5",
 * "instruction/12" for "program line 12", "rank/3" for "rank 3" and in "ranks 2,3-5", "stream/2"
 * for "stream 2", "tensor/5" for "T5". The default stream is a link, but not the name that the
 * program prints for it: "Stream 0 (the default stream)", "Default stream (Stream 0 in the
 * program)".
 *
 * Returns: (transfer full): HirLink, in the order of the text; they do not overlap
 */
GArray *
hir_link_text_find (GRegex *pattern, const char *text, const HirLinkWords *words, guint n_words);

G_END_DECLS
