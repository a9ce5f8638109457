// SPDX-License-Identifier: GPL-2.0
//! A small valid image.

use onehop_uapi::*;

pub struct Sample {
    pub pools: Vec<Pool>,
    pub ghosts: Vec<Ghost>,
    pub servers: Vec<Server>,
    pub devices: Vec<Device>,
    pub overrides: Vec<Override>,
    pub tables: Vec<Vec<u16>>,
}

pub fn name(text: &str) -> Name {
    Name::new("name", text).unwrap()
}

fn address6(last: u16) -> [u8; 16] {
    (0x2001_0db8_u128 << 96 | u128::from(last)).to_be_bytes()
}

fn server(pool: u32, id: u16) -> Server {
    Server {
        name: name(&format!("s{id}")),
        pool,
        id,
        weight: 1,
        admin: Admin::Up,
        start_down: false,
        address: Some([10, 0, 0, u8::try_from(id).unwrap()]),
        address6: Some(address6(id)),
    }
}

pub fn device(text: &str) -> Device {
    Device {
        name: DeviceName::new(text).unwrap(),
    }
}

/// Pool `web` of kind hash and pool `mail` of kind mod, with the same servers.
pub fn sample() -> Sample {
    let web = Pool {
        name: name("web"),
        mode: Mode::Router,
        shape: None,
        method: Some(Method::Track),
        kind: Kind::Hash,
        policy: Policy::Drop,
        prefix4: 32,
        prefix6: 64,
        rows: 256,
        seed: *b"0123456789abcdef",
    };
    let mail = Pool {
        name: name("mail"),
        kind: Kind::Mod,
        rows: 0,
        seed: [0; 16],
        ..web
    };
    let ghost = |pool, address| Ghost { pool, address };
    Sample {
        pools: vec![web, mail],
        ghosts: vec![
            ghost(0, Address::V4([192, 0, 2, 80])),
            ghost(1, Address::V4([192, 0, 2, 25])),
            ghost(0, Address::V6(address6(0x80))),
        ],
        servers: [(1, 1), (0, 3), (0, 1), (1, 2), (0, 2)]
            .map(|(pool, id)| server(pool, id))
            .to_vec(),
        devices: vec![device("eth0"), device("eth1")],
        overrides: Vec::new(),
        tables: Vec::new(),
    }
}

impl Sample {
    pub fn header(&self) -> Header {
        let count = |len: usize| u32::try_from(len).unwrap();
        Header {
            pools: count(self.pools.len()),
            ghosts: count(self.ghosts.len()),
            servers: count(self.servers.len()),
            devices: count(self.devices.len()),
            older: 0,
            overrides: count(self.overrides.len()),
            rows: count(self.tables.iter().map(Vec::len).sum()),
        }
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut raw = self.header().encode().to_vec();
        raw.extend(self.pools.iter().flat_map(Pool::encode));
        raw.extend(self.ghosts.iter().flat_map(Ghost::encode));
        raw.extend(self.servers.iter().flat_map(Server::encode));
        raw.extend(self.devices.iter().flat_map(Device::encode));
        raw.extend(self.overrides.iter().flat_map(Override::encode));
        raw.extend(
            self.tables
                .iter()
                .flatten()
                .copied()
                .flat_map(Table::encode),
        );
        raw
    }
}

pub fn check(raw: &[u8]) -> Result<(), Invalid> {
    let image = Image::new(raw)?;
    check::image(&image, &mut vec![0; check::scratch_len(&image)])
}
