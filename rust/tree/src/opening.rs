//! Opening what lies in a tree, and reading it: nothing is waited for, and no link on the way is followed.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags, openat};
#[cfg(target_os = "linux")]
use rustix::fs::{ResolveFlags, openat2};
use rustix::io::{Errno, read};

/// Flags of every call that opens: it must not wait, as nobody may ever open the other end of a pipe.
pub const AT_ONCE: OFlags = OFlags::NONBLOCK.union(OFlags::CLOEXEC).union(OFlags::NOCTTY);
/// The same, for a folder.
pub const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(AT_ONCE);
/// The length of a path that no system call takes any more, as PATH_MAX of Linux has it.
pub const PATH_BYTES: usize = 4096;

/// Open a folder by the way to it from another, names with a slash between; none of them may be a link.
pub fn folder(from: BorrowedFd<'_>, way: &[u8]) -> Result<OwnedFd, Errno> {
    // In one call where the system has it: a tree may be a thousand folders deep.
    #[cfg(target_os = "linux")]
    if way.contains(&b'/') {
        match openat2(from, way, FOLDER, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return opened,
        }
    }
    folder_by_names(from, way)
}

/// As [`folder`], name by name.
pub fn folder_by_names(from: BorrowedFd<'_>, way: &[u8]) -> Result<OwnedFd, Errno> {
    let mut names = way.split(|&byte| byte == b'/');
    let open = |from: BorrowedFd<'_>, name: &[u8]| openat(from, name, FOLDER | OFlags::NOFOLLOW, Mode::empty());
    let first = open(from, names.next().unwrap_or_default())?;
    names.try_fold(first, |handle, name| open(handle.as_fd(), name))
}

/// Read into a buffer, again where a signal came between, and return how many bytes.
pub fn read_retrying(file: impl AsFd, buffer: &mut [u8]) -> Result<usize, Errno> {
    loop {
        match read(&file, &mut *buffer) {
            Err(Errno::INTR) => {}
            done => return done,
        }
    }
}
