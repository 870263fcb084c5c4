import { describe, expect, it, test } from 'vitest';
import type { Semver } from '../../../../../packages/apimachinery/semver.ts';
import {
  compareVersionsWithBuild,
  compareVersionTexts,
  parseVersion,
  toVersionText,
} from '../../../../../packages/cluster-api/contract/version.ts';
import { fc } from '../../../../support/property.ts';

function versionOf(text: string): Semver {
  const version = parseVersion(text);
  if (version === undefined) {
    throw new Error(`${text} is not a version`);
  }
  return version;
}

describe('reading a version', () => {
  it('is tolerant', () => {
    const plain = { major: 1n, minor: 31n, patch: 0n, prerelease: [], build: [] };
    expect(parseVersion(' v1.31 ')).toEqual(plain);
    expect(parseVersion('v1.31.0+vmware.1')).toEqual({ ...plain, build: ['vmware', '1'] });
    expect(parseVersion('latest')).toBeUndefined();
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
  test('sorts versions ascending, equal ones by text, and invalid ones last', () => {
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
