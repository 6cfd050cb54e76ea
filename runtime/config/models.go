package config

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// Models says which models are asked, and what they may spend.
type Models struct {
	Judge     Model            `json:"judge"`
	Promotion Model            `json:"promotion"`
	SelfEval  Model            `json:"selfEval"`
	Manager   Model            `json:"manager"`
	Caps      map[string]Cap   `json:"caps"`   // by purpose, or another label of the meter's
	Prices    map[string]Price `json:"prices"` // by the name of the model or the beginning of it
}

// Model is a model.Spec as it is written. The zero value leaves the choice to the environment.
type Model struct {
	Provider  string `json:"provider"` // one that package model knows
	Model     string `json:"model"`
	BaseURL   string `json:"baseUrl"`   // "" is that of the environment, then the provider's own
	APIKeyEnv string `json:"apiKeyEnv"` // name of an environment variable
}

// Cap is a model.Cap as it is written. What is not given is the meter's default.
type Cap struct {
	Calls  wire.Quantity `json:"calls" range:"1..1G"`
	Tokens wire.Quantity `json:"tokens" range:"1..1000G"`
	Cost   Dollars       `json:"cost" range:"0.01..1000000"`
	Per    wire.Period   `json:"per" range:"1s..8760h0m0s"`
}

// Price is in US dollars for a million tokens.
type Price struct {
	Input  float64 `json:"input" range:"0..1000000"`
	Output float64 `json:"output" range:"0..1000000"`
}

// Dollars is an amount of US dollars above zero. Its zero value was not given.
type Dollars float64

// UnmarshalText reads a decimal number.
func (d *Dollars) UnmarshalText(text []byte) error {
	amount, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(amount > 0) { // catches NaN, too
		return errors.New("an amount is a number of dollars above zero; leave it out for the default")
	}
	*d = Dollars(amount)
	return nil
}

// The purposes that models are asked for.
const (
	JudgeModel     = "judge"
	PromotionModel = "promotion"
	SelfEvalModel  = "selfEval"
	ManagerModel   = "manager"
)

// Model returns the model for a purpose: the one under models, else the one that the environment has a key for. False means
// that there is none. An address that models does not name is that of the environment. The names under emergentConfig (judgeModel and its kin) count where models names none; those that are
// the default, which are OpenAI's, do not count for other providers. The error is InvalidRequest.
func (c Config) Model(purpose string, getenv func(string) string) (model.Spec, bool, error) {
	m, named, usual, err := c.choice(purpose)
	if err != nil {
		return model.Spec{}, false, err
	}
	spec := model.Spec{Provider: m.Provider, Model: m.Model, BaseURL: m.BaseURL, APIKeyEnv: m.APIKeyEnv}
	switch {
	case spec.Provider == "":
		spec, err = model.FromEnv(getenv)
	case spec.BaseURL == "":
		spec.BaseURL, err = model.BaseURLFromEnv(spec.Provider, getenv)
	}
	switch {
	case errors.Is(err, tool.Unavailable):
		return model.Spec{}, false, nil
	case err != nil:
		return model.Spec{}, false, err
	}
	if spec.Model == "" && (spec.Provider == model.OpenAI || named != usual) {
		spec.Model = named
	}
	return spec, true, nil
}

// NamesJudge reports whether the configuration itself says which model judges, under models or emergentConfig.
func (c Config) NamesJudge() bool {
	return c.Models.Judge.Provider != "" || c.EmergentConfig.JudgeModel != DefaultJudgeModel
}

// choice is what the configuration says of the model for a purpose: under models, and its name under emergentConfig, with
// what that is when nobody sets it.
func (c Config) choice(purpose string) (m Model, named, usual string, err error) {
	e := c.EmergentConfig
	switch purpose {
	case JudgeModel:
		return c.Models.Judge, e.JudgeModel, DefaultJudgeModel, nil
	case PromotionModel:
		return c.Models.Promotion, e.PromotionJudgeModel, DefaultPromotionJudgeModel, nil
	case SelfEvalModel:
		return c.Models.SelfEval, e.SelfImprovement.SelfEval.EvaluationModel, "", nil
	case ManagerModel:
		return c.Models.Manager, "", "", nil
	}
	return Model{}, "", "", tool.Errorf(tool.InvalidRequest, "there are no models for the purpose %.40q", purpose)
}

// Meter is what models may spend. The caller adds the clock.
func (c Config) Meter() model.MeterOptions {
	opt := model.MeterOptions{Caps: map[string]model.Cap{}, Prices: model.Prices{}}
	for label, limit := range c.Models.Caps {
		opt.Caps[label] = model.Cap{
			Calls: int64(limit.Calls), Tokens: int64(limit.Tokens), //nolint:gosec // held to their ranges
			Cost: float64(limit.Cost), Per: time.Duration(limit.Per),
		}
	}
	for name, price := range c.Models.Prices {
		opt.Prices[name] = model.Price(price)
	}
	return opt
}

func (c *Config) checkModels() error {
	for _, m := range []struct {
		purpose string
		Model
	}{
		{JudgeModel, c.Models.Judge},
		{PromotionModel, c.Models.Promotion},
		{SelfEvalModel, c.Models.SelfEval},
		{ManagerModel, c.Models.Manager},
	} {
		if err := m.check("models", m.purpose); err != nil {
			return err
		}
	}
	for _, label := range slices.Sorted(maps.Keys(c.Models.Caps)) {
		if c.Models.Caps[label].Cost > 0 && len(c.Models.Prices) == 0 {
			return wrong("a cap on what models may cost needs prices", "add models.prices", "models", "caps", label, "cost")
		}
	}
	return nil
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,199}$`)

func (m Model) check(path ...string) error {
	switch u, err := url.Parse(m.BaseURL); {
	case m.Provider == "" && m != Model{}:
		return wrong("the model's provider is missing", "name it, as in provider: openai", path...)
	case m.Provider != "" && !slices.Contains(model.Providers(), m.Provider):
		return wrong(fmt.Sprintf("there is no provider %.40q of models", m.Provider), "use one of "+strings.Join(model.Providers(), ", ")+
			"; for another server that speaks OpenAI's protocol, openai with its baseUrl", append(path, "provider")...)
	case m.APIKeyEnv != "" && !variable.MatchString(m.APIKeyEnv): // it may be the key itself: it is not repeated
		return wrong("apiKeyEnv is not the name of an environment variable", "put the key into a variable, and its name here: OPENAI_API_KEY", append(path, "apiKeyEnv")...)
	case m.BaseURL == "":
		return nil
	case err != nil, u.Scheme != "https" && u.Scheme != "http", u.Hostname() == "":
		return wrong("baseUrl is not an http or https address", "write it as in https://models.example/v1", append(path, "baseUrl")...)
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return wrong("baseUrl holds a user, a query or a fragment", "put the key into an environment variable and name that as apiKeyEnv", append(path, "baseUrl")...)
	}
	return nil
}
