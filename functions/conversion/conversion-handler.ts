// Creates the Lambda handler of the conversion webhook. Its trigger is a Function URL or an HTTP API.
import { type HttpResponse, parseHttpRequest } from '../../shared/http/request.ts';
import { eventHandler, type LambdaHandler } from '../../shared/lambda/handlers.ts';
import { connectForReview } from '../../shared/lambda/review-connection.ts';
import { createRuntime } from '../../shared/lambda/runtime.ts';
import { createTokens } from '../../shared/lambda/tokens.ts';
import { ReferenceVersions } from './reference-versions.ts';
import { serveConversion } from './serve-conversion.ts';

/** Shorter than the 30 s that an API server waits, so that it receives the reason. */
const readLimitMs = 25_000;

/** Throws ConfigError if the environment is not valid. */
export function createConversionHandler(functionName: string): LambdaHandler<HttpResponse> {
  const runtime = createRuntime(functionName);
  const tokens = createTokens('CAPI_CONVERSION_TOKENS', runtime.config.conversionTokens);
  const versions = new ReferenceVersions(runtime.clock);
  return eventHandler({
    ...runtime,
    functionName,
    serve: (event, invocation) => {
      const request = parseHttpRequest(event);
      if (request === undefined) {
        throw new TypeError(`Function "${functionName}" was called without an HTTP request`);
      }
      const { connect } = connectForReview(runtime, invocation, { functionName, ms: readLimitMs });
      return serveConversion(
        { ...runtime, log: invocation.log, functionName, tokens, versions, connect, loadAnswer },
        request,
      );
    },
  });
}

/** The converters are a chunk of their own, so that a request without a review does not load them. */
async function loadAnswer() {
  return (await import('../../shared/conversion/review.ts')).answerConversionReview;
}
