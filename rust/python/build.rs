//! Passes the version and the kind of build of CPython to the crate, as `cfg`.

fn main() {
    // Rebuild when PyO3 does: another Python may stand at the same path.
    for name in ["PYO3_ENVIRONMENT_SIGNATURE", "PYO3_PYTHON", "PYO3_CONFIG_FILE"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    pyo3_build_config::use_pyo3_cfgs();
}
