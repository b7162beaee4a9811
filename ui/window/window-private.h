/* Internal declarations of the window. */
#pragma once

#include "base/settings.h"
#include "selection/selection-history.h"
#include "selection/selection.h"
#include "text/text-pane.h"
#include "timeline/timeline-pane.h"
#include "window/account-button.h"
#include "window/graph-tabs.h"
#include "window/run-controls.h"
#include "window/window.h"

typedef struct _HirBisectController HirBisectController;
typedef struct _HirCheckController HirCheckController;
typedef struct _HirDebugController HirDebugController;
typedef struct _HirExportController HirExportController;
typedef struct _HirMismatchController HirMismatchController;
typedef struct _HirRunsController HirRunsController;
typedef struct _HirTextFileController HirTextFileController;

typedef enum
{
  HIR_PANE_NONE = -1,
  HIR_PANE_PASSES, /* with the rank switch */
  HIR_PANE_TEXT,
  HIR_PANE_VIEWS, /* graph, statistics, explanation and events */
  HIR_PANE_INSPECTOR,
  HIR_PANE_BOTTOM, /* see HirBottomPlace */
  HIR_N_PANES,
} HirPane;

/* The tabs of the bottom place. */
typedef enum
{
  HIR_BOTTOM_TIMELINE,
  HIR_BOTTOM_DEBUGGER,
  HIR_BOTTOM_CHECK,
  HIR_BOTTOM_BISECT,
  HIR_N_BOTTOM_TABS,
} HirBottomTab;

typedef struct
{
  GtkWidget *strip; /* the line with the tabs */
  GtkWidget *kinds; /* the tabs, in the strip */
  GtkStack *stack;
  GtkToggleButton *tabs[HIR_N_BOTTOM_TABS];
  GtkWidget *pages[HIR_N_BOTTOM_TABS];
  HirBottomTab opened[HIR_N_BOTTOM_TABS]; /* open tabs; the last one is displayed */
  guint n_opened;
} HirBottomPlace;

/* Remembered widths of panes. */
enum
{
  HIR_WIDTH_PASSES,
  HIR_WIDTH_TEXT,
  HIR_WIDTH_INSPECTOR,
  HIR_N_WIDTHS,
};

#define HIR_N_WIDTH_CLASSES 3  /* small, medium and large windows */
#define HIR_N_HEIGHT_CLASSES 2 /* low and high windows */

/* See window-layout.h and window-panes.h. */
typedef struct
{
  GtkPaned *rows;    /* workspace; bottom place */
  GtkPaned *left;    /* passes; text, views and inspector */
  GtkPaned *middle;  /* text; views and inspector */
  GtkPaned *columns; /* views; inspector */
  GtkWidget *panes[HIR_N_PANES];
  HirPane maximized;               /* HIR_PANE_NONE if all panes are visible */
  gboolean has_room;               /* the panes have their initial sizes */
  gboolean is_bottom_low;          /* the bottom place is as low as possible */
  gboolean is_following;           /* the new size is handled in an idle callback */
  gboolean is_outdated;            /* the room is to be divided again in an idle callback */
  int n_frames;                    /* number of frames in which the widths are set again */
  gint64 shared_frame;             /* number of the frame in which the room was last divided */
  int shared_height;               /* height of rows then */
  int shared_bottom;               /* height of the bottom place then */
  guint width_class, height_class; /* of that size */
  int widths[HIR_N_WIDTH_CLASSES][HIR_N_WIDTHS]; /* by class, for a text size of 100% */
  int heights[HIR_N_HEIGHT_CLASSES];             /* of the bottom place */
} HirWindowLayout;

struct _HirWindow
{
  AdwApplicationWindow parent_instance;

  HirBisectController *bisect;
  HirCheckController *check;
  HirDebugController *debugger;
  HirExportController *export_controller;
  HirMismatchController *mismatch;
  HirRunsController *runs;
  HirTextFileController *text_file;

  const HirWindowHost *host;
  HirDocument *document;
  HirSelection *selection;
  HirSelectionHistory *history;
  HirSettings *settings;

