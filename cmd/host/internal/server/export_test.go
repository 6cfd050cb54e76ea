package server

// Listen4Test listens to the events of a tenant, and takes none; the function says why it was cut, once it was.
func Listen4Test(e *Events, tenant string) (cut func() string, err error) {
	l, err := e.listen(tenant, "", "")
	return func() string { <-l.over; return e.why(l) }, err
}
