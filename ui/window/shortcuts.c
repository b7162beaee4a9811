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
  { "Document", "<Control>s", "Save the text or the recording" },
  { "Document", "<Control><Shift>s", "Save the text under another name" },
  { "Document", "Escape", "Cancel loading, lowering, statistics, an explanation or a query" },
  { "Document", "<Shift>Escape", "Cancel an export" },
  { "Document", "<Control>p", "Command palette: find anything" },
  { "Document", "<Control>w", "Close the window" },
  { "Window", "<Alt>Left <Alt>Right", "Previous or next selection" },
  { "Window", "F4", "Show or hide the passes" },
  { "Window", "F9", "Show or hide the inspector" },
  { "Window", "F12", "Show or hide the timeline" },
  { "Window", "<Control>m", "Maximize the pane, or show all panes" },
  { "Window", "Escape", "Show all panes" },
  { "Window", "F10", "Menu" },
  { "Window", "<Control>comma", "Preferences" },
  { "Window", "<Control>question F1", "Keyboard shortcuts" },
  { "Window", "<Control>q", "Quit" },
  { "Passes", "j", "Next pass" },
  { "Passes", "k", "Previous pass" },
  { "Passes", "x", "Enable or disable the pass" },
  { "Passes", "q", "Lower by the other pipeline" },
  { "Passes", "o", "Open the options of the pass" },
  { "Passes", "<Control>h", "Hide passes without effect" },
  { "Passes", "<Control><Shift>f", "Find a pass" },
  { "Passes", "t", "Go to the first or next pass that changed the selection" },
  { "Passes", "<Control><Shift>m", "Choose the function or its parameters" },
  { "Passes", "<Control><Shift>n", "Set the number of devices" },
  { "Passes", "<Control><Shift>i", "Set the shapes of the inputs" },
  { "Passes", "<Control>b", "Find the first incorrect pass" },
  { "Passes", "<Control><Shift>b", "Find a pass by a pattern in the program text" },
  { "Passes", "r <Shift>r", "Program of the next or previous ranks" },
  { "Program", "F2", "Edit the script, or a copy of the program on the tab Program" },
  { "Program", "<Control>z", "Undo the last change" },
  { "Program", "<Control><Shift>z", "Redo the last change" },
  { "Program", "space F5", "Run" },
  { "Program", "<Shift>F5", "Stop the run" },
  { "Program", "<Control>r", "Runs" },
  { "Program", "<Control><Shift>c", "Compare with the previous run" },
  { "Program", "F7", "Check synchronization" },
  { "Program", "<Shift>F7", "Close the synchronization check" },
  { "Text and differences", "1", "Script" },
  { "Text and differences", "2", "Program text" },
  { "Text and differences", "3", "Difference" },
  { "Text and differences", "4", "CUDA C of the selection" },
  { "Text and differences", "c", "Compare with another step or an earlier version" },
  { "Text and differences", "<Shift>c", "Compare with the previous step again" },
  { "Text and differences", "y", "Show differences side by side or inline" },
  { "Text and differences", "p <Shift>p", "Next or previous difference" },
  { "Text and differences", "z <Shift>z", "Fold or unfold the loop, unfold all loops" },
  { "Text and differences", "<Alt>z", "Wrap long lines" },
  { "Text and differences", "<Alt>x", "Hide domains and meshes of tensors" },
  { "Text and differences", "<Control>f slash", "Find in the text" },
  { "Text and differences", "Escape", "Clear selection and range" },
  { "Debugger", "F6", "Debug the program" },
  { "Debugger", "<Shift>F6", "Close the debugger" },
  { "Debugger", "b", "Toggle a breakpoint on the selected instruction" },
  { "Debugger", "<Control><Shift>w", "Watch an expression, such as the selected tensor" },
  { "Debugger", "<Control>F6", "Find the first incorrect result" },
  { "Debugger", "F8", "Continue to the next breakpoint, or the end" },
  { "Debugger", "<Shift>F8", "Pause" },
  { "Debugger", "F11", "Step into loops" },
  { "Debugger", "F10", "Step over loops" },
  { "Debugger", "<Shift>F11", "Step out of the loop" },
  { "Debugger", "<Control>F10", "Step back one instruction" },
  { "Debugger", "<Control><Shift>F10", "Go back to the start of the iteration" },
  { "Debugger", "Tab", "Complete the word (console)" },
  { "Debugger", "Up Down", "Previous or next command (console)" },
  { "Debugger", "x", "Enable or disable a breakpoint (list)" },
  { "Debugger", "Return", "Change a breakpoint (list)" },
  { "Debugger", "Delete", "Delete a breakpoint or a watch (list)" },
  { "Graph", "w s plus minus", "Zoom in and out" },
  { "Graph", "a d Page_Up Page_Down", "Move left, right, up and down" },
  { "Graph", "f", "Fit the selection" },
  { "Graph", "0", "Show all of it" },
  { "Graph", "Menu <Shift>F10", "Schedule of the selected tensor" },
  { "Graph", "Up Down", "Follow the edges" },
  { "Graph", "Left Right", "Go to the adjacent box" },
  { "Graph", "z <Shift>z", "Fold or unfold the loop, unfold all loops" },
  { "Graph", "g", "Highlight differences in the graph" },
  { "Graph", "n", "Show only nodes near the selection" },
  { "Graph", "period comma", "More or fewer nodes near the selection" },
  { "Graph", "u", "Near: both directions, before, or after" },
  { "Graph", "v", "Switch between graph and lanes" },
  { "Graph", "m <Shift>m", "Highlight the selection, remove the highlight" },
  { "Graph", "i", "Show the card of the selection" },
  { "Graph", "l <Shift>l", "Show legend, show map" },
  { "Graph", "<Shift>a", "Turn animation on or off" },
  { "Graph", "<Control><Shift>g", "Copy a picture of it" },
  { "Inspector", "Tab", "Go to the next link or picture" },
  { "Inspector", "Up Down Left Right", "Go to the next part of a picture" },
  { "Inspector", "Return", "Open the part, or the numbers of a value" },
  { "Runs", "Return", "Show the run" },
  { "Runs", "c", "Compare with the displayed run" },
  { "Runs", "p F2", "Pin under a name, rename" },
  { "Runs", "Delete", "Delete the run" },
  { "Timeline", "<Control>j", "Attach a trace to the program, or a program to the trace" },
  { "Timeline", "<Control><Shift>o", "Compare with another trace" },
  { "Timeline", "w s plus minus", "Zoom in and out, with w and s at the pointer" },
  { "Timeline", "a d", "Move left and right in time" },
  { "Timeline", "Page_Up Page_Down", "Scroll the tracks" },
  { "Timeline", "f", "Fit the range or the selection" },
  { "Timeline", "0", "Show all of it" },
  { "Timeline", "<Control>d", "Set a mark at the pointer or the selection, and name it" },
  { "Timeline", "<Control><Shift>d", "List the marks: go to, rename or delete them" },
  { "Timeline", "Left Right", "Go to the next event of a stream" },
  { "Timeline", "less greater", "Go to the previous or next event of the same name" },
  { "Timeline", "bracketleft bracketright", "Set the start or end of the range" },
  { "Timeline", "<Shift>s", "Select the track of the cursor, for the range" },
  { "Timeline", "<Shift>Up <Shift>Down", "Select several tracks" },
  { "Timeline", "<Control>f", "Find events by name" },
  { "Timeline", "e", "Fold or unfold all ranks" },
  { "Lost time", "<Shift>e", "Explain where the time went" },
  { "Lost time", "<Shift>d", "Show or hide the critical path" },
  { "Lost time", "<Shift>x", "Shade exposed communication and copies" },
  { "Lost time", "<Shift>i", "Shade idle gaps" },
  { "Lost time", "<Shift>w", "Shade waiting for other ranks" },
  { "Lost time", "<Shift>j <Shift>k", "Go to the next or previous interval, or shaded time" },
  { "Lost time", "Up Down", "Go to another cause (Explain)" },
  { "Lost time", "Left Right", "Go to a link of the cause (Explain)" },
  { "Lost time", "Return", "Show the interval of the cause, or follow the link (Explain)" },
  { "Lost time", "<Control><Shift>p", "Predict the run with changes, such as the selected gain" },
  { "Events table", "<Control>e", "Events table: type a filter; Tab or Down goes to the rows" },
  { "Events table", "<Control><Shift>e", "SQL" },
  { "Events table", "<Control>f", "Go to the filter" },
  { "Events table", "Up Down", "Go to another row" },
  { "Events table", "<Shift>Up <Shift>Down <Control>a", "Select several rows" },
  { "Events table", "Left Right", "Go to a cell of the row" },
  { "Events table", "Return", "Show the event, list the group, or follow the link of the cell" },
  { "Events table", "<Control>1 <Control>2", "Sort by the first column, by the second and so on" },
  { "Events table", "<Shift>Left <Shift>Right", "Move the column that sorts" },
  { "Events table", "plus minus", "Make the column that sorts wider or narrower" },
  { "Events table", "<Control>c", "Copy the selected rows" },
  { "Events table", "<Control>Return", "Run the SQL" },
  { "Timeline", "<Control><Shift>t", "Copy a picture of it" },
  { "Tracks of the timeline", "Up Down", "Go to the track above or below" },
  { "Tracks of the timeline", "<Alt>Home", "Pin above all tracks, or unpin" },
  { "Tracks of the timeline", "h", "Hide" },
  { "Tracks of the timeline", "<Shift>h", "Show hidden tracks" },
  { "Tracks of the timeline", "z <Shift>z", "Fold or unfold the track or rank, unfold all" },
  { "Tracks of the timeline", "<Shift>t", "Full or small height of a track with a stack" },
  { "Tracks of the timeline", "<Alt>Up <Alt>Down", "Move up or down" },
  { "Tracks of the timeline", "Menu <Shift>F10", "Menu of the track and of the selected event" },
};

