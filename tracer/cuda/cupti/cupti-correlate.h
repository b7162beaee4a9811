/* Converts CUPTI records to events of the recording. Finds the launch, track and name of each
 * event. All functions except hir_cupti_correlator_set_stream() belong to the decoding thread. */
#pragma once

#include "cuda/cupti/cupti-decode.h"
#include "cuda/cupti/cupti-launches.h"

G_BEGIN_DECLS

typedef struct _HirCuptiCorrelator HirCuptiCorrelator;

/* Numbers of events and launches by outcome. */
typedef struct
{
  guint64 n_device;                     /* events of device work */
  guint64 n_kernels, n_copies, n_fills; /* device work outside of communications */
  guint64 n_unowned;                    /* device work without a launch */
  guint64 n_forgotten;                  /* device work whose launch was already discarded */
  guint64 n_launches;                   /* launches that should have produced device work */
  guint64 n_silent; /* launches that should have produced device work but did not */
  guint64 n_waits_left_out;
  guint64 n_calls_left_out; /* host calls of threads whose rank is unknown */
} HirCuptiCounts;

/* Creates a correlator. @recorder and @launches are borrowed. @full adds host calls, waits and
 * annotations. */
HirCuptiCorrelator *
hir_cupti_correlator_new (HirRecorder *recorder, HirCuptiLaunches *launches, gboolean full);
/* Frees @correlator. @recorder and @launches stay. */
void hir_cupti_correlator_free (HirCuptiCorrelator *correlator);
/* Sets the hir_clock_now_ns() time that is 0 in the recording. Call before the first record. */
void hir_cupti_correlator_set_zero (HirCuptiCorrelator *correlator, gint64 zero_ns);
/* Assigns @track of @rank to stream @stream of @context (CUPTI's numbers). Call before the first
 * work on the stream. Any thread. */
void hir_cupti_correlator_set_stream (
    HirCuptiCorrelator *correlator, guint32 context, guint32 stream, guint track, int rank);

/* Adds a record. Callback for hir_cupti_decode(); @user_data is the correlator. */
void hir_cupti_correlator_take (const HirCuptiRecord *record, gpointer user_data);
/* Emits pending device work whose launch has become known. Call after each buffer. */
void hir_cupti_correlator_end_buffer (HirCuptiCorrelator *correlator);
/* Discards launches and correlation numbers older than @age_ns. Call periodically. */
void hir_cupti_correlator_retire (HirCuptiCorrelator *correlator, gint64 age_ns);
/* Emits the remaining device work and the waits. Call after the last record. */
void hir_cupti_correlator_finish (HirCuptiCorrelator *correlator);

/* Gets the current counts. They are final after hir_cupti_correlator_finish(). */
void hir_cupti_correlator_get_counts (HirCuptiCorrelator *correlator, HirCuptiCounts *counts);
/* Returns account lines such as "2 launches of Allgather T4 gave no event on the device". Call
 * after hir_cupti_correlator_finish(). */
char **hir_cupti_correlator_dup_account (HirCuptiCorrelator *correlator);
/* Returns a table from short name to symbol with all kernels whose names were shortened (borrowed).
 * Call after hir_cupti_correlator_finish(). */
GHashTable *hir_cupti_correlator_get_symbols (HirCuptiCorrelator *correlator);

G_END_DECLS
