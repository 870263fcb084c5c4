// Blank lines after an escaped line break in double quotes. The YAML library reads one line break less than Go.
import { CST } from 'yaml';

const escapedBreak = /\\\r?\n[ \t]*\r?\n/;

/** Any escape, or an escaped line break with the blank lines after it and the indentation of the next line. */
const escapes = /\\(?:\r?\n((?:[ \t]*\r?\n)+)[ \t]*|[\s\S])/g;

/**
 * Returns the text of a double-quoted scalar as Go reads it: each blank line after an escaped line break is a line break.
 * `source` includes the quotes. Returns `undefined` if the library reads the scalar in the same way.
 */
export function joinedText(source: string): string | undefined {
  if (!escapedBreak.test(source)) {
    return undefined;
  }
  const amended = source.replaceAll(escapes, (whole, blank: string | undefined) =>
    blank === undefined ? whole : '\\n'.repeat(blank.split('\n').length - 1),
  );
  const token = { type: 'double-quoted-scalar', offset: 0, indent: 0, source: amended } as const;
  // Problems of the source are known from the document.
  return CST.resolveAsScalar(token, true, () => undefined).value;
}
