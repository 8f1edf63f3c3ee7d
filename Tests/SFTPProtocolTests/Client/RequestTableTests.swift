import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

@Suite struct RequestTableTests {
  private let path = [UInt8](repeating: 0x61, count: 1)
  private let handle = RemoteHandle(bytes: [1])

  private func ready(maximumUnderWay: Int = 8, firstIdentifier: UInt32 = 0) -> RequestTable<Int> {
    var table = RequestTable<Int>(maximumUnderWay: maximumUnderWay, firstIdentifier: firstIdentifier)
    _ = table.open()
    #expect(table.received(version: 3, extensions: [.fsync]) == .ready)
    return table
  }

  private func context(_ action: RequestTable<Int>.ReplyAction) -> Int? {
    if case .complete(let context) = action { context } else { nil }
  }

  private func violation(_ action: RequestTable<Int>.ReplyAction) -> WireViolation? {
    if case .violation(let violation) = action { violation } else { nil }
  }

  // MARK: The version

  @Test func requestsWaitForTheVersion() {
    var table = RequestTable<Int>()
    _ = table.submit(.limits, 1)
    #expect(table.nextRequest() == nil)
    #expect([table.open(), table.open()] == [true, false])
    #expect(table.nextRequest() == nil)
    #expect(table.received(version: 3, extensions: [.fsync]) == .ready)
    #expect(table.extensions == [.fsync])
    #expect(table.nextRequest()?.request == .limits)
    #expect(table.nextRequest() == nil)
  }

  @Test(arguments: [0, 1, 2, 4, 6, UInt32.max])
  func otherVersionsAreRefused(version: UInt32) {
    var table = RequestTable<Int>()
    _ = table.open()
    #expect(table.received(version: version, extensions: []) == .violation(.unsupportedVersion(version)))
  }

  @Test func aVersionOutOfPlaceIsRefused() {
    var table = RequestTable<Int>()
    #expect(table.received(version: 3, extensions: []) == .violation(.unexpectedPacket(2)))
    table = ready()
    #expect(table.received(version: 3, extensions: []) == .violation(.unexpectedPacket(2)))
    _ = table.close()
    #expect(table.received(version: 3, extensions: []) == .ignore)
  }

  // MARK: Answers

  @Test func answersOfTheRightKindCompleteARequest() {
    let requests: [(SFTPRequest, PacketType)] = [
      (.open(path, .read, FileAttributes()), .handle), (.opendir(path), .handle), (.close(handle), .status),
      (.read(handle, offset: 0, count: 1), .data), (.write(handle, offset: 0, [1]), .status),
      (.stat(path), .attributes), (.lstat(path), .attributes), (.fstat(handle), .attributes),
      (.setstat(path, FileAttributes()), .status), (.fsetstat(handle, FileAttributes()), .status),
      (.readdir(handle), .name), (.realpath(path), .name), (.readlink(path), .name), (.remove(path), .status),
      (.mkdir(path, FileAttributes()), .status), (.rmdir(path), .status), (.rename(path, to: path), .status),
      (.posixRename(path, to: path), .status), (.fsync(handle), .status), (.limits, .extendedReply),
    ]
    let kinds: [PacketType] = [.status, .handle, .data, .name, .attributes, .extendedReply]
    for (request, right) in requests {
      for kind in kinds {
        var table = ready()
        _ = table.submit(request, 5)
        let identifier = table.nextRequest()?.identifier ?? 99
        let action = table.received(kind, for: identifier)
        if kind == right {
          #expect(context(action) == 5)
          #expect(violation(table.received(kind, for: identifier)) == .unknownIdentifier(identifier))
        } else {
          #expect(violation(action) == .wrongReply(to: request.type, got: kind))
        }
      }
      var table = ready()
      _ = table.submit(request, 6)
      let identifier = table.nextRequest()?.identifier ?? 99
      #expect(context(table.received(.status, succeeds: false, for: identifier)) == 6)
      #expect(table.underWayCount == 0)
    }
  }

  @Test func dataIsCheckedBeforeItComes() {
    var table = ready()
    _ = table.submit(.read(handle, offset: 0, count: 10), 1)
    _ = table.submit(.stat(path), 2)
    let read = table.nextRequest()?.identifier ?? 99
    let stat = table.nextRequest()?.identifier ?? 99
    #expect(violation(table.beganData(count: 11, for: read)) == .tooMuchData(asked: 10, got: 11))
    #expect(violation(table.beganData(count: 1, for: stat)) == .wrongReply(to: .stat, got: .data))
    #expect(violation(table.beganData(count: 1, for: 1000)) == .unknownIdentifier(1000))
    #expect(context(table.beganData(count: 10, for: read)) == 1)
    #expect(table.underWayCount == 2)
    #expect(context(table.received(.data, for: read)) == 1)
    #expect(table.underWayCount == 1)
  }

  // MARK: Waiting and the end

