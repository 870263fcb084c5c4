// Rules for label keys, label values and annotation keys, in the wording of Kubernetes.
// https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
import { dnsLabelPattern, dnsSubdomainPattern, qualifiedNamePattern } from './name-patterns.ts';

const optionalWord = `(${qualifiedNamePattern})?`;
const longestSubdomain = 253;
const longestWord = 63;

const labelPattern = new RegExp(`^${dnsLabelPattern}$`);
const wordPattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
  'and must start and end with an alphanumeric character';
const wordRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

function byPattern(rule: string, pattern: string, examples: readonly string[]): string {
  const shown = examples.map(example => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function tooLong(text: string, most: number): readonly string[] {
  return byteLength(text) > most ? [`must be no more than ${most} bytes`] : [];
}

/** Returns the problems of a DNS subdomain. Empty for a valid one. */
export function problemsOfSubdomain(text: string): readonly string[] {
  const isOne = text.split('.').every(part => labelPattern.test(part));
  return [
    ...tooLong(text, longestSubdomain),
    ...(isOne ? [] : [byPattern(subdomainRule, dnsSubdomainPattern, ['example.com'])]),
  ];
}

/** A qualified name has at most 63 characters. An optional DNS subdomain and a slash precede it. */
export function problemsOfLabelKey(key: string): readonly string[] {
  const parts = key.split('/');
  const name = key.slice(key.lastIndexOf('/') + 1);
  const rule = byPattern(wordRule, qualifiedNamePattern, ['MyName', 'my.name', '123-abc']);
  if (parts.length > 2) {
    return [`a valid label key ${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const [prefix] = parts.length === 2 ? parts : [];
  const ofPrefix = prefix === undefined ? [] : prefix === '' ? ['must be non-empty'] : problemsOfSubdomain(prefix);
  return [
    ...ofPrefix.map(problem => `prefix part ${problem}`),
    ...(name === '' ? ['name part must be non-empty'] : tooLong(name, longestWord).map(each => `name part ${each}`)),
    ...(wordPattern.test(name) ? [] : [`name part ${rule}`]),
  ];
}

export function problemsOfLabelValue(value: string): readonly string[] {
  const rule = `a valid label must be an empty string or ${wordRule.replace('must consist', 'consist')}`;
  return [
    ...tooLong(value, longestWord),
    ...(value === '' || wordPattern.test(value)
      ? []
      : [byPattern(rule, optionalWord, ['MyValue', 'my_value', '12345'])]),
  ];
}

/** The limit in bytes for all annotation keys and values of one object. */
export const mostAnnotationBytes = 262_144;

export function annotationBytes(annotations: Readonly<Record<string, string>>): number {
  return Object.entries(annotations).reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
}
