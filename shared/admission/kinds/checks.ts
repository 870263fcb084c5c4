// Checks that several kinds have. Each function returns all errors, in order.
import {
  type FieldError,
  forbidden,
  invalidValue,
  isEmptySelector,
  type JsonObject,
  matchesLabels,
  problemsOfSubdomain,
  quote,
  requiredValue,
  selectorProblem,
  sortMembers,
  toPrintedSelector,
  toSelectorText,
  valueAt,
} from '@capi-serverless/apimachinery';
import { parseSemver } from '@capi-serverless/apimachinery/semver';
import { problemsOfMetadata } from '../../variables/variable-metadata.ts';
import { readTaints } from '../checked-parts.ts';
import { sampleName, sampleRandom } from '../naming.ts';
import { problemsOfTaints } from '../workers.ts';
import type { CheckedWrite, RuleGates } from './kind-rules.ts';
import { isSetAt, selectorAt, textAt, textsAt } from './object-fields.ts';

/** A change of `spec.clusterName` is refused. */
export function problemsOfClusterChange({ object, old }: CheckedWrite): readonly FieldError[] {
  const path = 'spec.clusterName';
  return old === undefined || textAt(old, path) === textAt(object, path) ? [] : [forbidden(path, 'field is immutable')];
}

/** The template must name the same Cluster. */
export function problemsOfTemplateCluster(object: JsonObject): readonly FieldError[] {
  const path = 'spec.clusterName';
  const name = textAt(object, path);
  return name === textAt(object, 'spec.template.spec.clusterName')
    ? []
    : [invalidValue(path, name, 'spec.clusterName and spec.template.spec.clusterName must be set to the same value')];
}

export function problemsOfVersion(object: JsonObject, path: string): readonly FieldError[] {
  const version = textAt(object, path);
  if (version === '') {
    return [];
  }
  const isSemantic = parseSemver(version.replace(/^v/, '')) !== undefined;
  return [
    ...(version.startsWith('v') ? [] : [invalidValue(path, version, 'must start with v')]),
    ...(isSemantic ? [] : [invalidValue(path, version, 'must be a valid semantic version')]),
  ];
}

/** `path` is the `bootstrap` of a Machine or of a template. An empty name of a Secret counts as a name. */
export function problemsOfBootstrap(object: JsonObject, path: string): readonly FieldError[] {
  const isReferenced = ['kind', 'name', 'apiGroup'].some(field => textAt(object, `${path}.configRef.${field}`) !== '');
  return isReferenced || isSetAt(object, `${path}.dataSecretName`)
    ? []
    : [requiredValue(path, `expected either ${path}.dataSecretName or ${path}.configRef to be populated`)];
}

/** The syntax of the selector at `path`. */
export function problemsOfSelector(object: JsonObject, path: string): readonly FieldError[] {
  const selector = selectorAt(object, path);
  const problem = selectorProblem(selector);
  return problem === undefined ? [] : [invalidValue(path, toPrintedSelector(selector), problem)];
}

const templateLabels = 'spec.template.metadata.labels';

/** `spec.selector`: its syntax, and whether it matches the labels of the template. */
function problemsOfTemplateSelector(object: JsonObject, type: 'Invalid value' | 'Forbidden'): readonly FieldError[] {
  const ofSyntax = problemsOfSelector(object, 'spec.selector');
  const selector = selectorAt(object, 'spec.selector');
  const labels = textsAt(object, templateLabels);
  if (ofSyntax.length > 0 || matchesLabels(selector, labels)) {
    return ofSyntax;
  }
  const detail = `must match spec.selector ${quote(toSelectorText(selector))}`;
  const value = isSetAt(object, templateLabels) ? sortMembers(labels) : null;
  return type === 'Forbidden' ? [forbidden(templateLabels, detail)] : [invalidValue(templateLabels, value, detail)];
}

