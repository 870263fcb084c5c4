import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLicences } from '../../../../infra/supply-chain/installed.ts';
import { checkLicences, isAllowed, type LicensedPackage, toLicence } from '../../../../infra/supply-chain/licences.ts';
import { parseLockFile } from '../../../../infra/supply-chain/lock-file.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

describe('a licence expression', () => {
  const allowed = new Set(['MIT', 'ISC']);

  it.each([
    { expression: 'MIT', holds: true, reason: 'it is on the list' },
    { expression: 'GPL-3.0-only', holds: false, reason: 'it is not' },
    { expression: 'MIT OR GPL-3.0-or-later', holds: true, reason: 'one alternative is enough' },
    { expression: '(GPL-3.0-or-later OR MIT)', holds: true, reason: 'in any order' },
    { expression: 'GPL-2.0 OR GPL-3.0', holds: false, reason: 'no alternative is on the list' },
    { expression: 'MIT AND ISC', holds: true, reason: 'both are' },
    { expression: 'MIT AND GPL-3.0', holds: false, reason: 'both count' },
    { expression: 'MIT AND (GPL-3.0 OR ISC)', holds: true, reason: 'the inner choice is possible' },
    { expression: 'GPL-3.0 OR MIT AND ISC', holds: true, reason: 'AND binds more tightly' },
    { expression: 'MIT OR GPL-3.0 AND GPL-2.0', holds: true, reason: 'the first alternative is enough' },
    { expression: 'MIT WITH LLVM-exception', holds: true, reason: 'an exception permits more' },
    { expression: 'MIT ISC', holds: false, reason: 'it is not an expression' },
    { expression: '(MIT', holds: false, reason: 'the parenthesis is not closed' },
    { expression: 'SEE LICENSE IN LICENSE', holds: false, reason: 'a person must read it' },
    { expression: 'UNLICENSED', holds: false, reason: 'it grants no rights' },
    { expression: '', holds: false, reason: 'it is empty' },
  ])('"$expression" is allowed: $holds, as $reason', ({ expression, holds }) => {
    expect(isAllowed(expression, allowed)).toBe(holds);
  });

  it.each([
    { field: 'MIT', licence: 'MIT' },
    { field: { type: 'MIT', url: 'x' }, licence: 'MIT' },
    { field: [{ type: 'MIT' }, { type: 'Apache-2.0' }], licence: 'MIT OR Apache-2.0' },
    { field: undefined, licence: undefined },
    { field: [], licence: undefined },
    { field: {}, licence: undefined },
  ])('is read from $field', ({ field, licence }) => {
    expect(toLicence(field)).toBe(licence);
  });
});

describe('packages', () => {
  const aPackage = (change: Partial<LicensedPackage>): LicensedPackage => ({
    name: 'a',
    version: '1.0.0',
    licence: 'MIT',
    path: 'b > a',
    isShipped: true,
    ...change,
  });

  it.each([
    {
      change: { licence: 'MPL-2.0' },
      says: 'a@1.0.0 has the licence MPL-2.0, which is not allowed in what is shipped (b > a)',
    },
    {
      change: { licence: undefined },
      says: 'a@1.0.0 names no licence, which is not allowed in what is shipped (b > a)',
    },
    {
      change: { licence: 'AGPL-3.0-only', isShipped: false },
      says: 'a@1.0.0 has the licence AGPL-3.0-only, which is not allowed in tools (b > a)',
    },
  ])('are named with their dependency path: $says', ({ change, says }) => {
    expect(checkLicences([aPackage({}), aPackage(change)])).toEqual([says]);
  });

  it('may have more licences if they are only build tools', () => {
    expect(checkLicences([aPackage({ licence: 'MPL-2.0', isShipped: false })])).toEqual([]);
  });

  it('of this project are allowed, each with a dependency path', () => {
    const lock = parseLockFile(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
    const packages = readLicences(root, lock);
    expect(packages.length).toBeGreaterThan(300);
    expect(checkLicences(packages)).toEqual([]);
    expect(packages.filter(one => one.path === 'nothing leads to it')).toEqual([]);
  });
});
