// Creates the Lambda handler of the admission hooks. Its trigger is a Function URL or an HTTP API.
import type { FeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import { toError } from '@capi-serverless/reconciler';
import { type HttpResponse, parseHttpRequest } from '../../shared/http/request.ts';
import { eventHandler, type LambdaHandler } from '../../shared/lambda/handlers.ts';
import type { Invocation } from '../../shared/lambda/invocation.ts';
import { createRuntime, type Runtime } from '../../shared/lambda/runtime.ts';
import { createTokens } from '../../shared/lambda/tokens.ts';
import { AdmissionReadError, type DecisionPorts } from './decider.ts';
import { loadDecider } from './load-decider.ts';
import { serveReview } from './serve-review.ts';

/** Throws ConfigError if the environment is not valid. */
export function createAdmissionHandler(functionName: string): LambdaHandler<HttpResponse> {
  const runtime = createRuntime(functionName);
  const tokens = createTokens('CAPI_ADMISSION_TOKENS', runtime.config.admissionTokens);
  return eventHandler({
    ...runtime,
    functionName,
    serve: (event, invocation) => {
      const request = parseHttpRequest(event);
      if (request === undefined) {
        throw new TypeError(`Function "${functionName}" was called without an HTTP request`);
      }
      const portsFor = (ms: number): DecisionPorts => createPorts(runtime, invocation, ms);
      return serveReview({ ...runtime, log: invocation.log, functionName, tokens, loadDecider, portsFor }, request);
    },
  });
}

function createPorts({ config, clock, kubernetes }: Runtime, invocation: Invocation, ms: number): DecisionPorts {
  const { log } = invocation;
  const signal = AbortSignal.any([invocation.signal, AbortSignal.timeout(Math.max(0, ms))]);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new AdmissionReadError('the time of this answer is up')));
  });
  aborted.catch(() => undefined);
  return {
    gates: toGates(config.featureGates),
    signal,
    now: () => clock.now(),
    sleep: period => clock.sleep(period, signal),
    connect: async () => {
      // Loading credentials can take longer than an API server waits.
      const connecting = kubernetes().catch(error => {
        log.error('Connecting to the API server failed', toError(error));
        throw new AdmissionReadError('the admission function cannot reach the API server; the reason is in its log');
      });
      return (await Promise.race([connecting, aborted])).within(signal);
    },
  };
}

/** Preflight checks have no gate here: upstream enables them by default. */
function toGates(gates: FeatureGates): DecisionPorts['gates'] {
  return {
    clusterTopology: gates.ClusterTopology,
    runtimeSdk: gates.RuntimeSDK,
    taintPropagation: gates.MachineTaintPropagation,
    machinePool: gates.MachinePool,
    machineSetPreflightChecks: true,
  };
}
