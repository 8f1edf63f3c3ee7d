import URLLoading

/// What the author of a protocol class gives to the conformance kit: a way to put known bytes behind a URL of the class.
///
/// Two members are needed; each of the others makes more checks possible, and is announced in ``abilities``:
///
/// ```swift
/// struct ShelfFixture: URLProtocolFixture {
///   var protocolClass: URLProtocol.Type { ShelfProtocol.self }
///
///   func place(_ bytes: Data, named name: String) async throws -> URL {
///     await Shelf.shared.put(bytes, on: name)
///     return URL(string: "shelf:/\(name)")!
///   }
/// }
/// ```
///
/// Names are unique, short, and made of lower-case letters, digits and hyphens. Members are called by several checks at a time.
public protocol URLProtocolFixture: Sendable {
  /// The class that is tested. What is checked goes by its `capabilities`.
  var protocolClass: URLProtocol.Type { get }

  /// What this fixture can do beyond placing. Unless implemented, nothing.
  var abilities: FixtureAbilities { get }

  /// A configuration for a session of the kit, which puts ``protocolClass`` in front of its protocol classes. Unless
  /// implemented, an ephemeral one without proxies.
  func configuration() -> URLSessionConfiguration

  /// Makes a new resource.
  /// - Returns: the URL that loads `bytes` from now on.
  func place(_ bytes: Data, named name: String) async throws -> URL

  /// Gives other bytes to a resource that ``place(_:named:)`` made. They differ in length from those before, so that
  /// versions of sources with coarse clocks differ as well. Called with ``FixtureAbilities/replacing`` only.
  func replace(_ url: URL, with bytes: Data) async throws

  /// A URL of the class where nothing is. Called with ``FixtureAbilities/missing`` only.
  func missing() async throws -> URL

  /// Makes a directory with these files and nothing else. Called with ``FixtureAbilities/directories`` only.
  /// - Parameter files: the bytes of each, by its name.
  /// - Returns: the directory's URL, with a slash at its end.
  func directory(of files: [String: Data], named name: String) async throws -> URL

  /// Makes a new resource that is given to those who log in. Called with ``FixtureAbilities/challenges`` only.
  /// - Returns: the URL that loads `bytes` with the right credential, and what the class's challenges are to say.
  func protected(_ bytes: Data, named name: String) async throws -> ProtectedResource

  /// Makes a URL that leads to another one. Called with ``FixtureAbilities/redirects`` only.
  /// - Parameter target: a URL that ``place(_:named:)`` returned; nil for a URL that leads to itself, without end.
  func redirect(to target: URL?, named name: String) async throws -> URL

  /// A URL to upload to, where nothing is yet. Needed by every class that declares `.upload`, or one of the methods `MKCOL`, `MOVE` and
  /// `COPY`.
  func uploadTarget(named name: String) async throws -> URL

  /// What an upload to a URL of ``uploadTarget(named:)`` stored, read some other way than through the class.
  func contents(of url: URL) async throws -> Data
}

extension URLProtocolFixture {
  /// Nothing beyond placing.
  public var abilities: FixtureAbilities { [] }

  /// An ephemeral configuration without proxies.
  public func configuration() -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    return configuration
  }

  /// Not supported.
  public func replace(_ url: URL, with bytes: Data) async throws {
    throw UnsupportedByFixture(fixture: "\(Self.self)", member: "replace(_:with:)")
  }

  /// Not supported.
  public func directory(of files: [String: Data], named name: String) async throws -> URL {
    throw UnsupportedByFixture(fixture: "\(Self.self)", member: "directory(of:named:)")
  }

  /// Not supported.
  public func missing() async throws -> URL {
    throw UnsupportedByFixture(fixture: "\(Self.self)", member: "missing()")
  }

  /// Not supported.
  public func protected(_ bytes: Data, named name: String) async throws -> ProtectedResource {
    throw UnsupportedByFixture(fixture: "\(Self.self)", member: "protected(_:named:)")
  }

  /// Not supported.
  public func redirect(to target: URL?, named name: String) async throws -> URL {
    throw UnsupportedByFixture(fixture: "\(Self.self)", member: "redirect(to:named:)")
  }

  /// Not supported.
  public func uploadTarget(named name: String) async throws -> URL {
    throw UnsupportedByFixture(fixture: "\(Self.self)", member: "uploadTarget(named:)")
  }

  /// Not supported.
  public func contents(of url: URL) async throws -> Data {
    throw UnsupportedByFixture(fixture: "\(Self.self)", member: "contents(of:)")
  }
}
