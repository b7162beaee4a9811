/* Relates the instructions of lowered programs to the ops of their script. Two programs of one
 * script can be compared by it even if different pipelines made them and they share no instruction.
 *
 * An instruction belongs to the ops of the fusion that it was derived from. Ops that one
 * instruction computes, a kernel for example, form one group in both programs. Loops, and
 * instructions that switch and synchronize streams, belong to no op. */
#pragma once

#include "view/program-view.h"

G_BEGIN_DECLS

/* An instruction of the last snapshot. The label is borrowed from the snapshot. */
typedef struct
{
  guint64 id;
  const char
      *role; /* kind of instruction, or what both pipelines do by different kinds; borrowed */
  const char *label;
  guint line;  /* of the printed program, from 1 */
  guint depth; /* number of enclosing loops and branches */
} HirOpLine;

/* Ops of the script that are compared as one. */
typedef struct
{
  char *label;      /* "T2 = linear(T0, T1)"; several are joined by "; " */
  HirPos pos;       /* of the first op; line 0 if unknown */
  GArray *lines[2]; /* HirOpLine, in the order of each program */
} HirOpGroup;

typedef struct _HirOpTable HirOpTable;

/* Creates a table of the program @a and, unless it is NULL, @b: HirProgramView*, one per snapshot
 * in pass order, of which the first is the fusion. They must outlive the table. */
HirOpTable *hir_op_table_new (GPtrArray *a, GPtrArray *b);
void hir_op_table_free (HirOpTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirOpTable, hir_op_table_free)

/* Returns the groups, HirOpGroup*, in the order of the script (borrowed). The last one has no label
 * and contains the instructions of no op. */
const GPtrArray *hir_op_table_get_groups (const HirOpTable *table);
/* Returns the index of the group of instruction @id of program @side (0: @a, 1: @b), or -1 if the
 * program does not have the instruction or it belongs to no op. */
int hir_op_table_find (const HirOpTable *table, guint side, guint64 id);
/* Returns the instruction of the other program that corresponds to @id of program @side: the one
 * with the same role for the same op, otherwise the first that computes or communicates for that
 * op. Returns 0 if there is none. */
guint64 hir_op_table_find_counterpart (const HirOpTable *table, guint side, guint64 id);
/* Returns TRUE if the two fusions have an op in common. */
gboolean hir_op_table_is_one_script (const HirOpTable *table);

/* Returns both programs next to each other, group by group, with the labels and line numbers of the
 * instructions. @path is that of the script, @names are the headings. Newly allocated. */
char *hir_op_table_to_text (const HirOpTable *table, const char *path, const char *const names[2]);

G_END_DECLS
