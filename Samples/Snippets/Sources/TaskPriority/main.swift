import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let baseURL = URL(string: CommandLine.arguments[1])!
let configuration = URLSessionConfiguration.default
configuration.httpMaximumConnectionsPerHost = 2
let session = URLSession(configuration: configuration)

let priorities: [(String, Float)] = [
    ("thumbnail", URLSessionTask.lowPriority),
    ("article", URLSessionTask.highPriority),
    ("comments", URLSessionTask.defaultPriority),
    ("tracking", 0),
]

let group = DispatchGroup()
let lock = NSLock()
var finished: [String: Int] = [:]

for (name, priority) in priorities {
    group.enter()
    let task = session.dataTask(with: baseURL.appendingPathComponent("small.txt")) { data, _, _ in
        lock.lock()
        finished[name] = data?.count
        lock.unlock()
        group.leave()
    }
    task.priority = priority
    task.taskDescription = name
    print(task.taskDescription!, task.priority, task.state == .suspended)
    task.resume()
}

group.notify(queue: .main) {
    for (name, size) in finished.sorted(by: { $0.key < $1.key }) {
        print(name, size)
    }
    session.getAllTasks { tasks in
        print("left:", tasks.count)
        exit(0)
    }
}
dispatchMain()
