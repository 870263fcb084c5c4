// The rules of Machines.
import { type JsonObject, valid, valueAt } from '@capi-serverless/apimachinery';
import { poolNameLabel } from '../../api/machine/reader.ts';
import { problemsOfBootstrap, problemsOfClusterChange, problemsOfNodeTaints, problemsOfVersion } from './checks.ts';
import { withClusterNameLabel, withNodeDeletionTimeout, withVersionPrefix } from './common-defaults.ts';
import { invalidUnlessEmpty, type KindRules } from './kind-rules.ts';
import { textAt, textsAt } from './object-fields.ts';

const controlPlaneLabel = 'cluster.x-k8s.io/control-plane';

export const machineRules: KindRules = {
  group: 'cluster.x-k8s.io',
  kind: 'Machine',
  defaults: ({ object }) => {
    const labelled = withVersionPrefix(withClusterNameLabel(object), 'spec.version');
    return valid(withNodeDeletionTimeout(labelled, 'spec.deletion'));
  },
  denialOf: change => {
    const { object, gates } = change;
    const isWorker = !Object.hasOwn(textsAt(object, 'metadata.labels'), controlPlaneLabel);
    return invalidUnlessEmpty([
      ...(isOfPool(object) ? [] : problemsOfBootstrap(object, 'spec.bootstrap')),
      ...problemsOfClusterChange(change),
      ...problemsOfVersion(object, 'spec.version'),
      ...problemsOfNodeTaints(object, 'spec.taints', { isWorker, gates }),
    ]);
  },
};

/** The Machines of a MachinePool need no bootstrap data. */
function isOfPool(object: JsonObject): boolean {
  const owners = valueAt(object, 'metadata.ownerReferences');
  return (
    Object.hasOwn(textsAt(object, 'metadata.labels'), poolNameLabel) ||
    (Array.isArray(owners) && owners.some(owner => textAt(owner, 'kind') === 'MachinePool'))
  );
}
