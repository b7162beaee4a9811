#include "window/shortcuts.h"

#include "base/names.h"

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
  { "Document", "Escape", "Stop loading, lowering or statistics" },
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
  { "Passes", "j bracketright", "Next pass" },
  { "Passes", "k bracketleft", "Previous pass" },
  { "Passes", "x", "Switch the pass on or off" },
  { "Passes", "o", "Options of the pass" },
  { "Passes", "<Control>h", "Hide passes that changed nothing" },
  { "Passes", "<Control><Shift>f", "Find a pass" },
  { "Passes", "t", "First pass that touched the selection; the next one" },
  { "Passes", "<Control>b", "Find the pass that spoils the numbers" },
  { "Passes", "<Control><Shift>b", "Find the pass by the text of the program" },
  { "Passes", "r <Shift>r", "Program of the next, the previous ranks" },
  { "Program", "F2", "Change the script; it is lowered as you type" },
  { "Program", "<Control>z", "Undo the last change" },
  { "Program", "<Control><Shift>z", "Redo it" },
  { "Program", "space F5", "Run" },
  { "Program", "<Shift>F5", "Stop the run" },
  { "Program", "F7", "Check synchronisation" },
  { "Program", "<Shift>F7", "Close what the check found" },
  { "Text and differences", "1", "Script" },
  { "Text and differences", "2", "Program text" },
  { "Text and differences", "3", "Difference to what it is compared with" },
  { "Text and differences", "c", "Compare with another step, or as it was" },
  { "Text and differences", "<Shift>c", "Compare with the step before again" },
  { "Text and differences", "y", "Difference side by side" },
  { "Text and differences", "p <Shift>p", "Next, previous difference" },
  { "Text and differences", "z <Shift>z", "In the text: fold or open the loop, open all" },
  { "Text and differences", "<Control>f slash", "Find in the text" },
  { "Text and differences", "Escape", "Select nothing, no range" },
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

/* The sections of the window, and the groups in each. */
static const struct
{
  const char *name;
  const char *groups[3];
} sections[] = {
  { "Timeline", { "Timeline", "Tracks of the timeline" } },
  { "Document and window", { "Document", "Window" } },
  { "Program", { "Passes", "Program", "Text and differences" } },
  { "Graph", { "Graph", "Inspector" } },
  { "Debugger", { "Debugger" } },
};

static void
add_group (GString *text, const char *group)
{
  g_autofree char *head = g_markup_printf_escaped (
      "<child><object class='GtkShortcutsGroup'><property name='title'>%s</property>", group);

  g_string_append (text, head);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *row = NULL;

      if (!g_str_equal (rows[i].group, group))
        continue;
      row = g_markup_printf_escaped (
          "<child><object class='GtkShortcutsShortcut'><property name='accelerator'>%s</property>"
          "<property name='title'>%s</property></object></child>",
          rows[i].keys, rows[i].title);
      g_string_append (text, row);
    }
  g_string_append (text, "</object></child>");
}

/* Returns a description for GtkBuilder: adding a section in another way disables the search of the
 * window. */
static char *
dup_description (void)
{
  GString *text = g_string_new ("<interface><object class='GtkShortcutsWindow' id='window'>");

  for (guint s = 0; s < G_N_ELEMENTS (sections); s++)
    {
      g_autofree char *head = g_markup_printf_escaped (
          "<child><object class='GtkShortcutsSection'><property name='section-name'>%s</property>"
          "<property name='title'>%s</property><property name='max-height'>19</property>",
          sections[s].name, sections[s].name);

      g_string_append (text, head);
      for (guint g = 0; g < G_N_ELEMENTS (sections[s].groups) && sections[s].groups[g] != NULL; g++)
        add_group (text, sections[s].groups[g]);
      g_string_append (text, "</object></child>");
    }
  g_string_append (text, "</object></interface>");
  return g_string_free (text, FALSE);
}

void
hir_shortcuts_present (GtkWindow *parent, gboolean is_timeline)
{
  g_autofree char *description = dup_description ();
  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_string (description, -1);
  GtkWindow *window = GTK_WINDOW (gtk_builder_get_object (builder, "window"));

  g_object_set (window, "section-name", is_timeline ? "Timeline" : "Program", NULL);
  gtk_window_set_transient_for (window, parent);
  gtk_window_set_modal (window, TRUE);
  hir_names_follow (window);
  gtk_window_present (window);
}
