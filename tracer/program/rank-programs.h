/* The programs of all ranks of one lowering. Programs differ by rank: a team is the slice of the
 * mesh that contains the rank, and a rank outside of a mesh skips its instructions. Each
 * distinct program is stored once, with its ranks. Immutable; any thread may read it. */
#pragma once

#include "program/program.h"
#include "trace/recording/recording.h"

G_BEGIN_DECLS

typedef struct
{
  HirProgram *program; /* request->rank is the first of ranks, except for the displayed program */
  GArray *ranks;       /* int, ascending; at least one */
} HirRankProgram;

typedef struct
{
  gatomicrefcount ref_count;
  GPtrArray *programs; /* HirRankProgram*, in order of their first ranks */
} HirRankPrograms;

/**
 * hir_rank_programs_new:
 *
 * Lowers the fusion of @program for every other rank. There is one entry if there is one device, no
 * mesh, or nothing to lower (a recording or a printed program). If a pass fails for a rank, its
 * program has this error. Blocks; any thread.
 *
 * Returns: (transfer full): NULL if cancelled
 */
HirRankPrograms *hir_rank_programs_new (HirProgram *program,
                                        GCancellable *cancellable,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
HirRankPrograms *hir_rank_programs_ref (HirRankPrograms *programs);
void hir_rank_programs_unref (HirRankPrograms *programs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRankPrograms, hir_rank_programs_unref)

/* Returns the index of the entry of @rank, or -1. */
int hir_rank_programs_find (const HirRankPrograms *programs, int rank);
/* Returns the index of the entry of @program, or -1. */
int hir_rank_programs_find_program (const HirRankPrograms *programs, const HirProgram *program);
/* Returns entry @i (borrowed). */
static inline const HirRankProgram *
hir_rank_programs_get (const HirRankPrograms *programs, guint i)
{
  return (const HirRankProgram *) g_ptr_array_index (programs->programs, i);
}
/* Describes the ranks (transfer full): "rank 0", "ranks 1–7", "ranks 0, 2, 4–6". */
char *hir_rank_program_dup_label (const HirRankProgram *program);

/* Calls hir_rank_programs_new() in a worker thread. */
void hir_rank_programs_new_async (HirProgram *program,
                                  GCancellable *cancellable,
                                  GAsyncReadyCallback callback,
                                  gpointer user_data);
/* Finishes hir_rank_programs_new_async(). */
HirRankPrograms *
hir_rank_programs_new_finish (GAsyncResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Appends the views of the other programs to a recording that already has the views of @shown, and
 * stores which ranks they belong to. Does nothing if there is one program. */
gboolean hir_rank_programs_write (const HirRankPrograms *programs,
                                  const HirProgram *shown,
                                  HirRecordingWriter *writer,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Reads the programs of a recording; never NULL. @program is the first one and has the views of
 * all; the views of other ranks are removed from it. */
HirRankPrograms *hir_rank_programs_read (const HirRecording *recording, HirProgram *program);

G_END_DECLS
