// SPDX-License-Identifier: GPL-2.0
//! Runs C programs that know onehop.h.

use std::path::Path;
use std::process::Command;

const UAPI: &str = env!("CARGO_MANIFEST_DIR");

/// What a C program prints. `name` names its files.
pub fn output(name: &str, source: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (file, program) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&file, source).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let compiled = Command::new(&compiler)
        .args(["-Wall", "-Wextra", "-Wpadded", "-Werror", "-I", UAPI, "-o"])
        .args([&program, &file])
        .output()
        .unwrap_or_else(|error| panic!("the C compiler \"{compiler}\": {error}"));
    let complaint = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{complaint}");

    let output = Command::new(&program).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}
