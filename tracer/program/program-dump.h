/* A program that was printed, not lowered here: the snapshots are the dumps of a file. */
#pragma once

#include "program/program.h"

G_BEGIN_DECLS

/* What a file is called that is read as a printed program even where its text does not look like one: while it is
 * being changed. */
#define HIR_PRINTED_SUFFIX ".ir.txt"

/* TRUE where @source is a printed program or a pass log (read-dump.h) and no script: what hir_program_new()
 * then reads it as. */
gboolean hir_program_is_dump (const HirSource *source);

/* Fills in @program, which has its request: a view a dump, in the dump's own dialect unless the request
 * asks for another than the default; of a log with lines of several processes, those of the first one,
 * and a note. Errors: those of hir_dump_read_all(). */
gboolean hir_program_fill_from_dump (HirProgram *program,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* One program a device that it names, as hir_program_dup_rank_hosts(): the same for all, each with its own
 * teams on a mesh of several axes, unless a log has one of each rank. NULL and HIR_ERROR_INPUT where another number of devices is asked for. */
GPtrArray *hir_program_dup_printed_hosts (HirProgram *program,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
