// YAML in the form of rendered patch templates: parts of the syntax, repeated and nested.
import { decodeYaml11 } from '@capi-serverless/go-template/yaml';
import { countWork } from '../../support/counted-work.ts';
import { fc } from '../../support/property.ts';
import type { FuzzedParser } from '../parser.ts';

export const yamlFragment = fc.oneof(
  { depthSize: 'small' },
  fc.constantFrom('- ', '? ', ': ', 'a: ', '{', '}', '[', ']', ', ', '# c', '\n', '\n  ', '\n    ', '\r\n', '\t', ' '),
  fc.constantFrom(
    '---\n',
    '...\n',
    '%TAG ! tag:x,2000:\n',
    '%YAML 1.1\n',
    '|\n',
    '>-\n',
    '|2+\n',
    '<<: ',
    '!!int ',
    '!t ',
  ),
  fc.constantFrom(
    '"',
    "'",
    '\\"',
    "''",
    '"a\\\nb"',
    'true',
    '0x1f',
    '1e3',
    '~',
    '.inf',
    '2001-01-01',
    '`',
    '@',
    '\ufeff',
  ),
  fc.constantFrom('&a ', '*a', '&b ', '*b '),
  fc.string({ unit: 'grapheme', maxLength: 10 }),
);

/**
 * A text of up to a few thousand characters. A part is repeated many times, so that more than linear work is detected.
 */
export const yamlText = fc
  .tuple(
    fc.array(yamlFragment, { maxLength: 20 }),
    fc.array(yamlFragment, { maxLength: 8 }),
    fc.nat({ max: 100 }),
    fc.array(yamlFragment, { maxLength: 10 }),
  )
  .map(([start, part, times, end]) => [...start, part.join('').repeat(times), ...end].join(''));

/** The maximum number of steps for all values that aliases repeat. */
const aliased = 250_000;

function check(text: string): void {
  const { steps, scanned } = countWork(counter => {
    decodeYaml11(text, counter);
  });
  const bound = 6 * text.length + 100 + (text.includes('*') ? aliased : 0);
  if (steps > bound) {
    throw new Error(`${text.length} characters take ${steps} steps, more than ${bound}`);
  }
  const scannable = 200 * text.length + 100_000;
  if (scanned > scannable) {
    throw new Error(`${text.length} characters are scanned as ${scanned}, more than ${scannable}`);
  }
}

export const parser: FuzzedParser = { name: 'yaml', property: fc.property(yamlText, check) };
