internal import URLLoadingBase

/// The path that a `file:` URL names, as the bytes that system calls take: names of files need not be UTF-8.
struct FilePath {
  /// With a NUL at the end.
  let characters: [CChar]

  /// - Throws: `fileDoesNotExist` for another host than this one, `badURL` for a path that is empty or has a NUL.
  init(_ url: URL) throws(URLError) {
    if let host = url.host(percentEncoded: false), !host.isEmpty, host.lowercased() != "localhost" {
      throw URLError(
        .fileDoesNotExist, message: "A file: URL names files of this machine, not of \"\(host)\".", url: url)
    }
    let bytes = PercentEncoding.decoded(Array(url.path(percentEncoded: true).utf8))
    guard !bytes.isEmpty, !bytes.contains(0) else {
      throw URLError(.badURL, message: "The file: URL has no usable path.", url: url)
    }
    characters = bytes.map { CChar(bitPattern: $0) } + [0]
  }

  /// The path as text; nil where it is no UTF-8.
  var text: String? { String(validating: characters.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) }
}
