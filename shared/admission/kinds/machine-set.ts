// The rules of MachineSets.
import { type Checked, type JsonObject, mapChecked } from '@capi-serverless/apimachinery';
import { setNameLabel, toNameLabelValue } from '@capi-serverless/cluster-api/contract';
import {
  hasNoRequirement,
  problemsOfMachineNaming,
  problemsOfNodeTaints,
  problemsOfReplicated,
  problemsOfTemplateMetadata,
  problemsOfVersion,
} from './checks.ts';
import { withReplicas, withSelectedLabel, withVersionPrefix } from './common-defaults.ts';
import { type CheckedWrite, invalidUnlessEmpty, type KindRules } from './kind-rules.ts';
import { textAt } from './object-fields.ts';

export const machineSetRules: KindRules = {
  group: 'cluster.x-k8s.io',
  kind: 'MachineSet',
  defaults: defaultMachineSet,
  denialOf: change => {
    const { object, gates } = change;
    return invalidUnlessEmpty([
      ...problemsOfReplicated(change, 'Invalid value'),
      ...problemsOfVersion(object, 'spec.template.spec.version'),
      ...problemsOfNodeTaints(object, 'spec.template.spec.taints', { isWorker: true, gates }),
      ...problemsOfMachineNaming(object),
      ...problemsOfTemplateMetadata(object),
    ]);
  },
};

function defaultMachineSet(change: CheckedWrite): Checked<JsonObject> {
  const labelled = withReplicas(change, 'MachineSet');
  return mapChecked(labelled, object => {
    const name = textAt(object, 'metadata.name');
    const selecting = hasNoRequirement(object, 'spec.selector')
      ? withSelectedLabel(object, [setNameLabel, toNameLabelValue(name)])
      : object;
    return withVersionPrefix(selecting, 'spec.template.spec.version');
  });
}
