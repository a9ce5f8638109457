// SPDX-License-Identifier: GPL-2.0
//! A picture of the load per server, before and after.

use std::fmt::Write;

use super::report::Report;

const HEIGHT: f64 = 320.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 64.0;
/// Blue and orange tell apart for the colour-blind, too.
const BEFORE: &str = "#4477aa";
const AFTER: &str = "#ee8866";

/// Draws, for each server, its load now and with the fitted table, relative to what is due to its
/// weight: all are even at 1.
pub fn svg(report: &Report) -> String {
    let weights: f64 = report.servers.iter().map(|it| f64::from(it.weight)).sum();
    let ratio = |it: &super::report::ServerLoad, kind: &str| {
        let ppm = it.ppm.get(kind).copied().unwrap_or(0);
        f64::from(ppm) / 1e6 * weights / f64::from(it.weight)
    };
    let servers = report.servers.iter();
    let bars: Vec<_> = servers
        .map(|it| (&*it.server, ratio(it, report.kind), ratio(it, "fitted")))
        .collect();
    let most = bars.iter().map(|(_, a, b)| a.max(*b)).fold(1.0, f64::max);
    // Rounded up to a half, where the topmost line is.
    let most = (most * 2.0).ceil() / 2.0;
    let step = (640.0 / bars.len().max(1) as f64).clamp(6.0, 48.0);
    let plot = step * bars.len() as f64;
    let (width, y) = (LEFT + plot.max(360.0) + 16.0, |ratio: f64| {
        TOP + HEIGHT * (1.0 - ratio / most)
    });
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        TOP + HEIGHT + BOTTOM
    );
    let mut add = |line: std::fmt::Arguments<'_>| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{line}");
    };
    let max_mean = |kind| {
        let column = report.kinds.iter().find(|column| column.kind == kind);
        column.map_or(0.0, |column| column.balance.max_mean)
    };
    let legend = [("now", report.kind, BEFORE), ("then", "fitted", AFTER)];
    for (place, (when, kind, colour)) in legend.into_iter().enumerate() {
        let x = LEFT + 180.0 * place as f64;
        add(format_args!(
            "<rect x=\"{x}\" y=\"14\" width=\"12\" height=\"12\" fill=\"{colour}\"/>\
             <text x=\"{:.0}\" y=\"24\">{when}: {kind}, max/mean {:.2}</text>",
            x + 18.0,
            max_mean(kind)
        ));
    }
    for half in 0..=(most * 2.0) as u32 {
        let ratio = f64::from(half) / 2.0;
        let colour = if half == 2 { "#000000" } else { "#dddddd" };
        add(format_args!(
            "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{1:.1}\" y2=\"{1:.1}\" stroke=\"{colour}\"/>\
             <text x=\"{2}\" y=\"{3:.1}\" text-anchor=\"end\">{ratio}</text>",
            LEFT + plot,
            y(ratio),
            LEFT - 8.0,
            y(ratio) + 4.0
        ));
    }
    for (place, (name, before, after)) in bars.iter().enumerate() {
        let x = LEFT + step * place as f64;
        for (side, ratio, colour) in [(0.1, before, BEFORE), (0.5, after, AFTER)] {
            add(format_args!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\">\
                 <title>{name}: {ratio:.2}</title></rect>",
                x + step * side,
                y(*ratio),
                step * 0.4,
                HEIGHT + TOP - y(*ratio)
            ));
        }
        if step >= 12.0 {
            let (x, y) = (x + step / 2.0 + 4.0, TOP + HEIGHT + 8.0);
            add(format_args!(
                "<text transform=\"translate({x:.1},{y:.1}) rotate(-90)\" text-anchor=\"end\">\
                 {name}</text>"
            ));
        }
    }
    text + "</svg>\n"
}
