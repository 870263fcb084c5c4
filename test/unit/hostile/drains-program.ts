// One batch of Machines in deletion, in a process of its own, with the real clients of workload clusters. Prints the
// reason of the condition Deleting of each Machine. Arguments: the address of the API server of all
// workload clusters, and the names of the Machines. The requests of a Machine have the path prefix `/<name>`.
import { createMachineReconciler } from '../../../functions/machine/reconciler.ts';
import { defaultSettings } from '../../../functions/machine/settings.ts';
import { reconcileBatch } from '../../../shared/kernel/batch.ts';
import { createWorkloadClients } from '../../../shared/kubernetes/rest/workload-clients.ts';
import { aBatchContext } from '../../support/batch-context.ts';
import { fakeHooks } from '../../support/fake-hooks.ts';
import { createMemoryApi } from '../../support/memory-api.ts';
import { staticMachineCrds } from '../../support/static-provider.ts';
import { deletingOf, giveDrainedMachine, toMachineMessage } from './drained-machine.ts';

const [, , server = '', ...names] = process.argv;

const api = createMemoryApi({ crds: staticMachineCrds });
for (const name of names) {
  giveDrainedMachine(api, name, `${server}/${name}`);
}
const clients = createWorkloadClients({
  client: 'machine',
  userAgent: 'test',
  clock: api.clock,
  addresses: 'any',
  limits: { connectTimeoutMs: 60_000, requestTimeoutMs: 60_000 },
});
await reconcileBatch(
  {
    ...aBatchContext(api),
    reconciler: createMachineReconciler(defaultSettings),
    ports: { hooks: fakeHooks(), workloadApi: clients.api },
    workload: clients.writers,
  },
  names.map(toMachineMessage),
);
for (const name of names) {
  process.stdout.write(`${name} ${deletingOf(api, name)?.reason}\n`);
}
