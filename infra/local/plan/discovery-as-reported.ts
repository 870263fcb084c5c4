// Stands in for extension servers that must not be asked: each defines the variables that the ClusterClass lists as its.
import { readClusterClass } from '../../../shared/api/cluster-class/reader.ts';
import type { Unstructured } from '../../../shared/api/object.ts';
import { valueAt } from '../../../shared/kernel/merge-diff.ts';
import type { Hooks } from '../../../shared/runtime-hooks/port.ts';
import { readStatusVariables } from '../../../shared/variables/index.ts';
import type { Asking } from './plan.ts';

/** Tells of every call that would be made. */
export function discoveryAsReported({ reads, ref, wouldAsk }: Asking): Hooks {
  return {
    services: 'dns',
    memory: { get: () => undefined, set: () => undefined },
    async exchange({ hook, url }) {
      const { origin, pathname } = new URL(url);
      const answered = await reads.get(ref);
      const variables = answered.ok ? reportedBy(answered.value, pathname.split('/').at(-1) ?? '') : [];
      wouldAsk(
        `the extension server at ${origin} by hook ${hook}; taken to define what the status lists; --call-hooks asks it`,
      );
      return { ok: true, body: { status: 'Success', variables } };
    },
  };
}

/** What patches that ask this handler have in the status. URLs write handlers in lower case. */
function reportedBy(object: Unstructured, handler: string): readonly object[] {
  const patches = readClusterClass(object)
    .spec.patches.filter(({ external }) => external.discoverVariablesExtension.split('.')[0]?.toLowerCase() === handler)
    .map(({ name }) => name);
  const listed = readStatusVariables(valueAt(object.status, 'variables'));
  return (listed.ok ? listed.value : []).flatMap(({ name, definitions }) => {
    const own = definitions.find(({ from }) => patches.includes(from));
    return own === undefined ? [] : [{ ...own, name }];
  });
}
