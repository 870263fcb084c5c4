// Helpers for tests of the admission function: posts of an API server, and what the function can read.
import type { JsonObject } from '@capi-serverless/apimachinery';
import type { DecisionPorts } from '../../../../functions/admission/decider.ts';
import { loadDecider } from '../../../../functions/admission/load-decider.ts';
import { serveReview } from '../../../../functions/admission/serve-review.ts';
import { admittedKinds, hookPath } from '../../../../shared/admission/hooks.ts';
import type { HttpRequest, HttpResponse } from '../../../../shared/http/request.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { aReviewRequest } from '../../../support/lambda-events.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';

export const token = 'correct-horse-battery-staple';

const allGates: DecisionPorts['gates'] = {
  clusterTopology: true,
  runtimeSdk: true,
  taintPropagation: true,
  machinePool: true,
  machineSetPreflightChecks: true,
};

interface Review {
  readonly operation?: string;
  readonly uid?: string;
  readonly name?: string;
  readonly object?: unknown;
  readonly oldObject?: unknown;
  readonly dryRun?: boolean;
  readonly kind?: unknown;
  readonly requestKind?: unknown;
}

/** The answer of a review: its response, and the patch as JSON. */
interface ReadAnswer {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status: JsonObject;
  readonly patchType?: string;
  readonly patch?: string;
  readonly warnings?: readonly string[];
  readonly operations: readonly JsonObject[];
}

/** The path of the hook of this kind, without the token. */
export function pathOf(hook: 'mutate' | 'validate', kind: string): string {
  const of = admittedKinds.find(each => each.kind === kind);
  return of === undefined ? '/unknown' : hookPath(hook, of);
}

export function aReview(request: Review): JsonObject {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u1', operation: 'CREATE', namespace: 'ns', userInfo: { username: 'alice' }, ...request },
  };
}

export class AdmissionWorld {
  readonly log = aRecordingLog();
  readonly metrics = createMetricsRegistry();
  readonly api = createMemoryApi();
  readonly loaded: string[] = [];
  tokens: readonly string[] = [token];
  gates = allGates;
  connect: DecisionPorts['connect'] = async () => this.api.kubernetes;
  /** The milliseconds that each decision got. */
  readonly limits: number[] = [];

  /** Sends a request with changes. */
  send(path: string, body: string, change: Partial<HttpRequest> = {}): Promise<HttpResponse> {
    return serveReview(
      {
        functionName: 'admission',
        tokens: { current: async () => this.tokens },
        clock: this.api.clock,
        log: this.log,
        metrics: this.metrics,
        loadDecider: kind => {
          this.loaded.push(kind);
          return loadDecider(kind);
        },
        portsFor: ms => this.#ports(ms),
      },
      aReviewRequest(`/${token}${path}`, body, change),
    );
  }

  async ask(hook: 'mutate' | 'validate', kind: string, request: Review): Promise<ReadAnswer> {
    const response = await this.send(pathOf(hook, kind), JSON.stringify(aReview(request)));
    if (response.statusCode !== 200) {
      throw new Error(`${response.statusCode}: ${response.body}`);
    }
    const answer = JSON.parse(response.body).response;
    const patch = answer.patch === undefined ? '[]' : Buffer.from(answer.patch, 'base64').toString('utf8');
    return { ...answer, operations: JSON.parse(patch) };
  }

  #ports(ms: number): DecisionPorts {
    this.limits.push(ms);
    const { clock } = this.api;
    const end = new AbortController();
    return {
      gates: this.gates,
      connect: () => this.connect(),
      // Time passes at once.
      sleep: async period => {
        await clock.advance(period);
      },
      now: () => clock.now(),
      signal: end.signal,
    };
  }
}
