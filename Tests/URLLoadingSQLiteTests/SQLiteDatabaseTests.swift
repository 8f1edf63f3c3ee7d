import Foundation
import Testing
import URLLoadingSQLite
import URLLoadingTestServers

@Suite struct SQLiteDatabaseTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("SQLite-\(UUID().uuidString)")

  private func file(version: Int64 = 1) -> SQLiteFile {
    SQLiteFile(
      path: directory.appendingPathComponent("below/test.sqlite").path, schemaVersion: version,
      schema: "CREATE TABLE item (name TEXT PRIMARY KEY, size INTEGER, share REAL, body BLOB)")
  }

  @Test func valuesComeBackAsTheyWereBound() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let database = try file().open()
    let insert = try database.statement("INSERT INTO item VALUES (?, ?, ?, ?)")
    try insert.bind("a\0ü", at: 1)
    try insert.bind(Int64.min, at: 2)
    try insert.bind(0.5, at: 3)
    try insert.bind(Data(), at: 4)
    try insert.run()
    let select = try database.statement("SELECT name, size, share, body FROM item")
    #expect(try select.step())
    #expect(select.text(0) == "a\0ü")
    #expect(select.integer(1) == .min)
    #expect(select.double(2) == 0.5)
    #expect(select.data(3).isEmpty && !select.isNull(3))
    #expect(try !select.step())
  }

  @Test func theFileIsItsOwnersAlone() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let database = try file().open()
    try database.execute("INSERT INTO item (name) VALUES ('a')")
    for suffix in ["", "-wal", "-shm"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: file().path + suffix)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(suffix)")
    }
  }

  @Test(arguments: [true, false]) func whatIsDeletedIsErasedWhereThatIsWanted(isWanted: Bool) throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let options = SQLiteDatabase.Options(erasesWhatIsDeleted: isWanted)
    let database = try SQLiteDatabase(path: directory.appendingPathComponent("erased.sqlite").path, options: options)
    let setting = try database.statement("PRAGMA secure_delete")
    defer { setting.reset() }
    #expect(try setting.step())
    // A system may erase all the same.
    if isWanted { #expect(setting.integer(0) == 1) }
  }

  @Test func aChangeThatThrowsChangesNothing() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let database = try file().open()
    #expect(throws: CancellationError.self) {
      try database.transaction {
        try database.execute("INSERT INTO item (name) VALUES ('a')")
        throw CancellationError()
      }
    }
    let count = try database.statement("SELECT count(*) FROM item")
    #expect(try count.step() && count.integer(0) == 0)
  }

  @Test(arguments: [0, 10, 5000]) func aDamagedFileIsReplaced(position: Int) throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    do {
      let database = try file().open()
      for number in 0..<500 { try database.execute("INSERT INTO item (name) VALUES ('\(number)')") }
      try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file().path))
    bytes.replaceSubrange(position..<min(position + 4000, bytes.count), with: Data(repeating: 0xAA, count: 4000))
    try bytes.write(to: URL(fileURLWithPath: file().path))
    // The tables of a file that opens may be damaged all the same: its owner finds that out, and deletes the file.
    let database: SQLiteDatabase
    do { database = try file().open() } catch let error as SQLiteError { return #expect(error.saysDamaged) }
    guard position == 0 else { return }
    let count = try database.statement("SELECT count(*) FROM item")
    #expect(try count.step() && count.integer(0) == 0)
    #expect(FileManager.default.fileExists(atPath: file().path + ".damaged"))
  }

  @Test func anotherVersionIsLeftAlone() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    _ = try file(version: 2).open()
    #expect(throws: SQLiteError.self) { try file(version: 1).open() }
    _ = try file(version: 2).open()
  }

  @Test func anotherConnectionsCommitsAreSeen() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let (first, second) = (try file().open(), try file().open())
    let before = try first.dataVersion()
    try second.execute("INSERT INTO item (name) VALUES ('a')")
    #expect(try first.dataVersion() != before)
    let count = try first.statement("SELECT count(*) FROM item")
    #expect(try count.step() && count.integer(0) == 1)
  }

  @Test func aVersionThatIsDamagedIsNotTakenForANewerOne() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    do {
      let database = try file().open()
      try database.execute("INSERT INTO item (name) VALUES ('a')")
      try database.execute("PRAGMA user_version = 129")
      #expect(!database.isReplaced)
    }
    let database = try file().open()
    let count = try database.statement("SELECT count(*) FROM item")
    #expect(try count.step() && count.integer(0) == 0)
    #expect(FileManager.default.fileExists(atPath: file().path + ".damaged"))
  }

  @Test func whatWasPutAsideDoesNotTakeTheNewFilesLogAlong() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    var old: SQLiteDatabase? = try file().open()
    try old?.execute("INSERT INTO item (name) VALUES ('old')")
    var new: SQLiteDatabase? = try old.map { try file().open(replacing: $0) }
    #expect(old?.isReplaced == true && new?.isReplaced == false)
    // Of two that find the damage the second one opens what the first has made.
    let other = try old.map { try file().open(replacing: $0) }
    try other?.execute("INSERT INTO item (name) VALUES ('new')")
    old = nil
    #expect(FileManager.default.fileExists(atPath: file().path + "-wal"))
    new = nil
    let count = try file().open().statement("SELECT name FROM item")
    #expect(try count.step() && count.text(0) == "new")
  }

  /// SQLITE_BUSY, SQLITE_LOCKED, and SQLITE_PROTOCOL: in WAL mode, who loses the race to begin for some seconds. Not SQLITE_IOERR.
  @Test(arguments: [(5, true), (6, true), (15, true), (5 | 2 << 8, true), (10, false)] as [(Int32, Bool)])
  func whatPassesWithAnotherProcessIsToldFromTheRest(code: Int32, passes: Bool) {
    #expect(SQLiteError(code: code, message: "").saysBusy == passes)
  }
}
