// SPDX-License-Identifier: Apache-2.0

//! The work of work.h on Tokio's tasks: its current-thread runtime on one CPU,
//! the multi-thread one on several.  See work.h for the rest and the arguments.

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, Mutex, Semaphore};
use tokio::task::yield_now;

const BURST: u64 = 16;
const WAKES: usize = 1900;
const LOOK: Duration = Duration::from_micros(100);

#[derive(Clone, Copy)]
struct Settings {
    cpus: usize,
    tasks: usize,
    run: Duration,
}

static OVER: AtomicBool = AtomicBool::new(false);

fn is_over() -> bool {
    OVER.load(Relaxed)
}

/// Looks at the clock every 0.1 ms or so.
struct Pace {
    last: Instant,
    end: Instant,
    chunk: u32,
    left: u32,
}

impl Pace {
    fn new(run: Duration) -> Pace {
        let now = Instant::now();
        Pace { last: now, end: now + run, chunk: 1, left: 1 }
    }

    fn goes_on(&mut self) -> bool {
        self.left -= 1;
        if self.left > 0 {
            return true;
        }
        let now = Instant::now();
        let spent = now - self.last;
        if spent < LOOK {
            self.chunk *= 2;
        } else if spent > 4 * LOOK && self.chunk > 1 {
            self.chunk /= 2;
        }
        self.last = now;
        self.left = self.chunk;
        now < self.end
    }
}

/// A task's count, on lines of its own.
#[repr(align(128))]
#[derive(Default)]
struct Member {
    done: AtomicU64,
}

impl Member {
    fn count(&self, more: u64) {
        self.done.store(self.done.load(Relaxed) + more, Relaxed);
    }
}

fn members(count: usize) -> Arc<Vec<Member>> {
    Arc::new((0..count).map(|_| Member::default()).collect())
}

fn sum(members: &[Member]) -> u64 {
    members.iter().map(|member| member.done.load(Relaxed)).sum()
}

/// Nanoseconds for one of what all members do while `step` is called.
async fn measure<F, Fut>(run: Duration, members: &[Member], mut step: F) -> f64
where
    F: FnMut() -> Fut,
    Fut: Future<Output = ()>,
{
    let mut pace = Pace::new(run / 4);
    step().await;
    while pace.goes_on() {
        step().await;
    }
    let before = sum(members);
    let start = Instant::now();
    let mut pace = Pace::new(run);
    step().await;
    while pace.goes_on() {
        step().await;
    }
    let done = sum(members) - before;
    let spent = start.elapsed();
    OVER.store(true, Relaxed);
    spent.as_nanos() as f64 / done as f64
}

async fn yields(member: &Member) {
    for _ in 0..BURST {
        yield_now().await;
    }
    member.count(BURST);
}

async fn work_yield(settings: Settings) {
    let all = members(settings.tasks);
    for i in 1..settings.tasks {
        let all = all.clone();
        tokio::spawn(async move {
            while !is_over() {
                yields(&all[i]).await;
            }
        });
    }
    let ns = measure(settings.run, &all, || yields(&all[0])).await;
    println!("{:.3}", ns * settings.cpus as f64);
}

async fn shares(lock: &Mutex<()>, member: &Member) {
    let guard = lock.lock().await;
    yield_now().await;
    drop(guard);
    member.count(1);
}

async fn work_shared(settings: Settings) {
    let all = members(settings.tasks);
    let lock = Arc::new(Mutex::new(()));
    for i in 1..settings.tasks {
        let (all, lock) = (all.clone(), lock.clone());
        tokio::spawn(async move {
            while !is_over() {
                shares(&lock, &all[i]).await;
            }
        });
    }
    let ns = measure(settings.run, &all, || shares(&lock, &all[0])).await;
    println!("{:.3}", 1e3 / ns);
}

async fn work_mutex(settings: Settings) {
    let all = members(1);
    let lock = Mutex::new(());
    let step = || async {
        for _ in 0..BURST {
            drop(lock.lock().await);
        }
        all[0].count(BURST);
    };
    println!("{:.3}", measure(settings.run, &all, step).await);
}

async fn wait(sem: &Semaphore) {
    sem.acquire().await.unwrap().forget();
}

async fn work_pass(settings: Settings) {
    let all = members(1);
    let sides = Arc::new([Semaphore::new(1), Semaphore::new(0)]);
    let others = sides.clone();
    tokio::spawn(async move {
        while !is_over() {
            wait(&others[1]).await;
            others[0].add_permits(1);
        }
    });
    let step = || async {
        wait(&sides[0]).await;
        sides[1].add_permits(1);
        all[0].count(2);
    };
    println!("{:.3}", measure(settings.run, &all, step).await);
}

