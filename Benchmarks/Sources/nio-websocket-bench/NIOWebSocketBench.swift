import Foundation
import Measuring
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// Sends messages on one WebSocket connection, so many at once, and waits for each to come back: by SwiftNIO's client, with the channel's
/// async functions.
@main
struct NIOWebSocketBench {
  typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

  static func main() {
    Program.run {
      let work = try EchoWork()
      let url = try work.url
      let upgraded: EventLoopFuture<Frames?> = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .channelOption(.socketOption(.tcp_nodelay), value: 1)
        .connect(host: url.host ?? "127.0.0.1", port: url.port ?? 80) { channel in
          channel.eventLoop.makeCompletedFuture {
            let upgrader = NIOTypedWebSocketClientUpgrader<Frames?>(maxFrameSize: max(work.size, 1 << 14)) {
              channel, _ in
              channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                  NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: .max,
                    maxAccumulatedFrameSize: max(work.size, 1 << 14)))
                return try Frames(wrappingChannelSynchronously: channel)
              }
            }
            var headers = HTTPHeaders()
            headers.add(name: "Host", value: "\(url.host ?? ""):\(url.port ?? 80)")
            headers.add(name: "Content-Length", value: "0")
            let configuration = NIOTypedHTTPClientUpgradeConfiguration(
              upgradeRequestHead: HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: headers),
              upgraders: [upgrader]
            ) { channel in channel.eventLoop.makeSucceededFuture(nil) }
            return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
              configuration: .init(upgradeConfiguration: configuration))
          }
        }
      guard let frames = try await upgraded.get() else {
        throw EchoWork.Misuse(description: "the server does not agree")
      }
      try await frames.executeThenClose { inbound, outbound in
        let message = ByteBuffer(repeating: 0x61, count: work.size)
        try await work.measure(client: "NIO") {
          for _ in 0..<min(work.concurrency, work.count) { try await outbound.write(frame(message)) }
          var received = 0
          for try await answer in inbound {
            guard answer.data.readableBytes == work.size else {
              throw EchoWork.Misuse(description: "another message came back")
            }
            received += 1
            if received == work.count { break }
            if received + work.concurrency <= work.count {
              try await outbound.write(frame(message))
            }
          }
        }
      }
    }
  }

  private static func frame(_ message: ByteBuffer) -> WebSocketFrame {
    WebSocketFrame(fin: true, opcode: .binary, maskKey: .random(), data: message)
  }
}
