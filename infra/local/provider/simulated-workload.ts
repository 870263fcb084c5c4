// What a simulated control plane knows of the endpoint that plays its API server, handed over in the environment.
import * as z from 'zod/mini';
import type { Name } from '../../../shared/api/object.ts';

const variable = 'CAPI_SIMULATED_WORKLOAD';

const schema = z.object({
  /** `https://host:port` */
  server: z.string(),
  authority: z.object({ certificate: z.string(), privateKey: z.string() }),
});

export type SimulatedWorkload = z.infer<typeof schema>;

export function toWorkloadEnvironment(workload: SimulatedWorkload): Readonly<Record<string, string>> {
  return { [variable]: JSON.stringify(workload) };
}

/** `undefined` where nothing plays the workload clusters. Throws on a value that `toWorkloadEnvironment` did not write. */
export function readSimulatedWorkload(
  env: Readonly<Record<string, string | undefined>>,
): SimulatedWorkload | undefined {
  const text = env[variable];
  return text === undefined ? undefined : schema.parse(JSON.parse(text));
}

/** Where the API server of this Cluster is played. */
export function serverOf({ server }: Pick<SimulatedWorkload, 'server'>, { namespace, name }: Name): string {
  return `${server}/clusters/${namespace}/${name}`;
}

/** Which Cluster's API server a request is for, and what it asks of it; `cluster` is undefined outside of all of them. */
export function readClusterPath(url: string): { readonly cluster: Name | undefined; readonly path: string } {
  const [target = '/'] = url.split('?');
  const [, namespace, name, rest] = /^\/clusters\/([^/]+)\/([^/]+)(\/.*)?$/.exec(target) ?? [];
  const cluster = namespace === undefined || name === undefined ? undefined : { namespace, name };
  const path = cluster === undefined ? target : (rest ?? '/');
  return { cluster, path: path.length > 1 ? path.replace(/\/$/, '') : path };
}
