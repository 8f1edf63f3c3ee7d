/// Where configuration comes from: the machine, or a test's own files.
struct ConfigurationSource: Sendable {
  /// The user's home directory.
  var home: String
  /// The user's name on this machine.
  var localUser: String
  var localUserID: UInt32
  /// The values of environment variables.
  var environment: [String: String]
  /// The contents of a file.
  var read: @Sendable (String) -> Result<[UInt8], LocalFile.Unreadable>
  /// The paths that a pattern of the shell stands for, sorted.
  var expand: @Sendable (String) -> [String]

  init(
    home: String, localUser: String, localUserID: UInt32 = 0, environment: [String: String] = [:],
    read: @escaping @Sendable (String) -> Result<[UInt8], LocalFile.Unreadable>,
    expand: @escaping @Sendable (String) -> [String] = { [$0] }
  ) {
    self.home = home
    self.localUser = localUser
    self.localUserID = localUserID
    self.environment = environment
    self.read = read
    self.expand = expand
  }
}
