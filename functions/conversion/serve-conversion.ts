// Serves the conversion webhook over HTTP. All CRDs call one path. Conversion has no failure policy: if it fails, a read or
// a write fails.
import type { Clock } from '@capi-serverless/apimachinery';
import {
  type ConversionRequest,
  conversionPath,
  parseConversionReview,
} from '../../shared/conversion/review-request.ts';
import type { HttpRequest, HttpResponse } from '../../shared/http/request.ts';
import { type ReviewEndpoint, type ReviewServing, serveReviews } from '../../shared/http/serve-reviews.ts';
import { webhookRequests, webhookSeconds } from '../../shared/kernel/metrics.ts';
import { withoutMessage } from '../../shared/telemetry/without-message.ts';
import type { Convert } from './converter.ts';

type ReviewAnswer = Awaited<ReturnType<Convert>>;

interface ConversionOptions extends ReviewServing {
  readonly clock: Clock;
  readonly connect: Parameters<Convert>[1];
  readonly loadConverter: () => Promise<Convert>;
}

/** Rejects if the tokens cannot be read: the invocation fails, and its alarm reports that. */
export function serveConversion(options: ConversionOptions, request: HttpRequest): Promise<HttpResponse> {
  return serveReviews(options, request, path => (path === conversionPath ? toEndpoint(options) : undefined));
}

function toEndpoint(options: ConversionOptions): ReviewEndpoint<ConversionRequest> {
  const startedAt = options.clock.now();
  return {
    expected: 'a ConversionReview with a request',
    parse: value => {
      const parsed = parseConversionReview(value);
      return parsed.ok ? parsed.value : undefined;
    },
    answer: async review => {
      const answer = await answerSafely(options, review);
      report(options, { review, answer, ms: options.clock.now() - startedAt });
      return answer;
    },
  };
}

/** A failure is an answer as well, so that the client gets its text. */
async function answerSafely(
  { loadConverter, connect, log }: ConversionOptions,
  review: ConversionRequest,
): Promise<ReviewAnswer> {
  try {
    const convert = await loadConverter();
    return await convert(review, connect);
  } catch (thrown) {
    log.error('Converting objects failed', withoutMessage(thrown), { uid: review.uid });
    const result = { status: 'Failure', message: 'internal error occurred during conversion' } as const;
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: { uid: review.uid, result },
    };
  }
}

interface Answered {
  readonly review: ConversionRequest;
  readonly answer: ReviewAnswer;
  readonly ms: number;
}

/**
 * Never contains an object. The text of a failure may quote one, so it is in the answer only. Conversions are as frequent as
 * stored changes, so the log has no lines about those that succeed, except at level debug.
 */
function report({ log, metrics }: ConversionOptions, { review, answer, ms }: Answered): void {
  const { uid, desiredAPIVersion, objects } = review;
  const { status } = answer.response.result;
  const webhook = conversionPath;
  metrics.count(webhookRequests, { webhook, code: status === 'Success' ? '200' : '500' });
  metrics.observe(webhookSeconds, { webhook }, ms / 1000);
  const kinds = [...new Set(objects.map(({ kind }) => kind))].slice(0, mostKinds).join(', ');
  const about = { uid, desiredAPIVersion, kinds, objects: objects.length, milliseconds: ms };
  if (status === 'Success') {
    log.debug('Converting objects', about);
  } else {
    log.info('Refusing to convert objects', about);
  }
}

/** A review of an API server has objects of one kind. */
const mostKinds = 3;
