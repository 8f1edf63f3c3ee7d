import Foundation
import URLLoading
internal import URLLoadingBase
internal import URLLoadingSQLite

/// The queue on the disk. Its changes are collected and committed together: what was acknowledged survives a kill at any moment.
///
/// Not for two threads at once.
final class QueueStore {
  /// A session as it was described last.
  struct StoredSession: Equatable {
    var description: BackgroundSessionDescription
    /// What the tasks have of the programs that made them.
    var environments = TaskEnvironments()
    /// How often the program was started since it attached last, and when it may be again.
    var launches = 0
    var nextLaunch: Date?
    /// The smallest number that no task has had.
    var nextIdentifier = 1
    /// When a program had it last.
    var lastUse = Date()

    /// The session as a service begins with it: its program is started no later than it could be.
    func clamped(to now: Date) -> StoredSession {
      var session = self
      if let next = nextLaunch, next > now.addingTimeInterval(Launcher.delay(after: launches)) {
        session.nextLaunch = now
      }
      return session
    }

    /// The same without what may have credentials: proxies, and the settings of protocol classes. A program says it again when it attaches.
    var withoutSecrets: StoredSession {
      var session = self
      if let proxies = description.proxies, BackgroundValues.dictionary(proxies)?.isEmpty != true {
        session.description.proxies = nil
      }
      session.description.settings = nil
      session.environments = TaskEnvironments()
      // Only tasks that are still to be loaded need theirs, and the program that is started its variables.
      if description.launch != nil, let process = environments.last?.process {
        var bare = BackgroundSessionDescription(identifier: description.identifier, program: description.program)
        bare.environment = process
        session.environments = TaskEnvironments(TaskEnvironment(bare))
      }
      return session
    }
  }

  private static let schema = """
    CREATE TABLE session (identifier TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE task (
      number INTEGER PRIMARY KEY, session TEXT NOT NULL, identifier INTEGER NOT NULL, kind TEXT NOT NULL,
      origin TEXT NOT NULL, timeout REAL, state BLOB NOT NULL, description BLOB NOT NULL,
      resumption BLOB, response BLOB, outcome BLOB);
    CREATE TABLE setting (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE removal (path TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE metrics (number INTEGER PRIMARY KEY, content BLOB NOT NULL);
    CREATE TRIGGER task_metrics AFTER DELETE ON task
      BEGIN DELETE FROM metrics WHERE number = OLD.number; END;
    """

  private let file: SQLiteFile
  private var database: SQLiteDatabase
  private var lastLook = MonotonicInstant.now
  /// Files that were removed, and are still listed.
  private var removed: [String] = []
  /// The log has something that is to be erased.
  private var logKeepsSecrets = false
  /// The description that was encoded last, as JSON: the rest of a session changes with each task, and this seldom.
  private var encoded: (session: SessionForm, content: Data)?

  /// Opens the file; one that is damaged is put aside, and its tasks are lost.
  init(path: String) throws {
    // The fields of requests may be credentials: they do not stay in the file when their task is gone.
    let options = SQLiteDatabase.Options(busyTimeout: .seconds(5), isDurable: true, erasesWhatIsDeleted: true)
    file = SQLiteFile(path: path, schemaVersion: 1, schema: Self.schema, options: options)
    database = try file.open()
    // An earlier service may have been killed before it did so.
    emptyLog()
  }

  /// The log keeps what was committed to it before, though that was overwritten in the file since (sqlite.org/wal.html).
  private func emptyLog() {
    // Another process that reads the file is not waited for: the next commit tries it again.
    database.withoutWaiting { logKeepsSecrets = (try? database.emptyLog()) == nil }
  }

  /// Goes on in an empty file, in the place of this one, which is put aside.
  func beginNewFile() throws {
    database = try file.open(replacing: database)
    removed = []
  }

  /// Whether the file was removed or replaced. Looked at every few seconds.
  var isGone: Bool {
    let now = MonotonicInstant.now
    guard lastLook.seconds(to: now) > 5 else { return false }
    lastLook = now
    return database.isReplaced
  }

  // MARK: Reading

  /// All sessions by their identifiers, and all tasks. Rows that cannot be read are dropped; a file that is damaged between them is
  /// replaced, by one that has the others.
  func contents() throws -> (sessions: [String: StoredSession], jobs: [Job]) {
    var sessions: [String: StoredSession] = [:]
    var jobs: [Job] = []
    do {
      try readSessions { sessions[$0] = $1 }
      try readJobs { if sessions[$0.session] != nil { jobs.append($0) } }
      return (sessions, jobs)
    } catch let error as SQLiteError where error.saysDamaged {
      return try contentsOfDamaged()
    }
  }