  AdwWindowTitle *title;
  GtkWidget *history_buttons; /* the previous and the next selection */
  GtkWidget *parameters;
  GtkWidget *program_menu; /* devices and inputs */
  GtkWidget *restore;      /* the button that ends the maximization of a pane */
  AdwToastOverlay *toasts;
  GtkOverlay *overlay; /* inside toasts; has the card of the tour */
  GtkStack *pages;     /* "gallery" and "workspace" */
  GtkWidget *gallery;
  GtkWidget *passes;
  HirWindowLayout layout;
  HirBottomPlace bottom;
  HirTextPane *text;
  GtkWidget *outdated; /* strip above the text */
  HirGraphTabs graph_tabs;
  HirGraphPane *graph_pane;
  HirGraphView *graph; /* inside graph_pane */
  HirStatsPage *stats;
  HirExplaining *explaining;
  HirExplainPage *explain;
  HirEventsPage *events;
  HirTimelinePane *timeline_pane;
  HirTimelineView *timeline; /* inside timeline_pane, like search */
  HirTimelineSearch *search;
  GtkWidget *marks; /* the list of marks, see mark-list.h */
  HirAccountButton *account;
  GtkMenuButton *run_list; /* opens the list of runs */
  GtkLabel *status;
  GtkSpinner *spinner;
  GtkWidget *timeline_tools; /* visible if the timeline is */
  GtkWidget *keys_hint;      /* next to the status */
  GtkWidget *load_strip;     /* progress of loading or lowering */
  HirRunControls run_controls;
  GtkButton *run;
  GtkWidget *debug; /* the button next to run */
  GtkWidget *menu;  /* the main menu */
  GtkWidget *export;
  GtkFileChooserNative *chooser; /* nullable: the open file chooser */
  HirRunEntry *recorded;         /* nullable: the opened recording that the header bar follows */
  char *opening_path;            /* nullable: file of the script that was opened */
  guint last_step;
  gboolean edits_when_shown;  /* the document is a copy for editing */
  gboolean is_partial;        /* the document is loading; its text is not known yet */
  gboolean has_shown_program; /* a program of this document was displayed: keep the page */
};

/* window-base.c: shared by all files of the window. */

/* Returns a button with an icon that activates @action. */
GtkWidget *hir_icon_button_new (const char *icon, const char *action, const char *tooltip);

/* Like hir_icon_button_new(), but flat and without taking the focus from the pane below it. */
GtkWidget *hir_flat_button_new (const char *icon, const char *action, const char *tooltip);

/* Shows @text for the time it takes to read it. If that is long, the status line shows it, too,
 * until the next operation. */
void hir_window_toast (HirWindow *self, const char *text);
/* Hides that text. */
void hir_window_dismiss_toast (HirWindow *self);

/* Returns whether the last change was rejected; the status line then shows the reason. */
gboolean hir_window_is_rejected (HirWindow *self);

/* Shows an error that the user has to read: what failed, and why. */
void hir_window_alert (HirWindow *self, const char *what, const char *why);

/* Returns whether the document has passes. A trace of another profiler has none. TRUE if no
 * document is open. */
gboolean hir_window_has_passes (HirWindow *self);

/* Returns FALSE if the gallery is displayed. */
gboolean hir_window_in_workspace (HirWindow *self);

/* Shows the graph if the statistics are displayed. */
void hir_window_leave_statistics (HirWindow *self);

/* Displays the last step of the program of @rank, and selects @instruction unless it is 0. */
void hir_window_select_on_rank (HirWindow *self, int rank, guint64 instruction);

/* Replaces self->chooser by a new one. The caller shows it; @on_response is the handler of
 * "response". */
GtkFileChooser *hir_window_create_chooser (HirWindow *self,
                                           const char *title,
                                           GtkFileChooserAction action,
                                           const char *accept,
                                           GCallback on_response,
                                           gpointer user_data);

/* Shows self->chooser with a filter named @known for @patterns (NULL-terminated), and one for all
 * files. */
void hir_window_show_open_chooser (HirWindow *self, const char *known, const char *const *patterns);

/* Returns rules with the patterns of the preferences (transfer full), or NULL if there are none. A
 * pattern of the settings file that is invalid is reported in the status line and left out. */
HirTraceRules *hir_window_dup_rules (HirWindow *self);

/* Releases self->chooser. Returns the chosen path (transfer full), or NULL if there is none. */
char *hir_window_take_chosen_path (HirWindow *self, int response);
/* Like hir_window_take_chosen_path(), for several files (transfer full): empty if none is local. */
char **hir_window_take_chosen_paths (HirWindow *self, int response);

/* Updates the status line and the actions, after a change of what they depend on. */
void hir_window_update (HirWindow *self);

/* window-build.c: creates the widgets. Call after the controllers with panels were created. */
void hir_window_build (HirWindow *self);

/* window-edit.c */

/* Shows the script of the document, and its errors. */
void hir_window_show_source (HirWindow *self);

/* Lowers the script again when it is edited. */
void hir_window_edit_connect (HirWindow *self);

/* Enables the actions of editing that are available now. */
void hir_window_update_edit_actions (HirWindow *self, gboolean in_workspace);

/* window-actions.c */

/* Adds all actions to the class. */
void hir_window_class_install_actions (GtkWidgetClass *klass);

/* Adds the keys of all actions. */
void hir_window_install_keys (HirWindow *self);

/* Enables the actions that are available now. */
void hir_window_update_actions (HirWindow *self);

/* window-compare-trace.c, `win.predict`: asks what would be different, and compares the predicted
 * run with the displayed one. */
void hir_window_predict (HirWindow *self, GVariant *parameter, int argument);
/* window-compare-trace.c, `win.compare-trace`: asks for another trace and shows both side by
 * side. */
void hir_window_compare_trace (HirWindow *self, GVariant *parameter, int argument);
