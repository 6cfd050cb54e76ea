package search_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"example.com/toolsmith/runtime/search"
	"example.com/toolsmith/runtime/tool"
)

// doc is a tool: its name, what it says, its tags and the members of its input.
func doc(name, description, tags, members string) search.Document {
	properties := map[string]any{}
	for m := range strings.FieldsSeq(members) {
		properties[m] = map[string]string{"type": "string"}
	}
	schema, _ := json.Marshal(map[string]any{"type": "object", "properties": properties})
	return search.Document{Name: name, Description: description, Tags: strings.Fields(tags), InputSchema: schema}
}

// shelf is what a host with some life in it has.
var shelf = []search.Document{
	doc("parse_csv", "Parses CSV text into rows, with quotes and line breaks in fields.", "text", "text delimiter"),
	doc("csv_to_json", "Turns a table of comma-separated values into a list of JSON objects.", "convert", "csv"),
	doc("json_to_csv", "Writes a list of objects as comma-separated values.", "convert", "rows"),
	doc("json_query", "Takes values out of JSON with a JSON pointer or a path.", "", "value path"),
	doc("json_diff", "Tells what was added, removed and changed between two JSON values.", "compare", "before after"),
	doc("validate_json", "Checks a value against a JSON schema and lists what is wrong.", "check", "value schema"),
	doc("slugify", "Makes a URL-friendly slug out of a title.", "text url", "title"),
	doc("titleCase", "Writes the first letter of every word large.", "text", "text"),
	doc("word_count", "Counts words, characters and lines of a text.", "text statistics", "text"),
	doc("text-diff", "Shows the difference between two texts line by line.", "compare", "before after"),
	doc("summarize_text", "Shortens a text to its most telling sentences.", "text language", "text sentences"),
	doc("translate_text", "Translates a text into another language.", "language", "text target"),
	doc("detect_language", "Guesses in which language a text is written.", "language", "text"),
	doc("sentiment", "Says whether a review is positive or negative.", "language", "text"),
	doc("extract_emails", "Finds all e-mail addresses in a text.", "text extract", "text"),
	doc("extract_urls", "Finds all links in a text.", "text extract", "text"),
	doc("normalizePhoneNumber", "Brings a telephone number into the international form E.164.", "contact", "number country"),
	doc("validate_email", "Checks whether an e-mail address is well formed.", "check contact", "address"),
	doc("validate_iban", "Checks the check digits of an international bank account number.", "check finance", "iban"),
	doc("convert_currency", "Converts an amount of money between currencies at the latest rate.", "finance convert", "amount from to"),
	doc("exchange_rate", "Looks up the rate between two currencies for a day.", "finance", "from to date"),
	doc("compound_interest", "Works out what savings grow to over the years.", "finance", "principal rate years"),
	doc("loan_payment", "The monthly instalment of a mortgage or other credit.", "finance", "principal rate months"),
	doc("vat_amount", "Splits a gross price into net price and value-added tax.", "finance tax", "gross rate"),
	doc("invoice_total", "Adds up the lines of an invoice with discounts and tax.", "finance", "lines"),
	doc("convert_units", "Converts lengths, weights and volumes between metric and imperial units.", "convert", "value from to"),
	doc("celsius_to_fahrenheit", "Converts a temperature from Celsius to Fahrenheit.", "convert weather", "celsius"),
	doc("weather_forecast", "The forecast for a place for the coming days: rain, wind and sun.", "weather", "place days"),
	doc("air_quality", "How clean the air of a city is today.", "weather", "city"),
	doc("geocode_address", "Finds the coordinates of a postal address.", "map", "address"),
	doc("distance_between", "The distance of two points on the globe in kilometres.", "map", "from to"),
	doc("route_time", "How long it takes to drive from one place to another.", "map travel", "from to"),
	doc("time_zone", "The time zone of a place, and its offset now.", "time map", "place"),
	doc("add_days", "Adds days, weeks or months to a date.", "time", "date days"),
	doc("days_between", "Counts the days from one date to another.", "time", "from to"),
	doc("format_date", "Writes a date in the way of a country.", "time", "date locale"),
	doc("parseDate", "Reads a date as people write it.", "time", "text"),
	doc("cron_next", "When a cron expression fires next.", "time schedule", "expression"),
	doc("business_days", "Counts working days between dates, holidays left out.", "time", "from to country"),
	doc("sha256_hash", "The SHA-256 digest of a text in hexadecimal.", "crypto", "text"),
	doc("md5_hash", "The MD5 digest of a text, for checking downloads only.", "crypto", "text"),
	doc("hmac_sign", "Signs a message with a secret key.", "crypto", "message key"),
	doc("generate_uuid", "Makes a random identifier.", "crypto random", "count"),
	doc("password_strength", "Estimates how hard a password is to guess.", "security", "password"),
	doc("base64_encode", "Encodes bytes as base64 text.", "encoding", "text"),
	doc("base64_decode", "Decodes base64 text into bytes.", "encoding", "text"),
	doc("url_encode", "Escapes what may not stand in a URL.", "encoding url", "text"),
	doc("html_to_markdown", "Turns a web page into Markdown.", "convert web", "html"),
	doc("markdown_to_html", "Renders Markdown as HTML.", "convert web", "markdown"),
	doc("HTTPRequest", "Sends a request to a web server and returns its answer.", "web network", "url method headers"),
	doc("fetch_rss", "Reads the entries of a news feed.", "web network", "url"),
	doc("scrape_table", "Takes the tables out of a web page.", "web extract", "url"),
	doc("read_file", "Reads a file from the disk.", "file", "path"),
	doc("list_files", "Lists what a folder holds.", "file", "path"),
	doc("median", "The middle one of a list of numbers.", "math statistics", "numbers"),
	doc("standard_deviation", "How far numbers scatter around their mean.", "math statistics", "numbers"),
	doc("linear_regression", "Fits a straight line through points.", "math statistics", "points"),
	doc("prime_factors", "Takes a whole number apart into its prime factors.", "math", "number"),
	doc("matrix_multiply", "Multiplies two matrices.", "math", "left right"),
	doc("sort_records", "Sorts a list of objects by one or more of their members.", "data", "records by"),
	doc("group_by", "Groups a list of objects by a member and counts each group.", "data", "records by"),
	doc("dedupe_list", "Drops what stands in a list twice.", "data", "list"),
	doc("color_convert", "Converts a colour between hex, RGB and HSL.", "design convert", "color"),
	doc("resize_image", "Makes a picture smaller.", "image", "image width"),
	doc("qr_code", "Draws a QR code of a text.", "image", "text"),
}

