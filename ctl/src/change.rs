// SPDX-License-Identifier: GPL-2.0
//! Making a change, or foretelling it.

use onehop_uapi::{
    Admin, Condition, Health, Invalid, Name, Outcome, Server, Set, Span, State as Wanted,
    Transition, Verb,
};

use crate::diff::diff;
use crate::forecast::{forecast, forecast_of_abort, Forecast, Prospect};
use crate::how::Terms;
use crate::model::Model;
use crate::replay::replay;
use crate::report::{Done, Fate};
use crate::state::State;
use crate::{Context, Error};

/// How often a change is tried while others change the state in between.
const TRIES: u32 = 10;

/// Edits what stands. `edit` may be called again, on a newer state.
pub fn edit(
    context: &mut Context<'_>,
    terms: Terms,
    edit: impl Fn(&mut Model, &State) -> Result<(), Error>,
) -> Result<(), Error> {
    edited(context, terms, edit)?.report(context)
}

/// The same, and leaves it to the caller to say what came of it.
pub fn edited(
    context: &mut Context<'_>,
    terms: Terms,
    edit: impl Fn(&mut Model, &State) -> Result<(), Error>,
) -> Result<Done, Error> {
    again(|| {
        let state = State::read(context.kernel)?;
        let mut new = state.model();
        edit(&mut new, &state)?;
        let condition = Condition {
            expected: Some(state.generation),
            ..terms.condition
        };
        apply(context, Terms { condition, ..terms }, &state, &new)
    })
}

/// Makes a model the state, in place of what stands.
pub fn apply(
    context: &mut Context<'_>,
    terms: Terms,
    state: &State,
    new: &Model,
) -> Result<Done, Error> {
    let condition = Condition {
        dry_run: terms.condition.dry_run || context.plan,
        ..terms.condition
    };
    let outcome = context
        .kernel
        .apply(&new.encode(), condition, terms.author)?;
    foretold(context, condition, outcome, state, new)
}

/// What is to be said of a change to the image.
pub fn foretold(
    context: &mut Context<'_>,
    condition: Condition,
    outcome: Outcome,
    state: &State,
    new: &Model,
) -> Result<Done, Error> {
    let old = state.model();
    let forecast = match context.plan {
        true => Some(told(context, state, &Prospect::of(state, new))?),
        false => None,
    };
    Ok(Done {
        dry_run: condition.dry_run,
        downed: downed(&old, new),
        diff: diff(&old, new),
        forecast,
        ..Done::new(outcome, Fate::of(&condition))
    })
}

/// By clients, and by the requests of logs where there are some.
fn told(context: &mut Context<'_>, state: &State, after: &Prospect) -> Result<Forecast, Error> {
    let mut forecast = forecast(state, after)?;
    replay(context, state, after, &mut forecast)?;
    Ok(forecast)
}

/// The servers that the operator wants down, and did not before.
fn downed(old: &Model, new: &Model) -> Vec<Name> {
    let is_down = |server: &Server| server.admin == Admin::Down;
    let was_down = |pool: &Name, server: &Name| {
        let group = old.pools.get(pool);
        let server = group.and_then(|group| group.servers.get(server));
        server.is_none_or(is_down)
    };
    let servers = new
        .servers()
        .filter(|(_, group, server)| is_down(server) && !was_down(&group.pool.name, &server.name));
    servers.map(|(_, _, server)| server.name).collect()
}

/// Sets a state of one server.
pub fn set(context: &mut Context<'_>, request: &Set) -> Result<(), Error> {
    let fate = match request.state {
        Wanted::Admin(Admin::Down) | Wanted::Health(Health::Down) => Fate::Move,
        _ => Fate::of(&request.condition),
    };
    let done = match context.plan {
        false => Done::new(context.kernel.set(request)?, fate),
        true => again(|| {
            let state = State::read(context.kernel)?;
            let condition = Condition {
                dry_run: true,
                expected: Some(state.generation),
                ..request.condition
            };
            let request = Set {
                condition,
                ..*request
            };
            let outcome = context.kernel.set(&request)?;
            let mut prospect = Prospect::of(&state, &state.model());
            prospect.set(&request);
            Ok(Done {
                dry_run: true,
                forecast: Some(told(context, &state, &prospect)?),
                ..Done::new(outcome, fate)
            })
        })?,
    };
    done.report(context)
}

/// Ends, undoes or lengthens a transition.
pub fn transition(context: &mut Context<'_>, request: &Transition) -> Result<(), Error> {
    let fate = match request.verb {
        Verb::Commit => Fate::Move,
        Verb::Abort => Fate::Stay(Span::Default),
        Verb::Extend(span) => Fate::Stay(span),
    };
    let done = match context.plan {
        false => Done::new(context.kernel.transition(request)?, fate),
        true => again(|| returned(context, request.pool, fate))?,
    };
    done.report(context)
}

/// What is to be said of an abort that is only planned. The module has no dry run of it, and does
/// not tell what an older function is made of: its owners are asked for instead.
fn returned(context: &mut Context<'_>, pool: Name, fate: Fate) -> Result<Done, Error> {
    if !context.logs.is_empty() {
        let why = "an older function is known by what the module answers for single clients only: \
                   leave out --log";
        return Err(Error::refused(why));
    }
    let state = State::read(context.kernel)?;
    let pool = state
        .pool(pool)
        .ok_or_else(|| Error::from(Invalid::no_pool(pool)))?;
    let oldest = pool.older.last();
    let outcome = Outcome {
        generation: state.generation,
        digest: state.digest,
        changed: oldest.is_some(),
        moved: oldest.map_or(0, |oldest| oldest.moved),
    };
    let forecast = match oldest {
        Some(oldest) => forecast_of_abort(context, state.generation, pool, oldest)?,
        None => Forecast(Vec::new()),
    };
    Ok(Done {
        dry_run: true,
        digest: None,
        forecast: Some(forecast),
        ..Done::new(outcome, fate)
    })
}

/// Tries until nobody else was faster.
fn again<T>(mut attempt: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    for _ in 0..TRIES {
        match attempt() {
            Err(Error::Stale(_)) => {}
            result => return result,
        }
    }
    Err(Error::Refused(format!(
        "others change the state all the time: given up after {TRIES} tries"
    )))
}
