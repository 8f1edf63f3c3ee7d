import Foundation
import URLLoading

/// How the tasks of a program reach their servers: they keep it when another program attaches to their session.
struct TaskEnvironment: Codable, Hashable {
  /// The session's proxies, a property list.
  var proxies: Data?
  var certificateAuthorityFile: String?
  /// What the program's process said; nil for what the service's does, of programs that say nothing.
  var process: LoadEnvironment?
  /// A proxy's password was left out, since this was on the disk: nothing is loaded by it.
  var lacksPasswords: Bool?

  init(_ description: BackgroundSessionDescription) {
    proxies = description.proxies
    certificateAuthorityFile = description.certificateAuthorityFile
    process = description.environment
  }

  /// The same for the disk.
  var withoutPasswords: TaskEnvironment {
    var environment = self
    environment.proxies = proxies.map { LoadEnvironment.withoutPasswords($0) }
    environment.process = process?.withoutPasswords
    if environment != self { environment.lacksPasswords = true }
    return environment
  }

  /// Whether this is `other` with its passwords, which may have changed.
  func completes(_ other: TaskEnvironment) -> Bool {
    var (own, others) = (withoutPasswords, other.withoutPasswords)
    guard lacksPasswords != true, own.lacksPasswords == true || others.lacksPasswords != true else { return false }
    (own.lacksPasswords, others.lacksPasswords) = (nil, nil)
    return own == others
  }

  /// This with the passwords that a program has for the same proxies; nil where it has none for them. The rest of the program's environment
  /// may be another: its version is in the name that it gives to servers, and an agent's socket has another place after each start.
  func completed(by program: TaskEnvironment) -> TaskEnvironment? {
    guard lacksPasswords == true, program.lacksPasswords != true else { return nil }
    let given = program.withoutPasswords
    guard given.lacksPasswords == true, given.proxies == proxies else { return nil }
    let isByDictionary = program.proxies != given.proxies
    var whole = self
    (whole.proxies, whole.lacksPasswords) = (program.proxies, nil)
    guard var own = process else { return isByDictionary ? whole : nil }
    for name in LoadEnvironment.proxyNames {
      if given.process?.variables[name] == own.variables[name] {
        own.variables[name] = program.process?.variables[name]
      } else if !isByDictionary {
        // Beside a dictionary they count for nothing.
        return nil
      }
    }
    whole.process = own
    return whole
  }

  /// A session's description for the tasks of this environment.
  /// - Parameter service: what the service's own process says.
  func applied(
    to description: BackgroundSessionDescription, service: LoadEnvironment?
  ) -> BackgroundSessionDescription {
    var description = description
    description.proxies = proxies
    description.certificateAuthorityFile = certificateAuthorityFile
    description.environment = process ?? service
    return description
  }

  /// Why nothing can be loaded by it; nil where it can.
  var immediateError: URLError? {
    guard let proxies, BackgroundValues.dictionary(proxies) == nil else { return nil }
    return URLError(.cannotConnectToHost, message: "The proxies of the task cannot be read.", url: nil)
  }
}
