/// The tasks that may begin, in the order in which they do: by priority, then by number.
///
/// There is a list for the tasks that are held back together, so that a choice costs as much as there are lists, however many tasks wait.
struct ReadyTasks {
  /// What decides together with the network and the free places whether a task may begin.
  struct Group: Hashable {
    let origin: String
    let session: String
    /// The requests may not use a network that costs by the byte.
    let avoidsMetered: Bool

    init(_ job: Job) { (origin, session, avoidsMetered) = (job.origin, job.session, job.state.avoidsMetered) }
  }

  private struct Entry {
    let priority: Float
    let number: Int

    init(_ job: Job) { (priority, number) = (job.state.hints.priority, job.number) }

    func comesBefore(_ other: Entry) -> Bool { (-priority, number) < (-other.priority, other.number) }
  }

  /// None is empty.
  private var lists: [Group: [Entry]] = [:]

  /// Adds a task, once.
  mutating func insert(_ job: Job) {
    let (group, entry) = (Group(job), Entry(job))
    // Taken out, so that it is not copied.
    var list = lists.removeValue(forKey: group) ?? []
    defer { lists[group] = list }
    var (low, high) = (0, list.count)
    while low < high {
      let middle = (low + high) / 2
      if list[middle].comesBefore(entry) { low = middle + 1 } else { high = middle }
    }
    if low < list.count, list[low].number == job.number { return }
    list.insert(entry, at: low)
  }

  /// Takes a task out, which is as it was when it was added.
  /// - Returns: whether it was there.
  @discardableResult
  mutating func remove(_ job: Job) -> Bool {
    let group = Group(job)
    guard let index = lists[group]?.firstIndex(where: { $0.number == job.number }) else { return false }
    lists[group]?.remove(at: index)
    if lists[group]?.isEmpty == true { lists[group] = nil }
    return true
  }

  /// The number of the first task of the groups that may begin.
  func first(where mayBegin: (Group) -> Bool) -> Int? {
    var best: Entry?
    for (group, list) in lists {
      guard let first = list.first, best?.comesBefore(first) != true, mayBegin(group) else { continue }
      best = first
    }
    return best?.number
  }
}
