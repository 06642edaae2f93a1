//! How much memory a process may take: what the machine has available, or less where a control group limits it.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::output::readable_bytes;

/// Memory that a process may take.
#[derive(Clone, Debug, PartialEq)]
pub struct Room {
    /// Bytes.
    pub bytes: f64,
    /// Whose they are: processes of which this is equal have them together.
    owner: String,
    /// Processes that share them equally.
    processes: usize,
}

/// Where no machine is to be asked: what the address of a process can tell apart.
const ADDRESSABLE: f64 = (1u64 << 47) as f64;

/// What stands for the owner where that is no machine but any.
const ANY: &str = "any";

/// The largest value that a control group (version 1) takes for a limit and not for the lack of one.
const LARGEST_LIMIT: f64 = (1u64 << 60) as f64;

impl Room {
    /// That of this process alone; `None` if the system does not tell.
    #[must_use]
    pub fn here() -> Option<Self> {
        Self::under(Path::new("/"))
    }

    /// More than any process can have.
    #[must_use]
    pub fn anywhere() -> Self {
        Self { bytes: ADDRESSABLE, owner: ANY.into(), processes: 1 }
    }

    /// The smallest share of `processes`, each with what it said of itself: those with the same owner share equally. `None` if
    /// one of them said nothing.
    pub(super) fn least(processes: &[Option<Room>]) -> Option<Self> {
        let shared = |room: &Option<Room>| {
            let room = room.as_ref()?;
            let n = processes.iter().flatten().filter(|other| other.owner == room.owner).count();
            Some(Self { bytes: room.bytes / n as f64, owner: room.owner.clone(), processes: n })
        };
        let all: Option<Vec<Room>> = processes.iter().map(shared).collect();
        all?.into_iter().min_by(|a, b| a.bytes.total_cmp(&b.bytes))
    }

    /// As bytes, for `decode`.
    pub(super) fn encode(room: Option<&Self>) -> Vec<u8> {
        room.map_or(Vec::new(), |room| [room.bytes.to_le_bytes().as_slice(), room.owner.as_bytes()].concat())
    }

    /// What was encoded.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (number, owner) = bytes.split_first_chunk()?;
        let owner = String::from_utf8_lossy(owner).into_owned();
        Some(Self { bytes: f64::from_le_bytes(*number), owner, processes: 1 })
    }

    /// That of a process that finds the files of the system below `root`.
    fn under(root: &Path) -> Option<Self> {
        let machine = available(&root.join("proc/meminfo"))?;
        let boot = fs::read_to_string(root.join("proc/sys/kernel/random/boot_id")).unwrap_or_default();
        let least =
            groups(root).into_iter().filter_map(|folder| Some((left(&folder)?, folder))).min_by(|a, b| a.0.total_cmp(&b.0));
        let (bytes, owner) = match least {
            Some((bytes, folder)) if bytes < machine => (bytes, format!("{} {}", boot.trim(), folder.display())),
            _ => (machine, boot.trim().to_string()),
        };
        Some(Self { bytes, owner, processes: 1 })
    }
}

impl fmt::Display for Room {
    /// As a clause, such as "2.0 GiB are available here".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = readable_bytes(self.bytes);
        match self.processes {
            _ if self.owner == ANY => write!(f, "no process can have more than {bytes}"),
            1 => write!(f, "{bytes} are available here"),
            n => write!(f, "{bytes} are available to each of the {n} processes here"),
        }
    }
}

/// What a machine has left without swapping.
fn available(meminfo: &Path) -> Option<f64> {
    let kilobytes = field(&fs::read_to_string(meminfo).ok()?, "MemAvailable:")?;
    Some(kilobytes * 1024.0)
}

/// The number after `name`, where a line begins with it.
fn field(text: &str, name: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok())
}

