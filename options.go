package toolsmith

import (
	"crypto/rand"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// Options are what a Host is made of. The zero value is a host that is configured by nothing: it forges nothing, grants
// nothing, and runs the tools that are registered and those that it finds.
type Options struct {
	Config *config.Config // nil: config.Default()
	// Judge reviews candidates and promotions. nil: the models that the configuration or the environment names; without any,
	// everything is rejected.
	Judge judge.Judge
	Tools []runtime.Tool // besides those that are built in
	// SkillFolders are searched for skills, a folder each with SKILL.md; of two with one name the first counts.
	SkillFolders []string
	// Permit reports whether a caller may call a tool at all; nil permits everything that the caller can see.
	Permit func(c tool.Caller, name string) bool

	// Sandbox is one that others use too, and that must outlive the host; nil: the host opens its own, as Engine says.
	Sandbox *runtime.Sandbox
	Engine  runtime.Options // the engine, and what powers reach the world through
	Models  model.Options   // what models reach the world through

	Observer Observer              // of what the host does
	OnAudit  func(tool.AuditEvent) // told of every audit entry once it is on disk, those of other processes too; must return soon
	OnLost   func()                // told when entries of other processes may have been missed; must return soon
	OnForge  func(forge.Event)     // told what becomes of requests; must return soon
	Logger   *slog.Logger          // what the store has to say; nil: nothing

	Getenv func(string) string // nil: os.Getenv
	Now    func() time.Time    // nil: time.Now
	Random io.Reader           // of ids, seeds, markers and keys; read by one goroutine at a time; nil: crypto/rand
}

func (o Options) withDefaults() Options {
	if o.Config == nil {
		usual := config.Default()
		o.Config = &usual
	}
	if o.OnAudit == nil {
		o.OnAudit = func(tool.AuditEvent) {}
	}
	if o.OnLost == nil {
		o.OnLost = func() {}
	}
	if o.OnForge == nil {
		o.OnForge = func(forge.Event) {}
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	o.Random = &sharedReader{from: o.Random}
	return o
}

// sharedReader lets several rooms read one source of randomness.
type sharedReader struct {
	mu   sync.Mutex
	from io.Reader
}

func (r *sharedReader) Read(into []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.from.Read(into)
}

// The variables that hold keys, as hexadecimal digits.
const (
	SourceKeyEnv = "TOOLSMITH_SOURCE_KEY" // seals code; 32 bytes
	StoreKeyEnv  = "TOOLSMITH_STORE_KEY"  // encrypts all that is on disk; 16, 24 or 32 bytes
)
