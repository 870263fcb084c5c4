// A MachineDeployment with random changes, failures and pauses while earlier changes are rolled out.
import type { JsonObject } from '@capi-serverless/apimachinery';
import type { Random } from '../../engine/random.ts';
import type { SimulatedUser } from '../../system/user.ts';
import {
  aMachineDeployment,
  deploymentRef,
  deploymentTemplates,
  machineOf,
  unhealthy,
  untilVersion,
} from '../deployment-parts.ts';
import { settledCluster } from '../settled-cluster.ts';
import type { Workload } from '../workload.ts';

const mostReplicas = 4;
const mostChanges = 5;
/** A rollout of one Machine takes about this time without faults. */
const pauseSeconds = 60;

const drawVersion = (random: Random): string => random.pick(['v1.35.0', 'v1.35.1', 'v1.35.2']);
const ofVersion = (version: string): JsonObject => ({ template: { spec: { version } } });

function drawStrategy(random: Random): JsonObject {
  const maxSurge = random.pick([0, 1, 1, 2, '34%', '50%', '100%']);
  const maxUnavailable = random.pick([0, 0, 1, 2, '25%', '50%']);
  return { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } } };
}

/** OnDelete has no limits, and a merge patch keeps fields that it does not name. */
const onDelete: JsonObject = { rollout: { strategy: { type: 'OnDelete', rollingUpdate: null } } };

/** The name of any Machine of the deployment at this time. */
async function drawMachine(user: SimulatedUser, random: Random): Promise<string | undefined> {
  let names: readonly string[] = [];
  await user.untilAll('the Machines', 'Machine', machines => {
    names = machines.map(({ metadata }) => metadata.name).toSorted();
    return true;
  });
  return names[random.below(Math.max(1, names.length))];
}

async function failMachine(user: SimulatedUser, random: Random): Promise<void> {
  const isDeleted = random.chance(0.5);
  const name = await drawMachine(user, random);
  if (name === undefined) {
    return;
  }
  if (isDeleted) {
    await user.delete(machineOf(name));
  } else {
    await user.change(machineOf(name), unhealthy, 'status');
  }
}

async function change(user: SimulatedUser, random: Random): Promise<void> {
  const patch = (spec: JsonObject): Promise<void> => user.patch(deploymentRef, { spec });
  const acts: readonly [() => Promise<void>, ...(() => Promise<void>)[]] = [
    () => patch(ofVersion(drawVersion(random))),
    () => patch(ofVersion(drawVersion(random))),
    () => patch({ replicas: random.below(mostReplicas + 1) }),
    () => patch(drawStrategy(random)),
    () => patch(onDelete),
    () => patch({ paused: random.chance(0.6) }),
    () => failMachine(user, random),
    () => failMachine(user, random),
    // Several fields at once.
    () =>
      patch({ ...ofVersion(drawVersion(random)), replicas: random.below(mostReplicas + 1), ...drawStrategy(random) }),
  ];
  await random.pick(acts)();
}

export const machineDeploymentRandomRollout: Workload = {
  name: 'machinedeployment-random-rollout',
  about:
    'A MachineDeployment is changed and paused at random, and its Machines fail or are deleted, during its rollouts',
  random: true,
  long: true,
  notInCampaigns: 'the suite runs it with seeds of its own, because its final state differs for each seed',
  given: settledCluster,
  async script(user, random) {
    const replicas = 1 + random.below(mostReplicas);
    await user.create(...deploymentTemplates(), aMachineDeployment({ replicas, ...drawStrategy(random) }));
    const changes = 1 + random.below(mostChanges);
    for (let count = 0; count < changes; count += 1) {
      await user.pause(random.below(pauseSeconds));
      await change(user, random);
    }
    await user.pause(random.below(pauseSeconds));
    const last = { version: drawVersion(random), replicas: 1 + random.below(mostReplicas) };
    const spec = { ...ofVersion(last.version), ...drawStrategy(random), replicas: last.replicas, paused: false };
    await user.patch(deploymentRef, { spec });
    await untilVersion(user, last.version, last.replicas);
  },
};
