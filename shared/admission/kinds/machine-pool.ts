// The rules of MachinePools.
import {
  type FieldError,
  forbidden,
  type JsonObject,
  mapChecked,
  printFieldErrors,
  valueAt,
} from '@capi-serverless/apimachinery';
import { readTaints } from '../checked-parts.ts';
import { taintsDisabled } from '../workers.ts';
import {
  problemsOfBootstrap,
  problemsOfClusterChange,
  problemsOfTemplateCluster,
  problemsOfTemplateMetadata,
  problemsOfVersion,
} from './checks.ts';
import { withNodeDeletionTimeout, withReplicas, withVersionPrefix } from './common-defaults.ts';
import { invalidUnlessEmpty, type KindRules, type RuleGates } from './kind-rules.ts';

export const machinePoolRules: KindRules = {
  group: 'cluster.x-k8s.io',
  kind: 'MachinePool',
  defaults: change => {
    const labelled = withReplicas(change, 'MachinePool');
    return mapChecked(labelled, object =>
      withVersionPrefix(withNodeDeletionTimeout(object, 'spec.template.spec.deletion'), 'spec.template.spec.version'),
    );
  },
  denialOf: change => {
    const { object, gates } = change;
    if (!gates.machinePool) {
      const errors = [forbidden('spec', 'can be set only if the MachinePool feature flag is enabled')];
      return { reason: 'Forbidden', message: printFieldErrors(errors) };
    }
    return invalidUnlessEmpty([
      ...problemsOfBootstrap(object, 'spec.template.spec.bootstrap'),
      ...problemsOfClusterChange(change),
      ...problemsOfTemplateCluster(object),
      ...problemsOfVersion(object, 'spec.template.spec.version'),
      ...problemsOfPoolTaints(object, gates),
      ...problemsOfTemplateMetadata(object),
    ]);
  },
};

/** The field of these errors is upstream's, without the template. */
function problemsOfPoolTaints(object: JsonObject, gates: RuleGates): readonly FieldError[] {
  const field = 'spec.taints';
  if (readTaints(valueAt(object, 'spec.template.spec.taints')).length === 0) {
    return [];
  }
  return [
    forbidden(field, 'taints feature for MachinePools is not yet implemented'),
    ...(gates.taintPropagation ? [] : [forbidden(field, taintsDisabled)]),
  ];
}
