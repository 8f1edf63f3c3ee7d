/// The minimum security of a session's loads, by the rules of Apple's App Transport Security, from a dictionary with
/// the keys of `NSAppTransportSecurity` in an `Info.plist`.
///
/// ```swift
/// configuration.appTransportSecurity = AppTransportSecurity([
///   "NSAllowsLocalNetworking": true,
///   "NSExceptionDomains": ["example.org": ["NSExceptionAllowsInsecureHTTPLoads": true]],
/// ])
/// ```
///
/// An empty dictionary has no exception: all loads of `http`, `https`, `ftp` and `ftps` have to be encrypted, by TLS 1.2 or later with
/// forward secrecy, and with certificates whose keys and signatures are not weak. What violates a rule fails with
/// `URLError.appTransportSecurityRequiresSecureConnection`, and its description names the rule and the domain.
///
/// An invalid dictionary fails closed: all these loads fail with ``error``, which names the key and the valid form. The
/// article <doc:Architecture> has the rules.
public struct AppTransportSecurity: Sendable {
  /// A class, so that configurations without rules are copied as fast as ever.
  private final class Contents: Sendable {
    let rules: Result<TransportSecurityRules, TransportSecurityError>
    /// The dictionary as a property list, for another process; empty where it is flawed.
    let source: Data

    init(_ rules: Result<TransportSecurityRules, TransportSecurityError>, source: Data = Data()) {
      self.rules = rules
      self.source = source
    }
  }

  private let contents: Contents

  /// Rules from code.
  /// - Parameter dictionary: what would stand under `NSAppTransportSecurity`.
  public init(_ dictionary: [String: Any]) {
    self.init { dictionary }
  }

  /// The rules of the file `Info.plist` beside the program's executable, read at each access. A file without
  /// `NSAppTransportSecurity` has no exceptions, as on Apple's systems. A missing or unreadable file is an ``error``,
  /// since its pins would be missing.
  public static var infoPlist: AppTransportSecurity {
    let executable =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments.first
    let file = URL(fileURLWithPath: executable ?? "").deletingLastPathComponent().appendingPathComponent("Info.plist")
    return AppTransportSecurity(infoPlist: file)
  }

  /// The rules of a file that is an `Info.plist`.
  init(infoPlist file: URL) {
    self.init { () throws(TransportSecurityError) in
      let contents: Any
      do {
        contents = try PropertyListSerialization.propertyList(from: try Data(contentsOf: file), format: nil)
      } catch {
        throw TransportSecurityError(
          path: file.path, problem: "it cannot be read as a property list (\(error.localizedDescription))",
          remedy: "a property list, which may have the key \(TransportSecurityRules.name)")
      }
      guard let table = contents as? [String: Any] else {
        throw TransportSecurityError(path: file.path, problem: "it is no dictionary", remedy: "a dictionary")
      }
      return table[TransportSecurityRules.name] ?? [String: Any]()
    }
  }

  private init(_ read: () throws(TransportSecurityError) -> Any) {
    do throws(TransportSecurityError) {
      let value = try read()
      contents = Contents(
        .success(try TransportSecurityRules(value)),
        source: (value as? [String: Any]).flatMap { BackgroundValues.data(of: $0) } ?? Data())
    } catch {
      contents = Contents(.failure(error))
    }
  }

  /// The rules of another process. What cannot be read is an error: without rules its pins would be missing.
  /// - Parameter source: what that process has as ``source``.
  init(source: Data) {
    self.init { () throws(TransportSecurityError) in
      if let dictionary = BackgroundValues.dictionary(source) { return dictionary }
      throw TransportSecurityError(
        path: TransportSecurityRules.name, problem: "the program's rules are flawed or cannot be read",
        remedy: "a dictionary without an error")
    }
  }

  /// The dictionary as a property list, for another process; empty where it is flawed.
  var source: Data { contents.source }

  /// What is wrong with the dictionary; nil for nothing.
  public var error: URLError? {
    guard case .failure(let error) = contents.rules else { return nil }
    return error.error(for: nil)
  }

  /// What the rules say about the loads of a URL.
  func judgement(of url: URL) -> TransportSecurityJudgement {
    switch contents.rules {
    case .success(let rules): rules.judgement(of: url)
    // Whether a URL is judged at all does not depend on the dictionary.
    case .failure(let error): TransportSecurityRules.kind(of: url) == nil ? .notJudged : .invalid(error)
    }
  }
}
