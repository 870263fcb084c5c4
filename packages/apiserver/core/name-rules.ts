// Rules for names, labels and qualified names: RFC 1123 and the Kubernetes documentation on object names and labels.
import { dnsLabelPattern, dnsSubdomainPattern } from '@capi-serverless/apimachinery';

const labelPattern = new RegExp(`^${dnsLabelPattern}$`);
const subdomainPattern = new RegExp(`^${dnsSubdomainPattern}$`);
const wordPattern = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

const maxLabelLength = 63;
const maxSubdomainLength = 253;

const labelProblem =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
  'and must start and end with an alphanumeric character';
const subdomainProblem =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
  'and must start and end with an alphanumeric character';
const wordProblem =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** Returns the problem of the name, or undefined. */
export function problemOfName(name: string, rule: 'subdomain' | 'label'): string | undefined {
  const longest = rule === 'label' ? maxLabelLength : maxSubdomainLength;
  if (name.length > longest) {
    return `must be no more than ${longest} characters`;
  }
  const pattern = rule === 'label' ? labelPattern : subdomainPattern;
  return pattern.test(name) ? undefined : rule === 'label' ? labelProblem : subdomainProblem;
}

/** A qualified name has at most 63 characters. An optional DNS subdomain and a slash precede it. */
export function problemOfQualifiedName(name: string): string | undefined {
  const parts = name.split('/');
  const word = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (parts.length > 2) {
    return 'a qualified name must have at most one prefix before a single "/"';
  }
  if (prefix !== undefined && problemOfName(prefix, 'subdomain') !== undefined) {
    return `prefix part ${subdomainProblem}`;
  }
  if (word.length > maxLabelLength) {
    return `name part must be no more than ${maxLabelLength} characters`;
  }
  return wordPattern.test(word) ? undefined : `name part ${wordProblem}`;
}

export function problemOfLabelValue(value: string): string | undefined {
  if (value.length > maxLabelLength) {
    return `must be no more than ${maxLabelLength} characters`;
  }
  return value === '' || wordPattern.test(value)
    ? undefined
    : `a valid label must be an empty string or ${wordProblem}`;
}
