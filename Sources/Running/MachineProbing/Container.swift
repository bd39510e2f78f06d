import Glibc
import SystemSupport

/// What kind of container we are in, by the marks that container managers leave
/// (systemd.io/CONTAINER_INTERFACE, podman-run(1), Docker's /.dockerenv).
enum Container {
  static var name: String? {
    let note = "/run/systemd/container"
    if let manager = ProcFile.text(note), !manager.isEmpty { return "\(manager), by \(note)" }
    if getenv("KUBERNETES_SERVICE_HOST") != nil { return "Kubernetes, by its environment" }
    for (manager, mark) in [("Podman", "/run/.containerenv"), ("Docker", "/.dockerenv")]
    where access(mark, F_OK) == 0 {
      return "\(manager), by \(mark)"
    }
    return getenv("container").map { "\(String(cString: $0)), by $container" }
  }
}
