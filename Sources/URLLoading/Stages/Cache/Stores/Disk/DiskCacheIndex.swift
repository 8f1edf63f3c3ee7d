import Foundation
internal import URLLoadingBase
internal import URLLoadingCZlib
internal import URLLoadingSQLite

/// The index of a cache on disk, and the bodies below it. Not for two threads at once.
///
/// An entry and its body are two rows, so that an entry can be noted as used without its body being written again. What a row says is
/// checked by a sum: SQLite does not notice a change inside of a value. Of a body in a file the row has the sums of its blocks: a file
/// system does not notice a change either.
final class DiskCacheIndex {
  private static let schema = """
    CREATE TABLE entry (
      number INTEGER PRIMARY KEY, key INTEGER NOT NULL, id TEXT NOT NULL, head BLOB NOT NULL, size INTEGER NOT NULL,
      checksum INTEGER NOT NULL, stored REAL NOT NULL, used INTEGER NOT NULL, is_file INTEGER NOT NULL);
    CREATE TABLE body (number INTEGER PRIMARY KEY, data BLOB NOT NULL);
    CREATE INDEX entry_key ON entry (key);
    CREATE INDEX entry_used ON entry (used, number, size);
    CREATE TABLE total (size INTEGER NOT NULL);
    INSERT INTO total VALUES (0);
    CREATE TRIGGER entry_stored AFTER INSERT ON entry BEGIN UPDATE total SET size = size + new.size; END;
    CREATE TRIGGER entry_deleted AFTER DELETE ON entry BEGIN UPDATE total SET size = size - old.size; END;
    CREATE TRIGGER entry_changed AFTER UPDATE OF size ON entry BEGIN
      UPDATE total SET size = size - old.size + new.size; END;
    """

  /// Bodies in files are read along with their heads up to this length, in bytes: another look at the index, and a thread that reads, cost
  /// more.
  private static let largestReadAtOnce = Int64(BodyMemory.largestBlock)

  /// An entry is noted as used when it was not for so many seconds: a write for each use would cost more than the use.
  private static let usePrecision: Int64 = 60

  private static let file = "index.sqlite"

  private let database: SQLiteDatabase
  private let bodies: String
  private var lastVersion: Int64

  /// Whether a directory has an index, or cannot be searched for one.
  static func isThere(in directory: String) -> Bool {
    access("\(directory)/\(file)", F_OK) == 0 || errno != ENOENT
  }

