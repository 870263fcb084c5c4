// Creates the Lambda handler of the admission hooks. Its trigger is a Function URL or an HTTP API.
import type { FeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import { type HttpResponse, parseHttpRequest } from '../../shared/http/request.ts';
import { eventHandler, type LambdaHandler } from '../../shared/lambda/handlers.ts';
import { connectForReview, type ReviewConnection } from '../../shared/lambda/review-connection.ts';
import { createRuntime, type Runtime } from '../../shared/lambda/runtime.ts';
import { createTokens } from '../../shared/lambda/tokens.ts';
import type { DecisionPorts } from './decider.ts';
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
      const portsFor = (ms: number): DecisionPorts =>
        createPorts(runtime, connectForReview(runtime, invocation, { functionName, ms }));
      return serveReview({ ...runtime, log: invocation.log, functionName, tokens, loadDecider, portsFor }, request);
    },
  });
}

function createPorts({ config, clock }: Runtime, connection: ReviewConnection): DecisionPorts {
  return {
    ...connection,
    gates: toGates(config.featureGates),
    now: () => clock.now(),
    sleep: period => clock.sleep(period, connection.signal),
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
