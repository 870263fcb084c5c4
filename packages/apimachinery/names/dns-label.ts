// Problems of a DNS label, in the wording of Kubernetes.
// https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names
import { dns1035LabelPattern, dnsLabelPattern } from './name-patterns.ts';

interface LabelRule {
  readonly pattern: string;
  readonly problem: string;
  readonly examples: readonly string[];
}

/** Bytes are counted, but the text says characters, as in Kubernetes. */
const maxLabelBytes = 63;

const rfc1123: LabelRule = {
  pattern: dnsLabelPattern,
  problem:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
    'and must start and end with an alphanumeric character',
  examples: ['my-name', '123-abc'],
};

const rfc1035: LabelRule = {
  pattern: dns1035LabelPattern,
  problem:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
    'start with an alphabetic character, and end with an alphanumeric character',
  examples: ['my-name', 'abc-123'],
};

const dottedLabels = new RegExp(`^${rfc1123.pattern}(\\.${rfc1123.pattern})+$`);

/** Returns the problems of a namespace label. Empty for a valid label. */
export function dns1123LabelProblems(text: string): readonly string[] {
  return [
    ...lengthProblems(text),
    ...(dottedLabels.test(text) ? ['must not contain dots'] : shapeProblems(text, rfc1123)),
  ];
}

/** Returns the problems of a Service label, which starts with a letter. Empty for a valid label. */
export function dns1035LabelProblems(text: string): readonly string[] {
  return [...lengthProblems(text), ...shapeProblems(text, rfc1035)];
}

function lengthProblems(text: string): readonly string[] {
  const isTooLong = new TextEncoder().encode(text).length > maxLabelBytes;
  return isTooLong ? [`must be no more than ${maxLabelBytes} characters`] : [];
}

function shapeProblems(text: string, { pattern, problem, examples }: LabelRule): readonly string[] {
  if (new RegExp(`^${pattern}$`).test(text)) {
    return [];
  }
  const shown = examples.map(example => `'${example}', `).join(' or ');
  return [`${problem} (e.g. ${shown}regex used for validation is '${pattern}')`];
}