  /// Opens the index of a directory, or makes a new one in the place of one that is damaged.
  init(directory: String, replacing damaged: DiskCacheIndex? = nil) throws {
    bodies = "\(directory)/bodies"
    // Without its last commits a cache is still right.
    let options = SQLiteDatabase.Options(isDurable: false)
    let file = SQLiteFile(
      path: "\(directory)/\(Self.file)", schemaVersion: 1, schema: Self.schema, options: options)
    database = try damaged.map { try file.open(replacing: $0.database) } ?? file.open()
    try FileManager.default.createDirectory(
      atPath: bodies, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    lastVersion = try database.dataVersion()
    sweep()
  }

  /// Whether another process has found it damaged, and made a new one.
  var isReplaced: Bool { database.isReplaced }

  /// FNV-1a: the same in every process.
  static func hash(of key: String) -> Int64 {
    Int64(bitPattern: key.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
  }

  // MARK: Finding

  func keys() throws -> Set<Int64> {
    var keys: Set<Int64> = []
    let select = try database.statement("SELECT key FROM entry")
    while try select.step() { keys.insert(select.integer(0)) }
    return keys
  }

  /// Nil where no other connection has changed anything.
  func keysIfChanged() throws -> Set<Int64>? {
    let version = try database.dataVersion()
    guard version != lastVersion else { return nil }
    lastVersion = version
    return try keys()
  }

  func usage() throws -> Int {
    let select = try database.statement("SELECT size FROM total")
    defer { select.reset() }
    return try select.step() ? Int(select.integer(0)) : 0
  }

  private struct Row {
    let number: Int64
    let used: Int64
    let isFile: Bool
    /// The body, or the sums of the file that has it; nil where the row of either is gone.
    let data: Data?
    var entry: URLCacheEntry
  }

  /// Finds entries, and notes that they are used: bodies that are not large come with them, where they can be read at the moment.
  func entries(for key: String, hash: Int64) throws -> [URLCacheEntry] {
    var rows = try rows(for: key, hash: hash)
    for row in rows { recordUse(of: row) }
    if rows.count == 1, rows[0].isFile, rows[0].entry.bodyLength <= Self.largestReadAtOnce {
      do {
        let body = try reader(of: rows[0])?.whole()
        rows[0].entry.body = body.map { .data($0) }
      } catch is DiskCacheReader.Failure {
        try database.transaction { try delete(rows[0]) }
        return []
      }
    }
    return rows.map(\.entry)
  }

  /// As ``entries(for:hash:)``, but reads bodies from the page cache, and writes nothing; nil where that is not enough.
  func entriesAtOnce(for key: String, hash: Int64) throws -> [URLCacheEntry]? {
    var rows = try database.withoutWaiting { try self.rows(for: key, hash: hash) }
    guard rows.allSatisfy({ Self.isNoted($0) }) else { return nil }
    if rows.count == 1, rows[0].isFile, rows[0].entry.bodyLength <= Self.largestReadAtOnce {
      guard let body = try reader(of: rows[0])?.wholeAtOnce() else { return nil }
      rows[0].entry.body = .data(body)
    }
    return rows.map(\.entry)
  }

  /// Whether a row says well enough that it is used.
  private static func isNoted(_ row: Row) -> Bool {
    let now = Int64(Date().timeIntervalSince1970)
    return (now - usePrecision...now + usePrecision).contains(row.used)
  }

  private func recordUse(of row: Row) {
    guard !Self.isNoted(row) else { return }
    // Another process may be writing: then the next use is noted.
    database.withoutWaiting {
      guard let update = try? database.statement("UPDATE entry SET used = ? WHERE number = ?") else { return }
      try? update.bind(Int64(Date().timeIntervalSince1970), at: 1)
      try? update.bind(row.number, at: 2)
      try? update.run()
    }
  }

  private func rows(for key: String, hash: Int64) throws -> [Row] {
    let select = try database.statement(
      """
      SELECT entry.number, used, is_file, head, data, checksum FROM entry LEFT JOIN body ON body.number = entry.number
      WHERE key = ?
      """)
    try select.bind(hash, at: 1)
    var rows: [Row] = []
    while try select.step() {
      let (head, body) = (select.data(3), select.isNull(4) ? nil : select.data(4))
      guard Self.checksum(head, body) == select.integer(5) else {
        throw SQLiteError(code: SQLiteError.damaged, message: "\(database.path) has an entry that is damaged")
      }
      // Two keys may have one hash, and another version of this library may write what this one does not read.
      guard var entry = URLCacheEntry(archived: head), entry.key == key else { continue }
      let isFile = select.integer(2) != 0
      if !isFile { entry.body = .data(body ?? Data()) }
      rows.append(
        Row(number: select.integer(0), used: select.integer(1), isFile: isFile, data: body, entry: entry))
    }
    return rows
  }

  private func row(of entry: URLCacheEntry) throws -> Row? {
    try rows(for: entry.key, hash: Self.hash(of: entry.key)).first { $0.entry.id == entry.id }
  }

  /// Finds the body of an entry. One whose file is not what was stored goes, with its entry; one whose file cannot be opened at the moment
  /// is not found.
  /// - Parameter whenDamaged: called, on another thread, when the damage of a file is found while it is read.
  func body(of entry: URLCacheEntry, whenDamaged: @escaping @Sendable () -> Void) throws -> URLCacheBody? {
    guard let row = try row(of: entry) else { return nil }
    recordUse(of: row)
    guard row.isFile else { return row.entry.body }
    do throws(DiskCacheReader.Failure) {
      return try reader(of: row, whenDamaged: whenDamaged).map { .reader($0) }
    } catch {
      try database.transaction { try delete(row) }
      return nil
    }
  }

  /// Nil where the file cannot be opened at the moment.
  /// - Throws: where the file is not there, is longer or shorter, or nobody knows its sums.
  private func reader(
    of row: Row, whenDamaged: @escaping @Sendable () -> Void = {}
  ) throws(DiskCacheReader.Failure) -> DiskCacheReader? {
    guard let sums = row.data.flatMap({ BlockSums($0, length: row.entry.bodyLength) }) else {
      throw DiskCacheReader.Failure(errorDescription: "The stored body has no sums.")
    }
    return try DiskCacheReader(
      path: path(of: row.entry.id), length: row.entry.bodyLength, sums: sums, whenDamaged: whenDamaged)
  }

  // MARK: Changing

  func carryOut(_ changes: [DiskCacheChange]) throws {
    try database.transaction {
      for change in changes {
        switch change {
        case .store(let entry, let body, let replaced): try store(entry, body, replacing: replaced)
        case .replace(let entry): try replace(entry)
        case .remove(let entries): for entry in entries { if let row = try row(of: entry) { try delete(row) } }
        case .removeKey(let key): for row in try rows(for: key, hash: Self.hash(of: key)) { try delete(row) }
        case .removeSince(let date): try removeAll(since: date)
        case .trim: break
        }
      }
    }
  }

  private func store(
    _ entry: URLCacheEntry, _ body: DiskCacheWriter.Body, replacing replaced: [URLCacheEntry]
  ) throws {
    for old in replaced { if let row = try row(of: old) { try delete(row) } }
    let head = entry.archived()
    let (data, isFile): (Data, Bool)
    switch body {
    case .data(let bytes): (data, isFile) = (bytes, false)
    case .file(let part, let sums):
      // On the disk before its row can be.
      guard part.move(to: path(of: entry.id)) else { return }
      (data, isFile) = (sums.bytes, true)
    }
    let insert = try database.statement(
      "INSERT INTO entry (key, id, head, size, checksum, stored, used, is_file) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    let now = Date().timeIntervalSince1970
    try insert.bind(Self.hash(of: entry.key), at: 1)
    try insert.bind(entry.id, at: 2)
    try insert.bind(head, at: 3)
    try insert.bind(Int64(entry.overhead) + entry.bodyLength, at: 4)
    try insert.bind(Self.checksum(head, data), at: 5)
    try insert.bind(now, at: 6)
    try insert.bind(Int64(now), at: 7)
    try insert.bind(isFile, at: 8)
    try insert.run()
    let insertBody = try database.statement("INSERT OR REPLACE INTO body (number, data) VALUES (?, ?)")
    try insertBody.bind(database.lastInsertedRow, at: 1)
    try insertBody.bind(data, at: 2)
    try insertBody.run()
    try dropOldVariants(ofKey: Self.hash(of: entry.key))
  }

  /// Entries of one key: more variants or parts are hardly ever asked for again, and each is looked at in turn.
  private static let variantLimit = 16

  private func dropOldVariants(ofKey hash: Int64) throws {
    let select = try database.statement(
      "SELECT number, id, is_file FROM entry WHERE key = ? ORDER BY number DESC LIMIT -1 OFFSET \(Self.variantLimit)")
    try select.bind(hash, at: 1)
    try delete(selected: select)
  }

  private func replace(_ entry: URLCacheEntry) throws {
    guard let row = try row(of: entry) else { return }
    let head = entry.archived()
    let update = try database.statement("UPDATE entry SET head = ?, size = ?, checksum = ? WHERE number = ?")
    try update.bind(head, at: 1)
    try update.bind(Int64(entry.overhead) + entry.bodyLength, at: 2)
    try update.bind(Self.checksum(head, row.data), at: 3)
    try update.bind(row.number, at: 4)
    try update.run()
  }

  private func delete(_ row: Row) throws {
    try delete(row.number, file: row.isFile ? row.entry.id : nil)
  }

  /// A file goes before its row is gone for sure: an entry without its file is dropped when it is asked for.
  private func delete(_ number: Int64, file: String?) throws {
    for table in ["entry", "body"] {
      let delete = try database.statement("DELETE FROM \(table) WHERE number = ?")
      try delete.bind(number, at: 1)
      try delete.run()
    }
    if let file, URLCacheEntry.isID(file) { unlink(path(of: file)) }
  }

  private func removeAll(since date: Date?) throws {
    let select = try database.statement("SELECT number, id, is_file FROM entry WHERE stored > ?")
    try select.bind(date?.timeIntervalSince1970 ?? -.infinity, at: 1)
    try delete(selected: select)
  }

  /// Removes what was not used for longest, until all that is left fits.
  /// - Returns: bytes that are left.
  func trim(to capacity: Int) throws -> Int {
    var usage = try usage()
    // A little more than has to go, so that not each new entry has to make room.
    let target = usage > capacity ? capacity - capacity / 20 : capacity
    while usage > target {
      try database.transaction {
        let select = try database.statement(
          "SELECT number, id, is_file, size FROM entry INDEXED BY entry_used ORDER BY used, number LIMIT 64")
        var excess = usage - target
        try delete(selected: select) { row in
          defer { excess = excess.subtractingReportingOverflow(Int(row.integer(3))).partialValue }
          return excess > 0
        }
      }
      let left = try self.usage()
      guard left < usage else { break }
      usage = left
    }
    return usage
  }

  /// Deletes rows of which a statement gives number, identifier and whether there is a file.
  private func delete(selected: SQLiteStatement, while goesOn: (SQLiteStatement) -> Bool = { _ in true }) throws {
    var found: [(Int64, String?)] = []
    while try selected.step() {
      guard goesOn(selected) else {
        selected.reset()
        break
      }
      found.append((selected.integer(0), selected.integer(2) != 0 ? selected.text(1) : nil))
    }
    for (number, file) in found { try delete(number, file: file) }
  }

  // MARK: Files

  private func path(of id: String) -> String { "\(bodies)/\(id)" }

  /// CRC-32 of the bytes of head and body, or of the sums in its place.
  private static func checksum(_ head: Data, _ body: Data?) -> Int64 {
    var sum = crc32_z(0, nil, 0)
    for bytes in [head, body ?? Data()] where !bytes.isEmpty {
      sum = bytes.withUnsafeBytes { crc32_z(sum, $0.bindMemory(to: UInt8.self).baseAddress, $0.count) }
    }
    return Int64(sum)
  }

  /// Files older than this that no entry names were left by a process that was killed.
  private static let orphanAge: TimeInterval = 3600

  /// Removes files that belong to no entry: at most once an hour for all processes, as the directory's date says.
  private func sweep() {
    let mark = "\(bodies)/swept"
    var status = stat()
    let now = Date().timeIntervalSince1970
    if stat(mark, &status) == 0, abs(now - TimeInterval(status.st_mtim.tv_sec)) < Self.orphanAge { return }
    _ = FileManager.default.createFile(atPath: mark, contents: nil)
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: bodies), names.count > 1 else { return }
    var known: Set<String> = []
    guard let select = try? database.statement("SELECT id FROM entry WHERE is_file = 1") else { return }
    do {
      while try select.step() { known.insert(select.text(0)) }
    } catch {
      return
    }
    for name in names where name != "swept" && !known.contains(name) {
      guard stat(path(of: name), &status) == 0, now - TimeInterval(status.st_mtim.tv_sec) > Self.orphanAge else {
        continue
      }
      unlink(path(of: name))
    }
  }
}
