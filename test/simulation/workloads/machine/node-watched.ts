// A Node whose changes the forwarder watches.
import { nodeRef, start, untilDeleted } from '../machine-steps.ts';
import { machineRef } from '../members.ts';
import { clusterRef, conditionOf, type Workload } from '../workload.ts';

/** Much longer than the watch needs. */
const secondsUntilHint = 300;

export const machineNodeWatched: Workload = {
  name: 'machine-node-watched',
  about: 'The forwarder watches the Node of a running Machine. A user deletes the Node, and then the Machine',
  long: true,
  watchesNodes: true,
  async script(user) {
    await start(user);
    await user.inWorkload(clusterRef()).delete(nodeRef('m1'));
    // A lost change of a Node has no repair, because a Machine with a healthy Node has no timer.
    await user.pause(secondsUntilHint);
    await user.patch(machineRef('m1'), { metadata: { labels: { seen: 'true' } } });
    await user.until(
      'the Machine to miss its Node',
      machineRef('m1'),
      machine => conditionOf(machine, 'NodeReady') === 'False',
    );
    await user.delete(machineRef('m1'));
    await untilDeleted(user);
  },
};
