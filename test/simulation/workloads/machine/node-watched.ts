// A Node whose changes the forwarder watches.
import { endWithoutNode, nodeRef, start } from '../machine-steps.ts';
import { clusterRef, type Workload } from '../workload.ts';

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
    await endWithoutNode(user);
  },
};
