/* The text of a host program, and the changes of it that can add synchronization: a Synchronize or
 * Wait at any place, a Wait moved to another place, and a loop that only synchronizes, next to an
 * existing loop. */
#pragma once

#include "program/program.h"

G_BEGIN_DECLS

/* One change of a text. Lines count from 0. */
typedef struct
{
  int at;       /* the lines are inserted before this line */
  int gone;     /* line that is removed; -1: none */
  guint indent; /* columns */
  guint n_lines;
  char *lines; /* separated by newlines, without @indent; "" if nothing is inserted */
  char *frees; /* nullable: short form of @lines if they are Deallocates: "Deallocate T3, T5" */
} HirRepairEdit;

/* Creates a change; copies @lines. */
HirRepairEdit *hir_repair_edit_new (int at, guint indent, const char *lines, int gone);
void hir_repair_edit_free (HirRepairEdit *edit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRepairEdit, hir_repair_edit_free)

/* A printed host program. */
typedef struct
{
  GPtrArray *lines;        /* char* */
  GArray *places;          /* Place: where an instruction may be inserted, the last place first */
  GPtrArray *streams;      /* char*: the distinct streams, "Stream 0" */
  HirContainer *container; /* borrowed; positions of its instructions are lines of the text */
  gboolean is_2026;        /* Synchronize(Stream 0) instead of Synchronize Stream 0 */
} HirRepairText;

/* Splits @text. @container is the program that was read from it and must outlive the result. */
HirRepairText *hir_repair_text_new (const char *text, HirContainer *container);
void hir_repair_text_free (HirRepairText *text);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRepairText, hir_repair_text_free)

/* Returns the first and the last line where a change can order line @first before line @second: the
 * outermost loops of both belong to the range. -1 is the caller. */
void
hir_repair_text_get_range (const HirRepairText *text, int first, int second, int *from, int *to);
/* Returns all changes at lines @from to @to, except Deallocates (transfer full, HirRepairEdit*). */
GPtrArray *hir_repair_text_dup_edits (const HirRepairText *text, int from, int to);
/* Returns the text with @edits (transfer full). */
char *hir_repair_text_apply (const HirRepairText *text, HirRepairEdit *const *edits, guint n_edits);

/* Describes a change (transfer full): "insert Synchronize Stream 0 before T5 = Set(T4) in line
 * 13". */
char *hir_repair_text_describe (const HirRepairText *text, const HirRepairEdit *edit);
/* Describes change @i after all @edits were made (transfer full): "inserted Synchronize Stream 0 in
 * line 13". This is the line in the new text. Removed lines have their number in the old text. */
char *hir_repair_text_log (const HirRepairText *text,
                           HirRepairEdit *const *edits,
                           guint n_edits,
                           guint i);

G_END_DECLS
