/// The order in which a tree is removed: a directory after all that was in it. A value without I/O.
///
/// Directories are listed one by one as their turn comes, the newest first, so that few are known at a time.
struct TreeRemoval {
  /// What is to be done next.
  enum Action: Equatable {
    /// List a directory, remove its files, and report the directories in it by ``listed(_:directories:keeps:)``.
    case empty(Int, URL)
    /// Remove a directory that is empty now, and report by ``removed(_:isGone:)``.
    case remove(Int, URL)
    /// Nothing until something was reported.
    case wait
    case finished
  }

  private struct Directory {
    let url: URL
    let parent: Int?
    let depth: Int
    /// Directories in it that are there yet.
    var children = 0
    var isListed = false
    /// Something in it could not be removed.
    var keeps = false
  }

  private var directories: [Int: Directory] = [:]
  private var waiting: [Int] = []
  private var removable: [Int] = []
  private var next = 0

  init(_ url: URL) {
    add(url, parent: nil, depth: 0)
  }

  private mutating func add(_ url: URL, parent: Int?, depth: Int) {
    directories[next] = Directory(url: url, parent: parent, depth: depth)
    waiting.append(next)
    next += 1
  }

  /// How many directories are known and there yet.
  var count: Int { directories.count }

  mutating func nextAction() -> Action {
    // What is removed makes room ahead of what is found.
    if let number = removable.popLast(), let directory = directories[number] { return .remove(number, directory.url) }
    if let number = waiting.popLast(), let directory = directories[number] { return .empty(number, directory.url) }
    return directories.isEmpty ? .finished : .wait
  }

  /// A directory was listed, and what is no directory in it was removed.
  /// - Parameters:
  ///   - found: the directories in it.
  ///   - keeps: whether something in it was left.
  mutating func listed(_ number: Int, directories found: [URL], keeps: Bool) {
    let depth = (directories[number]?.depth ?? 0) + 1
    let isTooDeep = depth > TreeWork.largestDepth && !found.isEmpty
    let found = isTooDeep ? [] : found
    directories[number]?.isListed = true
    directories[number]?.children = found.count
    if keeps || isTooDeep { directories[number]?.keeps = true }
    for url in found { add(url, parent: number, depth: depth) }
    settle(number)
  }

  /// The removal of a directory has ended.
  /// - Parameter isGone: false where it was left.
  mutating func removed(_ number: Int, isGone: Bool) {
    leave(number, isGone: isGone)
  }

  /// Whether all below a directory has ended: it is removed, or left where something is in it.
  private mutating func settle(_ number: Int) {
    guard let directory = directories[number], directory.isListed, directory.children == 0 else { return }
    if directory.keeps { leave(number, isGone: false) } else { removable.append(number) }
  }

  private mutating func leave(_ number: Int, isGone: Bool) {
    guard let parent = directories.removeValue(forKey: number)?.parent else { return }
    directories[parent]?.children -= 1
    if !isGone { directories[parent]?.keeps = true }
    settle(parent)
  }
}
