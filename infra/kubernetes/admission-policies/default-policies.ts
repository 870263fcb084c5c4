// The MutatingAdmissionPolicies that set the defaults of Cluster API's webhooks. Each mutation sees the result of the one
// before. The rules are those of shared/admission/kinds, and a test compares both.
import { clusterNameLabel, setNameLabel } from '@capi-serverless/cluster-api/contract';
import { maxSizeAnnotation, minSizeAnnotation } from '../../../shared/admission/autoscaling.ts';
import { deploymentNameLabel } from '../../../shared/api/machine-deployment/reader.ts';
import { labels } from '../roles.ts';
import { isFilledSelector, isLabelValue, literal } from './expressions.ts';
import type { PolicyKind } from './policy-check.ts';
import { commonSpec, nameOfKind, type PolicyManifest, usedVariables } from './policy-manifests.ts';

type DefaultDifference =
  | 'a name of more than 63 characters, or of generateName, gives no selector'
  | 'a generateName gives no selector'
  | 'another text for a size that is no number';

interface PolicyDefault {
  readonly kind: PolicyKind;
  /** The name of the rule. */
  readonly rule: string;
  /** A CEL expression of a list of JSON patches. Empty: the value stays. */
  readonly expression: string;
  /** How the value differs from that of the rule. */
  readonly differs?: DefaultDifference;
}

type DefaultDraft = Omit<PolicyDefault, 'kind'>;

/** A CEL optional of a field. No part of the object must exist. */
function maybe(path: string): string {
  return `object${path
    .split('.')
    .map(part => `.?${part}`)
    .join('')}`;
}

function add(pointer: string, value: string): string {
  return `[JSONPatch{op: 'add', path: ${pointer}, value: ${value}}]`;
}

function when(condition: string, patches: string): string {
  return `(${condition} ? ${patches} : [])`;
}

const pointerOf = (members: readonly string[]): string => literal(`/${members.join('/')}`);

/** Adds the absent objects on the way to a field. */
function addParents(path: string): readonly string[] {
  const members = path.split('.');
  return members.slice(0, -1).map((_, index) => {
    const parents = members.slice(0, index + 1);
    return when(`!${maybe(parents.join('.'))}.hasValue()`, add(pointerOf(parents), '{}'));
  });
}

/** Sets a field. */
function set(path: string, value: string): string {
  return [...addParents(path), add(pointerOf(path.split('.')), value)].join(' + ');
}

/** Sets an entry of a map. */
function setEntry(path: string, key: string, value: string): string {
  const pointer = `${literal(`/${path.split('.').join('/')}/`)} + jsonpatch.escapeKey(${literal(key)})`;
  return [...addParents(`${path}.key`), add(pointer, value)].join(' + ');
}

const clusterName = `${maybe('spec.clusterName')}.orValue('')`;
const objectName = `${maybe('metadata.name')}.orValue('')`;
const selector = {
  matchLabels: `${maybe('spec.selector.matchLabels')}.orValue({})`,
  matchExpressions: `${maybe('spec.selector.matchExpressions')}.orValue([])`,
};
const selects = isFilledSelector(selector);
/** A name that is generated is not known yet. Without it, the selector stays empty and the object is refused. */
const isSelectedByName = `!(${selects}) && ${objectName} != ''`;

const clusterLabel: DefaultDraft = {
  rule: 'cluster name label',
  expression: setEntry('metadata.labels', clusterNameLabel, clusterName),
};

/** Sets a field that is absent. */
function absent(rule: string, path: string, value: string): DefaultDraft {
  return { rule, expression: when(`!${maybe(path)}.hasValue()`, set(path, value)) };
}

function versionPrefix(path: string): DefaultDraft {
  const version = `${maybe(path)}.orValue('')`;
  const isBare = `${version} != '' && !${version}.startsWith('v')`;
  const pointer = pointerOf(path.split('.'));
  return { rule: 'version prefix', expression: when(isBare, add(pointer, `'v' + ${version}`)) };
}

const annotation = (name: string) => `object.metadata.?annotations[?${literal(name)}]`;
const [least, most] = [minSizeAnnotation, maxSizeAnnotation].map(annotation);

const replicaVariables = {
  // A size that is no number of 32 bits fails, and the write is refused.
  sizes: `[string(${least}.value()), string(${most}.value())].map(s, int(s) >= -2147483648 && int(s) <= 2147483647 ? int(s) : int('value out of range: ' + s))`,
};

