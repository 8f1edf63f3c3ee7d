internal import URLLoadingSQLite
internal import URLLoadingHTTPSemantics

/// The file of a storage's lasting cookies, and of what hosts have said of themselves. Not for two threads at once.
///
/// Each cookie is a row that is written by itself, so that processes with different cookies do not overwrite one another's. Of one cookie
/// the version that is written last holds.
final class CookieDatabase {
  /// All that a file has.
  struct Contents {
    var cookies: [CookieRow] = []
    var policies: [HSTSPolicy] = []
    var alternatives: [AlternativeService] = []
  }

  private let file: SQLiteFile
  let database: SQLiteDatabase
  /// Nil before it was asked for.
  private var lastVersion: Int64?

  /// Opens a file, or makes it. A damaged one is put aside, and a new one made.
  /// - Parameter busyTimeout: the longest time that a statement waits for another process's write.
  convenience init(path: String, busyTimeout: Duration) throws {
    let options = SQLiteDatabase.Options(busyTimeout: busyTimeout, isDurable: true, erasesWhatIsDeleted: true)
    let file = SQLiteFile(path: path, schemaVersion: 1, schema: CookieRow.schema, options: options)
    self.init(file, try file.open())
  }

  private init(_ file: SQLiteFile, _ database: SQLiteDatabase) {
    self.file = file
    self.database = database
  }

  /// A new file in the place of this one, whose damage was found while it was used.
  func replacingDamaged() throws -> CookieDatabase {
    CookieDatabase(file, try file.open(replacing: database))
  }

  /// Whether the path names another file by now.
  var isReplaced: Bool { database.isReplaced }

  /// Removes what an earlier damage has left: it has cookies, too.
  static func removeDamaged(beside path: String) { SQLiteFile.removeDamaged(beside: path) }

  /// All that the file has, if another connection has committed something since it was read last; nil if not.
  func contentsIfChangedElsewhere() throws -> Contents? {
    let version = try database.dataVersion()
    guard version != lastVersion else { return nil }
    let contents = Contents(cookies: try rows(), policies: try facts(), alternatives: try facts())
    // Not before they are read: what fails is read again.
    lastVersion = version
    return contents
  }

  /// All cookies. Where rows are not as they were written, the table is made anew of those that are.
  private func rows() throws -> [CookieRow] {
    try checkSchema()
    let (rows, isWhole) = try read()
    guard !isWhole else { return rows }
    return try database.transaction {
      let whole = try read().rows
      try database.execute("DELETE FROM cookie")
      for row in whole { try insert(row) }
      return whole
    }
  }

  /// A change inside of the table's definition is damage as well: other cookies might be taken for the same one.
  private func checkSchema() throws {
    let select = try database.statement("SELECT sql FROM sqlite_schema WHERE name = 'cookie'")
    defer { select.reset() }
    guard try select.step(), select.text(0) == CookieRow.schema else {
      throw SQLiteError(code: SQLiteError.damaged, message: "\(database.path): the table is defined otherwise")
    }
  }

  private func read() throws -> (rows: [CookieRow], isWhole: Bool) {
    let select = try database.statement(CookieRow.selection)
    defer { select.reset() }
    var rows: [CookieRecord.Key: CookieRow] = [:]
    var isWhole = true
    while try select.step() {
      guard let row = CookieRow(select) else {
        isWhole = false
        continue
      }
      // A damaged tree may show a row twice.
      let other = rows.updateValue(row, forKey: CookieRecord.Key(row.record.cookie, partition: row.partition))
      if other != nil { isWhole = false }
    }
    return (Array(rows.values), isWhole)
  }

  /// Writes changes, all of them or none; they have reached the disk when this returns.
  func write(_ unwritten: UnwrittenCookies) throws {
    try database.transaction {
      if let date = unwritten.removalDate {
        let delete = try database.statement("DELETE FROM cookie WHERE stored > ?")
        try delete.bind(date.timeIntervalSinceReferenceDate, at: 1)
        try delete.run()
      }
      for (key, change) in unwritten.changes {
        switch change {
        case .stored(let record): try insert(CookieRow(partition: key.partition, record: record))
        case .removed(let cookie):
          let delete = try database.statement("DELETE FROM cookie \(CookieRow.whereKey)")
          try CookieRow.bindKey(cookie, partition: key.partition, to: delete)
          try delete.run()
        case .dropped(let record):
          // Another process may have stored it anew since it was seen.
          let delete = try database.statement("DELETE FROM cookie \(CookieRow.whereKey) AND stored <= ?5")
          try CookieRow.bindKey(record.cookie, partition: key.partition, to: delete)
          try delete.bind(record.stored.timeIntervalSinceReferenceDate, at: 5)
          try delete.run()
        case .used(let cookie, let lastAccess):
          let update = try database.statement("UPDATE cookie SET last_access = ?5 \(CookieRow.whereKey)")
          try CookieRow.bindKey(cookie, partition: key.partition, to: update)
          try update.bind(lastAccess, at: 5)
          try update.run()
        }
      }
      try write(unwritten.policies)
      try write(unwritten.alternatives)
    }
  }

  private func insert(_ row: CookieRow) throws {
    let insert = try database.statement(CookieRow.insertion)
    try row.bind(to: insert)
    try insert.run()
  }
}
