/* Card of the inspector: names at the left, values at the right, some of them links. In a narrow
 * card, or with large text, values are below their names. */
#pragma once

#include <gtk/gtk.h>

#include "program/program.h"

G_BEGIN_DECLS

/* Returns "For Loop" for "ForLoop" (transfer full). */
char *hir_fact_split_words (const char *kind);
/* Returns the source of @program's first step: "the script" or "the dump". */
const char *hir_fact_get_author (const HirProgram *program);
/* Returns the fact @name of @info (borrowed), or NULL. */
const HirFact *hir_fact_find (const HirNodeInfo *info, const char *name);
/* Creates the heading of a card, in small capitals. */
GtkWidget *hir_fact_heading_new (const char *text);

#define HIR_TYPE_FACT_CARD (hir_fact_card_get_type ())
G_DECLARE_FINAL_TYPE (HirFactCard, hir_fact_card, HIR, FACT_CARD, GtkWidget)

/* Creates an empty card. Signal `activate-link` (const char *uri). */
HirFactCard *hir_fact_card_new (void);
/* Marks the card as not clickable: values added later get no link that copies them. */
void hir_fact_card_set_only_seen (HirFactCard *self);
/* Adds a row. With @name NULL, @value is the title of the card over both columns. With @uri
 * (nullable) the value is a link; otherwise the things that it names are, see links.h. */
void hir_fact_card_add (HirFactCard *self, const char *name, const char *value, const char *uri);
/* Adds a row whose value may be shortened. It is a link that copies all of it, and has it as its
 * tooltip. */
void hir_fact_card_add_copied (HirFactCard *self, const char *name, const char *value);
/* Adds a dim, wrapped line over both columns. */
void hir_fact_card_add_note (HirFactCard *self, const char *text);
/* Adds the position in the script. Does nothing if @line is 0 or @program has no script. */
void hir_fact_card_add_script (HirFactCard *self, const HirProgram *program, guint line);
/* Adds "and 3 more" if a list of @n items shows @n_shown only. */
void hir_fact_card_add_rest (HirFactCard *self, guint n, guint n_shown);

G_END_DECLS
