package config

// Value is a key of a Config, what it is, and where that comes from.
type Value struct {
	Key   string `json:"key"`
	Value any    `json:"value"` // bool, number, string or list of strings; of policies and their like the names
	From  string `json:"from"`  // default, file PATH:LINE, environment NAME or flag --NAME
}

// Values lists all keys in the order of Config's fields.
func (c Config) Values() []Value {
	var all []Value
	for _, l := range c.leaves() {
		from := c.from[l.key()]
		if from == "" {
			from = "default"
		}
		all = append(all, Value{l.key(), l.shown(), from})
	}
	return all
}
