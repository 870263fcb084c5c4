// Reads YAML texts with sigs.k8s.io/yaml, as kubectl and Cluster API do. Reads one JSON string per line, and prints one
// JSON result per line: the value of the first document, or the error.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

type result struct {
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	answers := bufio.NewWriter(os.Stdout)
	defer answers.Flush()
	for lines.Scan() {
		var text string
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		answer, err := json.Marshal(read(text))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		answers.Write(append(answer, '\n'))
	}
}

func read(text string) (answer result) {
	defer func() {
		if problem := recover(); problem != nil {
			answer = result{Error: fmt.Sprintf("panic: %v", problem)}
		}
	}()
	value, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return result{Error: err.Error()}
	}
	return result{Value: value}
}
