import { beforeEach, describe, expect, it } from 'vitest';
import { createConverter } from '../../../../functions/conversion/converter.ts';
import { serveConversion } from '../../../../functions/conversion/serve-conversion.ts';
import { convertibleKinds, storedVersion } from '../../../../shared/conversion/kinds.ts';
import { maxBodyBytes } from '../../../../shared/http/body.ts';
import type { HttpRequest, HttpResponse } from '../../../../shared/http/request.ts';
import { refusedMessages, webhookRequests } from '../../../../shared/kernel/metrics.ts';
import { ReviewReadError } from '../../../../shared/lambda/review-read-error.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { aReviewRequest } from '../../../support/lambda-events.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';
import { fc } from '../../../support/property.ts';

const token = 'correct-horse-battery-staple';
const canary = 'canary-of-an-object';
const newer = 'cluster.x-k8s.io/v1beta2';
const older = 'cluster.x-k8s.io/v1beta1';

type Options = Parameters<typeof serveConversion>[0];

/** The metadata of a CRD of a provider. */
const aDefinition = (name: string) => ({
  name,
  uid: name,
  resourceVersion: '1',
  labels: { 'cluster.x-k8s.io/v1beta2': name.startsWith('amachines') ? 'v1beta1' : 'v1beta2' },
});

/** A function with recorded log and metrics. */
class ConversionWorld {
  readonly log = aRecordingLog();
  readonly metrics = createMetricsRegistry();
  /** How often the converters were loaded. */
  loads = 0;
  tokens: () => Promise<readonly string[]> = async () => [token];
  readonly #api = createMemoryApi();
  convert = createConverter(this.#api.clock);
  connect: Options['connect'] = async () => ({
    metadata: async ({ name }) => ({ ok: true, value: aDefinition(name) }),
  });

  send(body: string, change: Partial<HttpRequest> = {}): Promise<HttpResponse> {
    const { clock } = this.#api;
    return serveConversion(
      {
        functionName: 'conversion',
        tokens: { current: () => this.tokens() },
        clock,
        log: this.log,
        metrics: this.metrics,
        connect: () => this.connect(),
        loadConverter: async () => {
          this.loads += 1;
          return this.convert;
        },
      },
      aReviewRequest(`/${token}/convert`, body, change),
    );
  }

  async ask(desiredAPIVersion: string, ...objects: readonly unknown[]) {
    const response = await this.send(aBody({ desiredAPIVersion, objects }));
    expect(response.statusCode).toBe(200);
    return JSON.parse(response.body).response;
  }
}

const aBody = (request: object): string =>
  JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: 'u1', desiredAPIVersion: older, objects: [], ...request },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  });

const aMachine = (infrastructure = 'AMachine', spec: object = {}) => ({
  apiVersion: newer,
  kind: 'Machine',
  metadata: { name: 'm', namespace: 'ns' },
  spec: {
    clusterName: 'c1',
    bootstrap: { dataSecretName: 's' },
    infrastructureRef: { apiGroup: 'infra.example.com', kind: infrastructure, name: 'i' },
    ...spec,
  },
});

let world: ConversionWorld;

beforeEach(() => {
  world = new ConversionWorld();
});

