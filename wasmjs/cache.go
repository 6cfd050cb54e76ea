package wasmjs

import (
	"container/list"
	"sync"
)

// cache keeps tools' images by key, at most a number of bytes of them; the least recently used go first. It is safe
// for concurrent use.
type cache struct {
	most int64

	mu    sync.Mutex
	bytes int64
	order *list.List // of *kept, the most recently used first
	byKey map[string]*list.Element
}

type kept struct {
	key   string
	image *image
}

func newCache(most int64) *cache {
	return &cache{most: most, order: list.New(), byKey: map[string]*list.Element{}}
}

// get returns the image of a key, or nil.
func (c *cache) get(key string) *image {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*kept).image //nolint:forcetypeassert // the list holds nothing else
}

// put keeps an image, and lets go of the oldest ones beyond the cap. An image that alone exceeds it is not kept.
func (c *cache) put(key string, im *image) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey[key] != nil || im.size() > c.most {
		return
	}
	c.byKey[key] = c.order.PushFront(&kept{key, im})
	c.bytes += im.size()
	for c.bytes > c.most {
		e := c.order.Back()
		old := c.order.Remove(e).(*kept) //nolint:forcetypeassert // as above
		delete(c.byKey, old.key)
		c.bytes -= old.image.size()
	}
}

// counts returns how many images are kept and their bytes.
func (c *cache) counts() (images int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len(), c.bytes
}
