// Suites that share one real API server, one after another. Each uses names of its own.
import { afterAll, beforeAll } from 'vitest';
import { describeReal } from '../support/describe-real.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { aggregationController, describeAggregatedRights } from './management-cluster/aggregated-rights.ts';
import { describeClassNamespaces } from './management-cluster/class-namespaces.ts';
import { describeDeployCommands } from './management-cluster/deploy-commands.ts';
import { describeForwarderNodes, forwarderUsers } from './management-cluster/forwarder-nodes.ts';
import { describeWindowedForwarder } from './management-cluster/windowed-forwarder.ts';

describeReal('in one management cluster', () => {
  let plane: RealControlPlane;

  beforeAll(async () => {
    plane = await startControlPlane({ users: forwarderUsers, furtherControllers: [aggregationController] });
  });

  afterAll(() => plane?.stop());

  describeWindowedForwarder(() => plane);
  describeForwarderNodes(() => plane);
  describeClassNamespaces(() => plane);
  describeDeployCommands(() => plane);
  describeAggregatedRights(() => plane);
});
