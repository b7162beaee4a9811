/* Programs read from printed text instead of a script: the snapshots are the dumps of a file. */
#pragma once

#include "program/program.h"

G_BEGIN_DECLS

/* File name suffix of texts that are always read as printed programs, even if an edit makes them
 * look different. */
#define HIR_PRINTED_SUFFIX ".ir.txt"

/* Returns TRUE if @source is a printed program or a pass log (read-dump.h), not a script. */
gboolean hir_program_is_dump (const HirSource *source);

/**
 * hir_program_fill_from_dump:
 * @program: a new program with a request
 *
 * Adds one view per dump, in the dialect of the dump unless the request selects a dialect other
 * than the default. If a log has lines of several processes, adds the dumps of the requested rank
 * or of the first one, and notes that compare the others with it.
 *
 * Returns: FALSE and sets the error of hir_dump_read_all()
 */
gboolean hir_program_fill_from_dump (HirProgram *program, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns the program of @views[@i] of a printed program (borrowed). */
HirContainer *hir_program_get_dump (const HirProgram *program, guint i);
/* Returns the host programs of all ranks at @views[@i] like hir_program_dup_printed_hosts(), which
 * returns the last ones. */
GPtrArray *
hir_program_dup_step_hosts (HirProgram *program, guint i, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Like hir_program_dup_rank_hosts(), for a printed program. If the log has a program of each rank,
 * returns these. Otherwise all ranks get the same program; on a mesh with several axes, each team
 * is replaced by that of the rank. Returns NULL with HIR_ERROR_INPUT if the request has another
 * number of devices. */
GPtrArray *
hir_program_dup_printed_hosts (HirProgram *program, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
