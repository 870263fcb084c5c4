// The YAML parser. Load this file on demand with `await import`. The package itself is CommonJS, and a bundler loses its
// names in a dynamic import.
import { parse } from 'yaml';

/** Throws if the text is not YAML. The error quotes the text. */
export function parseYaml(text: string): unknown {
  return parse(text);
}
