// Serves the hooks over HTTP. An answer other than 200 is a failed call for an API server, which then applies the failure
// policy of the hook.
import type { Clock } from '@capi-serverless/apimachinery';
import { parseDuration } from '@capi-serverless/apimachinery/duration';
import { type Log, toError } from '@capi-serverless/reconciler';
import { internalErrorStatus } from '../../shared/admission/denial-status.ts';
import { type AdmittedKind, type HookKind, hookAt, hookName } from '../../shared/admission/hooks.ts';
import { BodyError, decodeBody } from '../../shared/http/body.ts';
import { matchesToken } from '../../shared/http/match-token.ts';
import { refuseRequest } from '../../shared/http/refuse-request.ts';
import { type HttpRequest, type HttpResponse, isJsonType, toBytes } from '../../shared/http/request.ts';
import { type Metrics, webhookRequests, webhookSeconds } from '../../shared/kernel/metrics.ts';
import type { Tokens } from '../../shared/lambda/tokens.ts';
import { problemOfTexts, readJson } from '../../shared/runtime-hooks/rules/read-json.ts';
import { decideReview } from './decide-review.ts';
import { AdmissionReadError, type CreateDecider, type DecisionPorts } from './decider.ts';
import { parseReview, type ReviewDecision, type ReviewRequest, reviewApiVersion, toReviewAnswer } from './review.ts';

interface AdmissionOptions {
  readonly functionName: string;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
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
export async function serveReview(options: AdmissionOptions, request: HttpRequest): Promise<HttpResponse> {
  try {
    const [, token = '', path = ''] = /^\/([^/]+)(\/.*?)\/*$/.exec(request.rawPath) ?? [];
    const isAuthentic = matchesToken(token, await options.tokens.current());
    // A wrong token and an unknown path have the same answer, before anything else is read.
    const hook = isAuthentic ? hookAt(path) : undefined;
    return hook === undefined ? refuseRequest(options, 404, 'Not found') : await serveHook(options, hook, request);
  } catch (thrown) {
    if (thrown instanceof BodyError) {
      return refuseRequest(options, thrown.code, thrown.message);
    }
    throw thrown;
  }
}

async function serveHook(options: AdmissionOptions, hook: Hook, request: HttpRequest): Promise<HttpResponse> {
  const startedAt = options.clock.now();
  if (request.requestContext.http.method !== 'POST') {
    return refuseRequest(options, 405, 'Only POST is served here', { allow: 'POST' });
  }
  if (!isJsonType(request)) {
    return refuseRequest(options, 415, 'The content type must be application/json');
  }
  if (!['', 'identity'].includes(request.headers['content-encoding'] ?? '')) {
    return refuseRequest(options, 415, 'The content encoding must be none');
  }
  const review = readReview(request);
  const ports = options.portsFor(timeoutOf(request) - marginMs);
  const decision = await decideSafely(options, hook, { review, ports });
  report(options, hook, { review, decision, ms: options.clock.now() - startedAt });
  return {
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(toReviewAnswer(review.uid, decision)),
  };
}

/** Throws BodyError. Values are counted before objects are built. */
function readReview(request: HttpRequest): ReviewRequest {
  const text = decodeBody(toBytes(request));
  if (text.trim() === '') {
    throw new BodyError(400, 'The body is empty');
  }
  const problem = problemOfTexts([text]);
  if (problem !== undefined) {
    throw new BodyError(400, `The body is not read: ${problem}`);
  }
  const json = readJson(text);
  // The error of the parser quotes the text, so it is dropped.
  if (!json.ok) {
    throw new BodyError(400, 'The body is not JSON');
  }
  const review = parseReview(json.value);
  if (review === undefined) {
    throw new BodyError(400, `The body is not an AdmissionReview of ${reviewApiVersion} with a request`);
  }
  return review;
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
    if (thrown instanceof AdmissionReadError) {
      return { allowed: false, status: internalErrorStatus(thrown.message) };
    }
    log.error('Deciding about a write failed', withoutMessage(thrown), { hook: hookName(hook.hook, hook.of) });
    const message = `panic: the rules of a ${hook.of.kind} failed [recovered]`;
    return { allowed: false, status: { code: 500, message } };
  }
}

/** Messages of unexpected errors may quote the object. */
function withoutMessage(thrown: unknown): Error {
  const { name, stack = '' } = toError(thrown);
  const frames = stack.split('\n').filter(line => /^\s+at /.test(line));
  const error = new Error(name);
  error.stack = [name, ...frames].join('\n');
  return error;
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
