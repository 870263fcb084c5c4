// Creates the Lambda handler of the windowed forwarder. Its trigger is a schedule.
import { ofGates } from '@capi-serverless/cluster-api/feature-gates';
import type { Declaration } from '@capi-serverless/reconciler';
import { SeenVersions } from '../../shared/event-source/seen-versions.ts';
import { type LambdaHandler, scheduledHandler } from '../../shared/lambda/handlers.ts';
import { createRuntime } from '../../shared/lambda/runtime.ts';
import { runWindow } from './run-window.ts';

/** Throws ConfigError if the environment is not valid. */
export function createWindowedHandler(
  functionName: string,
  declarations: readonly Declaration[],
): LambdaHandler<undefined> {
  const runtime = createRuntime(functionName);
  const { config } = runtime;
  const versions = new SeenVersions();
  return scheduledHandler({
    ...runtime,
    functionName,
    serve: async ({ signal, log }) => {
      await runWindow({
        ...runtime,
        ...config,
        declarations: ofGates(declarations, config.featureGates),
        ...(await runtime.connect(signal)),
        log,
        signal,
        versions,
      });
    },
  });
}