/// The folders of the control groups that this process is in, of both versions, from its own up to the root of each.
fn groups(root: &Path) -> Vec<PathBuf> {
    let list = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let mounts = list.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let mount = match controllers {
            "" => "sys/fs/cgroup",
            c if c.split(',').any(|c| c == "memory") => "sys/fs/cgroup/memory",
            _ => return None,
        };
        Some((root.join(mount), path.trim_start_matches('/').to_string()))
    });
    // In a container the path may be that of the machine outside: then only the root of the mount is there.
    let upwards = |(mount, path): (PathBuf, String)| {
        let own = mount.join(path);
        own.ancestors().take_while(|folder| folder.starts_with(&mount)).map(Path::to_path_buf).collect::<Vec<_>>()
    };
    mounts.flat_map(upwards).collect()
}

/// What a control group has left of its limit, if it has one; file pages that could be dropped count as free.
fn left(folder: &Path) -> Option<f64> {
    let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<f64>().ok();
    let limit = number("memory.max").or_else(|| number("memory.limit_in_bytes")).filter(|&limit| limit < LARGEST_LIMIT)?;
    let used = number("memory.current").or_else(|| number("memory.usage_in_bytes")).unwrap_or(0.0);
    let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let files = field(&stat, "total_inactive_file ").or_else(|| field(&stat, "inactive_file ")).unwrap_or(0.0);
    Some((limit - (used - files).max(0.0)).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMINFO: &str = "MemTotal:       24000000 kB\nMemFree:          100 kB\nMemAvailable:    2000000 kB\n";

    fn room(files: &[(&str, &str)]) -> Option<Room> {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Room::under(root.path())
    }

    #[test]
    fn a_machine_tells_what_is_available() {
        let free = room(&[("proc/meminfo", MEMINFO)]).unwrap();
        assert_eq!(free.bytes, 2_000_000.0 * 1024.0);
        assert_eq!(free.to_string(), "1.9 GiB are available here");
        assert_eq!(room(&[]), None);
        assert_eq!(room(&[("proc/meminfo", "MemTotal: 5 kB\n")]), None);
    }

    #[test]
    fn a_group_of_either_version_limits_it_at_any_level() {
        let bytes = |files: &[(&str, &str)]| room(&[&[("proc/meminfo", MEMINFO)], files].concat()).unwrap().bytes;
        let second = ("proc/self/cgroup", "0::/job/step\n");
        assert_eq!(bytes(&[second, ("sys/fs/cgroup/job/step/memory.max", "max\n")]), 2_000_000.0 * 1024.0);
        let job = [("sys/fs/cgroup/job/memory.max", "1000000\n"), ("sys/fs/cgroup/job/memory.current", "600000\n")];
        assert_eq!(bytes(&[&[second], &job[..]].concat()), 400_000.0);
        let stat = ("sys/fs/cgroup/job/memory.stat", "anon 5\ninactive_file 500000\n");
        assert_eq!(bytes(&[&[second, stat], &job[..]].concat()), 900_000.0);
        let first = ("proc/self/cgroup", "5:cpu,memory:/docker/abc\n3:pids:/x\n");
        let limit =
            |text| [("sys/fs/cgroup/memory/memory.limit_in_bytes", text), ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1")];
        assert_eq!(bytes(&[&[first], &limit("701")[..]].concat()), 700.0);
        assert_eq!(bytes(&[&[first], &limit("9223372036854771712")[..]].concat()), 2_000_000.0 * 1024.0);
        // More than the machine has is no limit, and what is used up leaves nothing.
        assert_eq!(bytes(&[&[first], &limit("99000000000")[..]].concat()), 2_000_000.0 * 1024.0);
        assert_eq!(bytes(&[&[first], &limit("0")[..]].concat()), 0.0);
    }

    #[test]
    fn processes_of_one_owner_share_and_the_smallest_share_counts() {
        let room = |bytes, owner: &str| Some(Room { bytes, owner: owner.into(), processes: 1 });
        let least = Room::least(&[room(900.0, "a"), room(1000.0, "b"), room(1000.0, "b"), room(900.0, "a"), room(880.0, "a")]);
        assert_eq!(least, Some(Room { bytes: 880.0 / 3.0, owner: "a".into(), processes: 3 }));
        assert!(least.unwrap().to_string().contains("each of the 3 processes"));
        assert_eq!(Room::least(&[room(1.0, "a"), None]), None);
        for room in [room(12.5, "x y"), None] {
            assert_eq!(Room::decode(&Room::encode(room.as_ref())), room);
        }
    }
}
