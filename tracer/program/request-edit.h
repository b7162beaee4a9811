/* Derives requests that differ from another one in one option. Each function returns a new request
 * and does not change its argument, so that undo can return to it. */
#pragma once

#include "program/request.h"

G_BEGIN_DECLS

/* Enables or disables a pass, which must be in the pass table. Defaults are not listed in the
 * request. */
HirRequest *
hir_request_with_pass (const HirRequest *request, const char *pass_name, gboolean enabled);
/* Sets an option of a pass. Defaults are not listed in the request. Returns NULL with
 * HIR_ERROR_INPUT if @value is invalid. */
HirRequest *hir_request_with_option (const HirRequest *request,
                                     const char *pass_name,
                                     const char *option,
                                     const char *value,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Resets all passes and options to their defaults. */
HirRequest *hir_request_with_default_passes (const HirRequest *request);
/* Lowers by another pipeline, in its text format. Drops the passes and options that only the other
 * one has. */
HirRequest *hir_request_with_pipeline (const HirRequest *request, HirPipelineKind kind);
/* Replaces the function: a name, or FUNCTION[ID] with pytest's id of its parameters. */
HirRequest *hir_request_with_function (const HirRequest *request, const char *function);
/* Lowers for another number of devices. Drops a rank that does not exist then. */
HirRequest *hir_request_with_devices (const HirRequest *request, gint64 n_devices);
/* Replaces the shapes of the inputs, texts of --input; NULL: all are chosen. */
HirRequest *hir_request_with_inputs (const HirRequest *request, const char *const *inputs);
/* Replaces the text, and the path unless @path is NULL. */
HirRequest *hir_request_with_text (const HirRequest *request, const char *path, const char *text);

/* Returns a request for the text of a host program, to be edited as a printed program. The path is
 * derived from the function and @pass_name, with HIR_PRINTED_SUFFIX. */
HirRequest *
hir_request_with_printed (const HirRequest *request, const char *pass_name, const char *text);

/* Returns the equivalent command line arguments (transfer full), quoted if needed:
 * "example.py::f -d 8 --disable InsertReshardings". */
char *hir_request_dup_words (const HirRequest *request);
/* Appends the options of hir_request_dup_words() to a command line. */
void hir_request_append_options (const HirRequest *request, GString *out);

/* Appends @word to a command line, after a space if @line is not empty. Quotes it for a POSIX shell
 * if needed. */
void hir_append_shell_word (GString *line, const char *word);

G_END_DECLS
