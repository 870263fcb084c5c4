import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isAuthentic, maxEvents } from '../../../../functions/audit-webhook/http.ts';
import { maxBodyBytes, maxDepth } from '../../../../shared/http/body.ts';
import { parseHttpRequest } from '../../../../shared/http/request.ts';
import { refusedMessages } from '../../../../shared/kernel/metrics.ts';
import { AuditWebhookWorld, aBody, aPost, recordedBody, recordedEvent, token } from './audit-posts.ts';

const good = recordedBody('patch-clusters-RequestResponse-200.eventlist.json');

describe('the token', () => {
  it.each([
    { header: `Bearer ${token}`, expected: true, reason: 'the right token' },
    { header: `bearer ${token}`, expected: true, reason: 'the scheme is case-insensitive' },
    { header: undefined, expected: false, reason: 'no header' },
    { header: '', expected: false, reason: 'an empty header' },
    { header: 'Bearer ', expected: false, reason: 'no token' },
    { header: token, expected: false, reason: 'no scheme' },
    { header: `Basic ${token}`, expected: false, reason: 'another scheme' },
    { header: `Bearer ${token}x`, expected: false, reason: 'a longer token' },
    { header: `Bearer ${token.slice(0, -1)}`, expected: false, reason: 'a shorter token' },
    { header: `Bearer ${token} ${token}`, expected: false, reason: 'two tokens' },
  ])('is accepted: $expected ($reason)', ({ header, expected }) => {
    expect(isAuthentic(header, [token])).toBe(expected);
  });

  it('may be either of two during a rotation, and only the new one afterwards', async () => {
    const world = new AuditWebhookWorld();
    const post = async (bearer: string) => (await world.post(good, { authorization: `Bearer ${bearer}` })).statusCode;
    world.tokens = [token, 'the-token-that-comes-next'];
    expect(await post(token)).toBe(200);
    expect(await post('the-token-that-comes-next')).toBe(200);
    world.tokens = ['the-token-that-comes-next'];
    expect(await post(token)).toBe(401);
  });

  it('is checked first, and an empty list of tokens refuses every request', async () => {
    const world = new AuditWebhookWorld();
    world.tokens = [];
    for (const header of ['', 'Bearer ', 'Bearer undefined']) {
      expect(await world.post('{', { authorization: header })).toMatchObject({ statusCode: 401 });
    }
    const request = { ...aPost('{'), headers: {}, requestContext: { http: { method: 'GET' } } };
    expect(await world.request(request)).toMatchObject({
      statusCode: 401,
      headers: { 'www-authenticate': 'Bearer', 'content-type': 'application/json' },
    });
  });

  it('appears in no log line and no response', async () => {
    const world = new AuditWebhookWorld();
    const canary = 'canary-token-7f3a9c';
    const { body } = await world.post(good, { authorization: `Bearer ${canary}` });
    await world.post(aBody(recordedEvent('create-secrets-Metadata-201.eventlist.json'), 'odd'));
    expect(JSON.stringify([world.log.lines, body])).not.toContain(canary);
    expect(JSON.stringify(world.log.lines)).not.toContain(token);
  });
});

