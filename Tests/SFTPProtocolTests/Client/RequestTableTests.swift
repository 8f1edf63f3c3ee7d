import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

@Suite struct RequestTableTests {
  private let stat = SFTPRequest(type: .stat, replyType: .attributes, fields: [.string([0x61])])

  private func read(offset: Int = 0, count: UInt32) -> SFTPRequest {
    SFTPRequest(
      type: .read, replyType: .data, fields: [.string([1]), .uint64(UInt64(offset)), .uint32(count)])
  }

  private func ready(maximumUnderWay: Int = 8, firstIdentifier: UInt32 = 0) throws -> RequestTable<Int> {
    var table = RequestTable<Int>(maximumUnderWay: maximumUnderWay, firstIdentifier: firstIdentifier)
    _ = table.open()
    #expect(try value(table.received(version: 3, extensions: [.limits])))
    return table
  }

  /// The result of a mutating call, which `#expect` does not take as it is.
  private func value<Result>(_ result: Result) -> Result { result }

  private func violation<Result>(_ call: () throws(WireViolation) -> Result) -> WireViolation? {
    do throws(WireViolation) {
      _ = try call()
      return nil
    } catch {
      return error
    }
  }

  // MARK: The version

  @Test func requestsWaitForTheVersion() throws {
    var table = RequestTable<Int>()
    _ = table.submit(stat, 1)
    #expect(table.nextRequest() == nil)
    #expect([table.open(), table.open()] == [true, false])
    #expect(table.nextRequest() == nil)
    #expect(try value(table.received(version: 3, extensions: [.limits])))
    #expect(table.extensions == [.limits])
    #expect(table.nextRequest()?.request == stat)
    #expect(table.nextRequest() == nil)
  }

