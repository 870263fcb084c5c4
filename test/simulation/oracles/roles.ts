// Managed topologies never have two objects for the same purpose. During a rotation, a template may have a replacement.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { deploymentNameLabel, ownedLabel, poolNameLabel } from '../../../shared/topology/model/keys.ts';
import type { SimulatedApi } from '../system/api-server.ts';
import type { Oracle } from './monitor.ts';

/** Kinds that a topology creates. Objects that are created from these have some of their labels. */
const singles: ReadonlySet<string> = new Set([
  'SimulatedCluster',
  'SimulatedControlPlane',
  'MachineDeployment',
  'MachinePool',
  'MachineHealthCheck',
]);

export function watchRoles(api: Pick<SimulatedApi, 'objects'>, report: (text: string) => void): Oracle {
  const sharing = (role: string): readonly string[] =>
    [...api.objects().values()].filter(object => roleOf(object) === role).map(({ metadata }) => metadata.name);
  return {
    committed({ type, object }) {
      const role = type === 'ADDED' && singles.has(object.kind) ? roleOf(object) : undefined;
      const names = role === undefined ? [] : sharing(role);
      if (names.length > 1) {
        report(`Roles: ${names.join(' and ')} are all ${role}`);
      }
    },
    rested() {
      const roles = new Set([...api.objects().values()].flatMap(object => roleOf(object) ?? []));
      for (const role of roles) {
        const names = sharing(role);
        if (names.length > 1) {
          report(`Roles: at rest ${names.join(' and ')} are all ${role}`);
        }
      }
    },
  };
}

/**
 * A topology created the object. The object is deleted if the object that references it is refused, so it may be
 * created again.
 */
export function isOwnTemplate({ kind, metadata: { labels = {} } }: Unstructured): boolean {
  return kind.endsWith('Template') && ownedLabel in labels;
}

/** Returns `undefined` if it has no unique purpose in a topology. */
function roleOf({ kind, metadata }: Unstructured): string | undefined {
  const { labels = {}, namespace = '' } = metadata;
  const isTemplate = kind.endsWith('Template');
  if (!(ownedLabel in labels) || !(isTemplate || singles.has(kind))) {
    return undefined;
  }
  const worker = labels[deploymentNameLabel] ?? labels[poolNameLabel] ?? '';
  return `${kind} ${worker} of Cluster ${namespace}/${labels[clusterNameLabel] ?? ''}`;
}
