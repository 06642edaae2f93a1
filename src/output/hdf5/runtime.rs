//! `/runtime/sessions`: one group per run of the program that added points.

use hdf5::File;

use super::array::{write_attribute, write_text_attribute};
use crate::output::Runtime;

/// Records a run of the program; returns its number.
pub(super) fn add_session(file: &File, runtime: &Runtime) -> hdf5::Result<u64> {
    let sessions = file.group("runtime/sessions")?;
    let number = sessions.len();
    let group = sessions.create_group(&format!("{number:04}"))?;
    for (name, text) in [
        ("started", &runtime.started),
        ("host", &runtime.host),
        ("git", &runtime.git),
        ("command", &runtime.command),
        ("transport", &runtime.transport),
        ("partitioner", &runtime.partitioner),
    ] {
        write_text_attribute(&group, name, text)?;
    }
    write_attribute(&group, "ranks", &runtime.ranks)?;
    write_attribute(&group, "threads", &runtime.threads)?;
    Ok(number)
}