  @Test func noMoreAreUnderWayThanAllowed() {
    var table = ready(maximumUnderWay: 2)
    for number in 0..<5 { _ = table.submit(.stat(path), number) }
    let first = table.nextRequest()?.identifier ?? 99
    #expect(table.nextRequest() != nil)
    #expect(!table.canSend)
    #expect(table.nextRequest() == nil)
    #expect(context(table.received(.attributes, for: first)) == 0)
    #expect(table.canSend)
    #expect(table.nextRequest() != nil)
    #expect(table.nextRequest() == nil)
  }

  @Test func whatWasNotSentCanBeTakenBack() {
    var table = ready(maximumUnderWay: 1)
    var tickets: [RequestTable<Int>.Ticket] = []
    for number in 0..<3 {
      if case .queued(let ticket) = table.submit(.stat(path), number) { tickets.append(ticket) }
    }
    let first = table.nextRequest()?.identifier ?? 99
    #expect(table.withdraw(tickets[0]) == nil)
    #expect(table.withdraw(tickets[1]) == 1)
    #expect(table.withdraw(tickets[1]) == nil)
    #expect(context(table.received(.attributes, for: first)) == 0)
    let third = table.nextRequest()?.identifier ?? 99
    #expect(context(table.received(.attributes, for: third)) == 2)
  }

  @Test func theEndGivesBackWhatHasNoAnswer() {
    var table = ready(maximumUnderWay: 2, firstIdentifier: .max)
    for number in 0..<4 { _ = table.submit(.stat(path), number) }
    _ = table.nextRequest()
    let second = table.nextRequest()?.identifier
    #expect(second == 0)
    let (sent, unsent) = table.close()
    #expect(sent == [0, 1])
    #expect(unsent == [2, 3])
    if case .refuse(let context) = table.submit(.stat(path), 9) { #expect(context == 9) } else { Issue.record("taken") }
    if case .ignore = table.received(.attributes, for: 0) {} else { Issue.record("not ignored") }
    if case .ignore = table.beganData(count: 0, for: 0) {} else { Issue.record("not ignored") }
    let again = table.close()
    #expect(again.sent.isEmpty && again.unsent.isEmpty)
  }

  @Test func identifiersInUseAreNotGivenAgain() {
    var table = ready(maximumUnderWay: 3, firstIdentifier: .max - 1)
    for number in 0..<5 { _ = table.submit(.stat(path), number) }
    let taken = (0..<3).compactMap { _ in table.nextRequest()?.identifier }
    #expect(taken == [.max - 1, .max, 0])
    // The oldest stays, the others go on.
    #expect(context(table.received(.attributes, for: .max)) == 1)
    #expect(table.nextRequest()?.identifier == 1)
  }

  // MARK: Random orders

  @Test(arguments: [1, 2, 3, 4])
  func everyRequestEndsOnceInWhateverOrder(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let limit = Int.random(in: 1...20, using: &generator)
      var table = RequestTable<Int>(
        maximumUnderWay: limit, firstIdentifier: UInt32.max - UInt32.random(in: 0...30, using: &generator))
      var tickets: [Int: RequestTable<Int>.Ticket] = [:]
      var underWay: [(identifier: UInt32, number: Int)] = []
      var numbers: [Int] = []
      var ended: [Int] = []
      var next = 0
      for _ in 0..<200 {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: _ = table.open()
        case 1: _ = table.received(version: 3, extensions: [])
        case 2, 3, 4:
          if case .queued(let ticket) = table.submit(.read(handle, offset: UInt64(next), count: 1), next) {
            tickets[next] = ticket
            numbers.append(next)
          }
          next += 1
        case 5, 6:
          if let (identifier, request) = table.nextRequest() {
            guard case .read(_, let number, _) = request else { break }
            #expect(!underWay.contains { $0.identifier == identifier })
            #expect(
              number == numbers.first { !ended.contains($0) && !underWay.map(\.number).contains($0) }.map(UInt64.init))
            underWay.append((identifier, Int(number)))
          }
        case 7, 8:
          guard let index = underWay.indices.randomElement(using: &generator) else { break }
          let (identifier, number) = underWay.remove(at: index)
          let fails = Bool.random(using: &generator)
          #expect(context(table.received(fails ? .status : .data, succeeds: !fails, for: identifier)) == number)
          ended.append(number)
        default:
          guard let (number, ticket) = tickets.randomElement(using: &generator) else { break }
          guard let context = table.withdraw(ticket) else { break }
          #expect(context == number)
          #expect(!underWay.contains { $0.number == number })
          ended.append(number)
        }
        #expect(table.underWayCount == underWay.count && underWay.count <= limit)
        #expect(table.waitingCount == numbers.count - ended.count - underWay.count)
      }
      let (sent, unsent) = table.close()
      #expect(sent == underWay.map(\.number).sorted())
      #expect((ended + sent + unsent).sorted() == numbers)
    }
  }
}
