/* Requests that differ from another one in one thing: what a person changes and lowers again. Each is a new
 * request; the one before stays as it is, so that a change is undone by asking for that again. */
#pragma once

#include "program/request.h"

G_BEGIN_DECLS

/* Says that a pass is to be on, or off; what is its default is left out of the lists. The pass must be one of
 * the table. */
HirRequest *hir_request_with_pass (const HirRequest *request, const char *pass_name, gboolean enabled);
/* HIR_ERROR_INPUT where @value is not one that the option takes. A default is left out. */
HirRequest *hir_request_with_option (const HirRequest *request,
                                     const char *pass_name,
                                     const char *option,
                                     const char *value,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* All passes and options as the pipeline has them by itself. */
HirRequest *hir_request_with_default_passes (const HirRequest *request);
/* Another text under @path, or under the same one where that is NULL. */
HirRequest *hir_request_with_text (const HirRequest *request, const char *path, const char *text);

/* The text of a host program as something to be changed by itself, named after what it is a copy of: read as a
 * printed program whatever becomes of it. */
HirRequest *hir_request_with_printed (const HirRequest *request, const char *pass_name, const char *text);

/* The words that ask for this on a command line, each quoted where it must be: "example.py::f -d 8 --disable
 * InsertReshardings". Newly allocated. */
char *hir_request_dup_words (const HirRequest *request);

G_END_DECLS
