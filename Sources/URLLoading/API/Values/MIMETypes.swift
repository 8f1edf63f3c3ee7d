/// MIME types by file name.
///
/// The table is our own, so that the same file gets the same type on every machine: names from the IANA registry
/// where it has one, the common `x-` name else, and `text/plain` for source code.
public enum MIMETypes {
  /// The MIME type that the extension of `name` stands for, or nil for an unknown or missing one.
  ///
  /// - Parameter name: a file name or path with `/` between components.
  public static func type(forFileName name: some StringProtocol) -> String? {
    let bytes = Array(name.utf8)
    let file = bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
    // A leading dot makes a hidden file, not an extension.
    guard let dot = file.lastIndex(of: UInt8(ascii: ".")), dot > file.startIndex else { return nil }
    return type(forExtension: String(decoding: file[(dot + 1)...], as: UTF8.self))
  }

  /// The MIME type that a file name extension stands for, in any case and without its dot; nil for an unknown one.
  public static func type(forExtension fileExtension: String) -> String? {
    table[fileExtension.lowercased()]
  }
}
