/// A message of the protocol. Those that each task has are sent in the compact form, the others as JSON.
package protocol BackgroundMessage: Codable, Sendable {
  /// Writes the compact form.
  /// - Returns: false, with nothing written, where the message is sent as JSON.
  func write(to writer: inout CompactWriter) -> Bool
  /// Nil for what is damaged.
  init?(reading reader: inout CompactReader)
}
