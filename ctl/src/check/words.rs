// SPDX-License-Identifier: GPL-2.0
//! Words that several checks say.

use std::net::IpAddr;

use super::host::Address;

/// How to set a device's sysctl. A name with a dot in it needs the slashes.
pub fn sysctl(family: &str, device: &str, name: &str, value: u32) -> String {
    match device.contains('.') {
        true => format!("sysctl -w net/{family}/conf/{device}/{name}={value}"),
        false => format!("sysctl -w net.{family}.conf.{device}.{name}={value}"),
    }
}

/// How to give this host a ghost.
pub fn bind(ghost: IpAddr) -> String {
    let prefix = if ghost.is_ipv4() { 32 } else { 128 };
    format!("ip addr add {ghost}/{prefix} dev lo")
}

/// How to take an address off.
pub fn unbind(device: &str, bound: &Address) -> String {
    format!(
        "ip addr del {}/{} dev {device}",
        bound.address, bound.prefix
    )
}

/// "a", "a and b", "a, b and c"
pub fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<_> = items.into_iter().map(|item| item.to_string()).collect();
    match items.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_reads_as_one_speaks() {
        assert_eq!(list::<&str>([]), "");
        assert_eq!(list(["a"]), "a");
        assert_eq!(list(["a", "b", "c"]), "a, b and c");
    }

    #[test]
    fn a_dot_in_a_device_does_not_part_the_key() {
        let set = |device| sysctl("ipv4", device, "rp_filter", 2);
        assert_eq!(set("eth0"), "sysctl -w net.ipv4.conf.eth0.rp_filter=2");
        assert_eq!(set("eth0.5"), "sysctl -w net/ipv4/conf/eth0.5/rp_filter=2");
    }
}
