// SPDX-License-Identifier: GPL-2.0

//! Configuration files: what can be read is saved as something that reads the same.

#![no_main]

use onehopctl::config::{parse, save};

libfuzzer_sys::fuzz_target!(|text: &str| {
    match parse("fuzz.conf", text) {
        Ok(model) => {
            let saved = save(&model);
            let again = parse("saved.conf", &saved);
            assert_eq!(again.ok().as_ref(), Some(&model), "saved as {saved}");
            assert_eq!(save(&model), saved);
        }
        Err(error) => {
            let said = error.to_string();
            assert!(
                said.starts_with("fuzz.conf:") && !said.contains('\n'),
                "{said}"
            );
        }
    }
});
