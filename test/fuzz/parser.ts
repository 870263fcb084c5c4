// A part of the project that reads what others wrote. Each file of test/fuzz/parsers exports one as `parser`.
import type { fc } from '../support/property.ts';

export interface FuzzedParser {
  readonly name: string;
  /** Holds for every input: the parser answers or refuses, within its bounds. */
  readonly property: fc.IRawProperty<unknown>;
}