var index = sync.OnceValue(func() *search.Index { return search.New(shelf) })

// found are the names that a query finds, the best first.
func found(t testing.TB, x *search.Index, docs []search.Document, query string, limit int) (names []string) {
	t.Helper()
	hits, err := x.Search(query, limit, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		names = append(names, docs[h.Doc].Name)
	}
	return names
}

// TestSearchFindsWhatAPersonExpects asks as people and models do.
func TestSearchFindsWhatAPersonExpects(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"parse_csv":    "parse_csv",
		"parse csv":    "parse_csv",
		"parsing CSVs": "parse_csv",
		"csv to json":  "csv_to_json",
		"JSON to CSV":  "json_to_csv",
		"title case":   "titleCase",
		"TITLECASE":    "titleCase",
		"slug":         "slugify",
		"phone number": "normalizePhoneNumber",
		"http request": "HTTPRequest",
		"how do I convert euros to another currency?": "convert_currency",
		"exchange rate of two currencies":             "exchange_rate",
		"email validation":                            "validate_email",
		"check an IBAN":                               "validate_iban",
		"wether forcast":                              "weather_forecast", // two slips
		"passwrod":                                    "password_strength",
		"mortgage":                                    "loan_payment", // only its description says so
		"tax":                                         "vat_amount",   // a tag before descriptions
		"sha256":                                      "sha256_hash",
		"working days":                                "business_days",
		"days from one date to another":               "days_between",
		"diff":                                        "json_diff",
		"diff two texts":                              "text-diff",
		"distance":                                    "distance_between",
		"medain":                                      "median",
		"language":                                    "detect_language", // a name before a tag
		"delimiter":                                   "parse_csv",       // a member of the input
		"group":                                       "group_by",
		"base64 decoder":                              "base64_decode",
	} {
		if got := found(t, index(), shelf, query, 3); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %q, want %s", query, got, want)
		}
	}
}