describe('a review', () => {
  it('has the converted objects in order, with the uid of the call', async () => {
    const response = await world.send(aBody({ objects: [aMachine(), aMachine('Other')] }));
    expect(response).toMatchObject({ statusCode: 200, headers: { 'content-type': 'application/json' } });
    const answer = JSON.parse(response.body);
    expect(answer).toMatchObject({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' });
    const reference = (version: string, kind: string) => ({
      ...{ apiVersion: `infra.example.com/${version}`, kind, namespace: 'ns', name: 'i' },
    });
    expect(answer.response).toMatchObject({
      uid: 'u1',
      result: { status: 'Success' },
      convertedObjects: [
        { apiVersion: older, spec: { infrastructureRef: reference('v1beta1', 'AMachine') } },
        { apiVersion: older, spec: { infrastructureRef: reference('v1beta2', 'Other') } },
      ],
    });
  });

  it.each(convertibleKinds)('converts an empty $kind there and back', async ({ group, kind, olderVersions }) => {
    const stored = { apiVersion: `${group}/${storedVersion}`, kind, metadata: { name: 'a' } };
    for (const version of olderVersions) {
      const down = await world.ask(`${group}/${version}`, stored);
      expect(down.convertedObjects).toMatchObject([
        { apiVersion: `${group}/${version}`, kind, metadata: stored.metadata },
      ]);
      const up = await world.ask(stored.apiVersion, ...down.convertedObjects);
      expect(up.convertedObjects).toMatchObject([stored]);
    }
  });

  it('fails as a whole with the text of the object that cannot be converted', async () => {
    const broken = { ...aMachine(), spec: { clusterName: 5 } };
    expect(await world.ask(older, aMachine(), broken)).toEqual({
      uid: 'u1',
      result: { status: 'Failure', message: 'spec.clusterName: must be a string' },
    });
  });

  it('has the text of upstream if the conversion ends with an unexpected error', async () => {
    world.convert = async () => {
      throw new TypeError(canary);
    };
    expect(await world.ask(older, aMachine())).toEqual({
      uid: 'u1',
      result: { status: 'Failure', message: 'internal error occurred during conversion' },
    });
    expect(JSON.stringify(world.log.lines)).not.toContain(canary);
    expect(world.log.lines[0]).toMatchObject({
      level: 'error',
      message: 'Converting objects failed',
      error: 'TypeError',
    });
  });

  it('fails with the reason if the CRDs of its references cannot be read', async () => {
    world.connect = async () => {
      throw new ReviewReadError('no API server');
    };
    expect(await world.ask(older, aMachine())).toEqual({
      uid: 'u1',
      result: { status: 'Failure', message: 'failed to convert object: no API server' },
    });
    expect(world.log.lines.map(({ level }) => level)).toEqual(['info']);
  });

  it('is refused if Lambda would not return its answer', async () => {
    const metadata = { name: 'm', annotations: { a: '"'.repeat(maxBodyBytes / 4) } };
    const response = await world.send(aBody({ objects: [{ ...aMachine(), metadata }] }));
    expect(response.statusCode).toBe(413);
    expect(JSON.parse(response.body).message).toBe(`The answer is larger than ${maxBodyBytes} bytes`);
  });
});

describe('a request without a readable review', () => {
  it.each([
    { body: '{}', code: 400, reason: 'no request' },
    { body: aBody({ uid: undefined }), code: 400, reason: 'no uid' },
    { body: aBody({ uid: 'u'.repeat(318) }), code: 400, reason: 'a long uid' },
    { body: aBody({ objects: [{ kind: 'Machine' }] }), code: 400, reason: 'an object without a version' },
    { body: aBody({ objects: 'all' }), code: 400, reason: 'no list' },
    { body: '', code: 400, reason: 'no body' },
    { body: `{"a":${'['.repeat(300)}`, code: 400, reason: 'depth' },
    { body: `[${'0,'.repeat(300_000)}0]`, code: 400, reason: 'many values' },
    { body: 'x'.repeat(maxBodyBytes + 1), code: 413, reason: 'size' },
  ])('is refused with $code: $reason', async ({ body, code }) => {
    const response = await world.send(body);
    expect(response.statusCode).toBe(code);
    expect(JSON.parse(response.body)).toMatchObject({ kind: 'Status', status: 'Failure', code });
    expect(world.loads).toBe(0);
  });

  it.each([
    { change: { requestContext: { http: { method: 'GET' } } }, code: 405 },
    { change: { headers: { 'content-type': 'application/yaml' } }, code: 415 },
  ])('is refused with $code', async ({ change, code }) => {
    expect((await world.send(aBody({}), change)).statusCode).toBe(code);
  });

  it('is refused whatever it is, and is not quoted', async () => {
    const good = aBody({ objects: [aMachine('AMachine', { version: canary })] });
    const cut = fc.nat({ max: good.length - 1 }).map(end => good.slice(0, end));
    const other = fc.jsonValue().map(value => JSON.stringify({ canary, value }));
    await fc.assert(
      fc.asyncProperty(fc.oneof(cut, other, fc.string()), async body => {
        const response = await world.send(body);
        expect(response.statusCode).toBe(400);
        expect(response.body).not.toContain(canary);
      }),
      { numRuns: 500 },
    );
    expect(world.loads).toBe(0);
    expect(JSON.stringify(world.log.lines)).not.toContain(canary);
  });
});

describe('the token in the path', () => {
  it('gives the same answer if it is wrong as an unknown path, before anything is read', async () => {
    const wrong = `${token.slice(0, -1)}x`;
    const rawPaths = [`/${wrong}/convert`, `/${token}/mutate`, `/${token}`, `/${token}/convert/x`, '/convert', '/', ''];
    const answers = await Promise.all(rawPaths.map(rawPath => world.send('x'.repeat(100), { rawPath })));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(answers.every(({ statusCode }) => statusCode === 404)).toBe(true);
    expect(world.loads).toBe(0);
    expect(JSON.stringify(world.log.lines)).not.toContain(token.slice(0, -1));
  });

  it('is one of two that are valid', async () => {
    world.tokens = async () => [token, 'another-token-that-is-valid'];
    expect((await world.send(aBody({}), { rawPath: '/another-token-that-is-valid/convert/' })).statusCode).toBe(200);
    expect((await world.send(aBody({}))).statusCode).toBe(200);
  });

  it('cannot be checked without tokens: the invocation fails', async () => {
    world.tokens = async () => {
      throw new Error('no token');
    };
    await expect(world.send(aBody({}))).rejects.toThrow('no token');
  });
});

describe('the log and the metrics', () => {
  it('name the conversion, and never an object or the text of a failure', async () => {
    await world.ask(older, aMachine('AMachine', { version: canary }));
    await world.ask(older, { ...aMachine(), metadata: { name: 'm', namespace: canary }, spec: { clusterName: 5 } });
    const [converted, refused] = world.log.lines;
    const about = { uid: 'u1', desiredAPIVersion: older, kinds: 'Machine', objects: 1 };
    expect(converted).toMatchObject({ level: 'debug', message: 'Converting objects', ...about });
    expect(refused).toMatchObject({ level: 'info', message: 'Refusing to convert objects', ...about });
    expect(JSON.stringify(world.log.lines)).not.toMatch(new RegExp(`${canary}|must be a string`));
    const counted = world.metrics.snapshot().filter(({ name }) => name === webhookRequests);
    expect(counted.map(({ labels }) => labels)).toEqual([
      { webhook: '/convert', code: '200' },
      { webhook: '/convert', code: '500' },
    ]);
  });

  it('count refused requests by code', async () => {
    await world.send('', { rawPath: '/x' });
    const counted = world.metrics.snapshot().filter(({ name }) => name === refusedMessages);
    expect(counted.map(({ labels }) => labels)).toEqual([{ controller: 'conversion', reason: '404' }]);
  });
});
