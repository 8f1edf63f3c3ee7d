/// What the service has to know of a background session.
package struct BackgroundSessionDescription: Codable, Sendable, Hashable {
  package var identifier: String
  /// The program's executable.
  package var program: String
  /// In seconds; nil for none.
  package var requestTimeout: Double?
  /// In seconds; nil for none.
  package var resourceTimeout: Double?
  package var isDiscretionary = false
  package var allowsExpensiveNetwork = true
  package var allowsConstrainedNetwork = true
  package var connectionsPerHost = 6
  /// Where its cookies are kept; nil for nowhere.
  package var cookies: String?
  package var cookieAcceptPolicy: UInt = 0
  package var setsCookies = true
  package var tlsMinimum: UInt16 = 0
  package var tlsMaximum: UInt16 = 0
  package var certificateAuthorityFile: String?
  package var requiresDNSSECValidation = false
  /// A property list.
  package var proxies: Data?
  package var transportSecurity: Data?
  package var network: NetworkSettings?
  /// Nil of a program that has none, or does not know of it.
  package var retryPolicy: URLSessionConfiguration.RetryPolicy?
  package var launch: URLSessionConfiguration.BackgroundLaunch?
  /// The program may be asked about servers that are not trusted.
  package var asksAboutServers = false
  /// The settings of protocol classes, as JSON, by the names of their types; nil for none.
  package var settings: [String: Data]?

  /// What the program's loads take from its process; nil of a program that says nothing of it.
  package var environment: LoadEnvironment?

  package init(identifier: String, program: String) {
    self.identifier = identifier
    self.program = program
  }

  /// What a service of another version would pass over, though it must not; nil where there is nothing.
  func lack(ofServiceWithVersion version: Int) -> String? {
    if version < BackgroundWire.versionWithEnvironment, environment?.isOfConsequence == true {
      // It would load past the program's proxy.
      return "by the proxies and certificates that this program's environment names"
    }
    if version < BackgroundWire.versionWithLocalEnds, network?.choosesLocalEnd == true {
      // It would load over another network.
      return "from the local interface and ports that the session's network settings name"
    }
    return nil
  }
}
