/// FIFO queues of elements in one allocation. Every operation takes constant time.
struct WaitingLines<Element> {
  /// Where an element waits, until it is taken or removed.
  struct Position: Equatable {
    fileprivate var index: Int32
  }

  /// The ends of one line.
  struct Line {
    fileprivate var first: Int32 = -1
    fileprivate var last: Int32 = -1

    var isEmpty: Bool { first < 0 }
  }

  private struct Node {
    var element: Element?
    var previous: Int32
    /// The one after it in its line; of a node that is not used, the next of these.
    var next: Int32
  }

  /// The capacity kept when no element waits.
  private static var keptPlaces: Int { 1024 }

  private var nodes: [Node] = []
  private var firstFree: Int32 = -1
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ element: Element, to line: inout Line) -> Position {
    let node = Node(element: element, previous: line.last, next: -1)
    let index: Int32
    if firstFree >= 0 {
      index = firstFree
      firstFree = nodes[Int(index)].next
      nodes[Int(index)] = node
    } else {
      index = Int32(nodes.count)
      nodes.append(node)
    }
    if line.last >= 0 { nodes[Int(line.last)].next = index } else { line.first = index }
    line.last = index
    count += 1
    return Position(index: index)
  }

  mutating func popFirst(of line: inout Line) -> Element? {
    guard line.first >= 0 else { return nil }
    return remove(Position(index: line.first), from: &line)
  }

  @discardableResult
  mutating func remove(_ position: Position, from line: inout Line) -> Element? {
    let index = Int(position.index)
    let node = nodes[index]
    if node.previous >= 0 { nodes[Int(node.previous)].next = node.next } else { line.first = node.next }
    if node.next >= 0 { nodes[Int(node.next)].previous = node.previous } else { line.last = node.previous }
    nodes[index] = Node(element: nil, previous: -1, next: firstFree)
    firstFree = position.index
    count -= 1
    if count == 0, nodes.count > Self.keptPlaces {
      nodes = []
      firstFree = -1
    }
    return node.element
  }
}
