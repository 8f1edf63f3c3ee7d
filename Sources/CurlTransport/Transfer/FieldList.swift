import Glibc
internal import URLLoadingBase
internal import URLLoadingCCurl

/// Lines as libcurl takes them (`curl_slist`), in two blocks of memory that those of the next request use again. `EasyHandle.setHeaders` alone
/// fills it. Gained, with the constant lines kept: 10,300 of the 15,000 instructions of a request with two fields, one of which is new.
struct FieldList: ~Copyable {
  /// The lines, each with a NUL after it.
  private var bytes: UnsafeMutablePointer<CChar>?
  private var capacity = 0
  private var count = 0
  /// Where they begin.
  private var starts: [Int] = []
  private var nodes: UnsafeMutablePointer<curl_slist>?
  private var nodeCapacity = 0

  mutating func removeAll() {
    count = 0
    starts.removeAll(keepingCapacity: true)
  }

  mutating func append(_ line: String) {
    starts.append(count)
    write(line)
    end()
  }

  mutating func append(_ octets: [UInt8]) {
    starts.append(count)
    octets.withUnsafeBufferPointer { write($0) }
    end()
  }

  /// A field. Without a value it has a form of its own: libcurl takes a name with a colon for a field that is left out.
  mutating func append(_ name: String, _ value: Substring) {
    starts.append(count)
    write(name)
    write(value.isEmpty ? ";" : ": ")
    write(value)
    end()
  }

  /// The list, valid until it is changed; nil if it is empty, or there is no memory.
  mutating func linked() -> UnsafeMutablePointer<curl_slist>? {
    guard !starts.isEmpty, let bytes else { return nil }
    if starts.count > nodeCapacity {
      nodes?.deallocate()
      nodeCapacity = starts.count + 8
      nodes = .allocate(capacity: nodeCapacity)
    }
    guard let nodes else { return nil }
    for (index, start) in starts.enumerated() {
      let next = index + 1 < starts.count ? nodes + index + 1 : nil
      (nodes + index).initialize(to: curl_slist(data: bytes + start, next: next))
    }
    return nodes
  }

  private mutating func write(_ text: some StringProtocol) {
    let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable { write($0) }
    if isWritten == nil { Array(text.utf8).withUnsafeBufferPointer { write($0) } }
  }

  private mutating func write(_ text: UnsafeBufferPointer<UInt8>) {
    guard let source = text.baseAddress, !text.isEmpty else { return }
    let end = place(for: text.count)
    memcpy(end, source, text.count)
    count += text.count
  }

  private mutating func end() {
    place(for: 1).pointee = 0
    count += 1
  }

  /// Where the next bytes go.
  private mutating func place(for more: Int) -> UnsafeMutablePointer<CChar> {
    if let bytes, count + more <= capacity { return bytes + count }
    capacity = max(512, 2 * (count + more))
    let larger = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
    if let bytes {
      memcpy(larger, bytes, count)
      bytes.deallocate()
    }
    bytes = larger
    return larger + count
  }

  deinit {
    bytes?.deallocate()
    nodes?.deallocate()
  }
}
