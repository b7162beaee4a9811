#include "shortcuts.h"

typedef struct
{
  const char *group;
  const char *keys; /* accelerators, separated by spaces */
  const char *title;
} Row;

static const Row rows[] = {
  { "Document", "<Control>o", "Open a script or a recording" },
  { "Document", "<Control>g", "Gallery of examples" },
  { "Document", "<Control>s", "Save the changed text, else the recording" },
  { "Document", "<Control><Shift>s", "Save the text under another name" },
  { "Document", "Escape", "Stop loading a trace" },
  { "Document", "<Shift>Escape", "Stop writing a file" },
  { "Document", "<Control>p", "Command palette: find anything" },
  { "Document", "<Control>w", "Close the window" },
  { "Window", "F4", "Show or hide the passes" },
  { "Window", "F9", "Show or hide the inspector" },
  { "Window", "F12", "Show or hide the timeline" },
  { "Window", "F10", "Menu" },
  { "Window", "<Control>comma", "Preferences" },
  { "Window", "<Control>question F1", "Keyboard shortcuts" },
  { "Window", "<Control>q", "Quit" },
  { "Passes and program", "j bracketright", "Next pass" },
  { "Passes and program", "k bracketleft", "Previous pass" },
  { "Passes and program", "x", "Switch the pass on or off" },
  { "Passes and program", "o", "Options of the pass" },
  { "Passes and program", "<Control>h", "Hide passes that changed nothing" },
  { "Passes and program", "<Control><Shift>f", "Find a pass" },
  { "Passes and program", "t", "First pass that touched the selection; the next one" },
  { "Passes and program", "F2", "Change the script; it is lowered as you type" },
  { "Passes and program", "<Control>b", "Find the pass that spoils the numbers" },
  { "Passes and program", "<Control><Shift>b", "Find the pass by the text of the program" },
  { "Passes and program", "<Control>z", "Undo the last change" },
  { "Passes and program", "<Control><Shift>z", "Redo it" },
  { "Passes and program", "r <Shift>r", "Program of the next, the previous ranks" },
  { "Passes and program", "space F5", "Run" },
  { "Passes and program", "<Shift>F5", "Stop the run" },
  { "Passes and program", "F7", "Check synchronisation" },
  { "Passes and program", "<Shift>F7", "Close what the check found" },
  { "Passes and program", "1", "Script" },
  { "Passes and program", "2", "Program text" },
  { "Passes and program", "3", "Difference to what it is compared with" },
  { "Passes and program", "c", "Compare with another step, or as it was" },
  { "Passes and program", "<Shift>c", "Compare with the step before again" },
  { "Passes and program", "y", "Difference side by side" },
  { "Passes and program", "p <Shift>p", "Next, previous difference" },
  { "Passes and program", "z <Shift>z", "In the text: fold or open the loop, open all" },
  { "Passes and program", "<Control>f slash", "Find in the text" },
  { "Passes and program", "Escape", "Select nothing, no range" },
  { "Debugger", "F6", "Debug: stop before the first instruction" },
  { "Debugger", "<Shift>F6", "Close the debugger" },
  { "Debugger", "b", "Breakpoint on the selected instruction, or none" },
  { "Debugger", "<Control>F6", "Find the first instruction whose result is wrong" },
  { "Debugger", "F8", "Continue to the next breakpoint, or the end" },
  { "Debugger", "<Shift>F8", "Pause" },
  { "Debugger", "F11", "Step into loops" },
  { "Debugger", "F10", "Step over loops" },
  { "Debugger", "<Shift>F11", "Out of the loop" },
  { "Debugger", "<Control>F10", "One instruction back" },
  { "Debugger", "<Control><Shift>F10", "Back to the begin of the iteration" },
  { "Debugger", "Tab", "In its line: complete the word" },
  { "Debugger", "Up Down", "In its line: those before and after" },
  { "Debugger", "space", "In its list of breakpoints: switch one off or on" },
  { "Debugger", "Return", "In its list of breakpoints: change one" },
  { "Debugger", "Delete", "In its list of breakpoints: delete one" },
  { "Graph", "w a s d", "Move" },
  { "Graph", "plus minus", "Zoom" },
  { "Graph", "f 0", "Show all of it" },
  { "Graph", "Menu <Shift>F10", "Schedule of the selected tensor" },
  { "Graph", "Up Down", "Walk along the edges" },
  { "Graph", "Left Right", "To the box beside it" },
  { "Graph", "z <Shift>z", "Fold or open the loop, open all" },
  { "Graph", "g", "Difference in the graph" },
  { "Graph", "n", "Only what is near the selection" },
  { "Graph", "period comma", "More, less of what is near" },
  { "Graph", "u", "Both ways, before it, after it" },
  { "Graph", "v", "Lanes or graph" },
  { "Graph", "m <Shift>m", "Highlight the selection, no longer" },
  { "Graph", "i", "Card of the selection" },
  { "Graph", "l <Shift>l", "Legend, map" },
  { "Graph", "<Shift>a", "Animation on or off" },
  { "Graph", "<Control><Shift>g", "Copy a picture of it" },
  { "Inspector", "Tab", "Through links and pictures" },
  { "Inspector", "Up Down Left Right", "Parts of a picture" },
  { "Inspector", "Return", "To the part; of a value, its numbers" },
  { "Timeline", "<Control><Shift>o", "Compare the trace with another" },
  { "Timeline", "w s", "Zoom at the pointer" },
  { "Timeline", "a d", "Move in time" },
  { "Timeline", "f 0", "Show all of it" },
  { "Timeline", "Left Right", "Walk along a stream" },
  { "Timeline", "bracketleft bracketright", "Measure: from here, to here" },
  { "Timeline", "z", "Zoom to what is measured, or selected" },
  { "Timeline", "<Control>f", "Find events by name" },
  { "Timeline", "e", "Fold, unfold the ranks" },
  { "Timeline", "<Control><Shift>t", "Copy a picture of it" },
  { "Tracks of the timeline", "Up Down", "Go to the track above, below" },
  { "Tracks of the timeline", "p", "Pin above all, unpin" },
  { "Tracks of the timeline", "h", "Hide" },
  { "Tracks of the timeline", "<Shift>h", "Show what is hidden" },
  { "Tracks of the timeline", "t", "Fold, unfold the track or the rank" },
  { "Tracks of the timeline", "<Alt>Up <Alt>Down", "Move up, down" },
  { "Tracks of the timeline", "Menu <Shift>F10", "All of these" },
};

static GtkWidget *
group_new (const char *title)
{
  return g_object_new (GTK_TYPE_SHORTCUTS_GROUP, "title", title, NULL);
}

void
hir_shortcuts_present (GtkWindow *parent)
{
  GtkWidget *window =
      g_object_new (GTK_TYPE_SHORTCUTS_WINDOW, "modal", TRUE, "transient-for", parent, NULL);
  GtkWidget *section =
      g_object_new (GTK_TYPE_SHORTCUTS_SECTION, "section-name", "keys", "max-height", 12, NULL);
  GtkWidget *group = NULL;
  const char *title = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      GtkWidget *shortcut = g_object_new (GTK_TYPE_SHORTCUTS_SHORTCUT, "accelerator", rows[i].keys,
                                          "title", rows[i].title, NULL);

      if (g_strcmp0 (title, rows[i].group) != 0)
        {
          title = rows[i].group;
          group = group_new (title);
          gtk_box_append (GTK_BOX (section), group);
        }
      gtk_box_append (GTK_BOX (group), shortcut);
    }
  gtk_window_set_child (GTK_WINDOW (window), section);
  gtk_window_present (GTK_WINDOW (window));
}
