internal import URLLoadingHTTPSemantics
internal import URLLoadingSQLite

/// What hosts have said of themselves, each kind in a table of its own: made with the first row, so that files without any are as programs
/// know them that have no such table.
extension CookieDatabase {
  /// All facts of a kind. Where rows are not as they were written, the table is made anew of those that are.
  func facts<Fact: FiledFact>(_ kind: Fact.Type = Fact.self) throws -> [Fact] {
    guard try hasTable(of: kind) else { return [] }
    let (rows, isWhole) = try readFacts(kind)
    guard !isWhole else { return rows }
    return try database.transaction {
      let whole = try readFacts(kind).rows
      try database.execute("DELETE FROM \(Fact.table)")
      for fact in whole { try insert(fact) }
      return whole
    }
  }

  /// Writes changes, inside of a transaction.
  func write<Fact: FiledFact>(_ unwritten: UnwrittenFacts<Fact>) throws {
    guard !unwritten.isEmpty else { return }
    if try !hasTable(of: Fact.self) {
      // There is nothing to remove from a table that there is not.
      guard unwritten.storesAny else { return }
      try database.execute(Fact.schema)
    }
    if unwritten.removesAll { try database.execute("DELETE FROM \(Fact.table)") }
    for change in unwritten.changes.values {
      switch change {
      case .stored(let fact): try insert(fact)
      case .removed(let key):
        let delete = try database.statement("DELETE FROM \(Fact.table) WHERE \(Fact.condition)")
        try Fact.bind(key, to: delete)
        try delete.run()
      case .dropped(let fact):
        // Another process may have noted it anew since it was seen.
        let delete = try database.statement("DELETE FROM \(Fact.table) WHERE \(Fact.condition) AND noted <= ?9")
        try Fact.bind(fact.key, to: delete)
        try delete.bind(fact.noted.timeIntervalSinceReferenceDate, at: 9)
        try delete.run()
      }
    }
  }

  /// A change inside of the table's definition is damage.
  private func hasTable<Fact: FiledFact>(of kind: Fact.Type) throws -> Bool {
    let select = try database.statement("SELECT sql FROM sqlite_schema WHERE name = '\(Fact.table)'")
    defer { select.reset() }
    guard try select.step() else { return false }
    guard select.text(0) == Fact.schema else {
      throw SQLiteError(
        code: SQLiteError.damaged, message: "\(database.path): the table \(Fact.table) is defined otherwise")
    }
    return true
  }

  private func readFacts<Fact: FiledFact>(_ kind: Fact.Type) throws -> (rows: [Fact], isWhole: Bool) {
    let select = try database.statement("SELECT \(Fact.columns) FROM \(Fact.table)")
    defer { select.reset() }
    var rows: [Fact.Key: Fact] = [:]
    var isWhole = true
    while try select.step() {
      guard let fact = Fact(select) else {
        isWhole = false
        continue
      }
      // A damaged tree may show a row twice.
      if rows.updateValue(fact, forKey: fact.key) != nil { isWhole = false }
    }
    return (Array(rows.values), isWhole)
  }

  private func insert<Fact: FiledFact>(_ fact: Fact) throws {
    let places = Fact.columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")
    let insert = try database.statement("INSERT OR REPLACE INTO \(Fact.table) VALUES (\(places))")
    try fact.bind(to: insert)
    try insert.run()
  }
}
