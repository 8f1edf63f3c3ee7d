import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoadingCurlTransport

/// What one transfer over HTTP/2 takes from the kernel for others of its connection.
@Suite(.timeLimit(.minutes(4))) struct HTTP2ReadAheadTests {
  /// The socket of this process that is connected to a port, by a server in another process.
  private static func socket(to port: UInt16) -> Int32? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int32($0) }.first { descriptor in
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
      }
      return result == 0 && address.sin_family == AF_INET && UInt16(bigEndian: address.sin_port) == port
    }
  }

  /// Bytes in the kernel's receive buffer.
  private static func bytesToRead(of socket: Int32) -> Int32 {
    var count: Int32 = 0
    return ioctl(socket, UInt(FIONREAD), &count) == 0 ? count : 0
  }

  /// One transfer ends by the first of two records of TLS that libcurl gets in one call, and the other by the second: the loop stands still
  /// until both are there, and then begins with the first transfer, which was paused.
  @Test func aRecordBehindTheLastOfAnotherTransferIsRead() async throws {
    let mayEnd = [AsyncEvent(), AsyncEvent()]
    // A server that closes the connection has libcurl read.
    let haveEnded = AsyncEvent()
    let server = try ScriptedServer { connection in
      try connection.beginHTTP2()
      var streams: [UInt32] = []
      while streams.count < 2 {
        let frame = try connection.readFrame()
        if frame.type == HTTP2Frame.Kind.settings.rawValue, frame.flags == 0 {
          try connection.send([HTTP2Frame(.settings, flags: HTTP2Frame.acknowledgement)])
        }
        if frame.type == HTTP2Frame.Kind.headers.rawValue {
          streams.append(frame.stream)
          try connection.send([.head(stream: frame.stream, [("content-length", "4")])])
        }
      }
      for (stream, mayEnd) in zip(streams.reversed(), mayEnd) {
        guard mayEnd.waitBlocking() else { return }
        try connection.send([.body(stream: stream, Data("fine".utf8), ends: true)])
      }
      _ = haveEnded.waitBlocking()
    }
    let front = try await TLSFront.start(before: server.port)
    let engine = try await makeTrustingEngine()
    let first = Recorder()
    let second = Recorder(onHead: { $0.pause() })
    _ = engine.start(TransferRequest(url: front.url().absoluteString), handler: first)
    _ = try await first.wait { $0.head != nil || $0.result != nil }
    let paused = engine.start(TransferRequest(url: front.url().absoluteString), handler: second)
    _ = try await second.wait { $0.head != nil || $0.result != nil }
    let socket = try #require(Self.socket(to: UInt16(front.port)))
    EventLoop.shared.execute {
      for mayEnd in mayEnd {
        let before = Self.bytesToRead(of: socket)
        mayEnd.signal()
        let deadline = Date(timeIntervalSinceNow: 30)
        while Self.bytesToRead(of: socket) == before, Date() < deadline { usleep(100) }
      }
      paused.resume()
    }
    for recorder in [second, first] {
      let state = try await recorder.completion(8)
      #expect(state.failure == nil)
      #expect(String(decoding: state.body, as: UTF8.self) == "fine")
    }
    haveEnded.signal()
  }
}
