// The YAML parser. Load this file on demand with `await import`. The package itself is CommonJS, and bundlers do not
// preserve its export names in a dynamic import.
import { parse } from 'yaml';

/** Throws if the text is not valid YAML. The error quotes the text. */
export function parseYaml(text: string): unknown {
  return parse(text);
}