// The order of the ranks: the whole name, a part of it, a tag, a description.
func TestRanks(t *testing.T) {
	t.Parallel()
	docs := []search.Document{
		doc("aa_other", "Needle needle needle: a needle, and needles again.", "", ""), doc("bb_other", "Does things.", "needle", ""),
		doc("sharp_needle_box", "Does things.", "", ""), doc("needle_box", "Does things.", "", ""), doc("needle", "Does things.", "", ""),
		doc("none_of_it", "Does things.", "", ""), doc("cc_other", "Does things.", "", "needle"),
	}
	want := []string{"needle", "needle_box", "sharp_needle_box", "bb_other", "aa_other", "cc_other"}
	if got := found(t, search.New(docs), docs, "needle", 0); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSearchIsDeterministic(t *testing.T) {
	t.Parallel()
	want := fmt.Sprint(found(t, search.New(shelf), shelf, "text convert time", 100))
	for range 20 {
		if got := fmt.Sprint(found(t, search.New(shelf), shelf, "text convert time", 100)); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
}

func TestSearchIsBounded(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{"empty": "", "no words": " _-?! ", "too long": strings.Repeat("a", search.MaxQueryBytes+1)} {
		if _, err := index().Search(query, 1, nil); !errors.Is(err, tool.InvalidRequest) || tool.AsError(err).Hint == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	long := []search.Document{doc("long", strings.Repeat("-", 1<<20)+" needle", "", "")}
	if got := found(t, search.New(long), long, "needle", 1); len(got) != 0 {
		t.Errorf("a description is read to its end: %q", got)
	}
	many := strings.Repeat("x ", search.MaxQueryWords) + "median"
	if got := found(t, index(), shelf, many, 1); len(got) != 0 {
		t.Errorf("a word too many counts: %q", got)
	}
	if got := found(t, index(), shelf, "the of to", 1); len(got) == 0 {
		t.Error("stop words alone find nothing")
	}
	var docs []search.Document
	for i := range 300 {
		docs = append(docs, doc(fmt.Sprintf("same_%d", i), "Does the same.", "", ""))
	}
	for limit, want := range map[int]int{0: 10, -1: 10, 5: 5, 1000: search.MaxHits} {
		if got := found(t, search.New(docs), docs, "same", limit); len(got) != want {
			t.Errorf("a limit of %d gives %d", limit, len(got))
		}
	}
	if hits, err := search.New(nil).Search("anything", 1, nil); err != nil || len(hits) != 0 {
		t.Errorf("nothing holds %v, %v", hits, err)
	}
}

func TestSearchShowsWhatMayBeSeen(t *testing.T) {
	t.Parallel()
	hits, err := index().Search("csv", 10, func(doc int) bool { return shelf[doc].Name == "json_to_csv" })
	if err != nil || len(hits) != 1 || shelf[hits[0].Doc].Name != "json_to_csv" {
		t.Errorf("got %v, %v", hits, err)
	}
}

func TestSearchTakesEveryScript(t *testing.T) {
	t.Parallel()
	docs := []search.Document{doc("a", "天気予報を調べる", "", ""), doc("b", "Übersetzt einen Text", "", ""), doc("c", "переводит текст", "", "")}
	for query, want := range map[string]string{"天気": "a", "übersetzt": "b", "ТЕКСТ": "c"} {
		if got := found(t, search.New(docs), docs, query, 1); len(got) != 1 || got[0] != want {
			t.Errorf("%q finds %q", query, got)
		}
	}
}

// thousands are many tools with few names in common.
func thousands(n int) (docs []search.Document) {
	for i := range n {
		d := shelf[i%len(shelf)]
		d.Name = fmt.Sprintf("%s_%d", d.Name, i)
		d.Description += fmt.Sprintf(" Number %d of house %d.", i, i/7)
		docs = append(docs, d)
	}
	return docs
}

func TestSearchHardlyAllocates(t *testing.T) { //nolint:paralleltest,nolintlint // it counts
	x := search.New(thousands(2000))
	if got := testing.AllocsPerRun(20, func() { _, _ = x.Search("convert currency text forcast", 10, nil) }); got > 100 {
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkSearch(b *testing.B) {
	x := search.New(thousands(10_000))
	b.ReportAllocs()
	for b.Loop() {
		if hits, err := x.Search("convert an amount of money into another currency", 10, nil); err != nil || len(hits) == 0 {
			b.Fatal(hits, err)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	docs := thousands(10_000)
	b.ReportAllocs()
	for b.Loop() {
		search.New(docs)
	}
}

func FuzzSearch(f *testing.F) {
	for _, query := range []string{"parse csv", "", "éé\xff", "ＡＢＣ ǅungla", "URLs HTTPServerX", strings.Repeat("a ", 500), "天気"} {
		f.Add(query, query)
	}
	f.Fuzz(func(t *testing.T, query, text string) {
		docs := append([]search.Document{doc("fuzzed", text, text, ""), {Name: text, InputSchema: json.RawMessage(text)}}, shelf...)
		x := search.New(docs)
		hits, err := x.Search(query, 5, nil)
		again, _ := x.Search(query, 5, nil)
		if err != nil && !errors.Is(err, tool.InvalidRequest) || !reflect.DeepEqual(hits, again) || len(hits) > 5 {
			t.Errorf("%v, then %v, %v", hits, again, err)
		}
	})
}
