// Checks that several kinds have. Each function returns rows of the table.
import { withoutUndefined } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { controlPlaneTaint, knownChecks, skipAnnotation } from '../../../shared/admission/kinds/checks.ts';
import { cloudTaintPrefix, outOfServiceTaint, ownTaints, taintsDisabled } from '../../../shared/admission/workers.ts';
import type { CheckDraft } from './check-drafts.ts';
import {
  isCreated,
  isFilledSelector,
  isLabelKey,
  isLabelValue,
  isSelector,
  literal,
  literals,
  matches,
  quoted,
  type SelectorPaths,
  selectorParts,
  versionPattern,
} from './expressions.ts';

/** The variables of all policies. A policy has those that its expressions use. */
export const labelVariables = { labels: 'object.metadata.?labels.orValue({})' };

export function clusterChecks(): readonly CheckDraft[] {
  const field = 'spec.clusterName';
  return [
    {
      rule: 'cluster name immutable',
      expression: `${isCreated} || oldObject.spec.clusterName == object.spec.clusterName`,
      field,
      type: 'Forbidden',
      detail: 'field is immutable',
    },
    {
      rule: 'cluster name label',
      expression: `variables.labels[?${literal(clusterNameLabel)}].orValue('') == object.spec.clusterName`,
      field: 'metadata.labels',
      type: 'Required value',
      detail: `label ${clusterNameLabel} must be spec.clusterName`,
      verdictDiffers: 'refused where the rule sets the value',
    },
  ];
}

export const templateClusterCheck: CheckDraft = {
  rule: 'cluster name of the template',
  expression: 'object.spec.clusterName == object.spec.template.spec.clusterName',
  field: 'spec.clusterName',
  value: quoted('object.spec.clusterName'),
  detail: 'spec.clusterName and spec.template.spec.clusterName must be set to the same value',
};

/** `path` is the part that has the version: `spec` or `spec.template.spec`. */
export function versionChecks(path: string): readonly CheckDraft[] {
  const version = `object.${path}.?version.orValue('')`;
  const field = `${path}.version`;
  return [
    {
      rule: 'version prefix',
      expression: `${version} == '' || ${version}.startsWith('v')`,
      field,
      value: quoted(version),
      detail: 'must start with v',
    },
    {
      rule: 'version',
      expression: `${version} == '' || ${version}.matches(${literal(versionPattern)})`,
      field,
      value: quoted(version),
      detail: 'must be a valid semantic version',
      verdictDiffers: 'numbers of 20 digits are refused',
    },
  ];
}

/** `unless`: an expression for objects that need no bootstrap data. */
export function bootstrapCheck(path: string, unless?: string): CheckDraft {
  const field = `${path}.bootstrap`;
  const isSet = `has(object.${field}.configRef) || has(object.${field}.dataSecretName)`;
  return {
    rule: 'bootstrap',
    expression: unless === undefined ? isSet : `${isSet} || ${unless}`,
    field,
    type: 'Required value',
    detail: `expected either ${field}.dataSecretName or ${field}.configRef to be populated`,
  };
}

/** The parts of `spec.selector`, as variables. */
export function selectorVariables(field: string): Readonly<Record<string, string>> {
  return { ...selectorParts(`object.${field}`) };
}

export const selectorOfVariables: SelectorPaths = {
  matchLabels: 'variables.matchLabels',
  matchExpressions: 'variables.matchExpressions',
};

export function selectorSyntaxCheck(field: string): CheckDraft {
  return {
    rule: 'selector syntax',
    expression: isSelector(selectorOfVariables),
    field,
    detail: 'a key, an operator or a value of the selector is not valid',
    hasShortText: true,
  };
}

export const templateVariables = {
  templateLabels: 'object.spec.template.?metadata.?labels.orValue({})',
  templateAnnotations: 'object.spec.template.?metadata.?annotations.orValue({})',
};

/** `type` is that of a selector that does not match. */
export function templateSelectorChecks(type?: 'Forbidden'): readonly CheckDraft[] {
  return [
    selectorSyntaxCheck('spec.selector'),
    {
      rule: 'selector matches the template',
      expression: matches(selectorOfVariables, 'variables.templateLabels'),
      field: 'spec.template.metadata.labels',
      ...withoutUndefined({ type }),
      detail: 'must match spec.selector',
      hasShortText: true,
    },
  ];
}

