internal import URLLoadingSQLite
internal import URLLoadingHTTPSemantics

/// The policies of transport security, which have a table of their own: made with the first of them, so that files without any are as
/// programs know them that have no such table.
extension CookieDatabase {
  /// All policies. Where rows are not as they were written, the table is made anew of those that are.
  func policies() throws -> [HSTSPolicy] {
    guard try hasPolicyTable() else { return [] }
    let (rows, isWhole) = try readPolicies()
    guard !isWhole else { return rows }
    return try database.transaction {
      let whole = try readPolicies().rows
      try database.execute("DELETE FROM hsts")
      for policy in whole { try insert(policy) }
      return whole
    }
  }

  /// Writes changes, inside of a transaction.
  func writePolicies(of unwritten: UnwrittenCookies) throws {
    guard unwritten.removesPolicies || !unwritten.policies.isEmpty else { return }
    if try !hasPolicyTable() { try database.execute(HSTSPolicy.schema) }
    if unwritten.removesPolicies { try database.execute("DELETE FROM hsts") }
    for change in unwritten.policies.values {
      switch change {
      case .stored(let policy): try insert(policy)
      case .removed(let host):
        let delete = try database.statement("DELETE FROM hsts WHERE host = ?")
        try delete.bind(host, at: 1)
        try delete.run()
      case .dropped(let policy):
        // Another process may have noted it anew since it was seen.
        let delete = try database.statement("DELETE FROM hsts WHERE host = ? AND noted <= ?")
        try delete.bind(policy.host, at: 1)
        try delete.bind(policy.noted.timeIntervalSinceReferenceDate, at: 2)
        try delete.run()
      }
    }
  }

  /// A change inside of the table's definition is damage.
  private func hasPolicyTable() throws -> Bool {
    let select = try database.statement("SELECT sql FROM sqlite_schema WHERE name = 'hsts'")
    defer { select.reset() }
    guard try select.step() else { return false }
    guard select.text(0) == HSTSPolicy.schema else {
      throw SQLiteError(
        code: SQLiteError.damaged, message: "\(database.path): the table of policies is defined otherwise")
    }
    return true
  }

  private func readPolicies() throws -> (rows: [HSTSPolicy], isWhole: Bool) {
    let select = try database.statement(HSTSPolicy.selection)
    defer { select.reset() }
    var rows: [String: HSTSPolicy] = [:]
    var isWhole = true
    while try select.step() {
      guard let policy = HSTSPolicy(select) else {
        isWhole = false
        continue
      }
      // A damaged tree may show a row twice.
      if rows.updateValue(policy, forKey: policy.host) != nil { isWhole = false }
    }
    return (Array(rows.values), isWhole)
  }

  private func insert(_ policy: HSTSPolicy) throws {
    let insert = try database.statement(HSTSPolicy.insertion)
    try policy.bind(to: insert)
    try insert.run()
  }
}
