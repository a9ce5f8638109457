// SPDX-License-Identifier: GPL-2.0
//! What someone may have meant.

/// The word that is nearest to `text`.
pub fn nearest<'a>(text: &str, words: &[&'a str]) -> Option<&'a str> {
    words
        .iter()
        .copied()
        .min_by_key(|word| distance(text, word))
}

/// How many letters have to be put in, taken out or replaced.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        // What stood above and to the left of the current field.
        let mut corner = i;
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = corner + usize::from(from != *to);
            corner = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let of = |a, b| distance(a, b);
        assert_eq!(of("weight", "weight"), 0);
        assert_eq!(of("wieght", "weight"), 2);
        assert_eq!(of("", "rows"), 4);
        assert_eq!(of("rows", ""), 4);
        assert_eq!(of("kitten", "sitting"), 3);
    }

    #[test]
    fn meant() {
        let keys = ["id", "address", "weight", "admin", "start-down"];
        assert_eq!(nearest("adress", &keys), Some("address"));
        assert_eq!(nearest("start_down", &keys), Some("start-down"));
        assert_eq!(nearest("x", &[]), None);
    }
}
