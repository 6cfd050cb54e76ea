package tool

import (
	"fmt"
	"strings"
	"unicode"
)

// JudgedByPerson begins the JudgeModel of a verdict that a person gave; the name follows.
const JudgedByPerson = "human:"

// CheckPersonName returns an *Error of code InvalidRequest unless a text can be the name of a person who decides: 1 to 200
// bytes that all show themselves, without space at either end. What looks like another's name is not one.
func CheckPersonName(name string) error {
	if name != "" && len(name) <= MaxIdentityBytes && showsItself(name) {
		return nil
	}
	e := Errorf(InvalidRequest, "%s is not a name of a person", Quote(name))
	e.Hint = fmt.Sprintf("give at most %d bytes that print, without space at the ends", MaxIdentityBytes)
	return e
}

// SamePerson reports whether two names are those of one person: upper and lower case count as the same.
func SamePerson(a, b string) bool { return strings.EqualFold(a, b) }

// Shows reports whether people see a character: it is no control, odd space, mark of direction or invisible letter.
func Shows(r rune) bool {
	return unicode.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Person is the name of the person who was the panel; "" when models were.
func (v *PromotionVerdict) Person() string {
	if v == nil {
		return ""
	}
	name, person := strings.CutPrefix(v.JudgeModel, JudgedByPerson)
	if !person {
		return ""
	}
	return name
}
