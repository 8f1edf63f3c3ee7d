extension URLSessionConfiguration {
  /// How the transfer service starts a program whose background tasks are done, or need it. Our addition.
  public enum BackgroundLaunch: Sendable, Hashable, Codable {
    /// An executable, by its absolute path, with arguments. It gets the service's environment, with the variables of proxies, certificates
    /// and the SSH agent that the session's last program had, and no terminal. A service that is a unit of systemd has the user's manager
    /// start it (`systemd-run --user`), with that one's environment and without the service's sandbox.
    case executable(path: String, arguments: [String] = [])
    /// A unit of the user's systemd, by `systemctl --user start`.
    case systemdUnit(String)
    /// A name on the user's session bus that is activated, by `busctl --user`.
    case dbusName(String)
  }
}
