// Creates the Lambda handler of the conversion webhook. Its trigger is a Function URL or an HTTP API.
import { type HttpResponse, parseHttpRequest } from '../../shared/http/request.ts';
import { eventHandler, type LambdaHandler } from '../../shared/lambda/handlers.ts';
import { createRuntime } from '../../shared/lambda/runtime.ts';
import { createTokens } from '../../shared/lambda/tokens.ts';
import { parseReferenceVersions } from './reference-versions.ts';
import { serveConversion } from './serve-conversion.ts';

/** Throws ConfigError if the environment is not valid. */
export function createConversionHandler(functionName: string): LambdaHandler<HttpResponse> {
  const runtime = createRuntime(functionName);
  const { conversionTokens, referenceVersions } = runtime.config;
  const tokens = createTokens('CAPI_CONVERSION_TOKENS', conversionTokens);
  const apiVersionOf = parseReferenceVersions(referenceVersions);
  return eventHandler({
    ...runtime,
    functionName,
    serve: (event, { log }) => {
      const request = parseHttpRequest(event);
      if (request === undefined) {
        throw new TypeError(`Function "${functionName}" was called without an HTTP request`);
      }
      return serveConversion({ ...runtime, log, functionName, tokens, apiVersionOf, loadAnswer }, request);
    },
  });
}

/** The converters are a chunk of their own, so that a request without a review does not load them. */
async function loadAnswer() {
  return (await import('../../shared/conversion/review.ts')).answerConversionReview;
}
