// A part of the project that parses untrusted input. Each file of test/fuzz/parsers exports one as `parser`.
import type { fc } from '../support/property.ts';

export interface FuzzedParser {
  readonly name: string;
  /** The property for every input: the parser answers or refuses within its limits. */
  readonly property: fc.IRawProperty<unknown>;
}
