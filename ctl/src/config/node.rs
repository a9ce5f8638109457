// SPDX-License-Identifier: GPL-2.0
//! Nodes of a TOML document that know where they stand.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

use toml::de::{DeTable, DeValue};
use toml::Spanned;

use super::nearest::nearest;
use crate::Error;

/// A text, its file's name, and the lines of what has been read of it.
pub struct Source<'a> {
    pub file: &'a str,
    pub text: &'a str,
    lines: RefCell<BTreeMap<String, usize>>,
}

impl<'a> Source<'a> {
    pub fn new(file: &'a str, text: &'a str) -> Self {
        Self {
            file,
            text,
            lines: RefCell::default(),
        }
    }

    /// Refuses what is at a place in the text.
    pub fn refuse(&self, at: usize, why: &str) -> Error {
        self.refuse_line(self.line(at), why)
    }

    /// Refuses what has this path, or what it is in, if it was left out.
    pub fn refuse_path(&self, path: &str, why: &str) -> Error {
        let lines = self.lines.borrow();
        let parents = std::iter::successors(Some(path), |path| Some(path.rsplit_once('.')?.0));
        let line = parents.filter_map(|path| lines.get(path)).next();
        self.refuse_line(line.copied().unwrap_or(1), why)
    }

    fn refuse_line(&self, line: usize, why: &str) -> Error {
        Error::Refused(format!("{}:{line}: {why}", self.file))
    }

    fn line(&self, at: usize) -> usize {
        let before = self.text.as_bytes().iter().take(at);
        1 + before.filter(|byte| **byte == b'\n').count()
    }

    pub fn note(&self, path: &str, at: usize) {
        let line = self.line(at);
        self.lines.borrow_mut().insert(path.to_owned(), line);
    }
}

/// A value and its path, such as `pool.web.rows`.
pub struct Node<'a> {
    pub source: &'a Source<'a>,
    pub path: String,
    span: Range<usize>,
    value: &'a DeValue<'a>,
}

/// A table and its path.
pub struct Table<'a> {
    pub source: &'a Source<'a>,
    pub path: String,
    entries: &'a DeTable<'a>,
}

impl<'a> Node<'a> {
    fn new(source: &'a Source<'a>, path: String, value: &'a Spanned<DeValue<'a>>) -> Self {
        Self {
            source,
            path,
            span: value.span(),
            value: value.get_ref(),
        }
    }

    /// Refuses the value.
    pub fn must_be(&self, expected: &str) -> Error {
        let text = self.source.text.get(self.span.clone()).unwrap_or_default();
        let text = text.lines().next().unwrap_or_default();
        let value = text.trim_matches(['"', '\'']);
        let why = format!("{} \"{value}\" must be {expected}", self.path);
        self.source.refuse(self.span.start, &why)
    }

    /// An integer that fits; how large it may be is for the caller to check.
    pub fn integer<T: TryFrom<i64>>(&self, expected: &str) -> Result<T, Error> {
        let DeValue::Integer(integer) = self.value else {
            return Err(self.must_be(expected));
        };
        i64::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .and_then(|integer| T::try_from(integer).ok())
            .ok_or_else(|| self.must_be(expected))
    }

    pub fn boolean(&self) -> Result<bool, Error> {
        match self.value {
            DeValue::Boolean(boolean) => Ok(*boolean),
            _ => Err(self.must_be("true or false")),
        }
    }

    /// A string that `parse` can make something of.
    pub fn parsed<T>(&self, expected: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, Error> {
        match self.value {
            DeValue::String(text) => parse(text).ok_or_else(|| self.must_be(expected)),
            _ => Err(self.must_be(&format!("a string: {expected}"))),
        }
    }

    /// A string, and where in the source it begins. In one with escapes places are
    /// not told apart.
    pub fn text(&self, expected: &str) -> Result<(&'a str, usize), Error> {
        let DeValue::String(text) = self.value else {
            return Err(self.must_be(&format!("a string: {expected}")));
        };
        let raw = self.source.text.get(self.span.clone()).unwrap_or_default();
        let start = raw.find(&**text).unwrap_or(0);
        Ok((text, self.span.start + start))
    }

    /// The elements of an array.
    pub fn elements(&self, expected: &str) -> Result<Vec<Node<'a>>, Error> {
        let DeValue::Array(array) = self.value else {
            return Err(self.must_be(expected));
        };
        let nodes = array.iter();
        Ok(nodes
            .map(|value| Node::new(self.source, self.path.clone(), value))
            .collect())
    }

    pub fn table(&self) -> Result<Table<'a>, Error> {
        match self.value {
            DeValue::Table(entries) => Ok(Table {
                source: self.source,
                path: self.path.clone(),
                entries,
            }),
            _ => Err(self.must_be("a table")),
        }
    }

    /// Remembers the line of an element of an array by its value.
    pub fn note_as(&self, element: &str) {
        self.source
            .note(&format!("{}.{element}", self.path), self.span.start);
    }
}

impl<'a> Table<'a> {
    pub fn root(source: &'a Source<'a>, entries: &'a DeTable<'a>) -> Self {
        Self {
            source,
            path: String::new(),
            entries,
        }
    }

    /// All entries, with their names.
    pub fn entries(&self) -> impl Iterator<Item = (&'a str, Node<'a>)> + '_ {
        self.entries.iter().map(|(key, value)| {
            let name = key.get_ref().as_ref();
            let path = match &*self.path {
                "" => name.to_owned(),
                path => format!("{path}.{name}"),
            };
            // The key's line: a value may begin further down.
            self.source.note(&path, key.span().start);
            (name, Node::new(self.source, path, value))
        })
    }

    /// The entries by name; none may have another one than those that are known.
    pub fn known(&self, keys: &[&str]) -> Result<BTreeMap<&'a str, Node<'a>>, Error> {
        for key in self.entries.keys() {
            let name = key.get_ref().as_ref();
            if !keys.contains(&name) {
                let place = match &*self.path {
                    "" => String::new(),
                    path => format!("{path}: "),
                };
                let nearest = nearest(name, keys).unwrap_or_default();
                let why = format!("{place}unknown key \"{name}\", the nearest is \"{nearest}\"");
                return Err(self.source.refuse(key.span().start, &why));
            }
        }
        Ok(self.entries().collect())
    }

    /// Refuses the table for what it lacks.
    pub fn lacks(&self, key: &str, advice: &str) -> Error {
        let why = format!("{} has no {key}: {advice}", self.path);
        self.source.refuse_path(&self.path, &why)
    }
}
