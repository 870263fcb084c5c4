// The reader of manifests and rendered templates, compared with the Go library of kubectl on generated texts.
import { spawnSync } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { decodeYaml11 } from '@capi-serverless/go-template/yaml';
import { beforeAll, expect, it } from 'vitest';
import { generateTexts } from '../../kubectl-yaml/generated-texts.ts';
import { findYamlReader } from '../../kubectl-yaml/yaml-reader.ts';
import { describePart } from '../../support/describe-part.ts';
import { seed } from '../../support/property.ts';

const count = 20_000;

type Read = { readonly value: unknown } | { readonly error: string };

interface Compared {
  readonly text: string;
  readonly go: Read;
  readonly ours: Read;
}

const problemOf = (read: Read): string => ('error' in read ? read.error : '');

/** A word in a flow collection, as Go reads it: `[?x]` is a key, and `[-]` is a text. */
const flowWord = /Block collections are not allowed|flow sequence pairs|did not find expected node content/;
/** What Go does not read, because its first value has ended, or reads one token of. */
const pastEnd =
  /at node end|Unexpected [\w-]+ token|cannot start any token|end of stream|directive|keys? (?:are|need)|more-indented/;
const properties = /anchor|tag|alias|whitespace|white space|alphanumeric|alphabetic|flow indicator/i;

/** The differences that are known. The first class that matches counts. Limits are per 20,000 texts. */
const knownDifferences: readonly {
  readonly what: string;
  readonly most: number;
  matches(compared: Compared): boolean;
}[] = [
  {
    what: 'Both read the text, and the values differ',
    most: 0,
    matches: ({ go, ours }) => 'value' in go && 'value' in ours,
  },
  {
    what: 'Only Go reads a word that begins with "?" or is "-" in a flow collection',
    most: 60,
    matches: ({ ours }) => flowWord.test(problemOf(ours)),
  },
  {
    what: 'Only Go refuses, or only Go ignores, what follows the end of its first value',
    most: 150,
    matches: ({ go, ours }) => pastEnd.test(problemOf(go) + problemOf(ours)),
  },
  {
    what: 'Anchors and tags that are repeated, or without a space after them',
    most: 30,
    matches: ({ go, ours }) => properties.test(problemOf(go) + problemOf(ours)),
  },
  {
    what: 'A value without JSON, which a later member with the same key replaces in Go',
    most: 20,
    matches: ({ ours }) => /unsupported/.test(problemOf(ours)),
  },
  {
    what: 'A whole number of 54 to 64 bits: an error, because JavaScript would round it',
    most: 60,
    matches: ({ go, ours }) => 'value' in go && /53 bits exactly/.test(problemOf(ours)),
  },
  {
    what: 'A block with an indentation indicator that has only spaces: an error',
    most: 80,
    matches: ({ go, ours }) => 'value' in go && /has only spaces/.test(problemOf(ours)),
  },
  { what: 'Others', most: 45, matches: () => true },
];

describePart('YAML texts, read by the library of kubectl', findYamlReader(), {
  part: 'the YAML reader of kubectl',
  declare({ program }) {
    const compared: Compared[] = [];
    const different: Compared[] = [];

    beforeAll(() => {
      const texts = generateTexts(`yaml/${seed}`, count);
      const { stdout } = spawnSync(program, {
        input: texts.map(text => `${JSON.stringify(text)}\n`).join(''),
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
      });
      const answers = stdout.trimEnd().split('\n');
      compared.push(
        ...texts.map((text, at) => ({ text, go: JSON.parse(answers[at] ?? 'null') as Read, ours: readOurs(text) })), // true: the program prints such lines
      );
      different.push(...compared.filter(({ go, ours }) => !isSame(go, ours)));
    });

    it('are read and refused in similar numbers', () => {
      const refused = compared.filter(({ go }) => 'error' in go).length;
      expect(compared).toHaveLength(count);
      expect(refused).toBeGreaterThan(count / 4);
      expect(refused).toBeLessThan((count * 3) / 4);
    });

    it('have the same value, or are refused by both', () => {
      expect(different.length).toBeLessThanOrEqual((count * 1.8) / 100);
    });

    it.each(knownDifferences.map((known, at) => ({ ...known, at })))('$what', ({ most, at }) => {
      const found = different.filter(each => knownDifferences.findIndex(({ matches }) => matches(each)) === at);
      expect(found.length, JSON.stringify(found.slice(0, 3), undefined, 2)).toBeLessThanOrEqual(most);
    });
  },
});

function readOurs(text: string): Read {
  const decoded = decodeYaml11(text);
  return decoded.ok ? { value: JSON.parse(JSON.stringify(decoded.value)) } : { error: decoded.error };
}

function isSame(go: Read, ours: Read): boolean {
  return 'error' in go ? 'error' in ours : 'value' in ours && isDeepStrictEqual(go.value, ours.value);
}
