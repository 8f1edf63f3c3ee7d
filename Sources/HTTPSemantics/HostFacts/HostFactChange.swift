/// What a file of facts is to be told about one key.
package enum HostFactChange<Fact: HostFact>: Sendable {
  case stored(Fact)
  /// The host has ended it, whatever version of it the file has.
  case removed(Fact.Key)
  /// It has expired, or has made room: a version that another process has noted meanwhile stays.
  case dropped(Fact)

  package var key: Fact.Key {
    switch self {
    case .stored(let fact), .dropped(let fact): fact.key
    case .removed(let key): key
    }
  }
}

extension HostFactChange: Equatable where Fact: Equatable {}
