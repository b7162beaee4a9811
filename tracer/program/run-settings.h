/* How a program is to be run (the options of `run` in hirscope(1)), as plain data for the command
 * line, the window, the control protocol and recordings. */
#pragma once

#include <gio/gio.h>

#include "run/comm/comm-transport.h"
#include "run/session/session.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_TRACE_OFF,
  HIR_TRACE_KERNELS, /* work on streams */
  HIR_TRACE_FULL,    /* host spans too */
} HirTraceLevel;

typedef enum
{
  HIR_BACKEND_CPU,
  HIR_BACKEND_CUDA,
  HIR_N_BACKENDS,
} HirBackendKind;

/* "cpu", "cuda". */
const char *hir_backend_kind_get_name (HirBackendKind kind);

typedef struct
{
  HirBackendKind backend;
  gboolean model_clock; /* else the wall clock */
  gint64 n_streams;     /* numberOfStreams, 1 or more */
  gint64 n_repeat;      /* runs that are recorded, 1 or more */
  gint64 n_warmup;
  guint64 seed;      /* of the inputs' values */
  double timeout_s;  /* without progress; 0: for ever */
  gboolean debug;    /* it is stepped, see run-server.h; the command line has a verb for that */
  gboolean check;    /* numbers against the reference evaluation */
  HirTraceLevel trace;
  HirCommSettings comm; /* of GPUs; the CPU has one way */
  char *plant_op;     /* nullable: a test hook, see docs/testing.md#hooks */
  double plant_scale;
} HirRunSettings;

/* The defaults of the command line. */
void hir_run_settings_init (HirRunSettings *settings);
void hir_run_settings_clear (HirRunSettings *settings);
void hir_run_settings_copy (HirRunSettings *to, const HirRunSettings *from);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirRunSettings, hir_run_settings_clear)

/* As a session takes them; the strings stay @settings's, inputs and rank are left to the caller. */
void hir_run_settings_to_options (const HirRunSettings *settings, HirRunOptions *options);

/* a{sv}; reading ignores unknown keys and initialises @settings. HIR_ERROR_INPUT where a value is of
 * another type or out of range; @settings is then still to be cleared. */
GVariant *hir_run_settings_to_variant (const HirRunSettings *settings);
gboolean hir_run_settings_read (HirRunSettings *settings, GVariant *variant, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* What a recording keeps of them (its meta "run", the variant above as text), for a person: "4 streams, 3 runs after
 * 1 to warm up, checked"; back end and clock are told elsewhere. @text itself where it can't be read. Newly allocated. */
char *hir_run_settings_to_words (const char *text);

G_END_DECLS