const longestAnnotations = 262_144;

/** The labels and annotations of `spec.template`. */
export function templateMetadataChecks(): readonly CheckDraft[] {
  const [labels, annotations] = ['variables.templateLabels', 'variables.templateAnnotations'];
  const [ofLabels, ofAnnotations] = ['spec.template.metadata.labels', 'spec.template.metadata.annotations'];
  const badKeys = `${labels}.filter(k, !(${isLabelKey('k')}))`;
  const badValues = `${labels}.filter(k, !(${isLabelValue(`${labels}[k]`)}))`;
  const badAnnotations = `${annotations}.filter(k, !(${isLabelKey('k.lowerAscii()')}))`;
  const firstProblem = (format: string, text: string) => `format.${format}().validate(${text}).value()[0]`;
  return [
    {
      rule: 'template metadata',
      expression: `${badKeys}.size() == 0`,
      field: ofLabels,
      value: quoted(`${badKeys}[0]`),
      detail: 'not a label key',
      detailExpression: firstProblem('qualifiedName', `${badKeys}[0]`),
    },
    {
      rule: 'template metadata',
      expression: `${badValues}.size() == 0`,
      field: ofLabels,
      value: quoted(`${labels}[${badValues}[0]]`),
      detail: 'not a label value',
      detailExpression: firstProblem('labelValue', `${labels}[${badValues}[0]]`),
    },
    {
      rule: 'template metadata',
      expression: `${badAnnotations}.size() == 0`,
      field: ofAnnotations,
      value: quoted(`${badAnnotations}[0]`),
      detail: 'not an annotation key',
      detailExpression: firstProblem('qualifiedName', `${badAnnotations}[0].lowerAscii()`),
    },
    {
      rule: 'template metadata',
      expression: `${annotations}.map(k, k.size() + ${annotations}[k].size()).sum() <= ${longestAnnotations}`,
      field: ofAnnotations,
      type: 'Too long',
      detail: `may not be more than ${longestAnnotations} bytes`,
      verdictDiffers: 'sizes are counted in characters',
    },
  ];
}

const skipped = `object.metadata.?annotations[?${literal(skipAnnotation)}].orValue('')`;

export const preflightVariables = {
  unknownChecks: `${skipped} == '' ? [] : ${skipped}.split(',').map(c, c.trim()).filter(c, !(c in ${literals(knownChecks)}))`,
};

export const preflightCheck: CheckDraft = {
  rule: 'skipped preflight checks',
  state: 'preflightChecksOn',
  expression: 'variables.unknownChecks.size() == 0',
  field: `metadata.annotations.${skipAnnotation}`,
  value: "'[' + variables.unknownChecks.map(c, strings.quote(c)).join(',') + ']'",
  detail: `skipped preflight check(s) must be among: [${knownChecks.join(' ')}]`,
};

/** `path` is the part that has the taints: `spec` or `spec.template.spec`. */
export function taintVariables(path: string): Readonly<Record<string, string>> {
  const isReserved = [
    `t.key in ${literals([...ownTaints, masterTaint])}`,
    `(t.key.startsWith(${literal(nodePrefix)}) && t.key != ${literal(outOfServiceTaint)})`,
    `t.key.startsWith(${literal(cloudTaintPrefix)})`,
  ].join(' || ');
  return {
    taints: `object.${path}.?taints.orValue([])`,
    badTaints: `variables.taints.filter(t, ${isReserved} || !(${isLabelKey('t.key')})).map(t, t.key)`,
  };
}

const masterTaint = 'node-role.kubernetes.io/master';
const nodePrefix = 'node.kubernetes.io/';

