// The tables agree with blang/semver 4.0.0 and with the CEL library of Kubernetes 1.36.
import { describe, expect, it, test } from 'vitest';
import {
  compareIdentifierLists,
  comparePrereleases,
  compareSemvers,
  parseSemver,
  printSemver,
  type Semver,
} from '../../../../packages/apimachinery/semver.ts';
import { fc } from '../../../support/property.ts';

function versionOf(text: string): Semver {
  const version = parseSemver(text);
  if (version === undefined) {
    throw new Error(`${text} is not a version`);
  }
  return version;
}

describe('reading a version', () => {
  test.each([
    { text: '1.31.2', strict: '1.31.2', normalized: '1.31.2', tolerant: '1.31.2', reason: 'complete' },
    {
      text: '1.2.3-rc.1',
      strict: '1.2.3-rc.1',
      normalized: '1.2.3-rc.1',
      tolerant: '1.2.3-rc.1',
      reason: 'a pre-release',
    },
    {
      text: '1.2.3-a-b.0+01.x',
      strict: '1.2.3-a-b.0+01.x',
      normalized: '1.2.3-a-b.0+01.x',
      tolerant: '1.2.3-a-b.0+01.x',
      reason: 'both',
    },
    {
      text: '1.2.3+a-b',
      strict: '1.2.3+a-b',
      normalized: '1.2.3+a-b',
      tolerant: '1.2.3+a-b',
      reason: 'a hyphen in build metadata',
    },
    {
      text: '1.2.3-0a',
      strict: '1.2.3-0a',
      normalized: '1.2.3-0a',
      tolerant: '1.2.3-0a',
      reason: 'a zero before letters',
    },
    {
      text: '18446744073709551615.0.0',
      strict: '18446744073709551615.0.0',
      normalized: '18446744073709551615.0.0',
      tolerant: '18446744073709551615.0.0',
      reason: '64 bits',
    },
    { text: 'v1.31.2', normalized: '1.31.2', tolerant: '1.31.2', reason: 'with v' },
    { text: 'v1.31', normalized: '1.31.0', tolerant: '1.31.0', reason: 'without patch' },
    { text: 'v1', normalized: '1.0.0', tolerant: '1.0.0', reason: 'without minor' },
    { text: '0', normalized: '0.0.0', tolerant: '0.0.0', reason: 'a single digit' },
    { text: 'v01.00.02', normalized: '1.0.2', tolerant: '1.0.2', reason: 'leading zeros' },
    {
      text: '1.2.03-01a',
      normalized: '1.2.3-01a',
      tolerant: '1.2.3-01a',
      reason: 'a leading zero before a pre-release',
    },
    { text: '1.2.-rc', normalized: '1.2.0-rc', tolerant: '1.2.0-rc', reason: 'no patch before a pre-release' },
    { text: '1.2.+x', normalized: '1.2.0+x', tolerant: '1.2.0+x', reason: 'no patch before build metadata' },
    {
      text: '1.2.3-a.b.c',
      strict: '1.2.3-a.b.c',
      normalized: '1.2.3-a.b.c',
      tolerant: '1.2.3-a.b.c',
      reason: 'many dots',
    },
    { text: ' v1.31.2\n', tolerant: '1.31.2', reason: 'white space around it' },
    { text: '', reason: 'empty' },
    { text: 'latest', reason: 'a word' },
    { text: 'vv1.2.3', reason: 'two v' },
    { text: 'V1.2.3', reason: 'a large v' },
    { text: 'v 1.2.3', reason: 'a space inside' },
    { text: '1.2.3.4', reason: 'four numbers' },
    { text: '1..3', reason: 'an empty number' },
    { text: '1.2.', reason: 'an empty patch' },
    { text: '.2.3', reason: 'an empty major' },
    { text: '1.2.3-', reason: 'an empty pre-release' },
    { text: '1.2.3-01', reason: 'a leading zero in a numeric identifier' },
    { text: '1.2.3-a..b', reason: 'an empty identifier' },
    { text: '1.2.3-ä', reason: 'a letter outside ASCII' },
    { text: '1.2.3+', reason: 'empty build metadata' },
    { text: '1.2.3+a+b', reason: 'a second plus' },
    { text: '1.2-rc', reason: 'a pre-release without patch' },
    { text: '1.2+x', reason: 'build metadata without patch' },
    { text: 'v-1.2.3', reason: 'a negative number' },
    { text: 'x1.2.3', reason: 'a letter before' },
    { text: '1.2.3 x', reason: 'a text behind' },
    { text: '18446744073709551616.0.0', reason: 'more than 64 bits' },
    { text: '1.2.3-18446744073709551616', reason: 'an identifier with more than 64 bits' },
  ])('$text: $reason', ({ text, strict, normalized, tolerant }) => {
    const read = (version: Semver | undefined): string | undefined => version && printSemver(version);
    expect(read(parseSemver(text))).toBe(strict);
    expect(read(parseSemver(text, 'normalized'))).toBe(normalized);
    expect(read(parseSemver(text, 'tolerant'))).toBe(tolerant);
  });

  it('splits the identifiers', () => {
    expect(parseSemver('1.2.3-a.0+01.x')).toEqual({
      major: 1n,
      minor: 2n,
      patch: 3n,
      prerelease: ['a', '0'],
      build: ['01', 'x'],
    });
  });

  it('prints the read values', () => {
    const texts = fc.stringMatching(
      /^(0|[1-9]\d?)\.(0|[1-9])\.(0|[1-9])(-[a-b](\.(0|[1-9]\d?))?)?(\+0?[a-b1-9](\.\d)?)?$/,
    );
    fc.assert(
      fc.property(texts, text => {
        expect(printSemver(versionOf(text))).toBe(text);
      }),
    );
  });
});

describe('precedence', () => {
  // The example of the specification, and numbers beyond the precision of doubles.
  const ascending = [
    '1.0.0-2',
    '1.0.0-10',
    '1.0.0-1a',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-beta.90071992547409930',
    '1.0.0-beta.90071992547409931',
    '1.0.0-rc.1',
    '1.0.0-rc1',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
    '2.0.0',
    '9007199254740992.0.0',
    '9007199254740993.0.0',
  ].map(versionOf);

  it('follows the specification', () => {
    for (const [i, a] of ascending.entries()) {
      for (const [j, b] of ascending.entries()) {
        expect(compareSemvers(a, b)).toBe(Math.sign(i - j));
      }
    }
  });

  it('ignores build metadata', () => {
    expect(compareSemvers(versionOf('1.0.0+a'), versionOf('1.0.0+b'))).toBe(0);
  });

  it('treats numeric identifiers of more than 64 bits as texts', () => {
    expect(comparePrereleases(['18446744073709551615'], ['18446744073709551616'])).toBe(-1);
    expect(comparePrereleases(['28446744073709551616'], ['118446744073709551616'])).toBe(1);
    expect(comparePrereleases(['28446744073709551616'], ['28446744073709551616'])).toBe(0);
  });

  it('leaves texts of equal rank to the caller', () => {
    const order = (a: readonly string[], b: readonly string[]) => compareIdentifierLists(a, b, () => 'unknown');
    expect(order(['x', 'a'], ['x', 'b'])).toBe('unknown');
    expect(order(['x', '1'], ['x', 'b'])).toBe(-1);
    expect(order(['x', '1'], ['x', '01'])).toBe(0);
    expect(order(['x'], [])).toBe(1);
    expect(order([], ['x'])).toBe(-1);
  });
});
