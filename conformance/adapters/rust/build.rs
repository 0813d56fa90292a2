//! Tells the program which compiler, and so which standard library, it was built with.

fn main() {
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let said = std::process::Command::new(compiler)
        .arg("--version")
        .output()
        .expect("rustc runs");
    let version = String::from_utf8_lossy(&said.stdout);
    println!(
        "cargo:rustc-env=RUSTC_VERSION={}",
        version.split_whitespace().nth(1).unwrap_or("unknown")
    );
}
