import Foundation
import Testing
import URLLoadingTestServers
import URLLoadingBase

@testable import URLLoading

/// The order of reads, writes and what waits for them.
@Suite struct StreamMachineTests {
  /// A machine, and what came of it as text.
  private final class Run {
    var machine: StreamMachine
    private let notes = Watched<[String]>([])
    /// Bytes that were told as taken, and how often a look at deadlines was asked for.
    private(set) var consumed = 0
    private(set) var looks = 0

    init(isWritable: Bool = true) { machine = StreamMachine(url: nil, isWritable: isWritable) }

    func read(
      _ minimum: Int, _ maximum: Int, by deadline: MonotonicInstant = .distantFuture,
      of caller: StreamMachineCaller? = nil
    ) {
      let caller = caller.map { ObjectIdentifier($0) }
      machine.read(minimum: minimum, maximum: maximum, deadline: deadline, by: caller) { [notes] data, atEOF, error in
        let text = data.map { String(decoding: $0, as: UTF8.self) } ?? "nil"
        notes.update { $0.append("read \(text)\(atEOF ? " end" : "")\(Self.words(error))") }
      }
    }

    func write(
      _ text: String, by deadline: MonotonicInstant = .distantFuture, of caller: StreamMachineCaller? = nil
    ) {
      let caller = caller.map { ObjectIdentifier($0) }
      machine.write(Data(text.utf8), deadline: deadline, by: caller) { [notes] error in
        notes.update { $0.append("wrote \(text)\(Self.words(error))") }
      }
    }

    private static func words(_ error: (any Error)?) -> String {
      if error is CancellationError { return " withdrawn" }
      return (error as? URLError).map { " error \($0.code.rawValue)" } ?? ""
    }

    func take(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { machine.take($0) } }

    func send(_ room: Int = 100) -> String {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
      defer { buffer.deallocate() }
      switch machine.send(into: buffer) {
      case .bytes(let count): return String(decoding: buffer[..<count], as: UTF8.self)
      case let other: return "\(other)"
      }
    }

    /// What happened since the last time; announcements and counts aside.
    var news: [String] {
      for effect in machine.takeEffects() {
        switch effect {
        case .read(let completion, let data, let atEOF, let error): completion(data, atEOF, error)
        case .written(let completion, let error): completion(error)
        case .consumed(let count): consumed += count
        case .look: looks += 1
        case .announce, .securing: break
        case .readClosed: notes.update { $0.append("readClosed") }
        case .writeClosed: notes.update { $0.append("writeClosed") }
        case .captured: notes.update { $0.append("captured") }
        case .end(let error):
          notes.update { $0.append("end" + ((error as? URLError).map { " \($0.code.rawValue)" } ?? "")) }
        }
      }
      defer { notes.update { $0 = [] } }
      return notes.value
    }
  }

  @Test func readsTakeWhatThereIs() {
    let run = Run()
    run.read(1, 3)
    run.read(2, 10)
    run.take("abcd")
    #expect(run.news == ["read abc"])
    run.take("e")
    #expect(run.news == ["read de"])
    run.take("xyz")
    run.read(0, 2)
    #expect(run.news == ["read xy"])
    #expect(run.machine.availableBytes == 1)
  }

  @Test func theEndGivesFewerThanTheMinimum() {
    let run = Run()
    run.read(10, 20)
    run.take("ab")
    #expect(run.news == [])
    run.machine.inputEnded()
    run.machine.inputEnded()
    #expect(run.news == ["read ab end", "readClosed"])
    run.read(1, 1)
    #expect(run.news == ["read nil end"])
    // The other direction is open.
    run.write("x")
    #expect(run.send() == "x")
    #expect(run.news == ["wrote x"])
  }

  @Test func theEndIsSaidWithTheLastBytesAlone() {
    let run = Run()
    run.take("abcd")
    run.machine.inputEnded()
    run.read(1, 2)
    run.read(1, 2)
    #expect(run.news == ["readClosed", "read ab", "read cd end"])
  }

  @Test func writesAreSentInTheirOrder() {
    let run = Run()
    run.write("abc")
    run.write("")
    run.write("def")
    #expect(run.send(2) == "ab")
    #expect(run.news == [])
    #expect(run.send(2) == "cd")
    #expect(run.news == ["wrote abc", "wrote "])
    #expect(run.send() == "ef")
    #expect(run.news == ["wrote def"])
    #expect(run.send() == "wait")
  }

  @Test func barriersWait() {
    let run = Run()
    run.write("a")
    run.read(1, 1)
    run.machine.barrier(.secure)
    run.write("b")
    #expect(run.send() == "a")
    #expect(run.send() == "wait")
    run.take("1")
    #expect(run.news == ["wrote a", "read 1"])
    #expect(run.send() == "secure")
    #expect(run.send() == "b")
    #expect(run.news == ["wrote b"])
  }

