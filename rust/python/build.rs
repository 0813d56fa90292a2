//! Which version and which kind of build of CPython this is for, as `cfg`.

fn main() {
    // As PyO3 itself is built anew: another Python may stand at the same path.
    for name in ["PYO3_ENVIRONMENT_SIGNATURE", "PYO3_PYTHON", "PYO3_CONFIG_FILE"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    pyo3_build_config::use_pyo3_cfgs();
}
