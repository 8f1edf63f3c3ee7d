import Foundation

/// The commands of a change, one after the other: each follows from the replies so far. A value without I/O.
///
/// RFC 959 has no command that asks what there is. A directory is what can be entered, a file what has a size or a date (RFC 3659).
struct FTPChangeSteps {
  enum Outcome: Equatable {
    case done
    case refused(FTPRefusal)
  }

  /// What a command is for.
  private enum Step {
    case enter(Int)
    case remove
    case removeDirectory
    case makeDirectory
    /// Whether the target of a move is a directory; it is not entered for good, since that ends the change.
    case enterTarget
    /// Whether what is moved is one.
    case enterSource
    case renameFrom
    case renameTo
    /// Whether the directory of the target is there, once the server has refused to move.
    case enterTargetDirectory
    /// Whether what was not removed is a directory.
    case enterRemnant
    /// Sizes are those of bytes (RFC 3659, section 4.2).
    case type
    case size
    case date
  }

  /// What the server says of something that is no directory.
  private enum Presence {
    case unknown, absent, present
  }

  private let verb: FTPChange.Verb
  /// The directories that are entered first.
  private let way: ArraySlice<[UInt8]>
  /// Names, or paths, from there.
  private let own: [UInt8]
  private let target: [UInt8]
  /// The directory of the target; nil for the one that is entered.
  private let targetDirectory: [UInt8]?
  private let namesDirectory: Bool
  private var step: Step
  private var isSent = false
  /// Whether a command was sent at all.
  private(set) var hasBegun = false
  private var presence = Presence.unknown
  /// The refusals of DELE and RMD, or of RNTO.
  private var refusal: FTPReply?
  private var directoryRefusal: FTPReply?
  /// Nil while commands are to follow.
  private(set) var outcome: Outcome?
  /// The command that is to be sent, or whose reply is awaited; nil after the last.
  private(set) var command: [UInt8]?

  init(_ change: FTPChange) {
    verb = change.verb
    namesDirectory = change.name.namesDirectory
    let parts = change.name.parts
    var shared = max(parts.count - 1, 0)
    if case .move(let name, _) = change.verb {
      // Both names are from one directory: the last that they share.
      let pairs = zip(parts.dropLast(), name.parts.dropLast())
      shared = pairs.prefix { $0 == $1 }.count
      target = Self.path(name.parts[shared...])
      let directory = name.parts[shared...].dropLast()
      targetDirectory = directory.isEmpty ? nil : Self.path(directory)
    } else {
      (target, targetDirectory) = (Self.path(parts[shared...]), nil)
    }
    way = parts[..<shared]
    own = Self.path(parts[shared...])
    step = .enter(0)
    begin(way.isEmpty ? firstStep : .enter(0))
  }

