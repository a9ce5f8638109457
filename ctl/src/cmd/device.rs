// SPDX-License-Identifier: GPL-2.0
//! `onehopctl device`

use onehop_uapi::{Condition, DeviceName};

use crate::change::edit;
use crate::how::Terms;
use crate::value::{self, AuthorArgs};
use crate::{Context, Error};

/// In mode broadcast what other servers own is dropped there, in modes router and
/// peer most packets are sent on there; and ARP and ND are answered there, for
/// these two and for shapes multicast and igmp.
#[derive(clap::Args)]
pub struct Device {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Name a device that the ghosts are on; it need not be there yet
    Add(Which),
    /// Name a device no more
    Del(Which),
}

#[derive(clap::Args)]
struct Which {
    /// The device
    #[arg(value_parser = value::device)]
    name: DeviceName,
    #[command(flatten)]
    author: AuthorArgs,
}

impl Device {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let (which, add) = match self.what {
            What::Add(which) => (which, true),
            What::Del(which) => (which, false),
        };
        let terms = Terms {
            condition: Condition::default(),
            author: which.author.author(context),
        };
        edit(context, terms, |model, _| {
            model.devices.retain(|it| *it != which.name);
            if add {
                model.devices.push(which.name);
                model.devices.sort_unstable();
            }
            Ok(())
        })
    }
}