  @Test(arguments: [0, 1, 2, 4, 6, UInt32.max])
  func otherVersionsAreRefused(version: UInt32) {
    var table = RequestTable<Int>()
    _ = table.open()
    #expect(
      violation { () throws(WireViolation) in try table.received(version: version, extensions: []) }
        == .unsupportedVersion(version))
  }

  @Test func aVersionOutOfPlaceIsRefused() throws {
    var table = RequestTable<Int>()
    #expect(
      violation { () throws(WireViolation) in try table.received(version: 3, extensions: []) } == .unexpectedPacket(2))
    table = try ready()
    #expect(
      violation { () throws(WireViolation) in try table.received(version: 3, extensions: []) } == .unexpectedPacket(2))
    _ = table.close()
    #expect(try !value(table.received(version: 3, extensions: [])))
  }

  // MARK: Answers

  @Test func answersOfTheRightKindCompleteARequest() throws {
    let kinds: [PacketType] = [.status, .handle, .data, .name, .attributes, .extendedReply]
    for right in kinds {
      let request = SFTPRequest(type: .extended, replyType: right, fields: [])
      for kind in kinds {
        var table = try ready()
        _ = table.submit(request, 5)
        let identifier = table.nextRequest()?.identifier ?? 99
        if kind == right { #expect(try value(table.received(kind, for: identifier)) == 5) }
        #expect(
          violation { () throws(WireViolation) in try table.received(kind, for: identifier) }
            == (kind == right ? .unknownIdentifier(identifier) : .wrongReply(to: .extended, got: kind)))
      }
      var table = try ready()
      _ = table.submit(request, 6)
      let identifier = table.nextRequest()?.identifier ?? 99
      #expect(try value(table.received(.status, succeeds: false, for: identifier)) == 6)
      #expect(table.underWayCount == 0)
    }
  }

  @Test func dataIsCheckedBeforeItComes() throws {
    var table = try ready()
    _ = table.submit(read(count: 10), 1)
    _ = table.submit(stat, 2)
    let first = table.nextRequest()?.identifier ?? 99
    let second = table.nextRequest()?.identifier ?? 99
    #expect(
      violation { () throws(WireViolation) in try table.beganData(count: 11, for: first) }
        == .tooMuchData(asked: 10, got: 11))
    #expect(
      violation { () throws(WireViolation) in try table.beganData(count: 1, for: second) }
        == .wrongReply(to: .stat, got: .data))
    #expect(
      violation { () throws(WireViolation) in try table.beganData(count: 1, for: 1000) } == .unknownIdentifier(1000))
    #expect(try value(table.beganData(count: 10, for: first)) == 1)
    #expect(table.underWayCount == 2)
    #expect(try value(table.received(.data, for: first)) == 1)
    #expect(table.underWayCount == 1)
  }

  // MARK: Waiting and the end

  @Test func noMoreAreUnderWayThanAllowed() throws {
    var table = try ready(maximumUnderWay: 2)
    for number in 0..<5 { _ = table.submit(stat, number) }
    let first = table.nextRequest()?.identifier ?? 99
    #expect(table.nextRequest() != nil)
    #expect(!table.canSend)
    #expect(table.nextRequest() == nil)
    #expect(try value(table.received(.attributes, for: first)) == 0)
    #expect(table.canSend)
    #expect(table.nextRequest() != nil)
    #expect(table.nextRequest() == nil)
  }

  @Test func theEndGivesBackWhatHasNoAnswer() throws {
    var table = try ready(maximumUnderWay: 2, firstIdentifier: .max)
    for number in 0..<4 { _ = table.submit(stat, number) }
    _ = table.nextRequest()
    let second = table.nextRequest()?.identifier
    #expect(second == 0)
    let (sent, unsent) = table.close()
    #expect(sent == [0, 1])
    #expect(unsent == [2, 3])
    #expect(!value(table.submit(stat, 9)))
    #expect(try value(table.received(.attributes, for: 0)) == nil)
    #expect(try value(table.beganData(count: 0, for: 0)) == nil)
    let again = table.close()
    #expect(again.sent.isEmpty && again.unsent.isEmpty)
  }

  @Test func identifiersInUseAreNotGivenAgain() throws {
    var table = try ready(maximumUnderWay: 3, firstIdentifier: .max - 1)
    for number in 0..<5 { _ = table.submit(stat, number) }
    let taken = (0..<3).compactMap { _ in table.nextRequest()?.identifier }
    #expect(taken == [.max - 1, .max, 0])
    // The oldest stays, the others go on.
    #expect(try value(table.received(.attributes, for: .max)) == 1)
    #expect(table.nextRequest()?.identifier == 1)
  }

  // MARK: Random orders

  @Test(arguments: [1, 2, 3, 4])
  func everyRequestEndsOnceInWhateverOrder(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let limit = Int.random(in: 1...20, using: &generator)
      var table = RequestTable<Int>(
        maximumUnderWay: limit, firstIdentifier: UInt32.max - UInt32.random(in: 0...30, using: &generator))
      var underWay: [(identifier: UInt32, number: Int)] = []
      var numbers: [Int] = []
      var ended: [Int] = []
      var next = 0
      for _ in 0..<200 {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: _ = table.open()
        case 1: _ = violation { () throws(WireViolation) in try table.received(version: 3, extensions: []) }
        case 2, 3, 4:
          if table.submit(read(offset: next, count: 1), next) { numbers.append(next) }
          next += 1
        case 5, 6:
          if let (identifier, request) = table.nextRequest() {
            guard case .uint64(let number) = request.fields[1] else { break }
            #expect(!underWay.contains { $0.identifier == identifier })
            #expect(
              number == numbers.first { !ended.contains($0) && !underWay.map(\.number).contains($0) }.map(UInt64.init))
            underWay.append((identifier, Int(number)))
          }
        case 7, 8:
          guard let index = underWay.indices.randomElement(using: &generator) else { break }
          let (identifier, number) = underWay.remove(at: index)
          let fails = Bool.random(using: &generator)
          #expect(try value(table.received(fails ? .status : .data, succeeds: !fails, for: identifier)) == number)
          ended.append(number)
        default: break
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
