/// Pools of connections that few transfers share, by what these have in common.
struct IsolatedPools {
  private var pools: [(key: ConnectionPoolKey, multi: MultiHandle)] = []
  /// Those that take no transfer any more, as long as one runs.
  private var retired: [MultiHandle] = []

  /// More are kept only while transfers run in them: each delegate, identity and login of a session has one.
  private static let mostIdle = 32

  /// The pool of a key, made where there is none; closes the least recently used idle one where there are many.
  mutating func open(_ key: ConnectionPoolKey, _ make: () -> MultiHandle?) -> MultiHandle? {
    if let index = pools.firstIndex(where: { $0.key == key }) {
      // The last used is the last.
      let pool = pools.remove(at: index)
      if pool.multi.isUsable {
        pools.append(pool)
        return pool.multi
      }
      retired.removeAll { $0.isClosed }
      if !pool.multi.isClosed { retired.append(pool.multi) }
    }
    guard let new = make() else { return nil }
    if pools.count >= Self.mostIdle, let index = pools.firstIndex(where: { $0.multi.isIdle }) {
      pools.remove(at: index).multi.close(because: nil)
    }
    pools.append((key, new))
    return new
  }

  var all: [MultiHandle] { retired + pools.map { $0.multi } }

  mutating func takeAll() -> [MultiHandle] {
    defer { (pools, retired) = ([], []) }
    return all
  }
}
