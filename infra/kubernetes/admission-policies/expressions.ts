// Parts of CEL expressions for several checks. They use what Kubernetes 1.32 has, so that 1.33 accepts them.

/** A CEL string literal. */
export function literal(text: string): string {
  return `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;
}

export function literals(texts: readonly string[]): string {
  return `[${texts.map(literal).join(', ')}]`;
}

export const isCreated = 'oldObject == null';

/** The syntax of a label key. The annotation keys of templates have the same one. */
export function isLabelKey(key: string): string {
  return `!format.qualifiedName().validate(${key}).hasValue()`;
}

export function isLabelValue(value: string): string {
  return `!format.labelValue().validate(${value}).hasValue()`;
}

/** The keys and values of a map of labels. */
function areLabels(labels: string): string {
  return `${labels}.all(k, ${isLabelKey('k')} && ${isLabelValue(`${labels}[k]`)})`;
}

/** The values of an expression: needed by two operators, and forbidden for the others. */
const hasItsValues = "(e.operator in ['In', 'NotIn']) == (e.?values.orValue([]).size() > 0)";
const operators = literals(['In', 'NotIn', 'Exists', 'DoesNotExist']);

export interface SelectorPaths {
  readonly matchLabels: string;
  readonly matchExpressions: string;
}

/** The parts of a selector, absent ones as empty. */
export function selectorParts(selector: string): SelectorPaths {
  return {
    matchLabels: `${selector}.?matchLabels.orValue({})`,
    matchExpressions: `${selector}.?matchExpressions.orValue([])`,
  };
}

/** The syntax of a selector. */
export function isSelector({ matchLabels, matchExpressions }: SelectorPaths): string {
  const isExpression = [
    `e.operator in ${operators}`,
    hasItsValues,
    isLabelKey('e.key'),
    `e.?values.orValue([]).all(v, ${isLabelValue('v')})`,
  ].join(' && ');
  return `${areLabels(matchLabels)} && ${matchExpressions}.all(e, ${isExpression})`;
}

/** The syntax of a selector that may be absent. */
export function isSelectorIfSet(owner: string, field: string): string {
  return `(!has(${owner}.${field}) || ${isSelector(selectorParts(`${owner}.${field}`))})`;
}

export function isFilledSelector({ matchLabels, matchExpressions }: SelectorPaths): string {
  return `${matchLabels}.size() + ${matchExpressions}.size() > 0`;
}

/** Whether a selector matches these labels. */
export function matches({ matchLabels, matchExpressions }: SelectorPaths, labels: string): string {
  const hasKey = `e.key in ${labels}`;
  const isIn = `${hasKey} && ${labels}[e.key] in e.?values.orValue([])`;
  const fulfils = [
    `e.operator == 'In' ? ${isIn}`,
    `e.operator == 'NotIn' ? !(${isIn})`,
    `e.operator == 'Exists' ? ${hasKey}`,
    `!(${hasKey})`,
  ].join(' : ');
  return `${matchLabels}.all(k, k in ${labels} && ${labels}[k] == ${matchLabels}[k]) && ${matchExpressions}.all(e, ${fulfils})`;
}

const number = '(0|[1-9][0-9]{0,18})';
const prerelease = '(0|[1-9][0-9]{0,18}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)';
const build = '[0-9A-Za-z-]+';
/** A strict semantic version after an optional "v". The numbers have at most 19 digits, so that they fit into 64 bits. */
export const versionPattern = `^v?${number}[.]${number}[.]${number}(-${prerelease}([.]${prerelease})*)?([+]${build}([.]${build})*)?$`;

export const quoted = (text: string): string => `strings.quote(${text})`;
