//! Which version and which kind of build of CPython this is for, as `cfg`.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
