// GeneratePatches: changes the templates of a ClusterClass according to variables. Called in every reconcile of every
// Cluster.

import { type Values, valuesOf } from './discover-variables.ts';
import { fieldsOf, type Handler, listOf, success } from './protocol.ts';

export const generatePatches: Handler = {
  name: 'patches',
  hook: 'GeneratePatches',
  timeoutSeconds: 5,
  answer: ({ variables, items }) => {
    const values = valuesOf(variables);
    return success({
      items: listOf(items)
        .map(fieldsOf)
        .flatMap(item => patchOf(item, values)),
    });
  },
};

/** Returns a merge patch of the item's template. Returns none if the variables do not affect the template. */
function patchOf({ uid, object }: Readonly<Record<string, unknown>>, values: Values) {
  const spec = specOf(fieldsOf(object)['kind'], values);
  if (spec === undefined) {
    return [];
  }
  const patch = Buffer.from(JSON.stringify({ spec: { template: { spec } } })).toString('base64');
  return [{ uid, patchType: 'JSONMergePatch', patch }];
}

function specOf(kind: unknown, { zones, auditLevel }: Values): object | undefined {
  switch (kind) {
    case 'SimulatedClusterTemplate':
      return { failureDomains: zones };
    case 'SimulatedControlPlaneTemplate':
      return { settings: { auditLevel } };
    default:
      return undefined;
  }
}
