// The endpoint that simulates the workload API servers. The environment contains it for the control planes.

import type { Name } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';

const variable = 'CAPI_SIMULATED_WORKLOAD';

const schema = z.object({
  /** The URL in the form `https://host:port`. */
  server: z.string(),
  authority: z.object({ certificate: z.string(), privateKey: z.string() }),
});

export type SimulatedWorkload = z.infer<typeof schema>;

export function toWorkloadEnvironment(workload: SimulatedWorkload): Readonly<Record<string, string>> {
  return { [variable]: JSON.stringify(workload) };
}

/**
 * Returns `undefined` if no workload clusters are simulated. Throws on a value that `toWorkloadEnvironment` did not
 * write.
 */
export function readSimulatedWorkload(
  env: Readonly<Record<string, string | undefined>>,
): SimulatedWorkload | undefined {
  const text = env[variable];
  return text === undefined ? undefined : schema.parse(JSON.parse(text));
}

/** The URL of the simulated API server of this Cluster. */
export function serverOf({ server }: Pick<SimulatedWorkload, 'server'>, { namespace, name }: Name): string {
  return `${server}/clusters/${namespace}/${name}`;
}

/** The Cluster of a request, and its URL below this Cluster. `cluster` is undefined if the URL belongs to no Cluster. */
export function readClusterPath(url: string): { readonly cluster: Name | undefined; readonly url: string } {
  const [, namespace, name, rest = '/'] = /^\/clusters\/([^/?]+)\/([^/?]+)([/?].*)?$/.exec(url) ?? [];
  return namespace === undefined || name === undefined
    ? { cluster: undefined, url }
    : { cluster: { namespace, name }, url: rest.startsWith('/') ? rest : `/${rest}` };
}
