/// Which proxy a transfer goes through.
package enum ProxyChoice: Sendable, Equatable {
  /// The one that the engine's configuration has for the URL.
  case configured
  /// None, whatever the configuration says.
  case direct
  /// This one, whatever the configuration says.
  case through(ProxyServer)
}
