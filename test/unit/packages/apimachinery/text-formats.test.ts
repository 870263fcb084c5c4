// The tables agree with the library of kube-apiserver 1.36 (kube-openapi, strfmt).
import { expect, it } from 'vitest';
import { isAddress, textFormat } from '../../../../packages/apimachinery/text-formats.ts';

const table: Readonly<Record<string, { readonly valid: readonly string[]; readonly invalid: readonly string[] }>> = {
  date: { valid: ['2024-02-29', '0000-01-01'], invalid: ['2023-02-29', '2024-1-1', '2024-13-01', ''] },
  'date-time': {
    valid: ['2024-02-29T23:59:59Z', '2024-02-29t00:00:00.5z', '2024-02-29T00:00:00,5-99:99'],
    invalid: ['2024-02-29', '2024-02-29 00:00:00Z', '2024-02-29T24:00:00Z', '2024-02-29T1:00:00Z'],
  },
  duration: {
    valid: ['1h30m', '0', '2 days', '1 Week', 'in 3 hours'],
    invalid: ['1', '3 hrs', 'days', '1 x', '9999999999999999999 days'],
  },
  byte: { valid: ['YQ==', 'abcd', 'abc='], invalid: ['', 'a', '====', 'ab-_'] },
  uuid: {
    valid: ['12345678-1234-1234-1234-123456789ABC', '12345678123412341234123456789abc'],
    invalid: ['12345678-1234-1234-1234-123456789abg'],
  },
  ipv4: { valid: ['10.0.0.1', '010.0.0.1', '::ffff:1.2.3.4'], invalid: ['10.0.0', '10.0.0.256', '::1'] },
  ipv6: { valid: ['::1', '::ffff:1.2.3.4'], invalid: ['10.0.0.1', ':::', '::ffff:01.2.3.4'] },
  cidr: { valid: ['10.0.0.0/8', '::/0'], invalid: ['10.0.0.0', '10.0.0.0/33', '::/129'] },
  mac: { valid: ['01:23:45:67:89:ab', '0123.4567.89ab'], invalid: ['01:23', '01:23-45:67:89:ab'] },
  hostname: { valid: ['a', 'a-b.example', 'bücher.example'], invalid: ['', '-a', 'a.b1', `${'a'.repeat(64)}.example`] },
  email: { valid: ['a@b.c', 'A B <a@b.c>'], invalid: ['a', 'a@', '@b.c'] },
  uri: { valid: ['https://a.b/c?d', '/a', '*'], invalid: ['', 'a', '%zz', 'https://a b/'] },
  creditcard: { valid: ['4111 1111 1111 1111'], invalid: ['4111111111111112', '1'] },
  isbn: { valid: ['0-306-40615-2', '978-0-306-40615-7', '080442957X'], invalid: ['0306406153', '9780306406158', ''] },
  ssn: { valid: ['123-45-6789'], invalid: ['123456789'] },
  password: { valid: ['', 'x'], invalid: [] },
};

it.each(Object.entries(table))('the format %s accepts what has it, and nothing else', (format, { valid, invalid }) => {
  const holds = textFormat(format);
  expect(valid.filter(text => holds?.(text) !== true)).toEqual([]);
  expect(invalid.filter(text => holds?.(text) !== false)).toEqual([]);
});

it.each(['poem', '', 'constructor', 'int32'])('"%s" is not a format of texts', format => {
  expect(textFormat(format)).toBeUndefined();
});

it('ignores hyphens in the names of formats', () => {
  expect(textFormat('date-time')).toBe(textFormat('datetime'));
});

it('knows addresses without prefix', () => {
  expect(['10.0.0.1', '::1', '10.0.0.1/8', 'a'].map(isAddress)).toEqual([true, true, false, false]);
});