/* The sections of the window, and the groups in each. */
static const struct
{
  const char *name;
  const char *groups[4];
} sections[] = {
  { "Timeline", { "Timeline", "Tracks of the timeline", "Lost time", "Events table" } },
  { "Document and window", { "Document", "Window" } },
  { "Program", { "Passes", "Program", "Text and differences", "Runs" } },
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

/* The window of GTK has a fixed size, which small screens do not have: make it at most as large as
 * @parent. */
static void
make_scrollable (GtkWindow *window, GtkWidget *parent)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *child = g_object_ref (gtk_window_get_child (window));
  int width = gtk_widget_get_width (parent), height = gtk_widget_get_height (parent);
  GtkRequisition all;

  gtk_window_set_child (window, NULL);
  gtk_scrolled_window_set_propagate_natural_width (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), child);
  gtk_window_set_child (window, scroller);
  gtk_window_set_resizable (window, TRUE);
  gtk_widget_get_preferred_size (GTK_WIDGET (window), NULL, &all);
  gtk_window_set_default_size (window, MIN (all.width, width), MIN (all.height, height));
  g_object_unref (child);
}

void
hir_shortcuts_present (GtkWindow *parent, gboolean is_timeline)
{
  g_autofree char *description = dup_description ();
  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_string (description, -1);
  GtkWindow *window = GTK_WINDOW (gtk_builder_get_object (builder, "window"));
  GtkEventController *close = gtk_shortcut_controller_new ();

  make_scrollable (window, GTK_WIDGET (parent));
  g_object_set (window, "section-name", is_timeline ? "Timeline" : "Program", NULL);
  gtk_window_set_transient_for (window, parent);
  gtk_window_set_modal (window, TRUE);
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (close),
                                        gtk_shortcut_new (gtk_shortcut_trigger_parse_string (
                                                              "<Control>w"),
                                                          gtk_named_action_new ("window.close")));
  gtk_widget_add_controller (GTK_WIDGET (window), close);
  hir_names_follow (window);
  gtk_window_present (window);
}
