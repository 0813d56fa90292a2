// Go's unicode/utf8 and unicode/utf16: one request a line, one answer a line.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

type request struct {
	Op    string `json:"op"`
	Form  string `json:"form"`
	Input string `json:"input"`
}

type answer map[string]any

var unsupported = answer{"unsupported": true}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	encoder := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := encoder.Encode(answerTo(asked)); err != nil {
			os.Exit(1)
		}
	}
}

func answerTo(asked request) answer {
	switch {
	case asked.Op == "hello":
		return answer{"name": "Go unicode/utf8, unicode/utf16", "version": strings.TrimPrefix(runtime.Version(), "go")}
	case asked.Form == "utf-8" && asked.Op == "decode":
		return decode(bytesOf(asked.Input))
	case asked.Form == "utf-8" && asked.Op == "encode":
		return encode(asked.Input)
	case (asked.Form == "utf-16-be" || asked.Form == "utf-16-le") && asked.Op == "replace":
		return replaceUnits(bytesOf(asked.Input), asked.Form)
	}
	return unsupported
}

func bytesOf(text string) []byte {
	data, _ := hex.DecodeString(text)
	return data
}

func shown(points []rune) answer {
	words := make([]string, len(points))
	for at, point := range points {
		words[at] = strconv.FormatInt(int64(point), 16)
	}
	return answer{"code_points": strings.Join(words, " ")}
}

// DecodeRune returns a width of 1 for whatever is ill-formed, so only the start of an error is reported.
func decode(data []byte) answer {
	points := []rune{}
	for at := 0; at < len(data); {
		point, width := utf8.DecodeRune(data[at:])
		if point == utf8.RuneError && width == 1 {
			return answer{"error": []int{at}}
		}
		points = append(points, point)
		at += width
	}
	return shown(points)
}

func encode(text string) answer {
	data := []byte{}
	for at, word := range strings.Fields(text) {
		point, err := strconv.ParseInt(word, 16, 32)
		if err != nil || !utf8.ValidRune(rune(point)) {
			return answer{"error": []int{at}}
		}
		data = utf8.AppendRune(data, rune(point))
	}
	return answer{"bytes": hex.EncodeToString(data)}
}

func replaceUnits(data []byte, form string) answer {
	if len(data)%2 == 1 {
		return answer{"unsupported": "units, not bytes"}
	}
	var order binary.ByteOrder = binary.LittleEndian
	if form == "utf-16-be" {
		order = binary.BigEndian
	}
	units := make([]uint16, len(data)/2)
	for at := range units {
		units[at] = order.Uint16(data[2*at:])
	}
	return shown(utf16.Decode(units))
}
