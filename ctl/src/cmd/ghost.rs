// SPDX-License-Identifier: GPL-2.0
//! `onehopctl ghost`

use onehop_uapi::{Address, Name};

use crate::change::edit;
use crate::how::TermsArgs;
use crate::model::Model;
use crate::{pick, value, Context, Error};

#[derive(clap::Args)]
pub struct Ghost {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Let a pool serve an address
    Add(Put),
    /// Serve an address no more
    Del(Del),
    /// Let a pool serve an address, whichever served it before
    Set(Put),
}

#[derive(clap::Args)]
struct Put {
    /// The ghost
    #[arg(value_parser = value::address)]
    address: Address,
    /// The pool that serves it; may be left out where there is only one
    #[arg(long, value_parser = value::name)]
    pool: Option<Name>,
    #[command(flatten)]
    terms: TermsArgs,
}

#[derive(clap::Args)]
struct Del {
    /// The ghost
    #[arg(value_parser = value::address)]
    address: Address,
    #[command(flatten)]
    terms: TermsArgs,
}

impl Ghost {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        match self.what {
            What::Add(put) => {
                let terms = put.terms.terms(context);
                edit(context, terms, |model, _| {
                    let pool = pick::pool(model, put.pool)?;
                    stays(model, put.address, pool)?;
                    move_to(model, put.address, Some(pool));
                    Ok(())
                })
            }
            What::Set(put) => {
                let terms = put.terms.terms(context);
                edit(context, terms, |model, _| {
                    let pool = pick::pool(model, put.pool)?;
                    move_to(model, put.address, Some(pool));
                    Ok(())
                })
            }
            What::Del(del) => {
                let terms = del.terms.terms(context);
                edit(context, terms, |model, _| {
                    move_to(model, del.address, None);
                    Ok(())
                })
            }
        }
    }
}

fn stays(model: &Model, ghost: Address, pool: Name) -> Result<(), Error> {
    match model.pool_of(ghost) {
        Some(other) if other != pool => Err(Error::Refused(format!(
            "ghost \"{ghost}\" is a ghost of pool \"{other}\": move it with onehopctl ghost set"
        ))),
        _ => Ok(()),
    }
}

fn move_to(model: &mut Model, ghost: Address, pool: Option<Name>) {
    for group in model.pools.values_mut() {
        group.ghosts.retain(|it| *it != ghost);
        if Some(group.pool.name) == pool {
            group.ghosts.push(ghost);
            group.ghosts.sort_unstable();
        }
    }
}
