// Creates the Lambda handler of the conversion webhook. Its trigger is a Function URL or an HTTP API.
import { type HttpResponse, parseHttpRequest } from '../../shared/http/request.ts';
import { eventHandler, type LambdaHandler } from '../../shared/lambda/handlers.ts';
import { createRuntime } from '../../shared/lambda/runtime.ts';
import { createTokens } from '../../shared/lambda/tokens.ts';
import type { Convert } from './converter.ts';
import { serveConversion } from './serve-conversion.ts';

/** Shorter than the 30 s that an API server waits, so that it receives the reason. */
const readLimitMs = 25_000;

/** Throws ConfigError if the environment is not valid. */
export function createConversionHandler(functionName: string): LambdaHandler<HttpResponse> {
  const runtime = createRuntime(functionName);
  const tokens = createTokens('CAPI_CONVERSION_TOKENS', runtime.config.conversionTokens);
  let converter: Promise<Convert> | undefined;
  const loadConverter = (): Promise<Convert> => {
    converter ??= import('./converter.ts').then(({ createConverter }) => createConverter(runtime.clock));
    return converter;
  };
  return eventHandler({
    ...runtime,
    functionName,
    serve: (event, invocation) => {
      const request = parseHttpRequest(event);
      if (request === undefined) {
        throw new TypeError(`Function "${functionName}" was called without an HTTP request`);
      }
      // Loaded only where CRDs must be read.
      const connect = async () => {
        const { connectForReview } = await import('../../shared/lambda/review-connection.ts');
        return connectForReview(runtime, invocation, { functionName, ms: readLimitMs }).connect();
      };
      return serveConversion(
        { ...runtime, log: invocation.log, functionName, tokens, connect, loadConverter },
        request,
      );
    },
  });
}
