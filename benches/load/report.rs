//! Tables that can be put into a document as they are.

use std::path::Path;
use std::time::Duration;

/// A table with a sentence before it.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(about: &str, columns: &[&str]) -> Self {
        println!("\n{about}\n");
        Self {
            rows: vec![columns.iter().map(|column| (*column).to_owned()).collect()],
        }
    }

    pub fn row(&mut self, cells: &[String]) {
        self.rows.push(cells.to_vec());
    }

    /// The first column is words, the others are numbers.
    pub fn print(&self) {
        let widths: Vec<usize> = (0..self.rows[0].len())
            .map(|place| {
                self.rows
                    .iter()
                    .map(|row| row[place].chars().count())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        for (number, row) in self.rows.iter().enumerate() {
            let cells = row
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(place, (cell, width))| match place {
                    0 => format!("{cell:width$}"),
                    _ => format!("{cell:>width$}"),
                });
            println!("| {} |", cells.collect::<Vec<_>>().join(" | "));
            if number == 0 {
                let lines = widths.iter().enumerate().map(|(place, width)| match place {
                    0 => "-".repeat(width + 2),
                    _ => "-".repeat(width + 1) + ":",
                });
                println!("|{}|", lines.collect::<Vec<_>>().join("|"));
            }
        }
    }
}

/// So many in this time, each second.
pub fn rate(count: usize, time: Duration) -> String {
    format!("{:.0}", count as f64 / time.as_secs_f64())
}

pub fn ms(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1000.0;
    if ms < 10.0 {
        format!("{ms:.1} ms")
    } else {
        format!("{ms:.0} ms")
    }
}

/// The median and the 99th percentile.
pub fn usual_and_worst(mut times: Vec<Duration>) -> (Duration, Duration) {
    assert!(!times.is_empty(), "nothing was timed");
    times.sort();
    let at = |part: f64| times[(((times.len() - 1) as f64) * part).round() as usize];
    (at(0.5), at(0.99))
}

pub fn usual_and_worst_ms(times: Vec<Duration>) -> [String; 2] {
    let (usual, worst) = usual_and_worst(times);
    [ms(usual), ms(worst)]
}

/// What this runs on, without its name.
pub fn machine() {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let memory = read("/proc/meminfo");
    let memory = memory.lines().next().unwrap_or_default().to_owned();
    let folder = std::env::temp_dir();
    println!("{cores} cores; {memory}; load before: {}", read("/proc/loadavg").trim());
    let kind = file_system(&folder);
    println!("Databases on {kind}");
    if kind == "tmpfs" {
        println!("**That is memory: no durable commit is measured here. TMPDIR names another folder.**");
    }
}

/// The kind of file system a folder is on.
fn file_system(folder: &Path) -> String {
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap_or_default();
    let mounts = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ').skip(1);
        Some((words.next()?.to_owned(), words.next()?.to_owned()))
    });
    let over = mounts.filter(|(place, _)| folder.starts_with(place));
    over.max_by_key(|(place, _)| place.len())
        .map_or_else(|| "an unknown file system".to_owned(), |(_, kind)| kind)
}
