import Foundation

/// Makes a safe file name for a resource, from what its source says.
package enum SuggestedFilename {
  /// The first of these that can be made safe, in the order of Apple's page: the proposed name, the last part of the URL's path, the URL's
  /// host; else "Unknown" with the extension that belongs to the type.
  package static func make(proposed: String?, url: URL?, mimeType: String?) -> String {
    if let name = proposed.flatMap(sanitised) { return name }
    if let name = url.map(\.lastPathComponent).flatMap(sanitised) { return name }
    if let name = url?.host(percentEncoded: false).flatMap(sanitised) { return name }
    let suffix = mimeType.flatMap { extensions[$0.lowercased()] }
    return suffix.map { "Unknown.\($0)" } ?? "Unknown"
  }

  /// The last part of what may be a path, without characters that a file name should not have; nil if nothing
  /// is left. A leading dot, which would hide the file, becomes "_". At most 255 bytes of UTF-8, the limit of
  /// common file systems; the extension is kept when it is cut.
  static func sanitised(_ name: String) -> String? {
    // By scalars: a combining mark after a slash would hide it from a search by characters.
    let last = name.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last
    guard let last else { return nil }
    var result = String.UnicodeScalarView()
    result.append(contentsOf: last.filter { !isForbidden($0) })
    var text = String(result).trimmingCharacters(in: .whitespaces)
    while text.hasSuffix(".") { text.removeLast() }
    text = text.trimmingCharacters(in: .whitespaces)
    guard !text.isEmpty else { return nil }
    if text.unicodeScalars.first == "." {
      text = "_" + String(text.unicodeScalars.dropFirst())
    }
    return shortened(text)
  }

  /// Control characters, and those that turn the direction of text, with which `exe.txt` can be made to show
  /// for a name that ends otherwise.
  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }

  private static func shortened(_ name: String) -> String {
    let limit = 255
    guard name.utf8.count > limit else { return name }
    var suffix = ""
    if let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= 32 { suffix = String(name[dot...]) }
    var stem = name.dropLast(suffix.count).unicodeScalars
    var length = stem.reduce(0) { $0 + UTF8.width($1) }
    while length > limit - suffix.utf8.count, let removed = stem.popLast() { length -= UTF8.width(removed) }
    return String(stem) + suffix
  }

  private static let extensions = [
    "text/html": "html", "text/plain": "txt", "text/css": "css", "text/csv": "csv", "text/xml": "xml",
    "text/javascript": "js", "application/javascript": "js", "application/json": "json",
    "application/xml": "xml", "application/pdf": "pdf", "application/zip": "zip",
    "application/gzip": "gz", "application/x-tar": "tar", "application/xhtml+xml": "xhtml",
    "image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp",
    "image/svg+xml": "svg", "audio/mpeg": "mp3", "video/mp4": "mp4",
  ]
}
