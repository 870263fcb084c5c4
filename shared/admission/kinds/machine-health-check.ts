// The rules of MachineHealthChecks.
import {
  type FieldError,
  invalidValue,
  type JsonObject,
  requiredValue,
  toPrintedSelector,
  valid,
  valueAt,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { problemsOfHealthCheck } from '../workers.ts';
import { hasNoRequirement, problemsOfClusterChange, problemsOfSelector } from './checks.ts';
import { withClusterNameLabel } from './common-defaults.ts';
import { invalidUnlessEmpty, type KindRules } from './kind-rules.ts';
import { selectorAt, textAt, textsAt, withDefault } from './object-fields.ts';

const selector = 'spec.selector';
const startupSeconds = 600;

export const machineHealthCheckRules: KindRules = {
  group: 'cluster.x-k8s.io',
  kind: 'MachineHealthCheck',
  defaults: ({ object }) =>
    valid(withDefault(withClusterNameLabel(object), 'spec.checks.nodeStartupTimeoutSeconds', startupSeconds)),
  denialOf: change => {
    const { object } = change;
    return invalidUnlessEmpty([
      ...problemsOfSelector(object, selector),
      ...(hasNoRequirement(object, selector) ? [requiredValue(selector, 'selector must not be empty')] : []),
      ...problemsOfSelectedCluster(object),
      ...problemsOfClusterChange(change),
      ...problemsOfHealthCheck(valueAt(object, 'spec'), 'spec'),
    ]);
  },
};

/** The selector may name the Cluster of the check only. */
function problemsOfSelectedCluster(object: JsonObject): readonly FieldError[] {
  const labels = textsAt(object, `${selector}.matchLabels`);
  const isOther =
    Object.hasOwn(labels, clusterNameLabel) && labels[clusterNameLabel] !== textAt(object, 'spec.clusterName');
  const detail = 'cannot specify a cluster selector other than the one specified by ClusterName';
  return isOther ? [invalidValue(selector, toPrintedSelector(selectorAt(object, selector)), detail)] : [];
}
