internal import URLLoadingBase

/// What proxies are found with. Tests put others in its place.
struct ProxyTools: URLProtocolSettings {
  /// Looks up a variable of the environment.
  var environment: @Sendable (String) -> String? = ProcessEnvironment.value(of:)
  /// The settings of the system.
  var system = SystemProxies.shared
  /// The path of the program that runs scripts.
  var findHelper: @Sendable () -> String? = { HelperProgram.pac.find() }
  /// What one question to a script may take; names that it looks up are the slowest part.
  var scriptTimeLimit = Duration.seconds(30)
  /// What the load of a script may take.
  var fileTimeLimit = Duration.seconds(20)
}
