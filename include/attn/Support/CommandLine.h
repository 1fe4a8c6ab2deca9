// Command lines of the project's tools.
#ifndef ATTN_SUPPORT_COMMANDLINE_H
#define ATTN_SUPPORT_COMMANDLINE_H

namespace attn {

/// Hides the options that are registered so far from `--help`; `--help-hidden` still shows them.
/// The libraries that a tool links against register theirs (several hundred) before main is
/// entered, the tool itself registers its own afterwards: call this in between.
void hideLibraryOptions();

} // namespace attn

#endif // ATTN_SUPPORT_COMMANDLINE_H
