// Wires the windowed forwarder of one list of declarations, for a schedule.
import { ofGates } from '../../shared/config/feature-gates.ts';
import type { Declaration } from '../../shared/kernel/types.ts';
import { type LambdaHandler, scheduledHandler } from '../../shared/lambda/handlers.ts';
import { createRuntime } from '../../shared/lambda/runtime.ts';
import { runWindow } from './run-window.ts';

/** Throws ConfigError when the environment is not valid. */
export function createWindowedHandler(
  functionName: string,
  declarations: readonly Declaration[],
): LambdaHandler<undefined> {
  const runtime = createRuntime(functionName);
  const { config } = runtime;
  return scheduledHandler({
    ...runtime,
    functionName,
    serve: async ({ signal, log }) => {
      const [kubernetes, managementCluster] = await Promise.all([runtime.kubernetes(), runtime.managementCluster()]);
      await runWindow({
        ...runtime,
        ...config,
        declarations: ofGates(declarations, config.featureGates),
        kubernetes: kubernetes.within(signal),
        managementCluster,
        log,
        signal,
      });
    },
  });
}
