/// Where a session's proxy auto-config script comes from.
enum PACSource: Sendable, Equatable {
  /// A file that has to be loaded.
  case url(URL)
  /// The script itself.
  case script(String)
  /// The text of a URL that is not one.
  case invalid(String)

  /// What a session's proxy dictionary says; nil where it has no script, or one that is disabled.
  ///
  /// The script goes before its URL: who has both needs no other copy. The keys are those of CFNetwork's settings, and those of a proxy that
  /// stands for a script (`kCFProxyTypeAutoConfigurationURL`).
  init?(_ values: ProxyDictionary) {
    if values.number("ProxyAutoConfigEnable") ?? 1 != 0 {
      if let script = values.text("ProxyAutoConfigJavaScript") {
        self = .script(script)
        return
      }
      if let url = values.text("ProxyAutoConfigURLString") {
        self.init(url: url)
        return
      }
    }
    switch values.text("kCFProxyTypeKey") {
    case "kCFProxyTypeAutoConfigurationJavaScript":
      guard let script = values.text("kCFProxyAutoConfigurationJavaScriptKey") else { return nil }
      self = .script(script)
    case "kCFProxyTypeAutoConfigurationURL":
      guard let url = values.text("kCFProxyAutoConfigurationURLKey") else { return nil }
      self.init(url: url)
    default: return nil
    }
  }

  private init(url text: String) {
    let url = URL(string: text.trimmingCharacters(in: .whitespacesAndNewlines))
    self = url?.scheme == nil ? .invalid(text) : url.map { .url($0) } ?? .invalid(text)
  }
}
