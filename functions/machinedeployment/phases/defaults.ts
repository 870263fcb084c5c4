// The defaults that upstream's admission sets. Where no webhook runs, a deployment is reconciled as if it had them.
import { type JsonObject, toRecord, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { deploymentNameLabel } from '../../../shared/api/machine-deployment/reader.ts';
import { rollingUpdate } from '../plan/rollout/limits.ts';

/** Fills missing replicas, a missing strategy and a missing selector. The stored object is not changed. */
export function withDefaults(object: Unstructured): Unstructured {
  const spec = toRecord(object.spec);
  const rollout = toRecord(spec['rollout']);
  return {
    ...object,
    spec: {
      ...spec,
      replicas: spec['replicas'] ?? 1,
      ...selecting(spec, object.metadata.name),
      rollout: { ...rollout, strategy: toStrategy(toRecord(rollout['strategy'])) },
    },
  };
}

const assumed = [
  'replicas',
  'rollout.strategy.type',
  'rollout.strategy.rollingUpdate.maxSurge',
  'rollout.strategy.rollingUpdate.maxUnavailable',
];

/** Describes the defaults that the object lacks. */
export function assumedDefaults(object: Unstructured): readonly string[] {
  const [spec, whole] = [toRecord(object.spec), toRecord(withDefaults(object).spec)];
  const { name } = object.metadata;
  return [
    ...assumed.flatMap(path => {
      const value = valueAt(whole, path);
      return value === undefined || valueAt(spec, path) !== undefined
        ? []
        : [`spec.${path} is not set: ${value} is assumed`];
    }),
    ...selectorDefaults(spec, name),
  ];
}

function selectorDefaults(spec: JsonObject, name: string): readonly string[] {
  const selector = toRecord(spec['selector']);
  if (isEmptySelector(selector)) {
    return [`spec.selector is empty: the label ${deploymentNameLabel}=${name} is assumed, also in the template`];
  }
  const cluster = String(spec['clusterName']);
  return toRecord(selector['matchLabels'])[clusterNameLabel] === cluster
    ? []
    : [`spec.selector lacks the label ${clusterNameLabel}=${cluster}: it is assumed, also in the template`];
}

/**
 * The label of the Cluster is part of the selector and of the template. Otherwise the reconciler of MachineSets would add
 * it, and the next apply of the MachineSets would remove it. An empty selector would select all objects.
 */
function selecting(spec: JsonObject, name: string): JsonObject {
  const selector = toRecord(spec['selector']);
  const labels = {
    [clusterNameLabel]: spec['clusterName'],
    ...(isEmptySelector(selector) ? { [deploymentNameLabel]: name } : {}),
  };
  const template = toRecord(spec['template']);
  const metadata = toRecord(template['metadata']);
  return {
    selector: { ...selector, matchLabels: { ...toRecord(selector['matchLabels']), ...labels } },
    template: { ...template, metadata: { ...metadata, labels: { ...toRecord(metadata['labels']), ...labels } } },
  };
}

function isEmptySelector({ matchLabels, matchExpressions }: JsonObject): boolean {
  return (
    Object.keys(toRecord(matchLabels)).length === 0 && !(Array.isArray(matchExpressions) && matchExpressions.length > 0)
  );
}

function toStrategy(strategy: JsonObject): JsonObject {
  const type = strategy['type'] ?? rollingUpdate;
  if (type !== rollingUpdate) {
    return strategy;
  }
  const { maxSurge = 1, maxUnavailable = 0 } = toRecord(strategy['rollingUpdate']);
  return { type, rollingUpdate: { maxSurge, maxUnavailable } };
}
