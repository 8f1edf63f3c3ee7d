import Glibc
import Testing

@testable import URLLoadingCurlTransport

@Suite final class DirectSendingTests {
  private let near: Int32
  private let far: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    (near, far) = (ends[0], ends[1])
  }

  deinit {
    close(near)
    close(far)
  }

  private func readFar(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let received = recv(far, &bytes, count, Int32(MSG_DONTWAIT))
    return Array(bytes.prefix(max(0, received)))
  }

  private func rest(of sending: DirectSending, by length: Int) -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: length)
    while let count = buffer.withUnsafeMutableBytes({ sending.takeRest(into: $0) }) { all += buffer.prefix(count) }
    return all
  }

  @Test func aPieceThatFitsIsWritten() {
    let sending = DirectSending()
    let piece: [UInt8] = [1, 2, 3]
    let isAll = piece.withUnsafeBytes { sending.send($0, to: near) }
    let rest = rest(of: sending, by: 8)
    #expect(isAll && readFar(10) == piece && sending.sentBytes == 3 && rest == [])
  }

  @Test(arguments: [1_000, 1 << 20]) func theRestOfAPieceIsKept(_ length: Int) {
    let sending = DirectSending()
    // More than the socket's buffer takes.
    let piece = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
    let isAll = piece.withUnsafeBytes { sending.send($0, to: near) }
    let sent = Int(sending.sentBytes)
    #expect(!isAll && sent > 0 && sent < piece.count)
    let rest = rest(of: sending, by: length)
    // Compared outside of the macro, which would look for the differences of long arrays.
    let isRest = rest == Array(piece[sent...])
    #expect(isRest)
    var received: [UInt8] = []
    while case let bytes = readFar(1 << 20), !bytes.isEmpty { received += bytes }
    let isSent = received == Array(piece[..<sent])
    #expect(isSent)
    // It counts as sent by whom it was given to.
    #expect(sending.sentBytes == Int64(sent))
  }

  @Test func aBrokenConnectionTakesNothing() {
    shutdown(far, Int32(SHUT_RDWR))
    let sending = DirectSending()
    let piece: [UInt8] = [1, 2, 3]
    // Without a signal that would end the process.
    let isAll = piece.withUnsafeBytes { sending.send($0, to: near) }
    let rest = rest(of: sending, by: 2)
    #expect(!isAll && sending.sentBytes == 0 && rest == piece)
  }
}
