// The rules of MachineSets.
import { andThen, type Checked, type JsonObject, mapChecked } from '@capi-serverless/apimachinery';
import { setNameLabel, toNameLabelValue } from '@capi-serverless/cluster-api/contract';
import {
  problemsOfMachineNaming,
  problemsOfNodeTaints,
  problemsOfReplicated,
  problemsOfTemplateMetadata,
  problemsOfVersion,
} from './checks.ts';
import { withOwnLabel, withReplicas, withVersionPrefix } from './common-defaults.ts';
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
  const selecting = andThen(withReplicas(change, 'MachineSet'), object => {
    const value = toNameLabelValue(textAt(object, 'metadata.name'));
    return withOwnLabel(object, { kind: 'MachineSet', label: setNameLabel, value });
  });
  return mapChecked(selecting, object => withVersionPrefix(object, 'spec.template.spec.version'));
}
