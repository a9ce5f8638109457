// SPDX-License-Identifier: GPL-2.0
//! What keys do: choose a server, and change its state once that is confirmed.

use onehop_uapi::{Admin, Health, State as Wanted};

/// What the loop is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Nothing,
    Quit,
    /// Of the chosen server.
    Set(Wanted),
}

/// What is chosen, and what is asked.
#[derive(Default)]
pub struct Choice {
    /// Counted over the servers of all pools.
    pub row: usize,
    /// What waits for a `y`.
    pub asked: Option<Wanted>,
}

impl Choice {
    /// A key, of those that [`HELP`] names; `rows` are the servers there are.
    pub fn press(&mut self, key: char, rows: usize) -> Action {
        if let Some(wanted) = self.asked.take() {
            return match key {
                'y' => Action::Set(wanted),
                _ => Action::Nothing,
            };
        }
        match key {
            'q' => return Action::Quit,
            'j' => self.row = (self.row + 1).min(rows.saturating_sub(1)),
            'k' => self.row = self.row.saturating_sub(1),
            _ if rows == 0 => {}
            'd' => self.asked = Some(Wanted::Admin(Admin::Drain)),
            'a' => self.asked = Some(Wanted::Admin(Admin::Up)),
            'u' => self.asked = Some(Wanted::Health(Health::Up)),
            'x' => self.asked = Some(Wanted::Health(Health::Down)),
            _ => {}
        }
        Action::Nothing
    }

    /// Servers may have gone meanwhile.
    pub fn keep_within(&mut self, rows: usize) {
        self.row = self.row.min(rows.saturating_sub(1));
    }
}

/// The verb of the tool that does the same.
pub fn verb(wanted: Wanted) -> &'static str {
    match wanted {
        Wanted::Admin(Admin::Up) => "undrain",
        Wanted::Admin(Admin::Drain | Admin::Down) => "drain",
        Wanted::Health(Health::Up) => "up",
        Wanted::Health(Health::Down) => "down",
    }
}

pub const HELP: &str = "j k choose   d drain   a undrain   u up   x down   q quit";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_happens_unconfirmed() {
        let drain = Wanted::Admin(Admin::Drain);
        let mut choice = Choice::default();
        assert_eq!(choice.press('d', 3), Action::Nothing);
        assert_eq!(choice.asked, Some(drain));
        assert_eq!(choice.press('y', 3), Action::Set(drain));
        assert_eq!(choice.asked, None);
        for other in ['n', 'd', 'q', '\u{1b}', ' '] {
            choice.press('d', 3);
            assert_eq!(choice.press(other, 3), Action::Nothing, "{other}");
            assert_eq!(choice.asked, None);
        }
        assert_eq!(choice.press('y', 3), Action::Nothing);
        assert_eq!(choice.press('q', 3), Action::Quit);
    }

    #[test]
    fn the_choice_stays_on_the_servers() {
        let mut choice = Choice::default();
        for _ in 0..5 {
            choice.press('j', 3);
        }
        assert_eq!(choice.row, 2);
        choice.keep_within(1);
        assert_eq!(choice.row, 0);
        choice.press('k', 1);
        assert_eq!(choice.row, 0);
        // No server, nothing to ask.
        choice.press('x', 0);
        assert_eq!(choice.asked, None);
    }

    #[test]
    fn every_key_is_in_the_help() {
        for key in ['j', 'k', 'd', 'a', 'u', 'x', 'q'] {
            assert!(HELP.split_whitespace().any(|word| word == key.to_string()));
        }
    }
}
