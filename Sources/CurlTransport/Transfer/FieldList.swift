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
  /// One for each line, linked when the list is asked for.
  private var nodes: UnsafeMutablePointer<curl_slist>?
  private var nodeCapacity = 0
  private var nodeCount = 0

  mutating func removeAll() {
    count = 0
    nodeCount = 0
  }

  mutating func append(_ line: String) {
    line.withBytes { add($0) }
  }

  mutating func append(_ octets: [UInt8]) {
    octets.withUnsafeBufferPointer { add($0) }
  }

  /// A field, without the whitespace around its value. Without a value it has a form of its own: libcurl takes a name with a colon for a field
  /// that is left out.
  mutating func append(_ name: String, _ value: String) {
    value.withBytes { value in
      let value = value.trimmingFieldWhitespace
      name.withBytes { add($0, value.isEmpty ? ";" : ": ", value) }
    }
  }

  /// The list, valid until it is changed; nil if it is empty, or there is no memory.
  mutating func linked() -> UnsafeMutablePointer<curl_slist>? {
    guard nodeCount > 0, let nodes else { return nil }
    for index in 0..<nodeCount { nodes[index].next = index + 1 < nodeCount ? nodes + index + 1 : nil }
    return nodes
  }

  /// Adds a line of up to three parts.
  private mutating func add(
    _ first: UnsafeBufferPointer<UInt8>, _ second: StaticString = "", _ third: UnsafeBufferPointer<UInt8>? = nil
  ) {
    var end = line(ofLength: first.count + second.utf8CodeUnitCount + (third?.count ?? 0))
    func write(_ part: UnsafeBufferPointer<UInt8>) {
      guard let source = part.baseAddress else { return }
      memcpy(end, source, part.count)
      end += part.count
    }
    write(first)
    second.withUTF8Buffer(write)
    if let third { write(third) }
    end.pointee = 0
  }

  /// Where the bytes of a new line go.
  private mutating func line(ofLength length: Int) -> UnsafeMutablePointer<CChar> {
    let place = bytes(for: length + 1) + count
    node().initialize(to: curl_slist(data: place, next: nil))
    nodeCount += 1
    count += length + 1
    return place
  }

  private mutating func bytes(for more: Int) -> UnsafeMutablePointer<CChar> {
    if let bytes, count + more <= capacity { return bytes }
    capacity = max(512, 2 * (count + more))
    let larger = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
    if let bytes, let nodes {
      memcpy(larger, bytes, count)
      for index in 0..<nodeCount { nodes[index].data = larger + (nodes[index].data - bytes) }
    }
    bytes?.deallocate()
    bytes = larger
    return larger
  }

  /// The node of the next line.
  private mutating func node() -> UnsafeMutablePointer<curl_slist> {
    if let nodes, nodeCount < nodeCapacity { return nodes + nodeCount }
    nodeCapacity = 2 * nodeCount + 8
    let more = UnsafeMutablePointer<curl_slist>.allocate(capacity: nodeCapacity)
    if let nodes { more.update(from: nodes, count: nodeCount) }
    nodes?.deallocate()
    nodes = more
    return more + nodeCount
  }

  deinit {
    bytes?.deallocate()
    nodes?.deallocate()
  }
}
