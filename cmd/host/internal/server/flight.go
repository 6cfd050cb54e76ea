package server

import "sync"

// flight counts the requests that are being answered, at most so many at once.
type flight struct {
	most   int
	mu     sync.Mutex
	count  int
	ending bool
	empty  chan struct{} // closed when the last has landed, once it ends
}

// takeoff lets a request begin; it must land. Otherwise it says why not: the server ends, or there are too many.
func (f *flight) takeoff() (ok, ending bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ending || f.count >= f.most {
		return false, f.ending
	}
	f.count++
	return true, false
}

func (f *flight) land() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count--
	f.tell()
}

// end lets no more begin; the channel is closed when all have landed.
func (f *flight) end() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.ending {
		f.ending, f.empty = true, make(chan struct{})
		f.tell()
	}
	return f.empty
}

// tell closes the channel when there is nothing left.
func (f *flight) tell() {
	if f.ending && f.count == 0 {
		close(f.empty)
	}
}

// ends reports whether the server ends.
func (f *flight) ends() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ending
}

// keyedLock is a lock for each key. The zero value is ready.
type keyedLock struct {
	mu   sync.Mutex
	held map[string]*keyed
}

type keyed struct {
	sync.Mutex
	wanted int
}

// lock takes the lock of a key; the function gives it free.
func (l *keyedLock) lock(key string) func() {
	l.mu.Lock()
	if l.held == nil {
		l.held = map[string]*keyed{}
	}
	k := l.held[key]
	if k == nil {
		k = &keyed{}
		l.held[key] = k
	}
	k.wanted++
	l.mu.Unlock()
	k.Lock()
	return func() {
		k.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if k.wanted--; k.wanted == 0 {
			delete(l.held, key)
		}
	}
}
