/* Internal declarations for the inference of logical domains. */
#pragma once

#include "dump/read-dump-internal.h"

G_BEGIN_DECLS

typedef struct
{
  HirDumpReader *reader;
  HirDumpNames *names;
  HirContainer *container;
  /* HirTensor*: scheduled tensors whose logical axes are not known yet */
  GHashTable *unresolved;
  GHashTable *resolved; /* HirTensor* that were unresolved before */
  GPtrArray *exprs;     /* HirExpr* of all scopes */
  gboolean changed;
} HirDumpInference;

/* Tensors with more axes keep their printed domain as the logical domain. */
#define HIR_DUMP_MAX_AXES 16

/* Numbering of the axes of a container, for all its tensors. */
typedef struct
{
  GHashTable *printed; /* number of each axis -> the first HirTensor* with it */
  GHashTable *later;   /* HirTensor* -> 1 + the smallest axis number of the tensors after it */
  GHashTable *starts;  /* HirTensor* -> 1 + the number of its first logical axis, if it is known */
  GHashTable *ends;    /* HirTensor* -> 1 + the number of its last logical axis, if it is likely */
  GHashTable *after_gap; /* set of HirTensor* whose predecessor by number is not printed */
  GHashTable *cut;       /* set of HirIterDomain* that a select cuts */
  GHashTable *decided;   /* set of HirTensor* whose splits are known */
  int n_sure;            /* number of tensors before the first that is not printed */
  int first_missing;     /* smallest number of no axis */
  int first_split;       /* number of the first axis that is known to result from a split */
  gboolean is_host, has_units;
  gboolean is_cut_by_stream; /* 2026: there is a ShardByStream */
  gboolean has_selects;      /* 2025: stream axes are logical axes */
} HirDumpNumbering;

/* A rotated stream axis of the printed domain. */
typedef struct
{
  HirTensor *tensor;
  guint position;        /* in the loop domain */
  HirIterDomain *stream; /* the printed axis */
  HirIterDomain *outer;  /* the axis that it rotates, which is not printed */
} HirDumpSwizzle;

/* Replaces each stream axis that seems to rotate another axis by that one, if the program has a
 * CollectivePermute. Returns HirDumpSwizzle; pass them to hir_dump_restore_swizzles(). */
GArray *hir_dump_hide_swizzles (HirDumpInference *inference);
/* Puts the stream axes back, with a swizzle if a split of the other axis was found. Frees
 * @swizzles. */
void hir_dump_restore_swizzles (GArray *swizzles);

/* Returns the extent of the axis that was split into @outer, whose extent is constant, and @inner;
 * NULL if they do not show a split. */
HirScalar *
hir_dump_unsplit (HirContainer *container, const HirIterDomain *outer, const HirIterDomain *inner);
/* Returns TRUE if @outer and @inner can be the two parts of a split. */
gboolean hir_dump_may_split (const HirDumpNumbering *numbering,
                             const HirIterDomain *outer,
                             const HirIterDomain *inner);
/* Returns TRUE if @first can be the outer part of an axis whose inner part, which is not printed,
 * is split again into @outer and @inner. @is_sure: only if the extents show it. */
gboolean hir_dump_may_nest (const HirDumpNumbering *numbering,
                            const HirIterDomain *first,
                            const HirIterDomain *outer,
                            const HirIterDomain *inner,
                            gboolean is_sure);
/* Returns TRUE if the extents of @tensor show a split for certain. */
gboolean hir_dump_shows_split (const HirTensor *tensor);
/* Returns TRUE if the numbers show whether axes of @tensor result from a split. */
gboolean hir_dump_is_known (const HirDumpNumbering *numbering, const HirTensor *tensor);
/* Returns TRUE if no axis of @tensor results from a split, by its numbers; a guess unless
 * hir_dump_is_known(). */
gboolean hir_dump_is_as_defined (const HirDumpNumbering *numbering, const HirTensor *tensor);
/* Returns TRUE if tensors after @tensor have axes with smaller numbers, so that all of its axes
 * result from splits, unless it was replaced. */
gboolean hir_dump_follows_later (const HirDumpNumbering *numbering, const HirTensor *tensor);
/* Reads the numbers of all axes of a container. */
void hir_dump_numbering_init (HirDumpNumbering *numbering, HirDumpInference *inference);
void hir_dump_numbering_clear (HirDumpNumbering *numbering);

/* Finds the logical axes of tensors whose axis numbers reveal their splits, and marks the tensors
 * as resolved. */
void hir_dump_pair_splits (HirDumpInference *inference);
/* The numbers of a tensor's axes. */
typedef struct
{
  int min, max;
  gboolean is_run; /* consecutive, in any order */
  gboolean has_rfactor;
} HirDumpNumbers;
HirDumpNumbers hir_dump_get_numbers (const HirTensor *tensor);
/* Returns TRUE if @tensor is the result of a Set.Permute in any container. Tensors of a HostUnit
 * are also printed outside it, where nothing shows the permutation. */
gboolean hir_dump_is_permuted (const HirDumpInference *inference, const HirTensor *tensor);
/* Sorts the axes of @tensor by number, as in its definition, unless it is permuted. */
void hir_dump_sort_axes (HirDumpInference *inference, HirTensor *tensor);
/* Returns the slot for @id as printed. */
HirDumpSlot hir_dump_slot_of (const HirIterDomain *id);
/* Compares values by number; for qsort() and g_ptr_array_sort(). */
int hir_dump_compare_names (gconstpointer a, gconstpointer b);
/* Infers the logical axes of the output of @expr from those of the inputs. Returns an array of
 * HirDumpSlot; NULL or empty if they cannot be inferred. */
GArray *hir_dump_infer_output (HirDumpInference *inference, const HirExpr *expr);
/* Infers the logical axes of the first input of @expr from those of output @out, like
 * hir_dump_infer_output(). */
GArray *
hir_dump_infer_input (HirDumpInference *inference, const HirExpr *expr, const HirTensor *out);
/* Infers the axes of @tensor from its loop domain alone, which may show splits and merges. @rank:
 * the expected number of axes; 0 if it is unknown. Then constants are kept, because they could be
 * anything. */
GArray *hir_dump_infer_from_loop (HirDumpInference *inference, const HirTensor *tensor, guint rank);
/* Corrects the extents of axes that were split into constants, by the tensors that the ops of the
 * container relate to them. Returns TRUE if it changes one. */
gboolean hir_dump_correct_extents (HirDumpInference *inference);
/* Like hir_dump_correct_extents(), for @tensor, by @other: the same tensor on the other side of a
 * HostUnit. */
gboolean hir_dump_correct_across (const HirTensor *tensor, const HirTensor *other);

G_END_DECLS
