internal import URLLoadingBase

/// The parts of a URL of a server at a Unix socket: `http+unix://%2Frun%2Fdocker.sock/containers/json`. The percent-encoded path of the
/// socket stands where others have their host.
struct UnixSocketURL: Equatable, Sendable {
  /// Why a URL is none.
  enum Flaw: Error, Equatable {
    case noPath
    case port
    case encoding

    var words: String {
      switch self {
      case .noPath: "it names no Unix socket: the percent-encoded path is in place of a host"
      case .port: "a Unix socket has no port; the slashes and colons of its path are percent-encoded"
      case .encoding: "the path of the Unix socket is no percent-encoded UTF-8"
      }
    }
  }

  /// The host that a server at a socket is asked for, and its certificate has to be for.
  static let host = "localhost"

  /// The path of the socket.
  let path: String
  /// What the server is asked, of the scheme `http` or `https`.
  let requestURL: String

  /// - Parameter url: of the scheme `http+unix` or `https+unix`.
  init(_ url: URL) throws(Flaw) {
    let (scheme, user, socket, target) = Self.split(url.absoluteString)
    guard !socket.isEmpty else { throw .noPath }
    guard !socket.contains(":") else { throw .port }
    guard let path = socket.removingPercentEncoding else { throw .encoding }
    self.path = path
    requestURL = "\(scheme)://\(user)\(Self.host)\(target)"
  }

  /// - Returns: `http` or `https`, the user with its `@`, the socket as it is written, and what follows the authority.
  private static func split(
    _ text: String
  ) -> (scheme: String, user: Substring, socket: Substring, target: Substring) {
    let scheme = text.prefix { $0 != "+" }.lowercased()
    guard let start = text.firstRange(of: "://")?.upperBound else { return (scheme, "", "", "") }
    let end = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
    let authority = text[start..<end]
    let socket = authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex
    return (scheme, authority[..<socket], authority[socket...], text[end...])
  }

  /// Whether two URLs are of the same socket.
  static func isOneSocket(_ first: URL?, _ second: URL?) -> Bool {
    guard let first, let second, URLRequest(url: second).urlFacts.isOfUnixSocket, let one = try? UnixSocketURL(first),
      let other = try? UnixSocketURL(second)
    else { return false }
    // Two spellings of a letter are two files.
    return one.path.utf8.elementsEqual(other.path.utf8)
  }

  /// What a server's `Location` stands for. It may name the server by the host that it was asked for, and then means its own socket.
  static func location(_ location: String, from request: URLRequest) -> String {
    guard let text = request.url?.absoluteString else { return location }
    let (scheme, _, socket, _) = split(text)
    let own = "\(scheme)://\(request.value(forHTTPHeaderField: "Host") ?? host)"
    guard location.lowercased().hasPrefix(own.lowercased()) else { return location }
    let rest = location.dropFirst(own.count)
    guard rest.isEmpty || rest.first.map({ "/?#".contains($0) }) == true else { return location }
    return "\(scheme)+unix://\(socket)\(rest)"
  }
}
