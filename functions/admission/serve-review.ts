// Serves the hooks over HTTP. An answer other than 200 is a failed call for an API server, which then applies the failure
// policy of the hook.
import type { Clock } from '@capi-serverless/apimachinery';
import { parseDuration } from '@capi-serverless/apimachinery/duration';
import { internalErrorStatus } from '../../shared/admission/denial-status.ts';
import { type AdmittedKind, type HookKind, hookAt, hookName } from '../../shared/admission/hooks.ts';
import type { HttpRequest, HttpResponse } from '../../shared/http/request.ts';
import { type ReviewEndpoint, type ReviewServing, serveReviews } from '../../shared/http/serve-reviews.ts';
import { webhookRequests, webhookSeconds } from '../../shared/kernel/metrics.ts';
import { ReviewReadError } from '../../shared/lambda/review-read-error.ts';
import { withoutMessage } from '../../shared/telemetry/without-message.ts';
import { decideReview } from './decide-review.ts';
import type { CreateDecider, DecisionPorts } from './decider.ts';
import { parseReview, type ReviewDecision, type ReviewRequest, reviewApiVersion, toReviewAnswer } from './review.ts';

interface AdmissionOptions extends ReviewServing {
  readonly clock: Clock;
  readonly loadDecider: (kind: string) => Promise<CreateDecider>;
  /** The ports of one decision, which end after `ms`. */
  readonly portsFor: (ms: number) => DecisionPorts;
}

interface Hook {
  readonly hook: HookKind;
  readonly of: AdmittedKind;
}

/** The default of API servers. They send it with each request. */
const usualTimeoutMs = 10_000;
/** The time in which an answer reaches the API server. */
const marginMs = 500;

/** Rejects if the tokens cannot be read: the invocation fails, and its alarm reports that. */
export function serveReview(options: AdmissionOptions, request: HttpRequest): Promise<HttpResponse> {
  return serveReviews(options, request, path => {
    const hook = hookAt(path);
    return hook && toEndpoint(options, hook, request);
  });
}

function toEndpoint(options: AdmissionOptions, hook: Hook, request: HttpRequest): ReviewEndpoint<ReviewRequest> {
  const startedAt = options.clock.now();
  return {
    expected: `an AdmissionReview of ${reviewApiVersion} with a request`,
    parse: parseReview,
    answer: async review => {
      const ports = options.portsFor(timeoutOf(request) - marginMs);
      const decision = await decideSafely(options, hook, { review, ports });
      report(options, hook, { review, decision, ms: options.clock.now() - startedAt });
      return toReviewAnswer(review.uid, decision);
    },
  };
}

/** The time that the API server waits. */
function timeoutOf({ rawQueryString }: HttpRequest): number {
  const duration = parseDuration(new URLSearchParams(rawQueryString).get('timeout') ?? '');
  const ms = duration === undefined ? usualTimeoutMs : Number(duration / 1_000_000n);
  return Math.min(Math.max(ms, 2 * marginMs), 3 * usualTimeoutMs);
}

/** A failure is a decision as well, so that the client gets its text. */
async function decideSafely(
  { loadDecider, log }: AdmissionOptions,
  hook: Hook,
  { review, ports }: { readonly review: ReviewRequest; readonly ports: DecisionPorts },
): Promise<ReviewDecision> {
  try {
    const create = await loadDecider(hook.of.kind);
    return await decideReview(hook, create(ports), review);
  } catch (thrown) {
    if (thrown instanceof ReviewReadError) {
      return { allowed: false, status: internalErrorStatus(thrown.message) };
    }
    log.error('Deciding about a write failed', withoutMessage(thrown), { hook: hookName(hook.hook, hook.of) });
    const message = `panic: the rules of a ${hook.of.kind} failed [recovered]`;
    return { allowed: false, status: { code: 500, message } };
  }
}

interface Answered {
  readonly review: ReviewRequest;
  readonly decision: ReviewDecision;
  readonly ms: number;
}

/** Never contains the object, and of a refusal only its code. */
function report({ log, metrics }: AdmissionOptions, hook: Hook, { review, decision, ms }: Answered): void {
  const code = decision.allowed ? 200 : decision.status.code;
  const webhook = hookName(hook.hook, hook.of);
  metrics.count(webhookRequests, { webhook, code: String(code) });
  metrics.observe(webhookSeconds, { webhook }, ms / 1000);
  const { uid, operation, namespace, name, userInfo } = review;
  const about = { uid, webhook, operation, kind: hook.of.kind, namespace, name, user: userInfo.username };
  log.info(decision.allowed ? 'Allowing a write' : 'Denying a write', { ...about, code, milliseconds: ms });
}