  /// Servers take slashes for what they are in URLs, but for few old ones, which a name in the same directory does for.
  private static func path(_ parts: ArraySlice<[UInt8]>) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    guard parts.first == [slash] else { return Array(parts.joined(separator: [slash])) }
    return [slash] + parts.dropFirst().joined(separator: [slash])
  }

  private var firstStep: Step {
    switch verb {
    case .remove: namesDirectory ? .removeDirectory : .remove
    case .makeDirectory: .makeDirectory
    case .move, .findNothing: .enterTarget
    }
  }

  /// Whether a command was sent that may have changed something, and has no reply.
  var mayHaveChanged: Bool {
    guard isSent else { return false }
    switch step {
    case .remove, .removeDirectory, .makeDirectory, .renameTo: return true
    case .enter, .enterTarget, .enterSource, .renameFrom, .enterTargetDirectory, .enterRemnant, .type, .size, .date:
      return false
    }
  }

  // MARK: Events

  /// A line was sent, or its beginning; libcurl's own commands of the login come this way, too.
  mutating func sent(_ line: UnsafeRawBufferPointer) {
    guard let command, !isSent, line.count > 3 else { return }
    isSent = command.starts(with: line.prefix { $0 != 13 && $0 != 10 })
    hasBegun = hasBegun || isSent
  }

  /// The server has replied.
  /// - Returns: whether ``command`` is another one.
  mutating func take(_ reply: FTPReply) -> Bool {
    guard isSent, outcome == nil else { return false }
    isSent = false
    var reply = reply
    for name in [own, target, targetDirectory ?? []] + way { reply.leaveOut(name) }
    if reply.wantsLogin {
      refuse(.userAuthenticationRequired, "the server wants a login for that", reply)
    } else {
      next(after: reply)
    }
    return command != nil
  }

  private mutating func next(after reply: FTPReply) {
    switch step {
    case .enter(let index): entered(index, reply)
    case .remove: removed(reply, isDirectory: false)
    case .removeDirectory: removed(reply, isDirectory: true)
    case .makeDirectory: madeDirectory(reply)
    case .enterTarget: enteredTarget(reply)
    case .enterSource:
      guard !reply.isSuccess else { return refuse("a directory does not replace a file") }
      begin(.renameFrom)
    case .renameFrom: namedSource(reply)
    case .renameTo: renamed(reply)
    case .enterTargetDirectory:
      let isMissing = reply.isUnavailable && !reply.saysForbidden && !reply.saysNoDirectory
      refuse(isMissing ? .fileDoesNotExist : failureCode, isMissing ? Self.noDirectory : Self.refuses, refusal)
    case .enterRemnant:
      guard !reply.isSuccess else {
        return refuse("the server refuses to remove the directory, which may not be empty", directoryRefusal)
      }
      begin(.type)
    case .type: begin(.size)
    case .size:
      answered(reply)
      if presence == .present { looked() } else { begin(.date) }
    case .date:
      answered(reply)
      looked()
    }
  }

  /// - Parameter reply: to SIZE or MDTM.
  private mutating func answered(_ reply: FTPReply) {
    switch reply.code {
    case 213: presence = .present
    // What may not be asked may be there.
    case 550 where !reply.saysForbidden && presence == .unknown: presence = .absent
    default: if reply.saysForbidden { refusal = refusal ?? reply }
    }
  }

  /// What there is of a file is known, as far as the server tells.
  private mutating func looked() {
    switch verb {
    case .makeDirectory: break
    case .remove: explainRemnant()
    case .findNothing:
      switch presence {
      case .present: refuse(Self.isThere)
      case .absent where refusal == nil: end(.done)
      case .absent, .unknown: refuseToGuess()
      }
    case .move(_, let replaces):
      switch presence {
      case .present where !replaces: refuse(Self.isThere)
      case .present: begin(.enterSource)
      case .absent where refusal == nil || replaces: begin(.renameFrom)
      case .unknown where replaces: begin(.renameFrom)
      case .absent, .unknown: refuseToGuess()
      }
    }
  }

  private mutating func refuseToGuess() {
    refuse(
      refusal == nil ? .unsupportedURL : failureCode,
      "the server does not tell whether there is something at the target, which is not to be replaced", refusal)
  }

  // MARK: On the way

  private mutating func entered(_ index: Int, _ reply: FTPReply) {
    guard !reply.isSuccess else {
      return begin(index + 1 < way.count ? .enter(index + 1) : firstStep)
    }
    // Whatever code refuses the directory, it cannot be had.
    let isMissing = reply.isRefusal && !reply.saysForbidden && !reply.saysNoDirectory
    refuse(isMissing ? .fileDoesNotExist : failureCode, isMissing ? Self.noDirectory : Self.refuses, reply)
  }

  // MARK: Removing

  private mutating func removed(_ reply: FTPReply, isDirectory: Bool) {
    if reply.isSuccess { return end(.done) }
    guard reply.isRefusal else { return refuse(reply) }
    if isDirectory { directoryRefusal = reply } else { refusal = reply }
    guard isDirectory else { return begin(.removeDirectory) }
    if reply.saysMissing, refusal?.saysMissing ?? true {
      refuse(.fileDoesNotExist, "there is no such file", refusal ?? reply)
    } else {
      begin(.enterRemnant)
    }
  }

  /// It was not removed, and is no directory.
  private mutating func explainRemnant() {
    guard let reply = refusal ?? directoryRefusal else { return }
    if reply.isOfUnknownCommand { return refuse(.unsupportedURL, "the server does not remove files", reply) }
    let isMissing =
      presence != .present && !reply.saysForbidden && (presence == .absent || reply.saysMissing)
    refuse(
      isMissing ? .fileDoesNotExist : failureCode, isMissing ? "there is no such file" : Self.refuses, reply)
  }

  // MARK: Making

  private mutating func madeDirectory(_ reply: FTPReply) {
    if reply.isSuccess { return end(.done) }
    if reply.isOfUnknownCommand { return refuse(.unsupportedURL, "the server makes no directories", reply) }
    // It was there when it was entered, and others have removed it.
    if reply.isRefusal, reply.saysMissing { return refuse(.fileDoesNotExist, Self.noDirectory, reply) }
    refuse(reply)
  }

  // MARK: Moving

  private var replaces: Bool { if case .move(_, true) = verb { true } else { false } }

  private mutating func enteredTarget(_ reply: FTPReply) {
    if reply.isSuccess {
      return refuse(replaces ? "the target is a directory" : Self.isThere)
    }
    guard reply.isRefusal else { return refuse(reply) }
    if reply.saysForbidden { refusal = reply }
    begin(.type)
  }

  private mutating func namedSource(_ reply: FTPReply) {
    refusal = nil
    // RFC 959, section 5.4: 350, or a refusal.
    if (300..<400).contains(reply.code) { return begin(.renameTo) }
    if reply.isOfUnknownCommand { return refuse(.unsupportedURL, "the server does not rename", reply) }
    let isMissing = reply.isUnavailable && !reply.saysForbidden
    if isMissing { return refuse(.fileDoesNotExist, "there is no such file", reply) }
    refuse(reply)
  }

  private mutating func renamed(_ reply: FTPReply) {
    if reply.isSuccess { return end(.done) }
    if reply.isRefusal, reply.saysMissing {
      return refuse(.fileDoesNotExist, "there is no such file, or no directory for the target", reply)
    }
    guard reply.isRefusal, targetDirectory != nil, !reply.saysForbidden else { return refuse(reply) }
    refusal = reply
    begin(.enterTargetDirectory)
  }

  // MARK: The end

  private static let refuses = "the server refuses"
  private static let noDirectory = "there is no directory for it"
  private static let isThere = "there is something at the target, which is not to be replaced"

  private var failureCode: URLError.Code { verb.failureCode }

  private mutating func refuse(_ code: URLError.Code, _ words: String, _ reply: FTPReply?) {
    end(.refused(FTPRefusal(code, words, reply)))
  }

  private mutating func refuse(_ words: String, _ reply: FTPReply? = nil) { refuse(failureCode, words, reply) }

  /// A reply that refuses the change, or none that the command has (RFC 959, section 5.4).
  private mutating func refuse(_ reply: FTPReply) {
    guard reply.code < 400 || reply.code > 599 else { return refuse(Self.refuses, reply) }
    refuse(.badServerResponse, "the server's reply is none to the command; nothing tells what it did", reply)
  }

  private mutating func end(_ outcome: Outcome) {
    self.outcome = outcome
    command = nil
  }

  private mutating func begin(_ step: Step) {
    self.step = step
    isSent = false
    command =
      switch step {
      case .enter(let index): Self.line("CWD", way[index])
      case .remove: Self.line("DELE", own)
      case .removeDirectory: Self.line("RMD", own)
      case .makeDirectory: Self.line("MKD", own)
      case .enterTarget: Self.line("CWD", target)
      case .enterSource, .enterRemnant: Self.line("CWD", own)
      case .renameFrom: Self.line("RNFR", own)
      case .renameTo: Self.line("RNTO", target)
      case .enterTargetDirectory: Self.line("CWD", targetDirectory ?? [])
      case .type: Array("TYPE I".utf8)
      case .size: Self.line("SIZE", looksAt)
      case .date: Self.line("MDTM", looksAt)
      }
  }

  /// What SIZE and MDTM are asked of.
  private var looksAt: [UInt8] { if case .remove = verb { own } else { target } }

  private static func line(_ command: String, _ argument: [UInt8]) -> [UInt8] {
    Array(command.utf8) + [UInt8(ascii: " ")] + argument
  }
}
