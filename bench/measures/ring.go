package measures

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/toolsmith/bench/peers"
	"example.com/toolsmith/bench/programs"
)

// patience is how long a contender may take to answer one request before it is given up.
const patience = 20 * time.Second

// callTimeout is the timeout, in milliseconds, that is armed and never met around calls measured for their speed.
const callTimeout = 5000

// ring holds the running processes of ours and of the peers that are compared with it, by name.
type ring struct {
	peers     []string // in the order in which they take their turns
	processes map[string]*peers.Process
}

// open starts ours and the peers.
func (s *Session) open(ctx context.Context, against []peers.Contender) (*ring, error) {
	r := &ring{processes: map[string]*peers.Process{}}
	for i, c := range append([]peers.Contender{s.Ours}, against...) {
		p, err := peers.Start(ctx, c, s.Cache)
		if err != nil {
			r.close()
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		if i == 0 {
			r.processes[ours] = p
			continue
		}
		r.processes[c.Name] = p
		r.peers = append(r.peers, c.Name)
	}
	return r, nil
}

// close ends the processes. None of them has anything to lose.
func (r *ring) close() {
	for _, p := range r.processes {
		p.Kill()
		_ = p.Close()
	}
}

// ask sends a request to a contender and gives it up when it does not answer in time.
func (r *ring) ask(ctx context.Context, contender string, request peers.Request) (*peers.Reply, error) {
	return ask(ctx, r.processes[contender], request)
}

func ask(ctx context.Context, p *peers.Process, request peers.Request) (*peers.Reply, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer to %q within %v", request.Do, patience))
	defer cancel()
	return p.Do(ctx, request)
}

// load readies a program everywhere. The error is one of ours; a peer that cannot load it drops out of the contest.
func (r *ring) load(ctx context.Context, program programs.Program, mode peers.Mode, c *contest) error {
	request := peers.Request{Do: "load", Name: program.Name, Mode: mode, Source: program.Source}
	if _, err := r.ask(ctx, ours, request); err != nil {
		return err
	}
	for _, peer := range r.peers {
		if _, err := r.ask(ctx, peer, request); err != nil {
			c.drop(peer, err)
		}
	}
	return nil
}

// run lets a contender call a loaded program n times in a row, after warm calls that do not count: they bring the
// process back into the caches. It returns the nanoseconds of each call; a wrong result is an error.
func (r *ring) run(ctx context.Context, contender string, program programs.Program, n, warm int) ([]float64, error) {
	reply, err := r.ask(ctx, contender, peers.Request{
		Do: "run", Name: program.Name, Input: program.Input, N: n, Warm: warm, Timeout: callTimeout,
	})
	if err != nil {
		return nil, err
	}
	if reply.Outcome != "" {
		return nil, fmt.Errorf("%s: %s ended with %s", contender, program.Name, reply.Outcome)
	}
	if reply.Output != program.Want {
		return nil, errors.New(contender + ": " + program.Name + " returned " + reply.Output + ", want " + program.Want)
	}
	return reply.Nanos, nil
}
