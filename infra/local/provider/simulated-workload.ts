// What a simulated control plane knows of the endpoint that plays its API server, handed over in the environment.
import * as z from 'zod/mini';

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
