// SPDX-License-Identifier: Apache-2.0

// The work of work.h on goroutines.  A semaphore is a channel with room for
// one; see work.h for the rest and the arguments.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	burst  = 16
	wakes  = 1900
	lookNs = 100 * time.Microsecond
)

var (
	cpus  int
	tasks int
	run   time.Duration
	over  atomic.Bool
)

type sem chan struct{}

func newSem() sem   { return make(chan struct{}, 1) }
func (s sem) wait() { <-s }
func (s sem) post() { s <- struct{}{} }

// Looks at the clock every 0.1 ms or so.
type pace struct {
	last, end   time.Time
	chunk, left int
}

func newPace(d time.Duration) *pace {
	now := time.Now()
	return &pace{now, now.Add(d), 1, 1}
}

func (p *pace) goesOn() bool {
	p.left--
	if p.left > 0 {
		return true
	}
	now := time.Now()
	spent := now.Sub(p.last)
	if spent < lookNs {
		p.chunk *= 2
	} else if spent > 4*lookNs && p.chunk > 1 {
		p.chunk /= 2
	}
	p.last = now
	p.left = p.chunk
	return now.Before(p.end)
}

// A goroutine's count, on lines of its own.
type member struct {
	done atomic.Uint64
	_    [120]byte
}

func (m *member) count(more uint64) { m.done.Store(m.done.Load() + more) }

func sum(members []member) uint64 {
	var total uint64
	for i := range members {
		total += members[i].done.Load()
	}
	return total
}

// Nanoseconds for one of what all members have done; the caller is the first.
func measure(count int, loop, step func(*member, int), finish func()) float64 {
	members := make([]member, count)
	var ended sync.WaitGroup
	for i := 1; i < count; i++ {
		ended.Add(1)
		go func(i int) {
			for !over.Load() {
				loop(&members[i], i)
			}
			ended.Done()
		}(i)
	}
	stretch := func(d time.Duration) {
		p := newPace(d)
		for more := true; more; more = p.goesOn() {
			step(&members[0], 0)
		}
	}
	stretch(run / 4)
	before := sum(members)
	start := time.Now()
	stretch(run)
	done := sum(members) - before
	spent := time.Since(start)
	over.Store(true)
	if finish != nil {
		finish()
	}
	ended.Wait()
	return float64(spent.Nanoseconds()) / float64(done)
}

func workYield() {
	step := func(m *member, _ int) {
		for i := 0; i < burst; i++ {
			runtime.Gosched()
		}
		m.count(burst)
	}
	fmt.Printf("%.3f\n", measure(tasks, step, step, nil)*float64(cpus))
}

func workShared() {
	var lock sync.Mutex
	step := func(m *member, _ int) {
		lock.Lock()
		runtime.Gosched()
		lock.Unlock()
		m.count(1)
	}
	fmt.Printf("%.3f\n", 1e3/measure(tasks, step, step, nil))
}

func workMutex() {
	var lock sync.Mutex
	step := func(m *member, _ int) {
		for i := 0; i < burst; i++ {
			lock.Lock()
			lock.Unlock()
		}
		m.count(burst)
	}
	fmt.Printf("%.3f\n", measure(1, step, step, nil))
}

func workPass() {
	sides := []sem{newSem(), newSem()}
	step := func(m *member, _ int) {
		sides[0].wait()
		sides[1].post()
		m.count(2)
	}
	loop := func(*member, int) {
		sides[1].wait()
		sides[0].post()
	}
	// The partner may have seen that it is not over yet.
	finish := func() {
		select {
		case sides[1] <- struct{}{}:
		default:
		}
	}
	sides[0].post()
	fmt.Printf("%.3f\n", measure(2, loop, step, finish))
}

func workChannel() {
	to, back := make(chan int), make(chan int)
	step := func(m *member, _ int) {
		to <- 1
		<-back
		m.count(2)
	}
	loop := func(*member, int) {
		if item, open := <-to; open {
			back <- item
		}
	}
	fmt.Printf("%.3f\n", measure(2, loop, step, func() { close(to) }))
}

type worker struct {
	sem   sem
	wakes atomic.Uint64
	data  atomic.Uint32
	ready atomic.Uint32
	_     [40]byte
}

func (w *worker) run() {
	for {
		w.data.Store(1)
		w.ready.Store(1)
		w.sem.wait()
		if over.Load() {
			return
		}
		if w.data.Load() != 0 {
			panic("woken before its turn")
		}
		w.wakes.Store(w.wakes.Load() + 1)
	}
}

type waker struct {
	workers []worker
	batch   []*worker
	next    int
}

func (w *waker) collect() []*worker {
	batch := w.batch[:0]
	for seen := 0; seen < tasks && len(batch) < wakes; seen++ {
		worker := &w.workers[w.next]
		if w.next++; w.next == tasks {
			w.next = 0
		}
		if worker.ready.Load() == 0 {
			continue
		}
		worker.ready.Store(0)
		worker.data.Store(0)
		batch = append(batch, worker)
	}
	return batch
}

func (w *waker) wakeFor(d time.Duration) {
	for p := newPace(d); p.goesOn(); {
		batch := w.collect()
		for _, worker := range batch {
			worker.sem.post()
		}
		if len(batch) == 0 {
			runtime.Gosched()
		}
	}
}

func workSem() {
	w := waker{workers: make([]worker, tasks), batch: make([]*worker, 0, wakes)}
	before := make([]uint64, tasks)
	for i := range w.workers {
		w.workers[i].sem = newSem()
		go w.workers[i].run()
	}
	w.wakeFor(run / 4)
	start := time.Now()
	for i := range w.workers {
		before[i] = w.workers[i].wakes.Load()
	}
	w.wakeFor(run)
	spent := time.Since(start)
	var total, most uint64
	least := ^uint64(0)
	for i := range w.workers {
		wakes := w.workers[i].wakes.Load() - before[i]
		total += wakes
		if wakes < least {
			least = wakes
		}
		if wakes > most {
			most = wakes
		}
	}
	fmt.Printf("%.6f %.3f\n", float64(total)*1e3/float64(spent.Nanoseconds()),
		float64(least)/float64(most+1))
}

func workSpawn() {
	var spent time.Duration
	var spawned int
	for _, d := range []time.Duration{run / 4, run} {
		var ended sync.WaitGroup
		spawned = 0
		start := time.Now()
		p := newPace(d)
		for more := true; more; more = p.goesOn() {
			ended.Add(tasks)
			for i := 0; i < tasks; i++ {
				go ended.Done()
			}
			ended.Wait()
			spawned += tasks
		}
		spent = time.Since(start)
	}
	fmt.Printf("%.3f\n", float64(spent.Nanoseconds())/float64(spawned))
}

func main() {
	works := map[string]func(){"yield": workYield, "pass": workPass,
		"sem": workSem, "spawn": workSpawn, "mutex": workMutex,
		"shared": workShared, "channel": workChannel}
	if len(os.Args) != 5 || works[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: go WORK CPUS TASKS MILLISECONDS")
		os.Exit(2)
	}
	cpus, _ = strconv.Atoi(os.Args[2])
	tasks, _ = strconv.Atoi(os.Args[3])
	ms, _ := strconv.Atoi(os.Args[4])
	run = time.Duration(ms) * time.Millisecond
	if cpus < 1 || tasks < 1 || ms < 1 {
		os.Exit(2)
	}
	if runtime.NumCPU() < cpus {
		os.Exit(77)
	}
	runtime.GOMAXPROCS(cpus)
	works[os.Args[1]]()
}
