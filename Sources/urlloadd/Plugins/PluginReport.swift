internal import URLLoadingBase

/// What became of the plugins that the user's list names.
struct PluginReport: Sendable, Equatable {
  /// The path of the list; nil where there is no place for one.
  var list: String?
  /// Whether there is a list.
  var hasList = false
  /// The paths of those that were loaded.
  var loaded: [String] = []
  /// Why others were not, a sentence without a full stop each.
  var refusals: [String] = []
  /// The files that were given to the linker.
  var tried: [FileVersion] = []

  /// What is added to an error about a scheme that no class loads; nil for nothing.
  var words: String? {
    guard let list else { return nil }
    guard hasList else { return "Plugins of the transfer service are named in \(list), which is not there." }
    let count = loaded.count == 1 ? "1 plugin" : "\(loaded.count) plugins"
    let few = refusals.prefix(3).joined(separator: "; ")
    let more = refusals.count > 3 ? "; and \(refusals.count - 3) more" : ""
    return "The transfer service has loaded \(count) of those that \(list) names"
      + (refusals.isEmpty ? "." : "; refused: \(few)\(more).")
  }
}
