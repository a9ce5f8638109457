// SPDX-License-Identifier: GPL-2.0

//! Answers that the oracle gave once, kept as files: `NAME.questions` and `NAME.answers`.
//!
//! Both are made by `dispatch/oracle/` from Documentation/dispatch.md, never from this code.

mod stream;

use std::fs;
use std::path::Path;

fn answers(questions: &[u8]) -> String {
    let mut output = Vec::new();
    stream::answer(questions, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

/// The last example of the specification: statements to the left, answers to the right.
#[test]
fn the_documents_example() {
    let document = include_str!("../../Documentation/dispatch.md");
    let (_, example) = document
        .split_once("Example, with all its answers:")
        .unwrap();
    let (mut questions, mut expected) = (String::new(), String::new());
    for line in example.lines().map(str::trim) {
        let (question, answer) = line.split_once("   ").unwrap_or((line, ""));
        questions += &format!("{question}\n");
        if !answer.is_empty() {
            expected += &format!("{}\n", answer.trim());
        }
    }
    assert_eq!(expected.lines().count(), 10);
    assert_eq!(answers(questions.as_bytes()), expected);
}

#[test]
fn answers_are_the_oracles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut compared = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let questions = entry.unwrap().path();
        if questions.extension().is_none_or(|ext| ext != "questions") {
            continue;
        }
        let expected = fs::read_to_string(questions.with_extension("answers")).unwrap();
        let output = answers(&fs::read(&questions).unwrap());
        for (line, (ours, theirs)) in (1..).zip(output.lines().zip(expected.lines())) {
            assert_eq!(ours, theirs, "answer {line} of {}", questions.display());
        }
        assert_eq!(output.len(), expected.len(), "{}", questions.display());
        compared += expected.lines().count();
    }
    assert!(compared > 0, "no answers in {}", folder.display());
}
