/* What the files of the window share. */
#pragma once

#include "window/account-button.h"
#include "debugger/check-page.h"
#include "graph/graph-pane.h"
#include "selection/selection.h"
#include "base/settings.h"
#include "stats/stats-page.h"
#include "text/text-pane.h"
#include "timeline/timeline-pane.h"
#include "window/window.h"

/* See window-save.c. */
typedef struct _HirWindowFile HirWindowFile;
/* See window-export.c. */
typedef struct _HirWindowExport HirWindowExport;

struct _HirWindow
{
  AdwApplicationWindow parent_instance;

  const HirWindowHost *host;
  HirDocument *document;
  HirSelection *selection;
  HirSettings *settings;

  AdwWindowTitle *title;
  GtkWidget *steps; /* the previous and next buttons */
  AdwToastOverlay *toasts;
  GtkOverlay *overlay; /* around them: the tour's card lies on it */
  GtkStack *pages; /* gallery, workspace */
  GtkWidget *gallery;
  GtkWidget *passes;
  GtkWidget *passes_pane; /* with the switch of ranks above them */
  GtkPaned *left;    /* passes, all else above the timeline */
  GtkPaned *middle;  /* text, graph and inspector */
  GtkWidget *inspector;
  GtkWidget *bottom; /* the timeline and the strip above it */
  gboolean has_room; /* the panes were given their sizes: */
  int shared_height, shared_timeline; /* all of it, the timeline's */
  GtkPaned *rows;    /* panes above, timeline below */
  GtkPaned *columns; /* graph, inspector */
  HirTextPane *text;
  HirGraphPane *graph_pane;
  HirGraphView *graph; /* in it */
  GtkWidget *tabs;        /* the strip above them */
  GtkWidget *kinds;       /* the switch between them */
  GtkWidget *graph_tools; /* the buttons that zoom */
  GtkStack *views;        /* graph or lanes, statistics */
  GtkToggleButton *show_graph, *show_lanes, *show_stats;
  GtkToggleButton *show_diff, *show_near; /* among the tools */
  HirStatsPage *stats;
  HirTimelinePane *timeline_pane;
  HirTimelineView *timeline; /* in it, as `search` is */
  HirCheckPage *check;        /* the panel above the timeline */
  gboolean runs_when_lowered; /* a changed program is on its way, and is to be run */
  gboolean checks_when_lowered; /* a check was asked for while another program came */
  HirTimelineSearch *search;
  HirAccountButton *account;
  GtkLabel *status;
  GtkSpinner *spinner;
  GtkWidget *keys_hint; /* beside it */
  GtkWidget *load_strip; /* how far loading or lowering is */
  GtkDropDown *streams;
  GtkDropDown *clock;
  GtkToggleButton *gpu; /* the next run is on GPUs; off and greyed where there is none */
  GtkButton *run;
  GtkWidget *debug; /* the button beside it */
  GtkWidget *export;
  GtkFileChooserNative *chooser; /* the one that is open */
  HirWindowFile *file;           /* nullable */
  HirWindowExport *under_way;    /* nullable: the file that is being written */
  GtkWidget *export_strip;       /* how far it is */
  char *opening_path;            /* nullable: the file that is being opened to be changed */
  guint last_step;
  gboolean is_partial; /* what is on show is still being loaded; its text is not begun */
  gboolean has_shown_program;    /* of this document: then the page on show is the user's choice */
};

/* GFile* of what to open: several are traces, a rank a file. FALSE: none is a file of this machine. */
gboolean hir_window_open_files (HirWindow *self, GSList *files);
/* The line on what is under way, and the spinner beside it. */
void hir_window_show_state (HirWindow *self);
/* window-build.c: makes the widgets. */
void hir_window_build (HirWindow *self);
/* Divides the room; without a program there is more of it for the timeline. In an idle moment. */
void hir_window_share_room (HirWindow *self);
/* After the room became another: a trace alone gets its part of it, unless the user has moved the divider. */
void hir_window_follow_room (HirWindow *self);
/* Whether the document has passes to step through: a trace of another profiler has not. TRUE where nothing is
 * open. */
gboolean hir_window_has_passes (HirWindow *self);
/* window-edit.c: the text in the text pane is that of the document; what is typed there is lowered. */
void hir_window_show_source (HirWindow *self);
void hir_window_edit_connect (HirWindow *self);
/* Which of its actions can be used now. */
void hir_window_update_edit_actions (HirWindow *self, gboolean in_workspace);
/* window-actions.c: the actions, which a class must have before its first instance; their keys; which of
 * them can be used now. */
void hir_window_class_install_actions (GtkWidgetClass *klass);
void hir_window_install_keys (HirWindow *self);
void hir_window_update_actions (HirWindow *self);
/* "<Control>f|slash": accelerators of @action, "" where it has none, NULL where there is no such action. Static. */
const char *hir_window_get_keys (const char *action);
/* numberOfStreams of the next run. */
int hir_window_get_n_streams (HirWindow *self);
void hir_window_toast (HirWindow *self, const char *text);
/* Shows an error that needs reading: what, why, and a button to close. */
/* Map and legend of the graph as the settings say (window-graph.c). */
void hir_window_apply_graph_settings (HirWindow *self);
void hir_window_alert (HirWindow *self, const char *what, const char *why);
/* window-compare-trace.c: asks for another trace, and shows both side by side. */
void hir_window_compare_trace (GtkWidget *widget, const char *name, GVariant *parameter);
