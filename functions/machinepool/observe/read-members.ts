// Reads the objects that represent the machines of a pool one by one, and their Machines.
import type { Reads } from '@capi-serverless/apimachinery';
import { toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { readInfrastructureMachineKind } from '@capi-serverless/cluster-api/contract';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { readWholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachinePool } from '../../../shared/api/machine-pool/whole-machine-pool.ts';
import { namedPool } from '../phases/externals.ts';
import { memberLabels } from '../phases/pool-machines.ts';
import type { PoolMembersRead } from '../seen.ts';

/** The objects have the group and version of the infrastructure of the pool. */
export async function readMembers(
  pool: WholeMachinePool,
  infrastructure: Unstructured,
  ask: Pick<Reads, 'list'>,
): Promise<PoolMembersRead> {
  const kind = readInfrastructureMachineKind(infrastructure);
  if (kind.state === 'wrongType') {
    const of = `from infrastructure provider for MachinePool ${toDisplayName(pool.metadata)}`;
    return { state: 'failed', error: `failed to retrieve infraMachineKind ${of}: ${kind.error}` };
  }
  if (kind.state === 'absent' || kind.value === '') {
    return { state: 'none' };
  }
  const { namespace } = pool.metadata;
  const labels = memberLabels(pool);
  const [objects, machines] = await Promise.all([
    ask.list({ apiVersion: infrastructure.apiVersion, kind: kind.value, namespace, labels }),
    ask.list({ apiVersion: clusterApiVersion, kind: 'Machine', namespace, labels }),
  ]);
  if (!objects.ok) {
    return {
      state: 'failed',
      error: `failed to list infra machines for ${namedPool(pool)}: ${objects.failure.message}`,
    };
  }
  if (!machines.ok) {
    return { state: 'failed', error: `failed to list machines for ${namedPool(pool)}: ${machines.failure.message}` };
  }
  return {
    state: 'listed',
    infraMachines: objects.value.toSorted(byName),
    machines: machines.value.toSorted(byName).map(readWholeMachine),
  };
}

function byName(a: Unstructured, b: Unstructured): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