  func readSessions(backwards: Bool = false, _ body: (String, StoredSession) -> Void) throws {
    let select = try database.statement(
      "SELECT identifier, content FROM session ORDER BY identifier\(backwards ? " DESC" : "")")
    defer { select.reset() }
    while try select.step() {
      if let session = Self.session(select.data(1)) { body(select.text(0), session) }
    }
  }

  func readJobs(backwards: Bool = false, _ body: (Job) -> Void) throws {
    let select = try database.statement(
      """
      SELECT number, session, identifier, kind, origin, timeout, state FROM task \
      ORDER BY number\(backwards ? " DESC" : "")
      """)
    defer { select.reset() }
    while try select.step() {
      guard let state = Job.State(compact: select.data(6)),
        let kind = BackgroundTaskDescription.Kind(rawValue: select.text(3))
      else { continue }
      var job = Job(
        number: Int(select.integer(0)), session: select.text(1), identifier: Int(select.integer(2)), kind: kind,
        origin: select.text(4), resourceTimeout: select.isNull(5) ? nil : select.double(5))
      job.state = state
      body(job)
    }
  }

  func stored(_ number: Int) throws -> StoredJob? {
    let select = try database.statement("SELECT description, resumption, response, outcome FROM task WHERE number = ?")
    defer { select.reset() }
    try select.bind(Int64(number), at: 1)
    guard try select.step(), let description = BackgroundTaskDescription(compact: select.data(0)) else { return nil }
    return StoredJob(
      description: description, resumption: StoredJob.Resumption(compact: select.data(1)),
      response: select.isNull(2) ? nil : select.data(2), outcome: BackgroundOutcome(compact: select.data(3)))
  }

  /// What the transfers of a task did that have failed; nil where none has.
  func metrics(_ number: Int) throws -> BackgroundMetrics? {
    let select = try database.statement("SELECT content FROM metrics WHERE number = ?")
    defer { select.reset() }
    try select.bind(Int64(number), at: 1)
    return try select.step() ? BackgroundMetrics(compact: select.data(0)) : nil
  }

  /// What a task was made to do; nil where that cannot be read.
  func description(_ number: Int) throws -> BackgroundTaskDescription? {
    let select = try database.statement("SELECT description FROM task WHERE number = ?")
    defer { select.reset() }
    try select.bind(Int64(number), at: 1)
    return try select.step() ? BackgroundTaskDescription(compact: select.data(0)) : nil
  }

  /// The names of all files that tasks have.
  func fileNames() throws -> Set<String> {
    var names: Set<String> = []
    let select = try database.statement("SELECT description, resumption, outcome FROM task")
    defer { select.reset() }
    while try select.step() {
      let paths = [
        BackgroundTaskDescription(compact: select.data(0))?.body,
        StoredJob.Resumption(compact: select.data(1))?.file,
        BackgroundOutcome(compact: select.data(2))?.file,
      ]
      for path in paths.compactMap({ $0 }) { names.insert((path as NSString).lastPathComponent) }
    }
    return names
  }

  func limits() throws -> JobQueue.Limits? {
    let select = try database.statement("SELECT value FROM setting WHERE name = 'limits'")
    defer { select.reset() }
    guard try select.step() else { return nil }
    return try? JSONDecoder().decode(JobQueue.Limits.self, from: select.data(0))
  }

  /// Removes the files of tasks that are gone, which an earlier service was ended before. To be called before a task is made: names of
  /// files are used again.
  func finishRemovals() throws {
    let select = try database.statement("SELECT path FROM removal")
    while try select.step() { unlink(select.text(0)) }
    select.reset()
    try database.statement("DELETE FROM removal").run()
  }

  // MARK: Writing