  @Test func whatCameInTheClearEndsTLS() {
    let run = Run()
    run.machine.barrier(.secure)
    run.take("injected")
    #expect(run.send() == "wait")
    #expect(run.news == ["end \(URLError.Code.secureConnectionFailed.rawValue)"])
  }

  @Test func closingBothWays() {
    let run = Run()
    run.write("bye")
    run.machine.barrier(.closeWrite)
    run.write("late")
    #expect(run.send() == "bye")
    #expect(run.send() == "end")
    #expect(
      run.news == ["wrote bye", "writeClosed", "wrote late error \(URLError.Code.networkConnectionLost.rawValue)"])
    run.take("rest")
    run.machine.barrier(.closeRead)
    #expect(run.news == ["readClosed", "end"])
    let waits = [1].withUnsafeBytes { run.machine.take($0) }
    #expect(!waits)
  }

  @Test func anEndFailsWhatWaits() {
    let run = Run()
    run.read(5, 5)
    run.write("abc")
    run.machine.barrier(.closeWrite)
    run.read(1, 1)
    run.take("12")
    run.machine.end(URLError(.networkConnectionLost))
    let code = URLError.Code.networkConnectionLost.rawValue
    #expect(run.news == ["read nil error \(code)", "wrote abc error \(code)", "read nil error \(code)"])
    // What has come can be read.
    run.read(1, 5)
    run.read(1, 5)
    #expect(run.news == ["read 12", "read nil error \(code)"])
    run.write("x")
    #expect(run.news == ["wrote x error \(code)"])
    #expect(run.send() == "end")
  }

  @Test func whatIsNotDoneInTime() {
    let now = MonotonicInstant.now
    let (soon, later) = (now.advanced(by: .seconds(1)), now.advanced(by: .seconds(9)))
    let code = URLError.Code.timedOut.rawValue
    let run = Run()
    run.read(1, 1)
    run.read(5, 5, by: soon)
    run.read(1, 5)
    run.machine.barrier(.closeWrite)
    run.read(1, 5, by: later)
    run.machine.look(at: soon)
    // Those after it fail with it, and the one before it does not.
    #expect(run.news == Array(repeating: "read nil error \(code)", count: 3))
    run.take("abc")
    #expect(run.news == ["read a"])
    #expect(run.send() == "end")
    // Nothing is lost.
    run.read(1, 5)
    #expect(run.news == ["writeClosed", "read bc"])
  }

  @Test func writesThatAreNotDoneInTime() {
    let now = MonotonicInstant.now
    let (soon, later) = (now.advanced(by: .seconds(1)), now.advanced(by: .seconds(9)))
    let code = URLError.Code.timedOut.rawValue
    let run = Run()
    run.write("abc", by: soon)
    run.write("def")
    run.machine.look(at: soon)
    #expect(run.news == ["wrote abc error \(code)", "wrote def error \(code)"])
    run.write("def", by: later)
    #expect(run.send(1) == "d")
    run.write("ghi", by: soon)
    run.machine.look(at: soon)
    #expect(run.send() == "ef")
    #expect(run.news == ["wrote ghi error \(code)", "wrote def"])
    // The peer would take what follows for the rest of what it has got a part of.
    run.write("jkl", by: soon)
    #expect(run.send(1) == "j")
    run.machine.look(at: soon)
    #expect(run.news == ["end \(code)"])
  }

  @Test func whatIsWithdrawn() {
    let run = Run()
    let (first, second) = (StreamMachineCaller(), StreamMachineCaller())
    run.read(3, 3, of: first)
    run.read(1, 9)
    run.take("ab")
    run.machine.withdraw(by: ObjectIdentifier(first))
    #expect(run.news == ["read nil withdrawn", "read ab"])
    run.write("abc", of: first)
    run.write("def", of: second)
    run.machine.withdraw(by: ObjectIdentifier(first))
    #expect(run.news == ["wrote abc withdrawn"])
    // Of what a part was sent, the rest follows.
    #expect(run.send(1) == "d")
    run.machine.withdraw(by: ObjectIdentifier(second))
    run.machine.withdraw(by: ObjectIdentifier(second))
    run.write("ghi")
    #expect(run.send() == "efghi")
    #expect(run.news == ["wrote def withdrawn", "wrote ghi"])
    run.machine.barrier(.closeWrite)
    run.write("x", of: first)
    run.machine.withdraw(by: ObjectIdentifier(first))
    #expect(run.news == ["wrote x withdrawn"])
  }

  /// Callers are known by their addresses, and one that is gone leaves its own to the next.
  @Test func aWithdrawnWriteHasNoCallerAndNoDeadline() {
    let run = Run()
    let caller = StreamMachineCaller()
    let soon = MonotonicInstant.now.advanced(by: .seconds(1))
    run.write("abc", by: soon, of: caller)
    #expect(run.send(1) == "a")
    run.machine.withdraw(by: ObjectIdentifier(caller))
    run.write("def", of: caller)
    run.machine.withdraw(by: ObjectIdentifier(caller))
    #expect(run.news == ["wrote abc withdrawn", "wrote def withdrawn"])
    run.machine.look(at: soon)
    #expect(run.news == [])
    #expect(run.send() == "bc")
  }

  @Test func noHandshakeBeginsOnABrokenConnection() {
    let run = Run()
    run.machine.outputFailed(URLError(.networkConnectionLost))
    _ = run.news
    run.machine.barrier(.secure)
    #expect(run.news == ["end \(URLError.Code.networkConnectionLost.rawValue)"])
  }

  @Test func whatBrokeIsReadToItsEnd() {
    let code = URLError.Code.networkConnectionLost.rawValue
    let run = Run()
    run.write("abc")
    run.machine.barrier(.closeRead)
    run.write("def")
    #expect(run.send(1) == "a")
    run.read(9, 9)
    run.machine.outputFailed(URLError(.networkConnectionLost))
    run.machine.outputFailed(URLError(.networkConnectionLost))
    #expect(
      run.news == [
        "wrote abc error \(code)", "wrote def error \(code)", "writeClosed", "readClosed", "end \(code)",
        "read nil end",
      ])
    let other = Run()
    other.read(2, 9)
    other.write("x")
    other.machine.outputFailed(URLError(.networkConnectionLost))
    other.take("last words")
    other.write("y")
    #expect(other.news == ["wrote x error \(code)", "writeClosed", "read last word", "wrote y error \(code)"])
    other.machine.inputEnded()
    other.machine.end(URLError(.networkConnectionLost))
    other.read(1, 9)
    other.read(1, 9)
    #expect(other.news == ["readClosed", "read s end", "read nil error \(code)"])
  }

  @Test func theHandshakeIsTimed() {
    let run = Run()
    func securing() -> [Bool] {
      run.machine.takeEffects().compactMap { if case .securing(let begins) = $0 { begins } else { nil } }
    }
    run.machine.barrier(.secure)
    #expect(run.send() == "secure")
    #expect(securing() == [true])
    #expect(run.send() == "wait")
    #expect(securing() == [false])
    #expect(run.send() == "wait")
    #expect(securing() == [])
  }

  @Test func theRestOfABody() {
    let run = Run(isWritable: false)
    run.write("x")
    #expect(run.news == ["wrote x error \(URLError.Code.networkConnectionLost.rawValue)"])
    run.take("body")
    run.read(1, 100)
    run.read(1, 100)
    run.machine.end(nil)
    #expect(run.news == ["read body", "read nil end"])
  }

  /// More than may wait: what a read wants does not count as waiting.
  @Test func aMinimumBeyondWhatMayWait() {
    let run = Run()
    run.take("abc")
    run.read(8, 10)
    #expect(run.news == [] && run.consumed == 3)
    run.take("def")
    #expect(run.news == [] && run.consumed == 6)
    run.take("ghijkl")
    #expect(run.news == ["read abcdefghij"] && run.consumed == 10)
    run.machine.barrier(.closeRead)
    #expect(run.news == ["readClosed"] && run.consumed == 12)
  }

  @Test func afterACleanEndTheRestCanBeRead() {
    let run = Run()
    run.take("abc")
    run.machine.end(nil)
    run.read(10, 20)
    run.read(1, 1)
    #expect(run.news == ["read abc end", "read nil end"])
  }

  @Test func anEmptyWriteHoldsNothingUp() {
    let run = Run()
    run.write("abc")
    run.write("")
    run.machine.barrier(.closeWrite)
    #expect(run.send(3) == "abc")
    #expect(run.send(3) == "end")
    #expect(run.news == ["wrote abc", "wrote ", "writeClosed"])
  }

  /// Each stream ends by itself.
  @Test func capturedStreams() {
    let run = Run()
    run.machine.barrier(.capture)
    run.read(1, 10)
    run.write("abc")
    run.machine.barrier(.closeWrite)
    #expect(run.send() == "abc")
    #expect(run.send() == "end")
    #expect(run.news == ["captured", "wrote abc", "writeClosed"])
    run.machine.barrier(.closeRead)
    #expect(run.news == ["read nil end", "readClosed", "end"])
  }

  @Test func deadlinesAreLookedAtOneAtATime() {
    let now = MonotonicInstant.now
    let run = Run()
    for number in 1...100 { run.read(1, 1, by: now.advanced(by: .seconds(number))) }
    #expect(run.news == [] && run.looks == 1)
    run.machine.look(at: now)
    #expect(run.news == [] && run.looks == 2)
    // The others are after the first.
    run.machine.look(at: now.advanced(by: .seconds(2)))
    #expect(run.news.count == 100 && run.looks == 2)
  }

  @Test func lengthsThatCannotBe() {
    let run = Run()
    run.read(5, 4)
    run.read(0, 0)
    #expect(run.news.count == 2)
  }
}

/// Whoever asks a machine for something.
final class StreamMachineCaller: Sendable {}
