// The hashes were computed by an independent implementation of FNV-1a with 32 bits in Python.
import { describe, expect, it } from 'vitest';
import { toNameLabelValue } from '../../../../../packages/cluster-api/contract/name-label.ts';

describe('the label value of a name', () => {
  it.each(['ms1', 'x'.repeat(63)])('is the name, up to 63 characters: %s', name => {
    expect(toNameLabelValue(name)).toBe(name);
  });

  it.each([
    { name: 'a'.repeat(64), value: 'hash_2W8PhQ_z' },
    { name: `md-${'x'.repeat(70)}`, value: 'hash_XtYlAw_z' },
    { name: 'b'.repeat(253), value: 'hash_hM5vZQ_z' },
    { name: 'x'.repeat(106), value: 'hash_b7-ZDQ_z' },
    { name: 'x'.repeat(70), value: 'hash_d_PJfQ_z' },
    { name: 'x'.repeat(102), value: 'hash_UR_z_Q_z' },
    { name: '.leading', value: 'hash_qYkCZQ_z' },
  ])('is the hash of a name that is no label value: $value', ({ name, value }) => {
    expect(toNameLabelValue(name)).toBe(value);
  });
});