describe('a request', () => {
  it('is answered with a Status', async () => {
    const response = await new AuditWebhookWorld().post(good);
    expect(response.headers).toEqual({ 'content-type': 'application/json' });
    expect(JSON.parse(response.body)).toEqual({
      apiVersion: 'v1',
      kind: 'Status',
      metadata: {},
      status: 'Success',
      message: 'Taken in',
      code: 200,
    });
  });

  it.each([
    { headers: {}, body: good, reason: 'as the API server sends it' },
    { headers: { 'content-type': 'application/json; charset=utf-8' }, body: good, reason: 'with a character set' },
    { headers: { 'content-encoding': 'identity' }, body: good, reason: 'declared as not compressed' },
    { headers: { 'content-encoding': 'GZIP' }, body: gzipSync(good), reason: 'compressed' },
    {
      headers: {},
      body: Buffer.from(good),
      reason: 'as base64, which a Function URL uses for binary bodies',
    },
    { headers: {}, body: aBody(), reason: 'without events' },
    { headers: {}, body: aBody().replace('[]', 'null'), reason: 'without events, as Go encodes it' },
  ])('is accepted: $reason', async ({ headers, body }) => {
    expect(await new AuditWebhookWorld().post(body, headers)).toMatchObject({ statusCode: 200 });
  });

  const event = recordedEvent('get-clusters-Metadata-200.eventlist.json');
  const small = { auditID: 'a', stage: 's', verb: 'v', requestURI: '' };

  it.each<{ body: string | Uint8Array; headers?: Record<string, string>; code: number; says: string }>([
    { body: good, headers: { 'content-type': 'text/plain' }, code: 415, says: 'content type' },
    { body: good, headers: { 'content-type': '' }, code: 415, says: 'content type' },
    { body: good, headers: { 'content-type': 'application/jsonp' }, code: 415, says: 'content type' },
    { body: good, headers: { 'content-encoding': 'br' }, code: 415, says: 'content encoding' },
    { body: good, headers: { 'content-encoding': 'gzip' }, code: 400, says: 'not complete gzip' },
    {
      body: gzipSync(good).subarray(0, -9),
      headers: { 'content-encoding': 'gzip' },
      code: 400,
      says: 'not complete gzip',
    },
    { body: '', code: 400, says: 'not JSON' },
    { body: good.slice(0, -1), code: 400, says: 'not JSON' },
    { body: Buffer.from([0xff, 0xfe]), code: 400, says: 'not UTF-8' },
    { body: '[]', code: 400, says: 'not an EventList of audit.k8s.io/v1' },
    { body: aBody().replace('/v1', '/v1beta1'), code: 400, says: 'not an EventList of audit.k8s.io/v1' },
    { body: JSON.stringify(event), code: 400, says: 'not an EventList' },
    { body: aBody('odd', 1, null), code: 400, says: 'None of the 3 items is an Event' },
    { body: `${'['.repeat(maxDepth + 1)}`, code: 400, says: 'nested more than' },
    { body: ' '.repeat(maxBodyBytes + 1), code: 413, says: `larger than ${maxBodyBytes} bytes` },
    {
      body: aBody(...Array.from({ length: maxEvents + 1 }, () => small)),
      code: 413,
      says: `more than ${maxEvents}`,
    },
  ])('is refused with $code: $says', async ({ body, headers = {}, code, says }) => {
    const world = new AuditWebhookWorld();
    const response = await world.post(body, headers);
    expect(response.statusCode).toBe(code);
    expect(JSON.parse(response.body)).toMatchObject({ kind: 'Status', status: 'Failure', code });
    expect(JSON.parse(response.body).message).toContain(says);
    expect(world.counted(refusedMessages)[code]).toBe(1);
    expect(world.sent).toEqual([]);
  });

  it('is refused with 405 unless it is a POST', async () => {
    const request = { ...aPost(good), requestContext: { http: { method: 'GET' } } };
    expect(await new AuditWebhookWorld().request(request)).toMatchObject({
      statusCode: 405,
      headers: { allow: 'POST' },
    });
  });

  it('may be nested as deep as an object of the API server', async () => {
    const deep = maxDepth - 10;
    const answer = `{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Cluster","metadata":{"name":"one","namespace":"default"},
      "spec":${'{"\\"[{":'.repeat(deep)}1${'}'.repeat(deep)}}`;
    const patch = recordedEvent('patch-clusters-RequestResponse-200.eventlist.json', { responseObject: 'here' });
    const world = new AuditWebhookWorld();
    expect(await world.post(aBody(patch).replace('"here"', answer))).toMatchObject({ statusCode: 200 });
    expect(world.requestTexts()).toEqual(['cluster default/one list']);
  });

  it('is accepted without the items that are not events', async () => {
    const world = new AuditWebhookWorld();
    const patch = recordedEvent('patch-clusters-RequestResponse-200.eventlist.json');
    expect(await world.post(aBody('odd', patch, { auditID: 7 }))).toMatchObject({ statusCode: 200 });
    expect(world.requestTexts()).toHaveLength(1);
    expect(world.counted(refusedMessages)).toEqual({ unreadable: 2 });
    expect(world.log.lines.some(({ level, unreadable }) => level === 'error' && unreadable === 2)).toBe(true);
  });

  it('is answered with 503 if the tokens cannot be read', async () => {
    const world = new AuditWebhookWorld();
    Object.defineProperty(world, 'tokens', {
      get() {
        throw new Error('No bearer token is set');
      },
    });
    expect(await world.post(good)).toMatchObject({ statusCode: 503 });
    expect(world.log.lines).toMatchObject([{ level: 'error', error: 'No bearer token is set' }]);
  });
});

describe('an event that triggers the function', () => {
  it.each([
    { event: { version: '1.0', headers: {}, requestContext: { http: { method: 'POST' } } }, reason: 'another format' },
    { event: { Records: [] }, reason: 'a queue' },
    { event: undefined, reason: 'nothing' },
  ])('is not a request: $reason', ({ event }) => {
    expect(parseHttpRequest(event)).toBeUndefined();
  });

  it('may have no body', () => {
    const { body: _, isBase64Encoded: __, ...request } = aPost('');
    expect(parseHttpRequest(request)).toMatchObject({ body: '', isBase64Encoded: false });
  });
});
