import Foundation
import Glibc
import URLLoadingTestServers

/// A name service at 127.0.0.1, port 53, that says the same of every name (RFC 1035).
///
/// Mutable state: the answer and the count, which guard themselves.
final class NameService: Sendable {
  enum Answer: Sendable {
    /// 127.0.0.1, and no address of IPv6.
    case addresses
    /// 127.0.0.1, and 2001:db8::1, to which there is no route.
    case bothFamilies
    /// NXDOMAIN
    case noName
    /// SERVFAIL
    case failure
  }

  private static let port: UInt16 = 53
  private static let headerSize = 12

  private let current = Watched(Answer.addresses)
  private let questions = Watched(0)

  var answer: Answer {
    get { current.value }
    set { current.update { $0 = newValue } }
  }

  var questionCount: Int { questions.value }

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw TestServerError.system("socket") }
    let bound = LoopbackAddress(port: Self.port).withPointer { bind(descriptor, $0, $1) }
    guard bound == 0 else { throw TestServerError.system("bind to port \(Self.port)") }
    Thread.detachNewThread { [current, questions] in
      while true { Self.answerNext(descriptor, current, questions) }
    }
  }

  private static func answerNext(_ descriptor: Int32, _ answer: Watched<Answer>, _ questions: Watched<Int>) {
    var buffer = [UInt8](repeating: 0, count: 1500)
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
        let count = recvfrom(descriptor, &buffer, buffer.count, 0, peer, &length)
        guard count > headerSize, let reply = reply(to: Array(buffer[..<count]), answer.value) else { return }
        questions.update { $0 += 1 }
        _ = sendto(descriptor, reply, reply.count, 0, peer, length)
      }
    }
  }

  private static func reply(to query: [UInt8], _ answer: Answer) -> [UInt8]? {
    // The question: a name, which ends with an empty label, a type and a class.
    guard let end = query[headerSize...].firstIndex(of: 0), end + 4 < query.count else { return nil }
    let question = query[headerSize...end + 4]
    let isIPv6 = query[end + 2] == 28
    let data: [UInt8]? =
      switch (answer, isIPv6) {
      case (.addresses, false), (.bothFamilies, false): [127, 0, 0, 1]
      case (.bothFamilies, true): [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
      case (.addresses, true), (.noName, _), (.failure, _): nil
      }
    let code: UInt8 =
      switch answer {
      case .addresses, .bothFamilies: 0
      case .failure: 2
      case .noName: 3
      }
    // A response to a recursive query, with one question.
    var reply = query[..<2] + [0x81, 0x80 | code, 0, 1, 0, data == nil ? 0 : 1, 0, 0, 0, 0]
    reply += question
    if let data {
      // The name in the question, its type, class IN, no time to live.
      reply += [0xc0, 0x0c, 0, isIPv6 ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, UInt8(data.count)]
      reply += data
    }
    return Array(reply)
  }
}
