/// What a file of policies is to be told about one host.
package enum HSTSChange: Equatable, Sendable {
  case stored(HSTSPolicy)
  /// The host has ended its policy, whatever version of it the file has.
  case removed(host: String)
  /// It has expired, or has made room: a version that another process has noted meanwhile stays.
  case dropped(HSTSPolicy)

  package var host: String {
    switch self {
    case .stored(let policy), .dropped(let policy): policy.host
    case .removed(let host): host
    }
  }
}
