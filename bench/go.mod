module example.com/toolsmith/bench

go 1.26.0

replace example.com/toolsmith => ../

require pgregory.net/rapid v1.3.0 // indirect