const [smallest, largest, stored] = ['variables.sizes[0]', 'variables.sizes[1]', 'oldObject.spec.replicas'];
const isBelow = `oldObject == null || !has(${stored}) || ${stored} < ${smallest}`;
const inSizes = `${isBelow} ? ${smallest} : ${stored} > ${largest} ? ${largest} : ${stored}`;

const replicas: DefaultDraft = {
  rule: 'replicas',
  expression: when(
    `!${maybe('spec.replicas')}.hasValue()`,
    set('spec.replicas', `${least}.hasValue() && ${most}.hasValue() ? (${inSizes}) : 1`),
  ),
  differs: 'another text for a size that is no number',
};

/** Sets a label in the selector and in the labels of the template. */
function selectedLabel(label: string, value: string): string {
  return ['spec.selector.matchLabels', 'spec.template.metadata.labels']
    .map(path => setEntry(path, label, value))
    .join(' + ');
}

const strategyType = 'spec.rollout.strategy.type';
const rollingUpdate = 'spec.rollout.strategy.rollingUpdate';
const rollingAmount = (field: string, value: string): DefaultDraft => ({
  rule: 'surge and unavailable',
  expression: when(
    `${maybe(strategyType)}.orValue('') == 'RollingUpdate' && !${maybe(`${rollingUpdate}.${field}`)}.hasValue()`,
    set(`${rollingUpdate}.${field}`, value),
  ),
});

const templateVersion = versionPrefix('spec.template.spec.version');
const deletionTimeout = (path: string): DefaultDraft =>
  absent('deletion timeout', `${path}.deletion.nodeDeletionTimeoutSeconds`, '10');

const drafts: Readonly<Partial<Record<PolicyKind, readonly DefaultDraft[]>>> = {
  Machine: [clusterLabel, versionPrefix('spec.version'), deletionTimeout('spec')],
  MachineSet: [
    clusterLabel,
    replicas,
    {
      rule: 'selector of Machines',
      expression: when(`${isSelectedByName} && ${isLabelValue(objectName)}`, selectedLabel(setNameLabel, objectName)),
      differs: 'a name of more than 63 characters, or of generateName, gives no selector',
    },
    templateVersion,
  ],
  MachineDeployment: [
    clusterLabel,
    replicas,
    {
      rule: 'selector of Machines',
      expression: when(isSelectedByName, selectedLabel(deploymentNameLabel, objectName)),
      differs: 'a generateName gives no selector',
    },
    { rule: 'selector of Machines', expression: when(selects, selectedLabel(clusterNameLabel, clusterName)) },
    {
      rule: 'strategy type',
      expression: when(`${maybe(strategyType)}.orValue('') == ''`, set(strategyType, "'RollingUpdate'")),
    },
    rollingAmount('maxSurge', '1'),
    rollingAmount('maxUnavailable', '0'),
    templateVersion,
  ],
  MachinePool: [clusterLabel, replicas, deletionTimeout('spec.template.spec'), templateVersion],
  MachineHealthCheck: [clusterLabel, absent('startup timeout', 'spec.checks.nodeStartupTimeoutSeconds', '600')],
  ClusterResourceSet: [
    {
      rule: 'strategy',
      expression: when(`${maybe('spec.strategy')}.orValue('') == ''`, set('spec.strategy', "'ApplyOnce'")),
    },
  ],
};

export const policyDefaults: readonly PolicyDefault[] = Object.entries(drafts).flatMap(([kind, list]) =>
  // True: the keys are kinds.
  list.map(draft => ({ ...draft, kind: kind as PolicyKind })),
);

function toPolicy(kind: PolicyKind): PolicyManifest {
  const expressions = policyDefaults.filter(each => each.kind === kind).map(({ expression }) => expression);
  const variables = usedVariables(replicaVariables, expressions);
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicy',
    metadata: { name: nameOfKind(kind), labels },
    spec: {
      ...commonSpec(kind),
      reinvocationPolicy: 'Never',
      ...(variables.length === 0 ? {} : { variables }),
      mutations: expressions.map(expression => ({ patchType: 'JSONPatch', jsonPatch: { expression } })),
    },
  };
}

function toBinding(kind: PolicyKind): PolicyManifest {
  const name = nameOfKind(kind);
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name, labels },
    spec: { policyName: name },
  };
}

/** The policy of each kind with defaults, and its binding. */
export const defaultPolicies: readonly (readonly [PolicyKind, readonly PolicyManifest[]])[] = [
  ...new Set(policyDefaults.map(({ kind }) => kind)),
].map(kind => [kind, [toPolicy(kind), toBinding(kind)]]);
