import Foundation
import URLLoading
internal import URLLoadingBase

// Safe to carry through closures of other threads: the loop's thread alone touches it.
/// A program's connection, as the service sees it. What is said to it is kept until the socket takes it.
final class Peer: @unchecked Sendable {
  /// Bytes that may wait for a program that does not read.
  private static let outputLimit = 16 << 20
  /// While more than this waits, nothing of a list is sent, and no event that later ones repeat.
  private static let listLimit = 256 << 10

  /// How long a program may take to say who it is: whoever says nothing has one of the places that all programs share.
  private static let patience = Duration.seconds(5)

  let descriptor: Int32
  private let begin = MonotonicInstant.now
  private var frames = BackgroundFrames()
  private var output: [UInt8] = []
  private var outputStart = 0
  /// Answers that wait for the commit of what they acknowledge.
  private var acknowledgements: [BackgroundReport] = []
  var hasGreeted = false
  /// The program's version of the protocol.
  var version = 1
  /// What it is still to be told of tasks.
  var telling = Telling()
  /// Jobs that are sent together.
  var jobs = JobBatch()
  /// The program has an executable of the service that is no older than this one.
  var mayStartService = false
  /// The session that it is attached to.
  var session: String?
  private(set) var isClosed = false
  /// The program reads no more. What it said before is carried out all the same.
  private var isDeaf = false

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Whether the program has not said for too long who it is.
  func isSilent(at now: MonotonicInstant) -> Bool { !hasGreeted && begin.advanced(by: Self.patience) <= now }

  var wantsToSend: Bool { outputStart < output.count }

  /// Bytes that the socket has not taken.
  var waitingCount: Int { output.count - outputStart }

  /// Whether something of a list may be sent now.
  var takesList: Bool { !isClosed && !isDeaf && telling.mayGoOn && waitingCount <= Self.listLimit }

  /// Whether the program has ended the connection, and everything that it said was read.
  var hasEnded: Bool {
    guard !isClosed else { return true }
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
  }

  /// Reads what has come.
  /// - Returns: the commands; nil in their place where the connection ended or says what nobody can read.
  func receive() -> [NumberedCommand]? {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count < 0, errno == EAGAIN || errno == EINTR { return [] }
    guard count > 0 else { return nil }
    frames.append(buffer[..<count])
    var commands: [NumberedCommand] = []
    do { while let command = try frames.next(NumberedCommand.self) { commands.append(command) } } catch { return nil }
    return commands
  }

  /// Says something that is true already.
  func send(_ report: BackgroundReport) { _ = sendIfItFits(report) }

  /// - Returns: false where the report is larger than a message may be.
  func sendIfItFits(_ report: BackgroundReport) -> Bool {
    guard !isClosed, !isDeaf else { return true }
    guard let bytes = BackgroundFrames.encoded(report) else { return false }
    if waitingCount > Self.outputLimit { end() } else { output += bytes }
    return true
  }

  /// Says what happens to a task. A program that is slow is not told what a later event repeats.
  /// - Returns: false where the event is larger than a message may be.
  func tell(_ task: Int, _ event: BackgroundEvent) -> Bool {
    if waitingCount > Self.listLimit {
      switch event {
      case .progress, .response, .request: return true
      case .waitsForConnectivity, .resumed, .asks, .ended: break
      }
    }
    return sendIfItFits(.event(task: task, event))
  }

  /// Says something when what was changed so far is on the disk.
  func acknowledge(_ report: BackgroundReport) { acknowledgements.append(report) }

  /// What was changed is on the disk.
  func committed() {
    for report in acknowledgements { answer(report) }
    acknowledgements = []
  }

  /// Answers a command: with no resume data where that is too large.
  private func answer(_ report: BackgroundReport) {
    if !sendIfItFits(report), case .resumeData(let number, _) = report { send(.resumeData(number: number, nil)) }
  }

  /// What was changed could not be written.
  func failed(_ reason: String) {
    for report in acknowledgements {
      if case .done(let number) = report {
        send(.refused(number: number, code: URLError.Code.cannotWriteToFile.rawValue, reason: reason))
      } else {
        // It has what is asked for, whether that is on the disk or not.
        answer(report)
      }
    }
    acknowledgements = []
  }

  /// Sends what the socket takes.
  func flush() {
    while wantsToSend {
      let count = output.withUnsafeBytes { bytes in
        Glibc.send(
          descriptor, bytes.baseAddress?.advanced(by: outputStart), bytes.count - outputStart,
          Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        outputStart += count
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        isDeaf = true
        outputStart = output.count
      }
    }
    if outputStart == output.count || outputStart > 1 << 20 {
      output.removeFirst(outputStart)
      outputStart = 0
    }
  }

  /// Ends the connection; the loop finds that out when it reads.
  func end() {
    isClosed = true
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}
