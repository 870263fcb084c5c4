import { describe, expect, test } from 'vitest';
import {
  compareVersions,
  compareVersionsWithBuild,
  compareVersionTexts,
  parseVersion,
  toVersionText,
  type Version,
} from '../../../../shared/contract/version.ts';
import { fc } from '../../../support/property.ts';

function versionOf(text: string): Version {
  const version = parseVersion(text);
  if (version === undefined) {
    throw new Error(`${text} is no version`);
  }
  return version;
}

describe('reading a version', () => {
  const plain = { major: 1, minor: 31, patch: 2, prerelease: [], build: [] };
  test.each([
    { text: 'v1.31.2', version: plain, reason: 'with v' },
    { text: '1.31.2', version: plain, reason: 'without v' },
    { text: ' v1.31.2 ', version: plain, reason: 'with spaces around it' },
    { text: 'v1.31', version: { ...plain, patch: 0 }, reason: 'without patch' },
    { text: 'v1', version: { ...plain, minor: 0, patch: 0 }, reason: 'without minor' },
    { text: 'v01.31.02', version: plain, reason: 'with leading zeros' },
    { text: 'v1.31.2-rc.1', version: { ...plain, prerelease: ['rc', '1'] }, reason: 'a pre-release' },
    { text: 'v1.31.2+vmware.1', version: { ...plain, build: ['vmware', '1'] }, reason: 'with build metadata' },
    { text: 'v1.31.2-a-b.0+01.x', version: { ...plain, prerelease: ['a-b', '0'], build: ['01', 'x'] }, reason: 'both' },
  ])('$text: $reason', ({ text, version }) => {
    expect(parseVersion(text)).toEqual(version);
  });

  test.each([
    '',
    'latest',
    'vv1.2.3',
    'V1.2.3',
    'v1.2.3.4',
    'v1.2.3-',
    'v1.2.3-01',
    'v1.2.3-a..b',
    'v1.2.3+',
    'v1.2-rc',
    'v-1.2.3',
  ])('"%s" is no version', text => {
    expect(parseVersion(text)).toBeUndefined();
  });
});

describe('writing a version', () => {
  test.each([
    { text: 'v1.31.0', written: 'v1.31.0' },
    { text: '1.31', written: 'v1.31.0' },
    { text: ' v1.31.2-rc.1+x.2 ', written: 'v1.31.2-rc.1+x.2' },
    { text: '1.31.2+x', written: 'v1.31.2+x' },
  ])('$text is $written', ({ text, written }) => {
    expect(toVersionText(versionOf(text))).toBe(written);
  });
});

describe('precedence', () => {
  // The example of the specification itself, with numbers that outgrow doubles.
  const ascending = [
    '1.0.0-2',
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
  ].map(versionOf);

  test('follows the specification', () => {
    for (const [i, a] of ascending.entries()) {
      for (const [j, b] of ascending.entries()) {
        expect(compareVersions(a, b)).toBe(Math.sign(i - j));
      }
    }
  });

  test('does not count build metadata', () => {
    expect(compareVersions(versionOf('1.0.0+a'), versionOf('1.0.0+b'))).toBe(0);
  });
});

describe('the order with build metadata', () => {
  test.each([
    { a: '1.0.0+z', b: '1.0.1', order: -1, reason: 'precedence first' },
    { a: '1.0.0', b: '1.0.0+1', order: -1, reason: 'none before some' },
    { a: '1.0.0+2', b: '1.0.0+10', order: -1, reason: 'numbers as numbers' },
    { a: '1.0.0+9', b: '1.0.0+a', order: -1, reason: 'numbers before texts' },
    { a: '1.0.0+x', b: '1.0.0+x.1', order: -1, reason: 'the shorter of equal beginnings first' },
    { a: '1.0.0+x.1', b: '1.0.0+x.1', order: 0, reason: 'equal' },
    { a: '1.0.0+01', b: '1.0.0+1', order: 0, reason: 'equal as numbers' },
    { a: '1.0.0+a', b: '1.0.0+b', order: 'incomparable', reason: 'different texts have no order' },
    { a: '1.0.0+a.1', b: '1.0.0+b.2', order: 'incomparable', reason: 'whatever follows them' },
  ] as const)('$a, $b: $reason', ({ a, b, order }) => {
    const reverse = { [-1]: 1, 0: 0, incomparable: 'incomparable' }[order];
    expect(compareVersionsWithBuild(versionOf(a), versionOf(b))).toBe(order);
    expect(compareVersionsWithBuild(versionOf(b), versionOf(a))).toBe(reverse);
  });
});

describe('the order of version texts', () => {
  test('puts versions ascending, equal ones by text, and what is no version last', () => {
    const sorted = ['1.30.0', 'v1.30.0', 'v1.30.0+1', 'v1.30.0+2', 'v1.31.0-rc.1', 'v1.31.0', 'latest', 'newest'];
    expect(sorted.toReversed().toSorted(compareVersionTexts)).toEqual(sorted);
    expect(sorted.toSorted(compareVersionTexts)).toEqual(sorted);
  });

  test('keeps the order of incomparable ones', () => {
    expect(['v1.30.0+b', 'v1.30.0+a'].toSorted(compareVersionTexts)).toEqual(['v1.30.0+b', 'v1.30.0+a']);
    expect(compareVersionTexts('v1.30.0+b', 'v1.30.0+a')).toBe(0);
    expect(['v1.30.0+a', 'v1.30.0+b'].toSorted(compareVersionTexts)).toEqual(['v1.30.0+a', 'v1.30.0+b']);
  });

  test('is the same from both sides', () => {
    const texts = fc.oneof(fc.stringMatching(/^v?\d\.\d\.\d(-[ab1]\.\d)?(\+[ab1](\.\d)?)?$/), fc.string());
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(Math.sign(compareVersionTexts(a, b)) + Math.sign(compareVersionTexts(b, a))).toBe(0);
      }),
    );
  });
});
