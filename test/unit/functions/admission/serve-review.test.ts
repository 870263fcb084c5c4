import { beforeEach, describe, expect, it } from 'vitest';
import { admittedKinds } from '../../../../shared/admission/hooks.ts';
import { maxBodyBytes } from '../../../../shared/http/body.ts';
import { refusedMessages, webhookRequests } from '../../../../shared/kernel/metrics.ts';
import { fc } from '../../../support/property.ts';
import { AdmissionWorld, aReview, pathOf, token } from './admission-world.ts';

const apiVersion = 'cluster.x-k8s.io/v1beta2';
const canary = 'canary-of-an-object';

const aMachine = (spec: object = {}, metadata: object = {}) => ({
  apiVersion,
  kind: 'Machine',
  metadata: { name: 'm', namespace: 'ns', ...metadata },
  spec: { clusterName: 'c1', bootstrap: { dataSecretName: 's' }, ...spec },
});
const settled = aMachine(
  { version: 'v1.34.1', deletion: { nodeDeletionTimeoutSeconds: 0 } },
  { labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
);
const path = pathOf('mutate', 'Machine');
const aBody = (request: object): string => JSON.stringify(aReview(request));

let world: AdmissionWorld;

beforeEach(() => {
  world = new AdmissionWorld();
});

describe('an allowed review', () => {
  it('has the uid of the call and no patch if there is nothing to default (S1)', async () => {
    const response = await world.send(path, aBody({ object: settled }));
    expect(response).toMatchObject({ statusCode: 200, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(response.body)).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u1', allowed: true, status: { metadata: {}, code: 200 } },
    });
  });

  it('has a JSON patch that makes parents (S2)', async () => {
    const answer = await world.ask('mutate', 'Machine', { object: aMachine({ version: '1.34.1' }) });
    expect(answer).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
    expect(answer.operations).toEqual([
      { op: 'add', path: '/metadata/labels', value: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
      { op: 'replace', path: '/spec/version', value: 'v1.34.1' },
      { op: 'add', path: '/spec/deletion', value: { nodeDeletionTimeoutSeconds: 10 } },
    ]);
  });

  it('escapes names in the paths of a patch', async () => {
    const object = aMachine({}, { labels: { a: 'b', 'cluster.x-k8s.io/cluster-name': 'other' } });
    const { operations } = await world.ask('mutate', 'Machine', { object });
    expect(operations[0]).toEqual({
      op: 'replace',
      path: '/metadata/labels/cluster.x-k8s.io~1cluster-name',
      value: 'c1',
    });
  });

  it.each(['IPAddress', 'IPAddressClaim', 'Cluster'])('is that of a deleted %s (S3)', async kind => {
    const of = admittedKinds.find(each => each.kind === kind);
    const oldObject = { apiVersion: `${of?.group}/v1beta2`, kind, metadata: { name: 'a', namespace: 'ns' } };
    const answer = await world.ask('validate', kind, { operation: 'DELETE', object: null, oldObject });
    expect(answer.allowed).toBe(true);
  });

  it('is that of an update of an object that is being deleted, although it is invalid now', async () => {
    const oldObject = aMachine({}, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a/b'] });
    const object = aMachine({ bootstrap: {} }, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    const request = { operation: 'UPDATE', object, oldObject };
    expect(await world.ask('validate', 'Machine', request)).toMatchObject({ allowed: true });
    expect(await world.ask('mutate', 'Machine', request)).toMatchObject({ allowed: true, operations: [] });
    const created = await world.ask('validate', 'Machine', { object });
    expect(created.allowed).toBe(false);
  });

  it('is that of a write in another version, whose object is converted (S10)', async () => {
    const requestKind = { group: 'cluster.x-k8s.io', version: 'v1beta1', kind: 'Machine' };
    expect(await world.ask('validate', 'Machine', { requestKind, object: settled })).toMatchObject({ allowed: true });
  });

  it('is the same in a dry run', async () => {
    const object = aMachine();
    const [dry, real] = [true, false].map(dryRun => world.ask('mutate', 'Machine', { object, dryRun }));
    expect(await dry).toEqual(await real);
  });
});

describe('a denied review', () => {
  it.each([
    { hook: 'validate', kind: 'Machine', request: { operation: 'UPDATE', object: settled }, code: 400 },
    { hook: 'validate', kind: 'Machine', request: { object: null }, code: 400 },
    { hook: 'mutate', kind: 'Machine', request: {}, code: 400 },
  ] as const)('says that there is no content (S6): $hook', async ({ hook, kind, request, code }) => {
    expect(await world.ask(hook, kind, request)).toMatchObject({
      uid: 'u1',
      allowed: false,
      status: { code, message: 'there is no content to decode' },
    });
  });

  it('names the old object that the defaults of replicas need (S6)', async () => {
    const object = { apiVersion, kind: 'MachineSet', metadata: { name: 'a' }, spec: { clusterName: 'c1' } };
    expect(await world.ask('mutate', 'MachineSet', { operation: 'UPDATE', object })).toMatchObject({
      allowed: false,
      status: {
        code: 403,
        reason: 'Forbidden',
        message: 'failed to decode oldObject to MachineSet: there is no content to decode',
      },
    });
  });

  it('names an unknown operation (S7)', async () => {
    expect(await world.ask('validate', 'Machine', { operation: 'FOO', object: settled })).toMatchObject({
      allowed: false,
      status: { code: 400, message: 'unknown operation "FOO"' },
    });
  });

  it.each([
    { object: { ...settled, kind: 'MachineSet' }, reason: 'another kind (S9)' },
    { object: { ...settled, apiVersion: 'cluster.x-k8s.io/v1beta1' }, reason: 'another version' },
    { object: 'text', reason: 'no object' },
    { object: [], reason: 'a list' },
    { object: { ...settled, metadata: 'text' }, reason: 'metadata that are no object' },
  ])('says that an object cannot be read: $reason', async ({ object }) => {
    for (const hook of ['mutate', 'validate'] as const) {
      const answer = await world.ask(hook, 'Machine', { object });
      expect(answer).toMatchObject({ allowed: false, status: { code: 400, message: expect.any(String) } });
    }
  });

  it('says that a default would replace a field of another type', async () => {
    const answer = await world.ask('mutate', 'Machine', { object: aMachine({ deletion: 'soon' }) });
    expect(answer).toMatchObject({
      allowed: false,
      status: {
        code: 400,
        message: 'json: cannot unmarshal string into the field at /spec/deletion, which is of type object',
      },
    });
  });

  it('has the causes, the kind and the name of an invalid object', async () => {
    const object = aMachine({ version: 'wrong', bootstrap: {} });
    const { status } = await world.ask('validate', 'Machine', { object });
    expect(status).toMatchObject({
      status: 'Failure',
      code: 422,
      reason: 'Invalid',
      message: expect.stringMatching(
        /^Machine\.cluster\.x-k8s\.io "m" is invalid: \[spec\.bootstrap: Required value: /,
      ),
      details: { name: 'm', group: 'cluster.x-k8s.io', kind: 'Machine' },
    });
    expect(Object(status['details']).causes).toHaveLength(3);
  });
});

describe('a request without a readable review', () => {
  it.each([
    { body: '{}', code: 400, reason: 'no AdmissionReview (S4)' },
    { body: JSON.stringify({ ...aReview({}), request: undefined }), code: 400, reason: 'no request (S5)' },
    { body: JSON.stringify({ ...aReview({}), apiVersion: 'admission.k8s.io/v1beta1' }), code: 400, reason: 'v1beta1' },
    { body: aBody({ uid: '' }), code: 400, reason: 'no uid' },
    { body: '', code: 400, reason: 'no body' },
    { body: 'null', code: 400, reason: 'null' },
    { body: '{"apiVersion":', code: 400, reason: 'half of it' },
    { body: `{"a":${'['.repeat(300)}`, code: 400, reason: 'depth' },
    { body: `[${'0,'.repeat(300_000)}0]`, code: 400, reason: 'many values' },
    { body: 'x'.repeat(maxBodyBytes + 1), code: 413, reason: 'size' },
  ])('is refused with $code: $reason', async ({ body, code }) => {
    const response = await world.send(path, body);
    expect(response.statusCode).toBe(code);
    expect(JSON.parse(response.body)).toMatchObject({ kind: 'Status', status: 'Failure', code });
    expect(world.loaded).toEqual([]);
  });

  it.each([
    { change: { requestContext: { http: { method: 'GET' } } }, code: 405 },
    { change: { headers: {} }, code: 415 },
    { change: { headers: { 'content-type': 'text/plain' } }, code: 415 },
    { change: { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }, code: 415 },
    { change: { body: Buffer.from([0xff, 0xfe]).toString('base64'), isBase64Encoded: true }, code: 400 },
  ])('is refused with $code: %j', async ({ change, code }) => {
    expect((await world.send(path, aBody({ object: settled }), change)).statusCode).toBe(code);
    expect(world.loaded).toEqual([]);
  });

  it('is read with a charset, and in base64', async () => {
    const body = Buffer.from(aBody({ object: settled })).toString('base64');
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await world.send(path, body, { headers, isBase64Encoded: true })).statusCode).toBe(200);
  });

  it('is refused whatever it is, without work, and is not quoted', async () => {
    const good = aBody({ object: aMachine({ version: canary }) });
    const cut = fc.nat({ max: good.length - 1 }).map(end => good.slice(0, end));
    const spoiled = fc
      .tuple(fc.nat({ max: good.length - 1 }), fc.constantFrom('\u0000', '{', '}', ']', '"', '\\'))
      .map(([at, character]) => `${good.slice(0, at)}${character}${good.slice(at + 1)}`)
      .filter(text => !isReview(text));
    const other = fc.jsonValue().map(value => JSON.stringify({ canary, value }));
    await fc.assert(
      fc.asyncProperty(fc.oneof(cut, spoiled, other, fc.string()), async body => {
        const response = await world.send(path, body);
        expect(response.statusCode).toBe(400);
        expect(response.body).not.toContain(canary);
      }),
      { numRuns: 1_000 },
    );
    expect(world.loaded).toEqual([]);
    expect(JSON.stringify(world.log.lines)).not.toContain(canary);
  });
});

function isReview(text: string): boolean {
  try {
    const { apiVersion: version, kind, request } = JSON.parse(text);
    return version === 'admission.k8s.io/v1' && kind === 'AdmissionReview' && typeof request?.uid === 'string';
  } catch {
    return false;
  }
}

describe('the token in the path', () => {
  const answerAt = async (rawPath: string) => {
    const { statusCode, body } = await world.send('', aBody({ object: settled }), { rawPath });
    return { statusCode, body };
  };

  it('is one of two that are valid', async () => {
    world.tokens = [token, 'another-token-that-is-valid'];
    expect(await answerAt(`/another-token-that-is-valid${path}`)).toMatchObject({ statusCode: 200 });
    expect(await answerAt(`/${token}${path}`)).toMatchObject({ statusCode: 200 });
  });

  it('gives the same answer if it is wrong as an unknown path, before anything is read (S8)', async () => {
    const wrong = `${token.slice(0, -1)}x`;
    const rawPaths = [
      `/${wrong}${path}`,
      `/${token}/mutate-x`,
      path,
      '/',
      '',
      `/${token}`,
      `/${token}/`,
      `//${token}${path}`,
    ];
    const answers = await Promise.all(rawPaths.map(answerAt));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(answers.every(({ statusCode }) => statusCode === 404)).toBe(true);
    expect(world.loaded).toEqual([]);
    const huge = await world.send('', 'x'.repeat(maxBodyBytes + 1), { rawPath: `/${wrong}${path}` });
    expect(huge.statusCode).toBe(404);
  });

  it('may be followed by a path with slashes at its end', async () => {
    expect(await answerAt(`/${token}${path}//`)).toMatchObject({ statusCode: 200 });
  });

  it('is not logged, nor is the path', async () => {
    await answerAt(`/${token}-x${path}`);
    await answerAt(`/${token}${path}`);
    expect(JSON.stringify(world.log.lines)).not.toContain(token);
    expect(world.log.lines.length).toBeGreaterThan(1);
  });

  it('cannot be checked without tokens: the failure policy of the API server decides', async () => {
    const failing = Object.assign(new AdmissionWorld(), {});
    Object.defineProperty(failing, 'tokens', {
      get: () => {
        throw new Error(canary);
      },
    });
    await expect(failing.send(path, aBody({ object: settled }))).rejects.toThrow(canary);
    expect(failing.loaded).toEqual([]);
  });
});

describe('a default hook', () => {
  it('exists for the kinds with defaults only', async () => {
    for (const { kind, hasDefaults } of admittedKinds) {
      const { statusCode } = await world.send(pathOf('mutate', kind), aBody({ operation: 'DELETE' }));
      expect(`${kind} ${statusCode}`).toBe(`${kind} ${hasDefaults ? 200 : 404}`);
    }
  });
});

describe('the time of a decision', () => {
  it.each([
    { query: 'timeout=10s', ms: 9_500 },
    { query: 'timeout=1s', ms: 500 },
    { query: 'timeout=0s', ms: 500 },
    { query: '', ms: 9_500 },
    { query: 'timeout=soon', ms: 9_500 },
    { query: 'timeout=1h', ms: 29_500 },
  ])('follows the query "$query"', async ({ query, ms }) => {
    await world.send(path, aBody({ object: settled }), { rawQueryString: query });
    expect(world.limits).toEqual([ms]);
  });
});

describe('the log and the metrics', () => {
  it('name the write and the decision, and never the object', async () => {
    await world.ask('validate', 'Machine', { object: aMachine({ version: canary }) });
    await world.ask('mutate', 'Machine', { object: aMachine({ version: canary }) });
    const [denied, allowed] = world.log.lines;
    expect(denied).toMatchObject({
      message: 'Denying a write',
      ...{ uid: 'u1', webhook: 'validation.machine.cluster.x-k8s.io', operation: 'CREATE', kind: 'Machine' },
      ...{ namespace: 'ns', user: 'alice', code: 422 },
    });
    expect(allowed).toMatchObject({ message: 'Allowing a write', code: 200 });
    expect(JSON.stringify(world.log.lines)).not.toContain(canary);
    const counted = world.metrics.snapshot().filter(({ name }) => name === webhookRequests);
    expect(counted.map(({ labels }) => labels)).toEqual([
      { webhook: 'validation.machine.cluster.x-k8s.io', code: '422' },
      { webhook: 'default.machine.cluster.x-k8s.io', code: '200' },
    ]);
  });

  it('count refused requests by code', async () => {
    await world.send('/x', '');
    const counted = world.metrics.snapshot().filter(({ name }) => name === refusedMessages);
    expect(counted.map(({ labels }) => labels)).toEqual([{ controller: 'admission', reason: '404' }]);
  });
});
