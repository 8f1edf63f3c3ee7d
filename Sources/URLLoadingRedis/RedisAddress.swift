import Foundation

/// Where Redis listens, as a URL says it: `redis://[:password@]host[:port][/database]`, with a user before the colon where there are
/// several, or `unix:///path[?db=database]`.
struct RedisAddress: Sendable, Equatable {
  enum Place: Sendable, Equatable {
    case host(String, port: Int)
    case path(String)
  }

  var place: Place
  var user: String?
  var password: String?
  var database = 0

  /// - Throws: `URLError.badURL` with words, or `.unsupportedURL` for another scheme.
  init(_ url: URL) throws {
    let shown = url.scheme.map { "\($0)://…" } ?? "the URL"
    func failure(_ code: URLError.Code, _ message: String) -> URLError {
      URLError(code, userInfo: [NSLocalizedDescriptionKey: "\(shown) does not say where Redis is: \(message)"])
    }
    guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
      throw failure(.badURL, "write redis://host:port/database")
    }
    user = components.user.flatMap { $0.isEmpty ? nil : $0 }
    password = components.password
    var number: String?
    switch components.scheme?.lowercased() {
    case "redis", "valkey":
      guard let host = components.host, !host.isEmpty else { throw failure(.badURL, "it has no host") }
      let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
      place = .host(name, port: components.port ?? 6379)
      number = String(components.path.drop { $0 == "/" })
    case "unix":
      guard !components.path.isEmpty else { throw failure(.badURL, "it has no path") }
      place = .path(components.path)
      number = components.queryItems?.first { $0.name == "db" }?.value
    case "rediss", "valkeys":
      throw failure(.unsupportedURL, "TLS is not supported; put a TLS tunnel before it, and use redis://")
    default: throw failure(.unsupportedURL, "the scheme has to be redis or unix")
    }
    if let number, !number.isEmpty {
      guard let index = Int(number), index >= 0 else {
        throw failure(.badURL, "'\(number)' is no number of a database")
      }
      database = index
    }
  }

  /// What has to be said first on a connection.
  var greeting: [RedisCommand] {
    var commands: [RedisCommand] = []
    if let password {
      let words = ["AUTH"] + (user.map { [RedisCommand.Word($0)] } ?? []) + [RedisCommand.Word(password)]
      commands.append(RedisCommand(words))
    }
    if database != 0 { commands.append(RedisCommand("SELECT", RedisCommand.Word(database))) }
    return commands
  }

  /// For messages, without the password.
  var description: String {
    switch place {
    case .host(let host, let port): "\(host):\(port)"
    case .path(let path): path
    }
  }
}
