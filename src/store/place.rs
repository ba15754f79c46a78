//! Where a SQLite file may lie: on a disk of this machine.
//!
//! In WAL mode the processes that use a file share memory, so "all processes using a database must be on the same host
//! computer; WAL does not work over a network filesystem" (https://www.sqlite.org/wal.html). What goes wrong there is
//! silent: two hosts each see their own idea of the file, and both send what is due. So such a place is refused at open.

use super::StoreError;
use std::path::Path;

/// File systems whose files other hosts may change, by the number `statfs` gives them (linux/magic.h). FUSE is not among
/// them: its number says nothing about what is behind it, which may well be a local disk.
const OF_THE_NETWORK: &[(u32, &str)] = &[
    (0x6969, "NFS"),
    (0x517B, "SMB"),
    (0xFF53_4D42, "CIFS"),
    (0xFE53_4D42, "SMB2"),
    (0x5346_414F, "AFS"),
    (0x6B41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x564C, "NCP"),
    (0x00C3_6400, "Ceph"),
    (0x0102_1997, "9P"),
];

/// The network file system this number stands for; nothing where a database may lie.
pub fn network_file_system(number: u32) -> Option<&'static str> {
    let known = OF_THE_NETWORK.iter().find(|(one, _)| *one == number);
    known.map(|(_, name)| *name)
}

/// Refuses a database file on a network file system. One that is not there yet is judged by its folder.
pub(super) fn must_be_local(file: &Path) -> Result<(), StoreError> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let candidates = [file, folder.unwrap_or(Path::new("."))];
    // where neither can be asked, opening the file says why
    let stat = candidates.iter().find_map(|place| rustix::fs::statfs(*place).ok());
    match stat.and_then(|stat| network_file_system(low_bits(stat.f_type))) {
        None => Ok(()),
        Some(kind) => Err(StoreError::OnNetwork {
            file: file.to_owned(),
            kind,
        }),
    }
}

/// The kernel's numbers have 32 bits; the field's width and sign differ between machines.
fn low_bits(number: rustix::fs::FsWord) -> u32 {
    number as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    // No network mount can be had in a test: the judgement is tested by its table, the asking on a local disk.
    #[test]
    fn network_file_systems_are_told_from_local_ones() {
        for (number, kind) in [
            (0x6969, Some("NFS")),
            (0x517B, Some("SMB")),
            (0xFF53_4D42, Some("CIFS")),
            (0xFE53_4D42, Some("SMB2")),
            (0x5346_414F, Some("AFS")),
            (0x6B41_4653, Some("AFS")),
            (0x7375_7245, Some("Coda")),
            (0x564C, Some("NCP")),
            (0x00C3_6400, Some("Ceph")),
            (0x0102_1997, Some("9P")),
            // ext4, xfs, btrfs, zfs, tmpfs, overlayfs, f2fs, FUSE
            (0xEF53, None),
            (0x5846_5342, None),
            (0x9123_683E, None),
            (0x2FC1_2FC1, None),
            (0x0102_1994, None),
            (0x794C_7630, None),
            (0xF2F5_2010, None),
            (0x6573_5546, None),
        ] {
            assert_eq!(network_file_system(number), kind, "{number:#x}");
        }
    }

    #[test]
    fn numbers_keep_their_bits_whatever_the_width_of_the_field() {
        // CIFS has its highest bit set
        assert_eq!(low_bits(0xFF53_4D42_u32 as rustix::fs::FsWord), 0xFF53_4D42);
        assert_eq!(low_bits(0x6969), 0x6969);
    }

    #[test]
    fn a_local_file_and_one_that_is_not_there_yet_are_let_through() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(must_be_local(folder.path()).is_ok());
        assert!(must_be_local(&folder.path().join("new.db")).is_ok());
        assert!(must_be_local(Path::new("new.db")).is_ok());
        assert!(must_be_local(Path::new("/nowhere/at/all.db")).is_ok());
    }
}
