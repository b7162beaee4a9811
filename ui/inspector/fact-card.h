/* A card of the inspector: names at the left, values at the right, some of them links. Where there is no room for that
 * beside each other (large text) a value stands below its name. */
#pragma once

#include <gtk/gtk.h>

#include "program/program.h"

G_BEGIN_DECLS

/* "ForLoop" as "For Loop"; to be freed. */
char *hir_fact_split_words (const char *kind);
/* Who made what is in the first step of @program: "the script", or "the dump". */
const char *hir_fact_get_author (const HirProgram *program);
/* Returns the fact @name of @info (borrowed), or NULL. */
const HirFact *hir_fact_find (const HirNodeInfo *info, const char *name);
/* The small capitals above a card. */
GtkWidget *hir_fact_heading_new (const char *text);

#define HIR_TYPE_FACT_CARD (hir_fact_card_get_type ())
G_DECLARE_FINAL_TYPE (HirFactCard, hir_fact_card, HIR, FACT_CARD, GtkWidget)

/* Signal: activate-link (const char *uri). */
HirFactCard *hir_fact_card_new (void);
/* Nobody can click it: no link to copy what is too long to be shown. For what is added from now on. */
void hir_fact_card_set_only_seen (HirFactCard *self);
/* @name NULL: @value is the card's own title, over both columns. @uri (nullable) makes a link of it. */
void
hir_fact_card_add (HirFactCard *self, const char *name, const char *value, const char *uri);
/* A line over both columns, wrapped, dim. */
void hir_fact_card_add_note (HirFactCard *self, const char *text);
/* Adds the position in the script. Does nothing if @line is 0 or @program has no script. */
void hir_fact_card_add_script (HirFactCard *self, const HirProgram *program, guint line);
/* Adds "and 3 more" if a list of @n items shows @n_shown only. */
void hir_fact_card_add_rest (HirFactCard *self, guint n, guint n_shown);

G_END_DECLS