/// Its bounded channel has room for one at least; there is no rendezvous.
async fn work_channel(settings: Settings) {
    let all = members(1);
    let (to, mut to_end) = mpsc::channel::<u32>(1);
    let (back, mut back_end) = mpsc::channel::<u32>(1);
    tokio::spawn(async move {
        while let Some(item) = to_end.recv().await {
            if back.send(item).await.is_err() {
                break;
            }
        }
    });
    let mut spent = [(0u64, Duration::ZERO); 2];
    for (i, run) in [settings.run / 4, settings.run].into_iter().enumerate() {
        let before = sum(&all);
        let start = Instant::now();
        let mut pace = Pace::new(run);
        let mut more = true;
        while more {
            to.send(1).await.unwrap();
            back_end.recv().await.unwrap();
            all[0].count(2);
            more = pace.goes_on();
        }
        spent[i] = (sum(&all) - before, start.elapsed());
    }
    println!("{:.3}", spent[1].1.as_nanos() as f64 / spent[1].0 as f64);
}

#[repr(align(64))]
struct Worker {
    sem: Semaphore,
    wakes: AtomicU64,
    data: AtomicU32,
    ready: AtomicU32,
}

async fn works(worker: &Worker) {
    loop {
        worker.data.store(1, Relaxed);
        worker.ready.store(1, Release);
        wait(&worker.sem).await;
        if is_over() {
            return;
        }
        assert_eq!(worker.data.load(Relaxed), 0);
        worker.wakes.store(worker.wakes.load(Relaxed) + 1, Relaxed);
    }
}

async fn wake_for(run: Duration, workers: &[Worker], next: &mut usize) {
    let mut batch = Vec::with_capacity(WAKES);
    let mut pace = Pace::new(run);
    while pace.goes_on() {
        batch.clear();
        for _ in 0..workers.len() {
            let worker = &workers[*next];
            *next = if *next + 1 == workers.len() { 0 } else { *next + 1 };
            if worker.ready.load(Acquire) == 0 {
                continue;
            }
            worker.ready.store(0, Relaxed);
            worker.data.store(0, Relaxed);
            batch.push(worker);
            if batch.len() == WAKES {
                break;
            }
        }
        for worker in &batch {
            worker.sem.add_permits(1);
        }
        if batch.is_empty() {
            yield_now().await;
        }
    }
}

async fn work_sem(settings: Settings) {
    let new_worker = |_| Worker {
        sem: Semaphore::new(0),
        wakes: AtomicU64::new(0),
        data: AtomicU32::new(0),
        ready: AtomicU32::new(0),
    };
    let workers: Arc<Vec<Worker>> = Arc::new((0..settings.tasks).map(new_worker).collect());
    for i in 0..settings.tasks {
        let workers = workers.clone();
        tokio::spawn(async move { works(&workers[i]).await });
    }
    let counts = || workers.iter().map(|w| w.wakes.load(Relaxed)).collect::<Vec<u64>>();
    let mut next = 0;
    wake_for(settings.run / 4, &workers, &mut next).await;
    let start = Instant::now();
    let before = counts();
    wake_for(settings.run, &workers, &mut next).await;
    let spent = start.elapsed().as_nanos() as f64;
    let gains: Vec<u64> = counts().iter().zip(&before).map(|(a, b)| a - b).collect();
    let least = *gains.iter().min().unwrap() as f64;
    let most = (*gains.iter().max().unwrap()).max(1) as f64;
    let total = gains.iter().sum::<u64>() as f64;
    println!("{:.6} {:.3}", total * 1e3 / spent, least / most);
    OVER.store(true, Relaxed);
    for worker in workers.iter() {
        worker.sem.add_permits(1);
    }
}

async fn work_spawn(settings: Settings) {
    let mut handles = Vec::with_capacity(settings.tasks);
    let mut ns = 0.0;
    for run in [settings.run / 4, settings.run] {
        let mut spawned = 0;
        let start = Instant::now();
        let mut pace = Pace::new(run);
        let mut more = true;
        while more {
            for _ in 0..settings.tasks {
                handles.push(tokio::spawn(async {}));
            }
            for handle in handles.drain(..) {
                handle.await.unwrap();
            }
            spawned += settings.tasks;
            more = pace.goes_on();
        }
        ns = start.elapsed().as_nanos() as f64 / spawned as f64;
    }
    println!("{:.3}", ns);
}

async fn work(name: String, settings: Settings) -> i32 {
    match name.as_str() {
        "yield" => work_yield(settings).await,
        "pass" => work_pass(settings).await,
        "sem" => work_sem(settings).await,
        "spawn" => work_spawn(settings).await,
        "mutex" => work_mutex(settings).await,
        "shared" => work_shared(settings).await,
        "channel" => work_channel(settings).await,
        _ => return 2,
    }
    0
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| words.get(i).and_then(|w: &String| w.parse().ok()).unwrap_or(0);
    let settings = Settings {
        cpus: number(1),
        tasks: number(2),
        run: Duration::from_millis(number(3) as u64),
    };
    if words.len() != 4 || settings.cpus < 1 || settings.tasks < 1 {
        eprintln!("usage: peer WORK CPUS TASKS MILLISECONDS");
        std::process::exit(2);
    }
    let runtime = if settings.cpus == 1 {
        tokio::runtime::Builder::new_current_thread().build()
    } else {
        tokio::runtime::Builder::new_multi_thread().worker_threads(settings.cpus).build()
    }
    .expect("a runtime");
    // A task like the others, which the thread that starts it all is not.
    let first = runtime.spawn(work(words[0].clone(), settings));
    let status = runtime.block_on(first).expect("the work");
    std::process::exit(status);
}
