/* The programs of all ranks of one lowering. Lowering is per rank (a team is the slice that contains
 * me; who is not in a mesh skips what happens there): each distinct program is here once, with the
 * ranks that run it. Immutable; any number of views and threads read it. */
#pragma once

#include "program/program.h"
#include "trace/recording/recording.h"

G_BEGIN_DECLS

typedef struct
{
  HirProgram *program; /* request->rank: the first of the ranks, but of the one that is shown first */
  GArray *ranks;       /* int, ascending; at least one */
} HirRankProgram;

typedef struct
{
  gatomicrefcount ref_count;
  GPtrArray *programs; /* HirRankProgram*, by their first ranks */
} HirRankPrograms;

/* Lowers the fusion of @program for every other rank. One entry where there is one device, no mesh,
 * or nothing to lower (read back from a recording, a printed program). A rank for which a pass fails
 * has a program with that error. NULL: cancelled. Blocks; any thread. */
HirRankPrograms *hir_rank_programs_new (HirProgram *program,
                                        GCancellable *cancellable,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
HirRankPrograms *hir_rank_programs_ref (HirRankPrograms *programs);
void hir_rank_programs_unref (HirRankPrograms *programs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRankPrograms, hir_rank_programs_unref)

/* Index of the entry that @rank runs, of the one that is @program; -1 where there is none. */
int hir_rank_programs_find (const HirRankPrograms *programs, int rank);
int hir_rank_programs_find_program (const HirRankPrograms *programs, const HirProgram *program);
static inline const HirRankProgram *
hir_rank_programs_get (const HirRankPrograms *programs, guint i)
{
  return (const HirRankProgram *) g_ptr_array_index (programs->programs, i);
}
/* "rank 0", "ranks 1–7", "ranks 0, 2, 4–6": newly allocated. */
char *hir_rank_program_dup_label (const HirRankProgram *program);

/* In a worker thread. */
void hir_rank_programs_new_async (HirProgram *program,
                                  GCancellable *cancellable,
                                  GAsyncReadyCallback callback,
                                  gpointer user_data);
HirRankPrograms *hir_rank_programs_new_finish (GAsyncResult *result, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Into a recording that has the views of @shown already: the other programs' views behind them, and
 * which are whose. Nothing where there is one program. */
gboolean hir_rank_programs_write (const HirRankPrograms *programs,
                                  const HirProgram *shown,
                                  HirRecordingWriter *writer,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* What a recording has, never NULL; @program is its first program, whose views become those of its own
 * ranks alone. */
HirRankPrograms *hir_rank_programs_read (const HirRecording *recording, HirProgram *program);

G_END_DECLS
