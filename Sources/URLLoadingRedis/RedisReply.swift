import Foundation
internal import URLLoadingCHiredis

/// What Redis answers.
enum RedisReply: Sendable, Equatable {
  case none
  case integer(Int)
  case bytes(Data)
  case list([RedisReply])
  case error(String)

  /// Copies a reply of hiredis, which limits how deep these are.
  init(_ reply: UnsafePointer<redisReply>) {
    let bytes = Data(
      bytes: reply.pointee.str ?? UnsafeMutablePointer(mutating: Self.nothing), count: Int(reply.pointee.len))
    switch reply.pointee.type {
    case REDIS_REPLY_INTEGER: self = .integer(Int(reply.pointee.integer))
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .bytes(bytes)
    case REDIS_REPLY_ERROR: self = .error(String(decoding: bytes, as: UTF8.self))
    case REDIS_REPLY_ARRAY:
      self = .list(
        (0..<Int(reply.pointee.elements)).map { index in
          reply.pointee.element[index].map { RedisReply($0) } ?? .none
        })
    default: self = .none
    }
  }

  // Safe to share: never written.
  private nonisolated(unsafe) static let nothing = UnsafePointer(UnsafeMutablePointer<CChar>.allocate(capacity: 1))

  var data: Data? { if case .bytes(let data) = self { data } else { nil } }
  var text: String? { data.map { String(decoding: $0, as: UTF8.self) } }
  var number: Int? { if case .integer(let number) = self { number } else { nil } }
  var elements: [RedisReply] { if case .list(let elements) = self { elements } else { [] } }
}
