// A Node that is registered again after its Machine was released.
import { valueAt } from '@capi-serverless/apimachinery';
import { nodeRef, start } from '../machine-steps.ts';
import { machineRef } from '../members.ts';
import { clusterRef, isGone, type Workload } from '../workload.ts';

const ownFinalizer = 'machine.cluster.x-k8s.io';
const otherFinalizer = 'example.com/inventory';

export const machineNodeAgain: Workload = {
  name: 'machine-node-again',
  about: 'Another controller keeps a released Machine, and its Node is registered again',
  long: true,
  async script(user) {
    await start(user);
    await user.change(machineRef('m1'), ({ metadata }) => ({
      metadata: { finalizers: [...(metadata.finalizers ?? []), otherFinalizer] },
    }));
    const providerID = String(valueAt(user.read(machineRef('m1'))?.spec, 'providerID'));
    await user.delete(machineRef('m1'));
    await user.until(
      'the Machine to be released',
      machineRef('m1'),
      machine => machine?.metadata.finalizers?.includes(ownFinalizer) === false,
    );
    const workload = user.inWorkload(clusterRef());
    await workload.until('its Node to be gone', nodeRef('m1'), isGone);
    await workload.create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'm1' },
      spec: { providerID },
    });
    await user.patch(machineRef('m1'), { metadata: { labels: { seen: 'true' } } });
    await user.pause(60);
    await workload.until('the new Node to stay', nodeRef('m1'), node => node !== undefined);
    await user.patch(machineRef('m1'), { metadata: { finalizers: null } });
    await user.until('the Machine to be gone', machineRef('m1'), isGone);
    await workload.delete(nodeRef('m1'));
  },
};
