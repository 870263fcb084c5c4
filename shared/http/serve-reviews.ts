// Serves the reviews that API servers post to a path that begins with a token. An answer other than 200 is a failed call
// for an API server.

import type { Tokens } from '../lambda/tokens.ts';
import { problemOfTexts, readJson } from '../runtime-hooks/rules/read-json.ts';
import { BodyError, decodeBody, maxBodyBytes } from './body.ts';
import { matchesToken } from './match-token.ts';
import { type Refusing, refuseRequest } from './refuse-request.ts';
import { type HttpRequest, type HttpResponse, isJsonType, toBytes } from './request.ts';

export interface ReviewServing extends Refusing {
  readonly tokens: Tokens;
}

/** The reviews of one path. */
export interface ReviewEndpoint<Review> {
  /** The article and the name of the review, for refusals. */
  readonly expected: string;
  /** Returns `undefined` if the value is no such review. */
  readonly parse: (value: unknown) => Review | undefined;
  /** Returns the body of the answer. */
  readonly answer: (review: Review) => Promise<object>;
}

/**
 * `endpointAt` gets the path behind the token. A wrong token and an unknown path have the same answer, before anything else is
 * read. Rejects if the tokens cannot be read: the invocation fails, and its alarm reports that.
 */
export async function serveReviews<Review>(
  options: ReviewServing,
  request: HttpRequest,
  endpointAt: (path: string) => ReviewEndpoint<Review> | undefined,
): Promise<HttpResponse> {
  try {
    const [, token = '', path = ''] = /^\/([^/]+)(\/.*?)\/*$/.exec(request.rawPath) ?? [];
    const isAuthentic = matchesToken(token, await options.tokens.current());
    const endpoint = isAuthentic ? endpointAt(path) : undefined;
    return endpoint === undefined
      ? refuseRequest(options, 404, 'Not found')
      : await serveEndpoint(options, endpoint, request);
  } catch (thrown) {
    if (thrown instanceof BodyError) {
      return refuseRequest(options, thrown.code, thrown.message);
    }
    throw thrown;
  }
}

async function serveEndpoint<Review>(
  options: ReviewServing,
  endpoint: ReviewEndpoint<Review>,
  request: HttpRequest,
): Promise<HttpResponse> {
  if (request.requestContext.http.method !== 'POST') {
    return refuseRequest(options, 405, 'Only POST is served here', { allow: 'POST' });
  }
  if (!isJsonType(request)) {
    return refuseRequest(options, 415, 'The content type must be application/json');
  }
  if (!['', 'identity'].includes(request.headers['content-encoding'] ?? '')) {
    return refuseRequest(options, 415, 'The content encoding must be none');
  }
  const body = JSON.stringify(await endpoint.answer(readReview(endpoint, request)));
  // Lambda counts a response with the escapes of its body.
  if (Buffer.byteLength(JSON.stringify(body)) > maxBodyBytes) {
    throw new BodyError(413, `The answer is larger than ${maxBodyBytes} bytes`);
  }
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body };
}

/** Throws BodyError. Values are counted before objects are built. */
function readReview<Review>({ expected, parse }: ReviewEndpoint<Review>, request: HttpRequest): Review {
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
  const review = parse(json.value);
  if (review === undefined) {
    throw new BodyError(400, `The body is not ${expected}`);
  }
  return review;
}
