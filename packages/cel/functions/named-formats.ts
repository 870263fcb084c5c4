// Named formats of Kubernetes names, labels and similar texts.
// https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-format-library
import {
  dns1035LabelPattern,
  dnsLabelPattern,
  dnsSubdomainPattern,
  qualifiedNamePattern,
} from '@capi-serverless/apimachinery';
import { textFormat } from '@capi-serverless/apimachinery/text-formats';
import { asKind, asText, define, defineIn, type Overload, perCharacter } from '../overload.ts';
import { exactly, one, plus, scaled, times } from '../range.ts';
import { EvaluationProblem, none, some, toList } from '../value.ts';
import { parseUrl } from './url.ts';

const qualified = new RegExp(`^${qualifiedNamePattern}$`);
const longestLabel = 63;
const longestName = 253;

interface Rule {
  readonly pattern: RegExp;
  readonly longest: number;
  readonly says: string;
}

const labelRule = (pattern: RegExp, what: string): Rule => ({ pattern, longest: longestLabel, says: what });

const rules: Readonly<Record<string, Rule>> = {
  dns1123Label: labelRule(
    new RegExp(`^${dnsLabelPattern}$`),
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  ),
  dns1123Subdomain: {
    pattern: new RegExp(`^${dnsSubdomainPattern}$`),
    longest: longestName,
    says: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  },
  dns1035Label: labelRule(
    new RegExp(`^${dns1035LabelPattern}$`),
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  ),
};

/** Prefixes of generated names may end in a dash. */
const prefixes: Readonly<Record<string, string>> = {
  dns1123LabelPrefix: 'dns1123Label',
  dns1123SubdomainPrefix: 'dns1123Subdomain',
  dns1035LabelPrefix: 'dns1035Label',
};

function byRule({ pattern, longest, says }: Rule, text: string): readonly string[] {
  if (text.length > longest) {
    return [`must be no more than ${longest} bytes`];
  }
  return pattern.test(text) ? [] : [says];
}

function labelValue(text: string): readonly string[] {
  const wrong = text !== '' && !qualified.test(text);
  return [
    ...(text.length > longestLabel ? [`must be no more than ${longestLabel} bytes`] : []),
    ...(wrong ? ["a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'"] : []),
  ];
}

function qualifiedName(text: string): readonly string[] {
  const parts = text.split('/');
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  const subdomain = rules['dns1123Subdomain'];
  return [
    ...(parts.length > 2 ? ['a qualified name must consist of a name and an optional prefix'] : []),
    ...(prefix === '' ? ['prefix part must be non-empty'] : []),
    ...(prefix === undefined || prefix === '' || subdomain === undefined
      ? []
      : byRule(subdomain, prefix).map(each => `prefix part ${each}`)),
    ...(name.length > longestLabel ? [`name part must be no more than ${longestLabel} bytes`] : []),
    ...(qualified.test(name) ? [] : ["name part must consist of alphanumeric characters, '-', '_' or '.'"]),
  ];
}

const checked = (holds: boolean, says: string): readonly string[] => (holds ? [] : [says]);

const hasFormat = (format: string, text: string): boolean => textFormat(format)?.(text) === true;

const others: Readonly<Record<string, (text: string) => readonly string[]>> = {
  qualifiedName,
  labelValue,
  uri: text => checked(parseUrl(text) !== undefined, `invalid URI for request: ${JSON.stringify(text)}`),
  uuid: text => checked(hasFormat('uuid', text), 'does not match the UUID format'),
  byte: text => checked(hasFormat('byte', text), 'invalid base64'),
  date: text => checked(hasFormat('date', text), 'invalid date'),
  datetime: text => checked(hasFormat('datetime', text), 'invalid datetime'),
};

const names = [...Object.keys(rules), ...Object.keys(prefixes), ...Object.keys(others)];

/** Returns the problems of the text. Empty if there are none. */
function problemsOf(format: string, text: string): readonly string[] {
  const prefixed = prefixes[format];
  const rule = rules[prefixed ?? format];
  if (rule !== undefined) {
    return byRule(rule, prefixed === undefined ? text : text.replace(/-$/, 'a'));
  }
  const check = others[format];
  if (check === undefined) {
    throw new EvaluationProblem(`no such format: ${format}`);
  }
  return check(text);
}

const format = 'kubernetes.NamedFormat';
/** The cost of the formats' regular expressions per ten characters. */
const regexCost = 32;

export const namedFormats: readonly Overload[] = [
  ...names.map(name => defineIn('format', `${name}(): ${format}`, () => ({ kind: 'format', name }))),
  defineIn('format', `named(string): optional<${format}>`, ([name]) => {
    const known = names.find(each => each === asText(name));
    return known === undefined ? none : some({ kind: 'format', name: known });
  }),
  define(
    `${format}.validate(string): optional<list<string>>`,
    ([value, text]) => {
      const problems = problemsOf(asKind(value, 'format').name, asText(text));
      return problems.length === 0 ? none : some(toList(problems));
    },
    { cost: sizes => times(scaled(plus(sizes[1] ?? one, one), perCharacter), exactly(regexCost)) },
  ),
];
