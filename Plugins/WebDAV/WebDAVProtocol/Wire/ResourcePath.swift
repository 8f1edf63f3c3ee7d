import URLLoading
internal import URLLoadingBase

/// Where a resource is on its server: the segments of a path, decoded once. Names that are encoded twice stay encoded once, since a server
/// has them so.
struct ResourcePath: Hashable, Sendable {
  /// Without empty ones.
  let segments: [[UInt8]]
  /// Whether the path ends in a slash, as that of a directory should (RFC 4918, section 5.2).
  let endsInSlash: Bool

  /// The path of a URL. Nil where it leads above the root.
  init?(of url: URL) { self.init(path: Array(url.path(percentEncoded: true).utf8)[...], in: nil) }

  /// What a server names (RFC 4918, section 8.3): a path, or a URL, of which the path alone counts, since servers behind others do not know
  /// the name that they are reached by.
  /// - Parameter directory: what a reference without a slash at its beginning is below.
  /// - Returns: nil where the path leads above the root.
  init?(reference: some Collection<UInt8>, in directory: ResourcePath) {
    let slash = UInt8(ascii: "/")
    var rest = Array(reference)[...]
    rest = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let scheme = rest.prefix { $0 != UInt8(ascii: ":") && $0 != slash }
    let behind = rest[scheme.endIndex...]
    if behind.starts(with: "://".utf8), !scheme.isEmpty {
      rest = behind.dropFirst(3).drop { $0 != slash }
      if rest.isEmpty { rest = [slash] }
    } else if rest.starts(with: "//".utf8) {
      rest = rest.dropFirst(2).drop { $0 != slash }
      if rest.isEmpty { rest = [slash] }
    }
    self.init(path: rest, in: rest.first == slash ? nil : directory)
  }

  private init?(path: ArraySlice<UInt8>, in directory: ResourcePath?) {
    let slash = UInt8(ascii: "/")
    var segments = directory?.segments ?? []
    for part in path.split(separator: slash) {
      let segment = PercentEncoding.decoded(part)
      switch segment {
      case Array(".".utf8): continue
      case Array("..".utf8):
        guard segments.popLast() != nil else { return nil }
      default: segments.append(segment)
      }
    }
    self.segments = segments
    endsInSlash = path.last == slash || path.isEmpty
  }

  /// Whether both name one resource, whichever of the two ends in a slash.
  func isSame(as other: ResourcePath) -> Bool { segments == other.segments }

  /// The names on the way to this from a directory that it is in; nil where it is elsewhere, empty where it is the directory.
  func names(below directory: ResourcePath) -> ArraySlice<[UInt8]>? {
    guard segments.starts(with: directory.segments) else { return nil }
    return segments[directory.segments.count...]
  }
}

extension ResourcePath {
  private static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

  /// The URL of the resource on the server of another URL.
  func url(on server: URL) -> URL? {
    var path: [UInt8] = []
    for segment in segments {
      path.append(UInt8(ascii: "/"))
      for byte in segment {
        if Self.unreserved.contains(byte) {
          path.append(byte)
        } else {
          PercentEncoding.appendEscape(of: byte, to: &path)
        }
      }
    }
    if endsInSlash || path.isEmpty { path.append(UInt8(ascii: "/")) }
    guard var parts = URLComponents(url: server, resolvingAgainstBaseURL: true) else { return nil }
    parts.percentEncodedPath = String(decoding: path, as: UTF8.self)
    (parts.query, parts.fragment) = (nil, nil)
    return parts.url
  }
}
