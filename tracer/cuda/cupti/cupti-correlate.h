/* From CUPTI's records to events of the recording: whose launch each was, on which track, under
 * which name. The decoding thread's, but for set_stream(). */
#pragma once

#include "cuda/cupti/cupti-decode.h"
#include "cuda/cupti/cupti-launches.h"

G_BEGIN_DECLS

typedef struct _HirCuptiCorrelator HirCuptiCorrelator;

/* What came of the records and the launches. */
typedef struct
{
  guint64 n_device;                     /* events of device work */
  guint64 n_kernels, n_copies, n_fills; /* of those: no part of a communication */
  guint64 n_unowned;                    /* of those: nobody's launch */
  guint64 n_forgotten; /* of those: the launch was longer ago than launches are kept */
  guint64 n_launches;  /* launches that should have given device work */
  guint64 n_silent;    /* of those: gave none */
  guint64 n_waits_left_out;
  guint64 n_calls_left_out; /* host calls of threads that no rank is known for */
} HirCuptiCounts;

/* @recorder and @launches are borrowed. @full: host calls, waits and annotations too. */
HirCuptiCorrelator *
hir_cupti_correlator_new (HirRecorder *recorder, HirCuptiLaunches *launches, gboolean full);
void hir_cupti_correlator_free (HirCuptiCorrelator *correlator);
/* hir_clock_now_ns() that events count from; before the first record. */
void hir_cupti_correlator_set_zero (HirCuptiCorrelator *correlator, gint64 zero_ns);
/* Stream @stream of @context (CUPTI's numbers) has @track, which is @rank's. Any thread, before the
 * first work on it. */
void hir_cupti_correlator_set_stream (
    HirCuptiCorrelator *correlator, guint32 context, guint32 stream, guint track, int rank);

/* For hir_cupti_decode(); @user_data is the correlator. */
void hir_cupti_correlator_take (const HirCuptiRecord *record, gpointer user_data);
/* After each buffer: device work whose launch has become known since it came. */
void hir_cupti_correlator_end_buffer (HirCuptiCorrelator *correlator);
/* Now and then: forgets launches and numbers older than @age_ns. */
void hir_cupti_correlator_retire (HirCuptiCorrelator *correlator, gint64 age_ns);
/* After the last record: what is left, and waits. */
void hir_cupti_correlator_finish (HirCuptiCorrelator *correlator);

/* So far; all of it after finish(). */
void hir_cupti_correlator_get_counts (HirCuptiCorrelator *correlator, HirCuptiCounts *counts);
/* Lines such as "2 launches of Allgather T4 gave no event on the device". After finish(). */
char **hir_cupti_correlator_dup_account (HirCuptiCorrelator *correlator);
/* Short name -> symbol, of the kernels whose names were shortened. Borrowed; after finish(). */
GHashTable *hir_cupti_correlator_get_symbols (HirCuptiCorrelator *correlator);

G_END_DECLS