/** `unless`: an expression for Machines of a control plane. */
export function taintChecks(path: string, unless?: string): readonly CheckDraft[] {
  const field = `${path}.taints`;
  const at = (key: string) =>
    `${literal(`${field}[`)} + string(variables.taints.map(t, t.key).indexOf(${key})) + '].key'`;
  const bad = 'variables.badTaints[0]';
  const isWorkerTaint = `variables.taints.all(t, t.key != ${literal(controlPlaneTaint)})`;
  return [
    {
      rule: 'taints gate',
      state: 'taintsOff',
      expression: 'variables.taints.size() == 0',
      field,
      type: 'Forbidden',
      detail: taintsDisabled,
    },
    {
      rule: 'taint keys',
      expression: 'variables.badTaints.size() == 0',
      field,
      fieldExpression: at(bad),
      value: quoted(bad),
      detail: 'taint key is not allowed',
      detailExpression: `(${taintDetail(bad)})`,
    },
    {
      rule: 'taints of workers',
      state: 'taintsOn',
      expression: unless === undefined ? isWorkerTaint : `${unless} || ${isWorkerTaint}`,
      field,
      fieldExpression: at(literal(controlPlaneTaint)),
      value: literal(`"${controlPlaneTaint}"`),
      detail: 'taint is not allowed for worker Machines',
    },
  ];
}

function taintDetail(key: string): string {
  const prefixed = `taint key must not have the prefix ${nodePrefix}, except for ${outOfServiceTaint}`;
  return [
    `${key} in ${literals(ownTaints)} ? 'taint key is not allowed'`,
    `${key}.startsWith(${literal(nodePrefix)}) && ${key} != ${literal(outOfServiceTaint)} ? ${literal(prefixed)}`,
    `${key}.startsWith(${literal(cloudTaintPrefix)}) ? ${literal(`taint key must not have the prefix ${cloudTaintPrefix}`)}`,
    `${key} == ${literal(masterTaint)} ? 'taint is deprecated since 1.24 and should not be used anymore'`,
    `format.qualifiedName().validate(${key}).value()[0]`,
  ].join(' : ');
}

const namingTemplate = "object.spec.?machineNaming.?template.orValue('')";
const subdomain = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
const longestName = 63;
const longestBase = 58;

export const namingVariables = {
  renderedName: `${namingTemplate}.replace('{{ .cluster.name }}', 'cluster').replace('{{ .machineSet.name }}', 'machineset').replace('{{ .random }}', 'xxxxx')`,
};

export function namingChecks(): readonly CheckDraft[] {
  const field = 'spec.machineNaming.template';
  const name = 'variables.renderedName';
  const fitted = `(${name}.size() > ${longestName} ? ${name}.substring(0, ${longestBase}) + 'xxxxx' : ${name})`;
  return [
    {
      rule: 'naming template has a random part',
      expression: `${namingTemplate} == '' || ${namingTemplate}.contains('{{ .random }}')`,
      field,
      value: quoted(namingTemplate),
      detail: 'invalid template, {{ .random }} is missing',
    },
    {
      rule: 'naming template renders a name',
      // What is left of a brace is an action that is not rendered here. It may be behind the length of a name.
      expression: `${namingTemplate} == '' || (!${name}.contains('{') && ${fitted}.matches(${literal(subdomain)}))`,
      field,
      value: quoted(namingTemplate),
      detail: 'invalid template, generated names would not be valid Kubernetes object names',
      hasShortText: true,
      verdictDiffers: 'templates with other braces or letters beyond ASCII are refused',
    },
  ];
}

/** An integer, or a percentage as text. `field` has optional parents below `spec`. */
export function amountCheck(field: string): CheckDraft {
  const amount = `${optional(field)}.orValue(0)`;
  const text = `string(${amount})`;
  const start = 'must be either an int or a percentage: invalid value for IntOrString: ';
  const wrongNumber = [
    literal(`${start}invalid value `),
    quoted(text),
    literal(': strconv.Atoi: parsing '),
    quoted(`${text}.substring(0, ${text}.size() - 1)`),
    literal(': invalid syntax'),
  ].join(' + ');
  const noPercentage = literal(`${start}invalid type: string is not a percentage`);
  return {
    rule: 'number or percentage',
    expression: `type(${amount}) == int || ${text}.matches('^[+-]?[0-9]+%$')`,
    field,
    value: quoted(text),
    detail: 'must be either an int or a percentage',
    detailExpression: `(${text}.endsWith('%') ? ${wrongNumber} : ${noPercentage})`,
  };
}

/** A CEL optional of the field. `field` begins with `spec`, which exists. */
export function optional(field: string): string {
  const [first = '', ...rest] = field.split('.');
  return `object.${first}${rest.map(part => `.?${part}`).join('')}`;
}

/** The text of a selector without requirements. */
export function filledSelectorCheck(draft: Pick<CheckDraft, 'field' | 'type' | 'value' | 'detail'>): CheckDraft {
  return { rule: 'selector not empty', expression: isFilledSelector(selectorOfVariables), ...draft };
}