/**
 * The first checks of MachineSets and MachineDeployments: of the template, the selector, the skipped preflight checks and
 * the Cluster. `type` is that of a selector that does not match the template.
 */
export function problemsOfReplicated(change: CheckedWrite, type: 'Invalid value' | 'Forbidden'): readonly FieldError[] {
  const { object, gates } = change;
  return [
    ...problemsOfBootstrap(object, 'spec.template.spec.bootstrap'),
    ...problemsOfTemplateSelector(object, type),
    ...problemsOfSkippedChecks(object, gates),
    ...problemsOfClusterChange(change),
    ...problemsOfTemplateCluster(object),
  ];
}

export function hasNoRequirement(object: JsonObject, path: string): boolean {
  return isEmptySelector(selectorAt(object, path));
}

/** The labels and annotations of `spec.template`. */
export function problemsOfTemplateMetadata(object: JsonObject): readonly FieldError[] {
  const path = 'spec.template.metadata';
  const metadata = { labels: textsAt(object, `${path}.labels`), annotations: textsAt(object, `${path}.annotations`) };
  return problemsOfMetadata(metadata, path);
}

export const skipAnnotation = 'machineset.cluster.x-k8s.io/skip-preflight-checks';
export const knownChecks = [
  'All',
  'ControlPlaneIsStable',
  'ControlPlaneVersionSkew',
  'KubeadmVersionSkew',
  'KubernetesVersionSkew',
];

/** The preflight checks that an annotation skips. */
function problemsOfSkippedChecks(object: JsonObject, gates: RuleGates): readonly FieldError[] {
  const text = textsAt(object, 'metadata.annotations')[skipAnnotation] ?? '';
  if (!gates.machineSetPreflightChecks || text === '') {
    return [];
  }
  const unknown = text
    .split(',')
    .map(part => part.trim())
    .filter(part => !knownChecks.includes(part));
  const detail = `skipped preflight check(s) must be among: [${knownChecks.join(' ')}]`;
  return unknown.length === 0 ? [] : [invalidValue(`metadata.annotations.${skipAnnotation}`, unknown, detail)];
}

export const controlPlaneTaint = 'node-role.kubernetes.io/control-plane';

interface TaintScope {
  /** The Machines have no control plane. */
  readonly isWorker: boolean;
  readonly gates: RuleGates;
}

export function problemsOfNodeTaints(
  object: JsonObject,
  path: string,
  { isWorker, gates }: TaintScope,
): readonly FieldError[] {
  const raw = valueAt(object, path);
  const reserved = readTaints(raw).flatMap(({ key }, index) =>
    key === controlPlaneTaint
      ? [invalidValue(`${path}[${index}].key`, key, 'taint is not allowed for worker Machines')]
      : [],
  );
  return [
    ...problemsOfTaints(raw, path, gates.taintPropagation),
    ...(isWorker && gates.taintPropagation ? reserved : []),
  ];
}

const naming = 'spec.machineNaming.template';
const randomVariable = '{{ .random }}';
const sample = { cluster: { name: 'cluster' }, machineSet: { name: 'machineset' }, random: sampleRandom };

/** The template of the names of Machines. It is rendered with sample names. */
export function problemsOfMachineNaming(object: JsonObject): readonly FieldError[] {
  const template = textAt(object, naming);
  if (template === '') {
    return [];
  }
  const refuse = (why: string) => [invalidValue(naming, template, `invalid template${why}`)];
  return [
    ...(template.includes(randomVariable) ? [] : refuse(`, ${randomVariable} is missing`)),
    ...refusalsOfNames(template).flatMap(refuse),
  ];
}

function refusalsOfNames(template: string): readonly string[] {
  const name = sampleName(template, sample);
  return name.ok
    ? problemsOfSubdomain(name.value).map(
        problem => `, generated names would not be valid Kubernetes object names: ${problem}`,
      )
    : [`: ${name.error}`];
}
