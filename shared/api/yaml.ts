// The YAML parser, to be loaded when a text turns out to be YAML: `await import` of this file. The package itself is
// CommonJS, whose names a bundler does not pass on through a dynamic import.
import { parse } from 'yaml';

/** Throws on a text that is not YAML; the error quotes the text. */
export function parseYaml(text: string): unknown {
  return parse(text);
}
