import { gzipSync } from 'node:zlib';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAuditHandler } from '../../../../functions/audit-webhook/audit-handler.ts';
import { clusterReconciler } from '../../../../functions/cluster/reconciler.ts';
import { type LocalSqs, startSqs } from '../../../../local/sqs.ts';
import { parseRequest } from '../../../../shared/workqueue/message.ts';
import { workQueueOf } from '../../../../shared/workqueue/queue-names.ts';
import { toConsumers, toQueueSpecs } from '../../../../shared/workqueue/queue-specs.ts';
import { createSqsQueues } from '../../../../shared/workqueue/sqs/sqs-queues.ts';
import { aContext } from '../../../support/lambda-events.ts';
import { aPost, recordedBody, token } from './audit-posts.ts';

const declarations = [clusterReconciler.declaration];
const patch = recordedBody('patch-clusters-RequestResponse-200.eventlist.json');

describe('the function', () => {
  let sqs: LocalSqs;

  beforeEach(async () => {
    sqs = await startSqs({ queues: toQueueSpecs(toConsumers(declarations)) });
    for (const [name, value] of Object.entries(sqs.environment)) {
      vi.stubEnv(name, value);
    }
    vi.stubEnv('CAPI_MANAGEMENT_CLUSTER', 'mgmt');
    vi.stubEnv('CAPI_AUDIT_TOKENS', token);
    vi.stubEnv('CAPI_LOG_LEVEL', 'error');
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    await sqs.stop();
  });

  const call = (event: unknown) => createAuditHandler('audit-webhook', declarations)(event, aContext(systemClock));

  async function requests(): Promise<readonly string[]> {
    const queues = createSqsQueues({ queueUrls: sqs.queueUrls });
    const messages = await queues.receive(workQueueOf('cluster'), { max: 10, waitSeconds: 0 });
    return messages.map(({ body }) => parseRequest(body)).map(({ key, cause }) => `${cause} ${key.name}`);
  }

  it('serves requests of a Function URL, configured only by its environment', async () => {
    expect(await call(aPost(patch))).toMatchObject({ statusCode: 200 });
    expect(await requests()).toEqual(['event sample']);
  });

  it('serves deliveries of log lines without a response', async () => {
    const [event] = JSON.parse(patch).items;
    const message = JSON.stringify({ kind: 'Event', apiVersion: 'audit.k8s.io/v1', ...event });
    const data = gzipSync(JSON.stringify({ messageType: 'DATA_MESSAGE', logEvents: [{ message }] })).toString('base64');
    expect(await call({ awslogs: { data } })).toBeUndefined();
    expect(await requests()).toEqual(['event sample']);
  });

  it('does not take a request for log lines, even if its body looks like some', async () => {
    const body = JSON.stringify({ awslogs: { data: gzipSync('{}').toString('base64') } });
    expect(await call(aPost(body, { authorization: undefined }))).toMatchObject({ statusCode: 401 });
  });

  it('fails on any other event', async () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    await expect(call({ Records: [] })).rejects.toThrow('neither an HTTP request nor log lines');
    expect(write).toHaveBeenCalledOnce();
  });

  it('refuses every request without a token, and logs the reason', async () => {
    vi.stubEnv('CAPI_AUDIT_TOKENS', '');
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const response = await call(aPost(patch));
    expect(response).toMatchObject({ statusCode: 503 });
    expect(response?.body).not.toContain('CAPI_AUDIT_TOKENS');
    expect(String(write.mock.calls[0]?.[0])).toContain(
      'set CAPI_AUDIT_TOKENS_FILE, CAPI_AUDIT_TOKENS_SECRET or CAPI_AUDIT_TOKENS',
    );
    expect(await requests()).toEqual([]);
  });

  it('answers 503 if the queues cannot be reached, so that the API server sends the events again', async () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    vi.stubEnv('CAPI_QUEUE_URLS', '');
    expect(await call(aPost(patch))).toMatchObject({ statusCode: 503 });
    expect(write).toHaveBeenCalled();
  });
});
