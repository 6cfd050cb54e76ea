package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// stored is what was found in a data directory.
type stored struct {
	holder  string // another process that holds the store; "" is none
	tenants []tiers.Tenant
	keys    []tiers.Key // that work
}

// checkData looks at a data directory, who shares it and who has keys. What was found is nil when it cannot be used.
func checkData(ctx context.Context, dir string) (*stored, []check) {
	if dir == config.Memory {
		return &stored{}, []check{{Name: "data", OK: true, Detail: "nothing is kept"}}
	}
	if err := holdsStore(dir); err != nil {
		return &stored{}, []check{{Name: "data", OK: true, Detail: dir + ", which is made with the first tool"}, checkSource(ctx, dir, nil)}
	}
	at := filepath.Join(dir, storeDir)
	before, err := tiers.HoldingOf(at)
	if err != nil {
		return nil, []check{broken("data", err, tool.AsError(err).Hint)}
	}
	shelf, err := openShelf(ctx, dir)
	if err != nil {
		return nil, []check{broken("data", err, tool.AsError(err).Hint)}
	}
	s := &stored{holder: before.Holder}
	logged, err := s.read(ctx, shelf)
	source := checkSource(ctx, dir, shelf)
	sharing := checkSharing(at, s.holder)                  // as long as it is open
	if err = errors.Join(err, shelf.Close()); err != nil { //nolint:contextcheck,nolintlint // what was opened is closed
		return nil, []check{broken("data", err, "")}
	}
	data := check{Name: "data", OK: true, Detail: fmt.Sprintf("%s, tenants: %d", dir, logged)}
	for _, folder := range []struct {
		path string
		mask os.FileMode // what others must not be allowed
	}{{dir, 0o022}, {at, 0o077}} {
		if err := openTo(folder.path, folder.mask); err != nil {
			data = broken("data", err, "chmod 700 "+policy.ShellWord(folder.path)+", and look at who could use it until now")
		}
	}
	return s, []check{data, source, sharing, s.checkKeys(time.Now())}
}

// read reads who there is, and returns how many tenants have an audit log.
func (s *stored) read(ctx context.Context, shelf *tiers.Shelf) (logged int, err error) {
	names, err := shelf.Tenants(ctx)
	if err != nil {
		return 0, err
	}
	if s.tenants, err = shelf.ListTenants(ctx); err != nil {
		return 0, err
	}
	for _, t := range s.tenants {
		keys, err := shelf.Keys(ctx, t.Name)
		if err != nil {
			return 0, err
		}
		for _, k := range keys {
			if works(k) && t.DeletingSince == nil {
				s.keys = append(s.keys, k)
			}
		}
	}
	return len(names), nil
}

// openTo reports that others have some of the permissions of a file.
func openTo(path string, mask os.FileMode) error {
	info, err := os.Stat(path)
	if err != nil || !hasModes || info.Mode().Perm()&mask == 0 {
		return err
	}
	return fmt.Errorf("%s is open to others (mode %04o)", path, info.Mode().Perm())
}

// checkSharing says who holds a store, which is open in this process too, and whether others can use it meanwhile.
func checkSharing(dir, holder string) check {
	now, err := tiers.HoldingOf(dir)
	if err == nil && now.Socket != "" {
		err = openTo(now.Socket, 0o077)
	}
	switch {
	case err != nil:
		return broken("sharing", err, "end the processes that use the data, and start them again")
	case now.Socket == "":
		return check{
			Name: "sharing", OK: true, Detail: "one process at a time: no socket can be made beside the store",
			Hint: "a data directory on a disk of this machine lets many processes use it at once",
		}
	case holder == "":
		return check{Name: "sharing", OK: true, Detail: "nobody holds the store; who does serves the others at " + now.Socket}
	}
	return check{Name: "sharing", OK: true, Detail: holder + " holds the store, and serves the others at " + now.Socket}
}

// soon is how long before its end a key is told of.
const soon = 7 * 24 * time.Hour

// checkKeys says who has keys, and which of them end soon.
func (s *stored) checkKeys(now time.Time) check {
	c := check{Name: "keys", OK: true, Detail: "none: everybody on this machine is the tenant " + localTenant}
	if len(s.keys) == 0 {
		return c
	}
	var ending []string
	tenants := map[string]bool{}
	for _, k := range s.keys {
		tenants[k.Tenant] = true
		if k.ExpiresAt != nil && k.ExpiresAt.Before(now.Add(soon)) {
			ending = append(ending, fmt.Sprintf("%s of %s ends %s", k.ID, k.Tenant, moment(k.ExpiresAt)))
		}
	}
	c.Detail = fmt.Sprintf("%d work, tenants: %d", len(s.keys), len(tenants))
	if suspended := s.suspended(); len(suspended) > 0 {
		c.Detail += "; refused, because their tenants are suspended: all of " + someOf(suspended)
	}
	if len(ending) > 0 {
		c.Detail += fmt.Sprintf("; ending within 7 days: %d", len(ending))
		c.Hint = "make others with tenant key create: " + someOf(ending)
	}
	return c
}

// suspended are the names of the tenants that an operator has stopped for a while.
func (s *stored) suspended() (names []string) {
	for _, t := range s.tenants {
		if t.Suspended != nil {
			names = append(names, t.Name)
		}
	}
	return names
}

// someOf names the first of a list, and how many more there are.
func someOf(list []string) string {
	const most = 3
	if n := len(list); n > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(", and %d more", n-most)
	}
	return strings.Join(list, ", ")
}
