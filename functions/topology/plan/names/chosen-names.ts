// Checks that the names of the workers of a topology are unique.
import { all, type Checked, invalid, quote, valid } from '@capi-serverless/apimachinery';
import type { ChosenName, WorkerNames } from './topology-names.ts';
import type { Wanted, WantedName } from './wanted-names.ts';

export interface ChosenWorker {
  readonly topologyName: string;
  readonly wanted: Wanted<WantedName>;
  readonly chosen: Wanted<Checked<ChosenName>>;
}

/** Returns the names by topology name, or the first problem in the order of the topology. */
export function toWorkerNames(workers: readonly ChosenWorker[]): Checked<ReadonlyMap<string, WorkerNames>> {
  const named = new Map<string, WorkerNames>();
  for (const { topologyName, wanted, chosen } of workers) {
    const { infrastructure, bootstrap, object } = chosen;
    const names = all({ infrastructure, bootstrap, object });
    if (!names.ok) {
      return names;
    }
    const { name } = names.value.object;
    const other = [...named].find(([, each]) => each.object.name === name);
    if (other !== undefined) {
      const cause = `topology ${quote(other[0])} has the name ${name} already; change the naming template of the class so that the names differ`;
      return invalid(wanted.object.toProblem(cause));
    }
    named.set(topologyName, names.value);
  }
  return valid(named);
}
