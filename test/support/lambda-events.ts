// Events and contexts in the form of the Lambda service.

import type { Clock } from '@capi-serverless/apimachinery';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import type { HttpRequest } from '../../shared/http/request.ts';

export function anSqsRecord(over: Partial<SQSRecord> = {}): SQSRecord {
  return {
    messageId: 'm1',
    receiptHandle: 'handle-of-m1',
    body: '{}',
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '1767225600000',
      SenderId: '000000000000',
      ApproximateFirstReceiveTimestamp: '1767225600000',
      MessageGroupId: 'group',
    },
    messageAttributes: {},
    md5OfBody: '99914b932bd37a50b983c5e7c90ae93b',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:work-cluster.fifo',
    awsRegion: 'eu-central-1',
    ...over,
  };
}

export function anSqsEvent(...records: readonly SQSRecord[]): SQSEvent {
  return { Records: [...records] };
}

/** A review that an API server posts to this path, which begins with the token. */
export function aReviewRequest(rawPath: string, body: string, change: Partial<HttpRequest> = {}): HttpRequest {
  return {
    version: '2.0',
    rawPath,
    rawQueryString: 'timeout=10s',
    headers: { 'content-type': 'application/json' },
    requestContext: { http: { method: 'POST' } },
    body,
    isBase64Encoded: false,
    ...change,
  };
}

/** Returns a context whose deadline is in `timeoutSeconds`. */
export function aContext(clock: Clock, timeoutSeconds = 30): Context {
  const end = clock.now() + timeoutSeconds * 1000;
  const refuse = (): never => {
    throw new Error('Not served');
  };
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: 'test',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:test',
    memoryLimitInMB: '256',
    awsRequestId: 'request-1',
    logGroupName: '/aws/lambda/test',
    logStreamName: 'test',
    getRemainingTimeInMillis: () => end - clock.now(),
    done: refuse,
    fail: refuse,
    succeed: refuse,
  };
}