  /// Commits changes, all of them or none, and then removes files; changes have reached the disk when this returns.
  func write(_ changes: QueueChanges, states: (Int) -> Job?) throws {
    try database.transaction {
      for (identifier, session) in changes.sessions {
        guard let session else {
          let delete = try database.statement("DELETE FROM session WHERE identifier = ?")
          try delete.bind(identifier, at: 1)
          try delete.run()
          continue
        }
        let insert = try database.statement("INSERT OR REPLACE INTO session VALUES (?, ?)")
        try insert.bind(identifier, at: 1)
        try insert.bind(content(of: session), at: 2)
        try insert.run()
      }
      if let limits = changes.limits {
        let insert = try database.statement("INSERT OR REPLACE INTO setting VALUES ('limits', ?)")
        try insert.bind(JSONEncoder().encode(limits), at: 1)
        try insert.run()
      }
      for number in changes.tasks { try write(number, states(number), changes.blobs[number]) }
      for path in changes.files {
        let insert = try database.statement("INSERT OR IGNORE INTO removal VALUES (?)")
        try insert.bind(path, at: 1)
        try insert.run()
      }
      for path in removed {
        let delete = try database.statement("DELETE FROM removal WHERE path = ?")
        try delete.bind(path, at: 1)
        try delete.run()
      }
    }
    if changes.erases || logKeepsSecrets { emptyLog() }
    for path in changes.files { unlink(path) }
    // They are forgotten with the next commit: one more for that would be too expensive.
    removed = changes.files
  }

  private func write(_ number: Int, _ job: Job?, _ blobs: QueueChanges.Blobs?) throws {
    guard let job else {
      let delete = try database.statement("DELETE FROM task WHERE number = ?")
      try delete.bind(Int64(number), at: 1)
      try delete.run()
      return
    }
    if let description = blobs?.description {
      let insert = try database.statement(
        "INSERT INTO task (number, session, identifier, kind, origin, timeout, state, description) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
      )
      try insert.bind(Int64(number), at: 1)
      try insert.bind(job.session, at: 2)
      try insert.bind(Int64(job.identifier), at: 3)
      try insert.bind(job.kind.rawValue, at: 4)
      try insert.bind(job.origin, at: 5)
      try insert.bind(job.resourceTimeout, at: 6)
      try insert.bind(job.state.compactData, at: 7)
      try insert.bind(description.compactData, at: 8)
      try insert.run()
    } else {
      let update = try database.statement("UPDATE task SET state = ? WHERE number = ?")
      try update.bind(job.state.compactData, at: 1)
      try update.bind(Int64(number), at: 2)
      try update.run()
    }
    guard let blobs else { return }
    if let resumption = blobs.resumption { try set("resumption", resumption?.compactData, number) }
    if let response = blobs.response { try set("response", response, number) }
    if let outcome = blobs.outcome { try set("outcome", outcome?.compactData, number) }
    if let description = blobs.newRequest { try set("description", description.compactData, number) }
    if let metrics = blobs.metrics { try setMetrics(metrics, number) }
  }

  private func setMetrics(_ metrics: BackgroundMetrics?, _ number: Int) throws {
    guard let content = metrics?.compactData else {
      let delete = try database.statement("DELETE FROM metrics WHERE number = ?")
      try delete.bind(Int64(number), at: 1)
      return try delete.run()
    }
    let insert = try database.statement("INSERT OR REPLACE INTO metrics VALUES (?, ?)")
    try insert.bind(Int64(number), at: 1)
    try insert.bind(content, at: 2)
    try insert.run()
  }

  private func set(_ column: String, _ value: Data?, _ number: Int) throws {
    let update = try database.statement("UPDATE task SET \(column) = ? WHERE number = ?")
    try update.bind(value, at: 1)
    try update.bind(Int64(number), at: 2)
    try update.run()
  }

  private func content(of session: StoredSession) throws -> Data {
    let form = SessionForm(description: session.description, environments: session.environments)
    let description: Data
    if let encoded, encoded.session == form {
      description = encoded.content
    } else {
      description = try JSONEncoder().encode(form)
      encoded = (form, description)
    }
    return CompactForm.data { writer in
      writer.bytes(description)
      writer.integer(session.launches)
      writer.optional(session.nextLaunch) { $0.moment($1) }
      writer.integer(session.nextIdentifier)
      writer.moment(session.lastUse)
    }
  }

  private static func session(_ data: Data) -> StoredSession? {
    CompactForm.value(in: data) { reader -> StoredSession? in
      guard let content = reader.bytes(),
        let form = try? JSONDecoder().decode(SessionForm.self, from: content),
        let launches = reader.integer(Int32.self), let nextLaunch = reader.optional({ $0.moment() }),
        let next = reader.integer(Int.self), (1...1 << 60).contains(next), let lastUse = reader.moment()
      else { return nil }
      return StoredSession(
        description: form.description, environments: form.environments, launches: Int(launches), nextLaunch: nextLaunch,
        nextIdentifier: next,
        lastUse: lastUse)
    }
  }
}
