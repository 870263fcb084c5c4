import { expect, it } from 'vitest';
import { dns1035LabelProblems, dns1123LabelProblems } from '../../../../../packages/apimachinery/names/dns-label.ts';

const notRfc1123 =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
  "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const notRfc1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and " +
  "end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const tooLong = 'must be no more than 63 characters';

it.each([
  { text: 'a', namespace: [], service: [], reason: 'one letter' },
  { text: 'a-1', namespace: [], service: [], reason: 'dashes inside' },
  { text: '1a', namespace: [], service: [notRfc1035], reason: 'Services begin with a letter' },
  { text: 'a.b', namespace: ['must not contain dots'], service: [notRfc1035], reason: 'a subdomain is not a label' },
  { text: 'a..b', namespace: [notRfc1123], service: [notRfc1035], reason: 'nor is what is not a subdomain' },
  { text: 'A', namespace: [notRfc1123], service: [notRfc1035], reason: 'no capitals' },
  { text: '-a', namespace: [notRfc1123], service: [notRfc1035], reason: 'no dash at the beginning' },
  { text: 'a-', namespace: [notRfc1123], service: [notRfc1035], reason: 'no dash at the end' },
  { text: '', namespace: [notRfc1123], service: [notRfc1035], reason: 'not nothing' },
  { text: 'a'.repeat(63), namespace: [], service: [], reason: 'as long as may be' },
  { text: 'a'.repeat(64), namespace: [tooLong], service: [tooLong], reason: 'too long' },
  { text: 'ä'.repeat(32), namespace: [tooLong, notRfc1123], service: [tooLong, notRfc1035], reason: 'bytes count' },
])('"$text" as a label: $reason', ({ text, namespace, service }) => {
  expect(dns1123LabelProblems(text)).toEqual(namespace);
  expect(dns1035LabelProblems(text)).toEqual(service);
});
